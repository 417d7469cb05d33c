#include "gpu/engine/launch_atomics.h"

#include <algorithm>

namespace ws {

double LaunchAtomics::clocks(const ClockRates& rates) const {
    double most = 0;
    for (const AtomicSlice& slice : trace_.atomics) most = std::max(most, clocks_of(slice, rates));
    return most;
}

// What one traced block alone comes to is its own.
double LaunchAtomics::clocks_of(const AtomicSlice& slice, const ClockRates& rates) const {
    const double clocks = slice.lanes * rates.same_word + slice.float_lanes * rates.same_word_float;
    const double all = slice.blocks > 1 ? double(blocks_) / double(traced_blocks_) : 1;
    return clocks * all * whole_over_traced_;
}

int LaunchAtomics::hot_slices(const ClockRates& rates) const {
    const double most = clocks(rates);
    return int(std::count_if(trace_.atomics.begin(), trace_.atomics.end(),
                             [&](const AtomicSlice& slice) { return 2 * clocks_of(slice, rates) >= most; }));
}

double LaunchAtomics::of_a_block() const {
    double traced = 0;
    for (const WarpTrace& warp : trace_.warps)
        for (const TracedAccess& access : warp.accesses)
            traced += access.kind == MachineKind::atomic && access.space == MemorySpace::global;
    return whole_over_traced_ * traced / double(std::max<std::size_t>(1, traced_blocks_));
}

}  // namespace ws
