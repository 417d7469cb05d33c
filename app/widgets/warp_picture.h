#pragma once
// A picture of one access of a warp: its 32 lanes, and the sectors of memory or the banks that they touch.

#include "gpu/core/counters.h"

namespace ws {

// `banks` is 32 or, before compute capability 2.0, 16.
void warp_picture(const AccessExample& access, int banks, float width);

}  // namespace ws
