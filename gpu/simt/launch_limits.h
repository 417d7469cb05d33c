#pragma once
// Launches that a GPU refuses before anything runs: the error that CUDA answers with, and the arithmetic.

#include "gpu/core/gpu_profile.h"
#include "gpu/simt/launch.h"

namespace ws::simt {

// Throws RefusedLaunch, or Error where the program would not compile for the GPU at all. The registers of a
// thread are looked at where `launch.registers` is known.
void refuse_impossible(const GpuProfile& gpu, const KernelLaunch& launch);
// Throws RefusedLaunch if the GPU has no memory for buffers of so many bytes.
void refuse_memory(const GpuProfile& gpu, std::uint64_t bytes);

}  // namespace ws::simt
