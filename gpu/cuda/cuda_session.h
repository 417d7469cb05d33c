#pragma once
// A session with the CUDA GPUs of this machine.

#include <functional>
#include <memory>
#include <string_view>

#include "gpu/core/device_session.h"
#include "gpu/core/error.h"
#include "gpu/core/kernel.h"

namespace ws {

// Compiles a kernel of the program for a GPU. Throws Error.
using KernelMaker = std::function<std::shared_ptr<const CompiledKernel>(
    std::string_view kernel, std::string_view entry, ComputeCapability capability)>;

// With all GPUs of the machine, `first` in front. The failure says why there are none. The session is used by
// the thread that calls this one, or by another one at a time; it makes its GPU current itself.
[[nodiscard]] Result<std::unique_ptr<DeviceSession>> open_cuda_session(int first, KernelMaker make_kernel);

}  // namespace ws
