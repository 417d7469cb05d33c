#pragma once
// A lab's own code on the CPU as a device.

#include <memory>

#include "gpu/core/device.h"

namespace ws {

[[nodiscard]] std::unique_ptr<Device> make_cpu_device();

// What a buffer holds by definition, to the bit; computed on all processors.
[[nodiscard]] HostBytes reference_result(const Problem& problem, int buffer);

}  // namespace ws
