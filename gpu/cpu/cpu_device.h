#pragma once
// The native pipeline as a device.

#include <memory>

#include "gpu/core/device.h"

namespace ws {

[[nodiscard]] std::unique_ptr<Device> make_cpu_device();

// The picture that every version must give, to the bit; computed on all processors.
[[nodiscard]] GrayImage reference_picture(const RgbaImage& source, View view, bool blur_first);

}  // namespace ws
