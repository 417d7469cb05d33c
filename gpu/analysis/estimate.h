#pragma once
// An estimate of a kernel's time from what the simulated GPU counted: by the bounds, the longest of the times
// that each part of the GPU would need on its own; where its machine code is read, by the clock of a
// multiprocessor. An estimate, not a measurement.

#include "gpu/core/clocked_launch.h"
#include "gpu/core/counters.h"
#include "gpu/core/estimate.h"
#include "gpu/core/figures.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/kernel.h"
#include "gpu/core/occupancy.h"
#include "gpu/core/throughput.h"

namespace ws {

// The share of the theoretical bandwidth that a good kernel reaches (the original lecture: 70 to 75 % is
// good; copies reach more).
inline constexpr double kReachableBandwidth = 0.85;
// What nothing goes beyond: an H200 reads so much of it (docs/clock.md), and copies 0.87.
inline constexpr double kMostBandwidth = 0.98;
// Loads that a warp has in flight at most before it must wait for the first.
inline constexpr double kLoadsUnderWay = 12;
// Whether a launch finds in the second level what the same launch before it has touched.
[[nodiscard]] bool stays_in_l2(double bytes, const GpuProfile& gpu);
// Of a kernel: what its machine code has under way, at most that many.
[[nodiscard]] double loads_under_way(const CodeFacts& code);

// The part of the second level in which lines stay.
[[nodiscard]] double kept_in_l2(const GpuProfile& gpu);

// Of the words that the compiler spilled, what the caches cannot keep until they are needed again: those of
// all resident threads.
struct SpillShares {
    double past_l1 = 0;
    double past_l2 = 0;  // of what goes past the first level
    // Of stores, which the first level passes on: what the second one writes back before the next block's
    // threads store to the same places.
    double stores_past_l2 = 0;
};
// `other_bytes`: that the launch transfers beside them.
[[nodiscard]] SpillShares spill_shares(std::uint64_t warps, const Occupancy& occupancy, const GpuProfile& gpu,
                                       const CodeFacts& code, double other_bytes = 0);

// By the bounds. `occupancy` is the kernel's on the GPU, `code` what its machine code says. A GPU without a
// clock or bandwidth in its profile gives an estimate of 0. Counts come from PTX, which has no spills: each
// spilled word is taken once a thread, so that one in a loop counts too little.
[[nodiscard]] Estimate estimate_time(const KernelCounters& counters, const Occupancy& occupancy,
                                     const GpuProfile& gpu, const CodeFacts& code = {});

// The same launch as the clock has it; from the bounds remain what device memory transfers and their time.
[[nodiscard]] Estimate by_clock(Estimate by_bounds, const ClockedLaunch& launch);

// What counts that nobody made would take, where others of the same kernel are known: by the bounds, in the
// proportion in which the known estimate stands to them.
[[nodiscard]] Estimate estimate_changed(const KernelCounters& counters, const Occupancy& occupancy,
                                        const StepResult& now);

}  // namespace ws
