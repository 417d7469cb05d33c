// Banks b1: s[tid + offset].
//
// The words of a group lie side by side, OFFSET words from the beginning; in each round lane n reads the word of lane
// n + round, modulo 32.
// Why it should win: 32 words next to each other lie in 32 different banks, wherever they begin: one wavefront a load.
// Counter to watch: wavefronts per request, 1 for every offset, on every GPU (2 on 1.x: one for each half warp).
// Stops winning: it does not. Offsets that cost in global memory are free here.

// knob: BLOCK_X = 64 in 32..1024  threads of a block, whole warps of them work
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: OFFSET = 0 in 0..32  words before the first one
// elements per block: 32 * BLOCK_X x 1
// order of tiles: line

#include "banks.cuh"

#ifndef OFFSET
#define OFFSET 0
#endif

constexpr int kWordsOfWarp = kGroup + OFFSET;
constexpr int kWarps = warps_with(4 * kWordsOfWarp);

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                               int height) {
    const size_t count = size_t(width) * height;
    const int warp = threadIdx.x / 32;
    __shared__ unsigned words[kWarps][kWordsOfWarp];
    sum_groups<kWarps>(
        source, target, count, words[warp % kWarps], [](int number) { return number + OFFSET; },
        [](int lane, int round) { return (lane + round) % kGroup; });
}
