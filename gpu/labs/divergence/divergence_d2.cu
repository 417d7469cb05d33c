// Divergence d2: if and else, by one thread of a warp.
//
// Grew from d1. Every 32nd element takes the first path, the others the second one.
// Why it should win: it does not. Both sides run one after the other, for one lane and for 31.
// Counter to watch: active threads per warp; divergent branches.
// Stops winning: as d1. The condition should be the same for all lanes of a warp.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARE = 50 in 0..100  per cent of the values that take the first path
// knob: PATTERN = 0 in 0..3  where they are: 0 anywhere, 1 every n-th, 2 whole groups of 32, 3 all at the front
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "divergence.cuh"

extern "C" __global__ void either(const unsigned* __restrict__ values, unsigned* __restrict__ results, int width,
                               int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned i = element();
    if (i >= count) return;
    if (i % 32 == 0)
        results[i] = path<0>(values[i]);
    else
        results[i] = path<1>(values[i]);
}
