// Banks b2: s[tid * c].
//
// Grew from b1. The words of a group are STRIDE words apart.
// Why it should win: it does not, but where STRIDE is odd it loses nothing: 32 odd steps through 32 banks meet each once.
// Counter to watch: wavefronts per request, the greatest common divisor of STRIDE and 32: 1, 2, 4, 8, 16 or 32. On 1.x,
// where 16 banks serve 16 lanes, of STRIDE and 16 for each half warp.
// Stops winning: at STRIDE = 32 all words lie in one bank and the lanes are served one after the other. Pad (b5).

// knob: BLOCK_X = 64 in 32..1024  threads of a block, whole warps of them work
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: STRIDE = 2 in 1..32  words from lane to lane
// elements per block: 32 * BLOCK_X x 1
// order of tiles: line

#include "banks.cuh"

#ifndef STRIDE
#define STRIDE 2
#endif

constexpr int kWordsOfWarp = kGroup * STRIDE;
constexpr int kWarps = warps_with(4 * kWordsOfWarp);

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                               int height) {
    const size_t count = size_t(width) * height;
    const int warp = threadIdx.x / 32;
    __shared__ unsigned words[kWarps][kWordsOfWarp];
    sum_groups<kWarps>(
        source, target, count, words[warp % kWarps], [](int number) { return number * STRIDE; },
        [](int lane, int round) { return (lane + round) % kGroup; });
}
