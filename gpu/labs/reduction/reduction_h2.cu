// Histogram h2: atomics on shared memory.
//
// Grew from h1. Each block counts its 2048 values in bins of its own and adds those to the result at the end.
// Why it should win: 256 atomics on global memory for 2048 values; the others stay on the multiprocessor.
// Counter to watch: shared memory wavefronts; barriers.
// Stops winning: lanes of a warp that meet in one bin are still served one after the other. See h3, h4.

// needs compute capability: 1.2  atomics on shared memory
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: HOT = 0 in 0..100  per cent of the values that are one and the same
// elements per block: 2048 x 1
// order of tiles: line

#include "reduction.cuh"

extern "C" __global__ void count_bins(const unsigned* __restrict__ values, unsigned* bins, int width, int height) {
    __shared__ unsigned mine[256];
    for (int i = threadIdx.x; i < 256; i += BLOCK_X) mine[i] = 0;
    __syncthreads();
    const Run run = run_of_block(values, width, height);
    for (int i = threadIdx.x; i < run.length; i += BLOCK_X) atomicAdd(&mine[run.values[i] % 256], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += BLOCK_X) {
        if (mine[i] > 0) atomicAdd(&bins[i], mine[i]);
    }
}
