#pragma once
// What the clock of a multiprocessor says of a whole launch.

#include <vector>

#include "gpu/core/estimate.h"
#include "gpu/core/warp_timeline.h"

namespace ws {

struct ClockedLaunch {
    double ms = 0;            // among other launches of its stream
    double launch_ms = 0;     // of these: that any launch takes
    double instructions = 0;  // of warps
    // How long each part of the GPU works in that time; latency: what the launch would take if every part
    // took any number of things at once. None is longer than the launch.
    std::vector<Bound> bounds;
    // Clocks that warps of a multiprocessor spent at each line of the source, by state; by line.
    std::vector<StateClocks> at_line;
};

}  // namespace ws
