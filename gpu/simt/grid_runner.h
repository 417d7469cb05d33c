#pragma once
// Runs the blocks of a launch on all cores, under the observers that its options ask for.

#include <vector>

#include "gpu/core/gpu_profile.h"
#include "gpu/simt/launch.h"
#include "gpu/simt/texture.h"

namespace ws::simt {

class DeviceLaunches;
class LaunchMemory;

struct LaunchContext {
    const GpuProfile& gpu;
    const KernelLaunch& launch;
    const LaunchOptions& options;
    const std::vector<Texture>& textures;
    Translate translate = Translate::when_hot;
    DeviceLaunches* launches = nullptr;  // of its kernels; null: none of them runs
};

// Those that the options name, or all.
[[nodiscard]] std::uint64_t blocks_to_run(const LaunchContext& context);
[[nodiscard]] LaunchOutcome run_grid(const LaunchContext& context, LaunchMemory& memory);

}  // namespace ws::simt
