#pragma once
// The one step of a version that the command line names, ready to be compiled.

#include <memory>
#include <utility>
#include <vector>

#include "app/cli/options.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/core/device.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/engine/planner.h"

namespace ws {

struct VersionStep {
    Work work;
    std::shared_ptr<const KernelLibrary> library;  // holds the request's source
    StepRequest request;
    CompileRequest compile;  // for no architecture yet; registers as few as the GPU needs for the block
};

// Throws Error where the version has no such step, or the GPU cannot run it.
[[nodiscard]] VersionStep version_step(const Work& work, int step,
                                       std::shared_ptr<const KernelLibrary> library, const GpuProfile& gpu);
[[nodiscard]] VersionStep version_step(const Options& options, const GpuProfile& gpu);

// What the steps before leave in buffers, by their number: of those that the launch only reads what every
// version makes, which is the same; of those that it changes what this version's own steps do, on the
// simulated GPU.
[[nodiscard]] std::vector<std::pair<int, HostBytes>> inputs_of_step(const Nvrtc& nvrtc,
                                                                    const VersionStep& named,
                                                                    const Problem& problem,
                                                                    const Launch& launch,
                                                                    const GpuProfile& gpu);

}  // namespace ws
