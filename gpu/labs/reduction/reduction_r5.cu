// Reduction r5: shuffles.
//
// Grew from r4. The lanes of a warp add up their sums by shuffles, register to register; each warp leaves one word, and the
// first warp adds up those.
// Why it should win: five instructions instead of five rounds of load, add, store and barrier; one barrier in all.
// Counter to watch: barriers, 1; shared memory requests, a few a block.
// Stops winning: now it is the memory. See r6.

// needs compute capability: 3.0  warp shuffles
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: HOT = 0 in 0..100  per cent of the values that are one and the same
// elements per block: 2048 x 1
// order of tiles: line

#include "reduction.cuh"

constexpr int kWarps = BLOCK_X / 32;

extern "C" __global__ void sum_runs(const unsigned* __restrict__ values, unsigned* __restrict__ sums, int width,
                                    int height) {
    const Run run = run_of_block(values, width, height);
    unsigned sum = 0;
    if (threadIdx.x < 32 * kWarps) {
#pragma unroll
        for (int i = threadIdx.x; i < kRun; i += 32 * kWarps) sum += run[i];
    }
    sum = sum_of_block<kWarps>(sum);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
