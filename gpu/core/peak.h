#pragma once
// What a GPU could do at most, from its clocks and widths.

#include "gpu/core/gpu_profile.h"

namespace ws {

// Words for each line of the bus and clock: the clock that CUDA reports is half the data rate.
inline constexpr int kTransfersPerClock = 2;
// Operations of a multiply-add.
inline constexpr int kOperationsPerLane = 2;

// GB/s, 10^9 bytes a second: memory clock x 2 x bits / 8. 0 where one of them is not known.
[[nodiscard]] double peak_bandwidth_gb_s(const GpuProfile& gpu);
// Lanes of a multiprocessor that do a float32 multiply-add each clock.
[[nodiscard]] int fp32_lanes(ComputeCapability capability);
// 10^9 float32 operations a second: multiprocessors x lanes x 2 x clock. 0 where the clock is not known.
[[nodiscard]] double peak_gflop_s(const GpuProfile& gpu);

}  // namespace ws
