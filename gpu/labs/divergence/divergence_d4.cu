// Divergence d4: the same chain, by warps.
//
// Grew from d3. The path follows from the number of the group of 32 elements: there are as many elements for each path as
// before, but a warp needs one path only.
// Why it should win: no warp diverges, whatever the others do.
// Counter to watch: active threads per warp, 32; divergent branches, none.
// Stops winning: it needs data that can be laid out so. See d7 for those that cannot.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARE = 50 in 0..100  per cent of the values that take the first path
// knob: PATTERN = 0 in 0..3  where they are: 0 anywhere, 1 every n-th, 2 whole groups of 32, 3 all at the front
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "divergence.cuh"

extern "C" __global__ void warps(const unsigned* __restrict__ values, unsigned* __restrict__ results, int width,
                               int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned i = element();
    if (i >= count) return;
    const unsigned way = i / 32 % 8;
    unsigned value = values[i];
    if (way == 0)
        value = path<0>(value);
    else if (way == 1)
        value = path<1>(value);
    else if (way == 2)
        value = path<2>(value);
    else if (way == 3)
        value = path<3>(value);
    else if (way == 4)
        value = path<4>(value);
    else if (way == 5)
        value = path<5>(value);
    else if (way == 6)
        value = path<6>(value);
    else
        value = path<7>(value);
    results[i] = value;
}
