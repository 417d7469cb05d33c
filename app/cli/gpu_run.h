#pragma once
// A plan on a device that measures time: what it leaves in the buffers, and how long it takes.

#include <string>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/statistics.h"

namespace ws {

struct GpuRun {
    std::string device;              // its name
    Statistics ms;                   // of all launches, one after the other
    int launches = 0;                // of the same work a sample
    bool restored = false;           // each sample began with the problem's content: the launches change it
    std::vector<HostBytes> buffers;  // by the lab's list, after one run
};

// Runs the plan once for its results, then until there are so many samples, after a warm-up. Throws Error
// with the device's reason where it refuses a launch.
[[nodiscard]] GpuRun run_measured(Device& device, const Plan& plan, const Problem& problem, int samples);

// The same plan with buffers as mere inputs that a run leaves as they were: `after` by the lab's list.
[[nodiscard]] Plan without_idle_changes(Plan plan, const Problem& problem,
                                        const std::vector<HostBytes>& after);

}  // namespace ws
