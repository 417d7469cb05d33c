#pragma once
// What an average block of a launch does, over what an average traced one does: blocks of the middle of a
// picture may have more to do than those of its borders.

#include <memory>
#include <span>

#include "gpu/analysis/machine_path.h"
#include "gpu/core/counters.h"
#include "gpu/core/machine_code.h"
#include "gpu/core/warp_trace.h"

namespace ws {

// In machine instructions: those of the traced warps' `paths`, of which each stands for as many of the
// launch's as the PTX that it comes from does. `counted` are the counts of the whole launch. Both sides count
// the same thing, how often warps execute each basic block of the PTX; where the counts are of other PTX, all
// instructions together.
[[nodiscard]] double work_of_a_block(const KernelTrace& trace,
                                     std::span<const std::shared_ptr<const MachinePath>> paths,
                                     const MachineCode& code, const KernelCounters& counted);

// A trace beside the whole launch.
struct TracedMix {
    double whole = 1;      // what average blocks of the launch execute over what was traced of as many
    double elsewhere = 0;  // of the instructions: in other basic blocks of the PTX than there; 1: not known
};
[[nodiscard]] TracedMix traced_mix(const KernelTrace& trace, const KernelCounters& counted);

}  // namespace ws
