// Banks b3: s[tid % c].
//
// Grew from b1. In each round the lanes read no more than MODULO different words; the other lanes read the same ones.
// Why it should win: lanes that read one and the same word do not conflict. With MODULO = 1 the word is broadcast to all,
// from 2.0 on any number of words is (multicast).
// Counter to watch: wavefronts per request, 1, and requests in which lanes share a word. On 1.x, where a wavefront has
// one broadcast and the rest must not meet it in its bank, more.
// Stops winning: it does not; but a shuffle needs no shared memory for it.

// knob: BLOCK_X = 64 in 32..1024  threads of a block, whole warps of them work
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: MODULO = 4 in 1..32  different words of a request
// elements per block: 32 * BLOCK_X x 1
// order of tiles: line

#include "banks.cuh"

#ifndef MODULO
#define MODULO 4
#endif

constexpr int kWordsOfWarp = kGroup;
constexpr int kWarps = warps_with(4 * kWordsOfWarp);

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                               int height) {
    const size_t count = size_t(width) * height;
    const int warp = threadIdx.x / 32;
    __shared__ unsigned words[kWarps][kWordsOfWarp];
    sum_groups<kWarps>(
        source, target, count, words[warp % kWarps], [](int number) { return number; },
        [](int lane, int round) { return (lane % MODULO + round) % kGroup; });
}
