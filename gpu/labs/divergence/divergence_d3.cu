// Divergence d3: a chain of else-ifs.
//
// Grew from d2. Element n takes path n modulo 8: every warp needs all eight.
// Why it should win: it does not. Eight paths of four lanes each take eight times as long as one path of 32.
// Counter to watch: active threads per warp, little more than 4 in the paths.
// Stops winning: see d4.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARE = 50 in 0..100  per cent of the values that take the first path
// knob: PATTERN = 0 in 0..3  where they are: 0 anywhere, 1 every n-th, 2 whole groups of 32, 3 all at the front
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "divergence.cuh"

extern "C" __global__ void chain(const unsigned* __restrict__ values, unsigned* __restrict__ results, int width,
                               int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned i = element();
    if (i >= count) return;
    const unsigned way = i % 8;
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
