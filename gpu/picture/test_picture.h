#pragma once
// A picture drawn by code, for tests and benches, with what edge filters are tried on: shapes, fine detail,
// gradients, noise.

#include "gpu/core/image.h"

namespace ws {

inline constexpr Extent kTestPictureSize{3648, 2736};

// The same bytes on every machine, for any size.
[[nodiscard]] RgbaImage draw_test_picture(Extent size = kTestPictureSize);

}  // namespace ws
