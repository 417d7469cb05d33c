#pragma once
// The atomics of a whole launch on global memory, from those of the traced blocks: how long the slices of the
// second level take for them, one after the other. Times are in clocks.

#include <cstddef>
#include <cstdint>

#include "gpu/analysis/clock_rates.h"
#include "gpu/core/warp_trace.h"

namespace ws {

class LaunchAtomics {
  public:
    // `whole_over_traced`: what the traced blocks execute over what was traced of them. The trace outlives
    // it.
    LaunchAtomics(const KernelTrace& trace, std::size_t traced_blocks, std::uint64_t blocks,
                  double whole_over_traced)
        : trace_(trace),
          traced_blocks_(traced_blocks),
          blocks_(blocks),
          whole_over_traced_(whole_over_traced) {}

    // Until all have gone through the slice that has most of them.
    [[nodiscard]] double clocks(const ClockRates& rates) const;
    // Slices that take at least half as long as the busiest one.
    [[nodiscard]] int hot_slices(const ClockRates& rates) const;
    // Requests of the warps of a traced block, on average.
    [[nodiscard]] double of_a_block() const;

  private:
    [[nodiscard]] double clocks_of(const AtomicSlice& slice, const ClockRates& rates) const;

    const KernelTrace& trace_;
    std::size_t traced_blocks_;
    std::uint64_t blocks_;
    double whole_over_traced_;
};

}  // namespace ws
