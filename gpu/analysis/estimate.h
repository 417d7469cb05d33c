#pragma once
// An estimate of a kernel's time from what the simulated GPU counted: the longest of the times that each part
// of the GPU would need on its own. An estimate, not a measurement.

#include "gpu/core/counters.h"
#include "gpu/core/estimate.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/kernel.h"
#include "gpu/core/occupancy.h"

namespace ws {

// What one multiprocessor does in a clock: warp instructions issued, and lanes by pipe. Source: the CUDA C
// Programming Guide's table of arithmetic throughput; for 1.x and 2.x the original lecture. Result latencies
// are those of Jia, Maggioni, Staiger, Scarpazza (arXiv 1804.06826, 1903.07486) for 3.x to 7.5, kept for
// later GPUs; of 1.x and 2.x what the lecture's 192 and 768 threads at 8 and 32 lanes make. Fetches from
// textures are the texture units of a multiprocessor, of NVIDIA's papers on each architecture.
struct Throughput {
    double issue = 4;
    double fma = 128, alu = 64, conversion = 16, xu = 16, fp64 = 2;
    double lsu = 32;  // lanes
    double shared_wavefronts = 1;
    double l1_sectors = 4;        // 32-byte sectors
    double memory_latency = 500;  // clocks
    double result_latency = 4;    // clocks until arithmetic can read what arithmetic wrote
    double shift = 64;            // lanes of the ALU pipe that do this...
    double multiply = 64;         // ...and this
    double texture = 4;           // filtered fetches, of lanes
    double narrow = 64;           // conversions of whole numbers from 8 and 16 to 32 bits
};
// The share of the theoretical bandwidth that a good kernel reaches (the original lecture: 70 to 75 % is
// good; copies reach more).
inline constexpr double kReachableBandwidth = 0.85;
// Loads that a warp has in flight at most before it must wait for the first.
inline constexpr double kLoadsUnderWay = 12;
// Of a kernel: what its machine code has under way, at most that many.
[[nodiscard]] double loads_under_way(const CodeFacts& code);
[[nodiscard]] Throughput throughput_of(ComputeCapability capability);

// `occupancy` is the kernel's on the GPU, `code` what its machine code says. A GPU without a clock or
// bandwidth in its profile gives an estimate of 0. Counts come from PTX, which has no spills: each spilled
// word is taken once a thread, so that one in a loop counts too little.
[[nodiscard]] Estimate estimate_time(const KernelCounters& counters, const Occupancy& occupancy,
                                     const GpuProfile& gpu, const CodeFacts& code = {});

}  // namespace ws
