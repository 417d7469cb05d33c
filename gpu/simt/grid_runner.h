#pragma once
// Runs the blocks of a launch on all cores and adds up what they counted.

#include <vector>

#include "gpu/core/gpu_profile.h"
#include "gpu/simt/launch.h"
#include "gpu/simt/launch_memory.h"
#include "gpu/simt/texture.h"

namespace ws::simt {

struct LaunchContext {
    const GpuProfile& gpu;
    const KernelLaunch& launch;
    const LaunchOptions& options;
    const std::vector<Texture>& textures;
};

[[nodiscard]] LaunchOutcome run_grid(const LaunchContext& context, LaunchMemory& memory);

}  // namespace ws::simt
