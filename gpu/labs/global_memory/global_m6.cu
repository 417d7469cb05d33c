// Global memory m6: one word for all lanes.
//
// Grew from m1. Every lane of a warp loads the first of its 32 words; they store side by side.
// Why it should win: it is no copy, but a lesson: a word for a whole warp is one sector, of which 4 bytes are used.
// Counter to watch: sectors per load request, 1; sector efficiency 12.5 %. On 2.x a line of 128 bytes: 3.125 %; past L1
// 32 bytes: 12.5 %. Before 1.2 one transaction for every lane.
// Stops winning: constant memory is made for this, and a shuffle needs no memory at all.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CACHED = 1 in 0..1  loads go 1: through L1, 0: past it (2.x moves sectors then instead of lines)
// elements per block: 4 * BLOCK_X x 1
// order of tiles: line

#include "global.cuh"

// The target has the first of every 32 words, 32 times.
extern "C" __global__ void spread(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    const unsigned count = unsigned(width) * height;
    float word[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        if (word_of(i) < count) word[i] = load(source + (word_of(i) & ~31u));
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        if (word_of(i) < count) target[word_of(i)] = word[i];
    }
}
