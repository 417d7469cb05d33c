#pragma once
// The GPUs that work is shown on side by side, and what its plan on each of them depends on.

#include <vector>

#include "gpu/analysis/profiles.h"
#include "gpu/engine/planner.h"

namespace ws {

// The target, this machine's GPU, and GPUs of the table from the original lecture's on: as many whatever the
// target is, in the order of their compute capability.
[[nodiscard]] std::vector<GpuProfile> beside_gpus(const GpuTable& table, const Surroundings& around);

// As on this machine, with this GPU as the target. Unless it is the one that the machine has, what is planned
// has no times: its key is that of a simulated GPU.
[[nodiscard]] Surroundings with_gpu(Surroundings around, const GpuProfile& gpu);

}  // namespace ws
