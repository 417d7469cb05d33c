#pragma once
// The pipeline written as it is defined, pixel by pixel: slow and obviously right. Tests compare with it.

#include "gpu/core/image.h"
#include "gpu/labs/filters/native.h"

namespace ws::filters::naive {

[[nodiscard]] GrayImage gray(const RgbaImage& source);
[[nodiscard]] GrayImage blur(const GrayImage& source);
[[nodiscard]] GrayImage edge(const GrayImage& source);

// Gray and the filters that follow.
[[nodiscard]] GrayImage picture(const RgbaImage& source, native::Filters filters);

}  // namespace ws::filters::naive
