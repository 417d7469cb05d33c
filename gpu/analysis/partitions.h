#pragma once
// The time that device memory takes on a GPU whose addresses are not hashed over its memory partitions (1.x):
// while blocks run together, all wait for the partition that has most to do.

#include "gpu/core/counters.h"
#include "gpu/core/gpu_profile.h"

namespace ws {

// Between two rows that one partition opens, in nanoseconds: the activate-to-activate delay (tRRD) of GDDR3
// is about that. 10 is what a naive transpose's 5.3 GB/s on a GTX 280 come to (the original lecture); a copy
// down the columns confirms it: 2.7 GB/s there, 2.7 estimated.
inline constexpr double kRowOpening = 10;

// Milliseconds for the whole launch: of each window the busiest partition's, bytes at its share of
// `bandwidth_gb_s` and rows opened one after the other. 0 where no windows are counted.
[[nodiscard]] double partition_time(const KernelCounters& counters, double bandwidth_gb_s);

// Of the busiest partition in the mean window, over the mean partition's: 1 where all have the same to do,
// their number where one has it all; 0 where no windows are counted.
[[nodiscard]] double partition_imbalance(const KernelCounters& counters);

}  // namespace ws
