// Histogram h1: atomics on global memory.
//
// Every value adds one to the bin of its lowest byte.
// Why it should win: it is the formula as it is written.
// Counter to watch: atomics, one for every value; at HOT = 0 they spread over 256 words, at HOT = 100 all go to one.
// Stops winning: additions to one word are done one after the other, by the unit of L2 that has the word. See h2.

// needs compute capability: 1.1  atomics on global memory
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: HOT = 0 in 0..100  per cent of the values that are one and the same
// elements per block: 2048 x 1
// order of tiles: line

#include "reduction.cuh"

extern "C" __global__ void count_bins(const unsigned* __restrict__ values, unsigned* bins, int width, int height) {
    const Run run = run_of_block(values, width, height);
    for (int i = threadIdx.x; i < run.length; i += BLOCK_X) atomicAdd(&bins[run.values[i] % 256], 1u);
}
