#pragma once
// What CUDA tells about a GPU.

#include "gpu/core/device.h"

namespace ws {

// Throws Error.
[[nodiscard]] DeviceFacts read_cuda_facts(int index);

}  // namespace ws
