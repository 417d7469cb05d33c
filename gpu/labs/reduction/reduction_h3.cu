// Histogram h3: bins of their own for groups of warps.
//
// Grew from h2. A block has COPIES sets of bins, and warps take turns in using them; at the end they are added up.
// Why it should win: warps that meet in one bin are fewer.
// Counter to watch: shared memory per block, COPIES KB; occupancy.
// Stops winning: lanes of one warp still meet, and every copy costs memory and additions at the end. See h4.

// needs compute capability: 1.2  atomics on shared memory
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: HOT = 0 in 0..100  per cent of the values that are one and the same
// knob: COPIES = 4 in 1..16  sets of bins of a block
// elements per block: 2048 x 1
// order of tiles: line

#include "reduction.cuh"

#ifndef COPIES
#define COPIES 4
#endif

extern "C" __global__ void count_bins(const unsigned* __restrict__ values, unsigned* bins, int width, int height) {
    __shared__ unsigned mine[COPIES][256];
    for (int i = threadIdx.x; i < COPIES * 256; i += BLOCK_X) mine[i / 256][i % 256] = 0;
    __syncthreads();
    const Run run = run_of_block(values, width, height);
    unsigned* own = mine[threadIdx.x / 32 % COPIES];
    for (int i = threadIdx.x; i < run.length; i += BLOCK_X) atomicAdd(&own[run.values[i] % 256], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += BLOCK_X) {
        unsigned sum = 0;
        for (int copy = 0; copy < COPIES; ++copy) sum += mine[copy][i];
        if (sum > 0) atomicAdd(&bins[i], sum);
    }
}
