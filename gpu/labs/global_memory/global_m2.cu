// Global memory m2: words side by side, from an offset on.
//
// Grew from m1. All lanes are moved by OFFSET words; the last ones take the words at the beginning.
// Why it should win: it does not. The 32 words of a warp reach into one sector more, or one line more.
// Counter to watch: sectors per request, 5 instead of 4. On 2.x 256 bytes instead of 128, past L1 160; before 1.2 one
// transaction for every lane, 1.2 and 1.3 fetch one or two segments for a half warp.
// Stops winning: an offset of a multiple of 8 words (32 for lines) costs nothing. With caches the neighbour warp finds the
// other part of a sector there.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: OFFSET = 1 in 0..32  words by which all lanes are moved
// knob: CACHED = 1 in 0..1  loads go 1: through L1, 0: past it (2.x moves sectors then instead of lines)
// elements per block: 4 * BLOCK_X x 1
// order of tiles: line

#include "global.cuh"

#ifndef OFFSET
#define OFFSET 1
#endif

extern "C" __global__ void copy(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    const unsigned count = unsigned(width) * height;
    const unsigned offset = count > OFFSET ? OFFSET : 0;
    copy_words(source, target, count, [=](unsigned word) {
        return word + offset < count ? word + offset : word + offset - count;
    });
}
