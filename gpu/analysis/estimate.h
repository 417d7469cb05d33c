#pragma once
// An estimate of a kernel's time from what the simulated GPU counted: the time that each part of the GPU
// would need on its own, of which the longest counts. An estimate, not a measurement.

#include "gpu/core/counters.h"
#include "gpu/core/estimate.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/occupancy.h"

namespace ws {

// What one multiprocessor does in a clock: warp instructions issued, and lanes by pipe. Source: the CUDA C
// Programming Guide's table of arithmetic throughput; for 1.x and 2.x the seed's.
struct Throughput {
    double issue = 4;
    double single = 128, integer = 64, conversion = 16, special = 16, dbl = 2;
    double load_store = 32;       // lanes
    double shared_passes = 1;     // wavefronts
    double l1_sectors = 4;        // 32-byte sectors
    double memory_latency = 500;  // clocks
};
[[nodiscard]] Throughput throughput_of(ComputeCapability capability);

// `occupancy` is the kernel's on the GPU. A GPU without a clock or bandwidth in its profile gives an estimate
// of 0.
[[nodiscard]] Estimate estimate_time(const KernelCounters& counters, const Occupancy& occupancy,
                                     const GpuProfile& gpu);

}  // namespace ws
