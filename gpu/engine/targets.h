#pragma once
// Which code to compile for which GPU.

#include <string>
#include <vector>

#include "gpu/compile/nvrtc.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/result_key.h"
#include "gpu/core/settings.h"
#include "gpu/pipeline/requests.h"

namespace ws {

struct CodeTarget {
    int architecture = 0;  // 90 is sm_90; 0 if the compiler can make nothing for the GPU
    bool to_ptx = false;
};

// Code that runs on a GPU of this capability: its own machine code, else PTX that its driver translates.
[[nodiscard]] CodeTarget runnable_target(const std::vector<int>& architectures, ComputeCapability capability);
// The code whose register count is closest to that on a GPU of this capability: the nearest that can be
// built.
[[nodiscard]] CodeTarget nearest_target(const std::vector<int>& architectures, ComputeCapability capability);

[[nodiscard]] CompileRequest compile_request(const StageRequest& stage, CodeTarget target);
[[nodiscard]] KernelKey kernel_key(const CompileRequest& request, const Nvrtc& compiler);
// "blur_g6.cu needs compute capability 8.0 (why); this GPU has 3.0".
[[nodiscard]] std::string why_not(const KernelSource& source, ComputeCapability capability);

// Settings that a person may well choose next: blocks of half and double the size, the neighbouring versions.
[[nodiscard]] std::vector<Settings> likely_next(const Settings& settings);

}  // namespace ws
