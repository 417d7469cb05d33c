// Transpose t3: naive, with strided writes.
//
// Grew from t1. The element at column x, row y goes to column y, row x: a warp reads a row and writes a column.
// Why it should win: it does not; it is the formula as it is written, to start from.
// Counter to watch: sectors per store request, 32 instead of 4; sector efficiency of stores 12.5 %.
// Stops winning: before 2.0 each of the 32 words is a transaction of its own, far from the one before. Later the
// second level of cache collects the eight words of a sector, if they come before it is evicted.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: TILE = 32 in 4..64  side of the square that a block takes, in elements
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: TILE x TILE

#include "matrix.cuh"

// The source has height rows of width elements, the target width rows of height elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const Square square = square_at(blockIdx.x, blockIdx.y, width, height);

    // A row of the source to a column of the target.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int column = threadIdx.x + j;
        const Element* from = source + size_t(square.top + threadIdx.y) * width + square.left + column;
        Element* to = target + size_t(square.left + column) * height + square.top + threadIdx.y;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (column < square.columns && threadIdx.y + i < square.rows) to[i] = *from;
            from += size_t(BLOCK_Y) * width;
        }
    }
}
