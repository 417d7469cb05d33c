#pragma once
// A picture of one access of a warp: its 32 lanes, and the sectors of memory or the banks that they touch.

#include "gpu/core/counters.h"
#include "gpu/core/gpu_profile.h"

namespace ws {

// As the GPU with these limits transfers it: by sectors of 32 bytes, 2.x loads by lines of 128, 1.x by
// aligned segments whose size follows from the access; of shared memory by its banks.
void warp_picture(const AccessExample& access, const GpuLimits& limits, float width);

}  // namespace ws
