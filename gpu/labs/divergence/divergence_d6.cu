// Divergence d6: both paths and a choice.
//
// Grew from d5. Each thread goes through both paths and keeps one result: there is no branch, only a selection.
// Why it should win: it saves the branch, and the two paths' instructions can overlap. For a few instructions the compiler
// does this by itself (predication).
// Counter to watch: active threads per warp, 32; instructions, as many as if all warps diverged.
// Stops winning: where warps agree (PATTERN 2, 3) half of the work is for nothing.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARE = 50 in 0..100  per cent of the values that take the first path
// knob: PATTERN = 0 in 0..3  where they are: 0 anywhere, 1 every n-th, 2 whole groups of 32, 3 all at the front
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "divergence.cuh"

extern "C" __global__ void data(const unsigned* __restrict__ values, unsigned* __restrict__ results, int width,
                               int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned i = element();
    if (i >= count) return;
    const unsigned value = values[i];
    const unsigned first = path<0>(value);
    const unsigned second = path<1>(value);
    results[i] = value & 1 ? first : second;
}
