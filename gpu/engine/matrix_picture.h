#pragma once
// Buffers that are no pictures, to be looked at.

#include "gpu/core/device.h"
#include "gpu/core/image.h"

namespace ws {

// Floats as gray values: the smallest is black, the largest white.
[[nodiscard]] GrayImage gray_picture(Extent size, const std::uint8_t* floats);
// The value at a place of a buffer of floats.
[[nodiscard]] float value_at(Extent size, const std::uint8_t* floats, int column, int row);

}  // namespace ws
