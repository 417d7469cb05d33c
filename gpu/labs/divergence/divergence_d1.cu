// Divergence d1: one thread of a warp does more.
//
// Every 32nd element takes a path that the others do not; then all take another one.
// Why it should win: it does not; it is the first of the lecture's four cases.
// Counter to watch: active threads per warp. For the extra path one lane works and 31 wait: it takes as long as if all had
// taken it.
// Stops winning: give the extra work to one warp of many, not to one lane of each.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARE = 50 in 0..100  per cent of the values that take the first path
// knob: PATTERN = 0 in 0..3  where they are: 0 anywhere, 1 every n-th, 2 whole groups of 32, 3 all at the front
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "divergence.cuh"

extern "C" __global__ void one(const unsigned* __restrict__ values, unsigned* __restrict__ results, int width,
                               int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned i = element();
    if (i >= count) return;
    unsigned value = values[i];
    if (i % 32 == 0) value = path<0>(value);
    results[i] = path<1>(value);
}
