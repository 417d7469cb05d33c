#pragma once
// Buffers that are no pictures, to be looked at.

#include "gpu/core/device.h"
#include "gpu/core/image.h"
#include "gpu/core/lab.h"

namespace ws {

// Numbers as gray values: the smallest is black, the largest white.
[[nodiscard]] GrayImage gray_picture(Element element, Extent size, const std::uint8_t* bytes);
// The number at a place of a buffer.
[[nodiscard]] double value_at(Element element, Extent size, const std::uint8_t* bytes, int column, int row);

}  // namespace ws
