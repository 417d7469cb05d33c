#pragma once
// Pictures as work of the image filters.

#include <cstdint>
#include <memory>
#include <utility>

#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/picture/test_picture.h"

namespace ws::testing {

// Pictures of one size differ in their first byte.
inline Picture picture_of(Extent size, std::uint8_t first = 0) {
    RgbaImage image = draw_test_picture(size);
    image.bytes[0] = first;
    return std::make_shared<const RgbaImage>(std::move(image));
}

inline Problem problem_of(const Picture& picture) {
    return picture_problem(filters::lab(), picture);
}

}  // namespace ws::testing
