// Divergence d5: a test on data.
//
// Grew from d2. The lowest bit of the value decides. SHARE per cent of the values take the first path, PATTERN says how
// they lie.
// Why it should win: it is what one writes first; with values in groups of 32, or at the front, it is as good as any.
// Counter to watch: active threads per warp, by SHARE and PATTERN. Without order one value of 32 is enough for both paths.
// Stops winning: without order both paths are taken by nearly every warp from a share of some per cent on.

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
    if (value & 1)
        results[i] = path<0>(value);
    else
        results[i] = path<1>(value);
}
