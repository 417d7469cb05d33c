#pragma once
// The pipeline written as it is defined, pixel by pixel: slow and obviously right. Tests compare with it.

#include "gpu/core/image.h"
#include "gpu/core/stage.h"

namespace ws::naive {

[[nodiscard]] GrayImage gray(const RgbaImage& source);
[[nodiscard]] GrayImage blur(const GrayImage& source);
[[nodiscard]] GrayImage edge(const GrayImage& source);

// The picture of `view`, which is not the original.
[[nodiscard]] GrayImage picture(const RgbaImage& source, View view, bool blur_first);

}  // namespace ws::naive
