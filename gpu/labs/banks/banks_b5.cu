// Banks b5: a swizzled tile.
//
// Grew from b4. The element of column c, row r stands at column c ^ r of its row.
// Why it should win: what was a column in one bank lies in 32 banks, and no word is added: a row is still 128 bytes.
// Counter to watch: wavefronts per request, 1; shared memory per block, as without padding.
// Stops winning: the XOR is an instruction more for each element, unless it can be computed once.

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
        source, target, count, words, [](int row, int column) { return row * kGroup + (column ^ row); },
        [=](int row) {
            unsigned sum = 0;
#pragma unroll
            for (int column = 0; column < kGroup; ++column) sum += words[row * kGroup + (column ^ row)];
            return sum;
        });
}
