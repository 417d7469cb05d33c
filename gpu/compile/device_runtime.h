#pragma once
// Kernels that launch kernels call functions of CUDA's device runtime, which the toolkit has as a library:
// their machine code is linked with it before a GPU takes it.

#include <span>
#include <string_view>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/core/kernel.h"

namespace ws {

// Whether the text has a launch in its code.
[[nodiscard]] bool launches_kernels(std::string_view text);
// Whether the kernel has to be linked before it runs: it calls what is not in it.
[[nodiscard]] bool needs_device_runtime(const CompiledKernel& kernel);
// The machine code, linked with the device runtime. The failure says what is missing and what to install.
[[nodiscard]] Result<std::vector<char>> with_device_runtime(const CompiledKernel& kernel);

}  // namespace ws
