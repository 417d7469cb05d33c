// Banks b4: each lane sums up a row of a tile.
//
// Grew from b1. A warp reads 32 groups into a tile of 32 rows and every lane takes a row for itself: no rounds, no
// rotation, the loop that one writes first. Rows are PAD words longer than their 32 elements.
// Why it should win: lanes work alone, nothing has to be shared.
// Counter to watch: wavefronts per request. Without padding the lanes read a column: 32 words in one bank, a 32-way
// conflict (16-way on 1.x). With PAD = 1 the rows begin in different banks: 1.
// Stops winning: PAD costs memory, and rows no longer begin at multiples of 16 bytes (b7).

// knob: BLOCK_X = 64 in 32..1024  threads of a block, whole warps of them work
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: PAD = 0 in 0..8  words added to each row of the tile
// elements per block: 32 * BLOCK_X x 1
// order of tiles: line

#include "banks.cuh"

#ifndef PAD
#define PAD 0
#endif

constexpr int kRow = kGroup + PAD;
constexpr int kWarps = warps_with(4 * kGroup * kRow);

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                               int height) {
    const size_t count = size_t(width) * height;
    const int warp = threadIdx.x / 32;
    __shared__ unsigned tile[kWarps][kGroup * kRow];
    volatile unsigned* words = tile[warp % kWarps];
    sum_tiles<kWarps>(
        source, target, count, words, [](int row, int column) { return row * kRow + column; },
        [=](int row) {
            unsigned sum = 0;
#pragma unroll
            for (int column = 0; column < kGroup; ++column) sum += words[row * kRow + column];
            return sum;
        });
}
