#pragma once
// How much a multiprocessor does in a clock and how long it waits, by compute capability.

#include "gpu/core/gpu_profile.h"

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
[[nodiscard]] Throughput throughput_of(ComputeCapability capability);

}  // namespace ws
