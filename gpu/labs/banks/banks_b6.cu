// Banks b6: each lane begins at its own column.
//
// Grew from b4. The tile stays as it is; lane n reads its row from column n on and goes round.
// Why it should win: in each round the lanes are in different columns, so in different banks. Neither memory nor layout
// changes, only the order, which a sum does not mind.
// Counter to watch: wavefronts per request, 1.
// Stops winning: where the order matters, and with floats, whose sum depends on it.

// knob: BLOCK_X = 64 in 32..1024  threads of a block, whole warps of them work
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// elements per block: 32 * BLOCK_X x 1
// order of tiles: line

#include "banks.cuh"

constexpr int kWarps = warps_with(4 * kGroup * kGroup);

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                               int height) {
    const size_t count = size_t(width) * height;
    const int warp = threadIdx.x / 32;
    __shared__ unsigned tile[kWarps][kGroup * kGroup];
    volatile unsigned* words = tile[warp % kWarps];
    sum_tiles<kWarps>(
        source, target, count, words, [](int row, int column) { return row * kGroup + column; },
        [=](int row) {
            unsigned sum = 0;
#pragma unroll
            for (int column = 0; column < kGroup; ++column) sum += words[row * kGroup + (column + row) % kGroup];
            return sum;
        });
}
