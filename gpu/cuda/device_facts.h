#pragma once
// What CUDA reports about a GPU.

#include "gpu/core/device.h"

namespace ws {

// Throws Error.
[[nodiscard]] DeviceFacts read_cuda_facts(int index);

}  // namespace ws
