#pragma once
// Which code to compile for which GPU.

#include <cstdint>
#include <vector>

#include "gpu/compile/nvrtc.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/result_key.h"

namespace ws {

struct CodeTarget {
    int architecture = 0;  // 90 is sm_90; 0 if the compiler can make nothing for the GPU
    bool to_ptx = false;
    friend bool operator==(const CodeTarget&, const CodeTarget&) = default;
};

// Code that runs on a GPU of this capability: its own machine code, else PTX that its driver translates.
[[nodiscard]] CodeTarget runnable_target(const std::vector<int>& architectures, ComputeCapability capability);
// The code whose register count is closest to that on a GPU of this capability: the nearest that can be
// built.
[[nodiscard]] CodeTarget nearest_target(const std::vector<int>& architectures, ComputeCapability capability);

// Content of the file and of its headers.
[[nodiscard]] std::uint64_t content_of(const KernelSource& source);

[[nodiscard]] KernelKey kernel_key(const CompileRequest& request, const Nvrtc& compiler);

}  // namespace ws
