// Global memory m8: a gather from anywhere.
//
// Grew from m7. Loads go to words anywhere in the array, some twice and some never; stores lie side by side.
// Why it should win: it has only one scattered side; where a program can choose, it should scatter reads, not writes.
// Counter to watch: sectors per load request, 32; per store request, 4. Bytes transferred, 8 times those requested.
// Stops winning: as m7, by how much of the array the caches hold.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CACHED = 1 in 0..1  loads go 1: through L1, 0: past it (2.x moves sectors then instead of lines)
// elements per block: 4 * BLOCK_X x 1
// order of tiles: line

#include "global.cuh"

// Where the word comes from: any of `count`.
static __device__ unsigned origin(unsigned word, unsigned count) {
    word = (word ^ word >> 16) * 0x7FEB352Du;
    word = (word ^ word >> 15) * 0x846CA68Bu;
    return __umulhi(word ^ word >> 16, count);
}

extern "C" __global__ void gather(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    const unsigned count = unsigned(width) * height;
    float word[EACH];
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        if (word_of(i) < count) word[i] = load(source + origin(word_of(i), count));
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i) {
        if (word_of(i) < count) target[word_of(i)] = word[i];
    }
}
