#pragma once
// The arithmetic that a GPU can do at most.

#include "gpu/analysis/estimate.h"

namespace ws {

// 10^9 float32 operations a second, a multiply-add being two: lanes x 2 x clock. 0 without a known clock.
[[nodiscard]] inline double fp32_peak_gflop_s(const GpuProfile& gpu) {
    constexpr double kPerMhz = 1e-3;  // 10^9 a second
    return 2 * throughput_of(gpu.limits.capability).fma * gpu.multiprocessors * gpu.clock_mhz * kPerMhz;
}

}  // namespace ws
