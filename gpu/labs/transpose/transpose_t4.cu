// Transpose t4: naive, with strided reads.
//
// Grew from t3. Lanes lie below each other in the source: a warp reads a column and writes a row.
// Why it should win: from 2.0 on the first level of cache may keep the lines of 32 rows until the other warps of the
// block take their words from them; it never keeps what is stored.
// Counter to watch: sectors per load request, 32 instead of 4; hits in L1.
// Stops winning: where the blocks of a multiprocessor touch more lines than L1 holds; before 2.0 nothing is kept.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a column of the source
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a row of the source
// knob: TILE = 32 in 4..64  side of the square that a block takes, in elements
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: TILE x TILE

#include "matrix.cuh"

// The source has height rows of width elements, the target width rows of height elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const Square square = square_at(blockIdx.x, blockIdx.y, width, height);

    // A column of the source to a row of the target.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int row = threadIdx.x + j;
        const Element* from = source + size_t(square.top + row) * width + square.left + threadIdx.y;
        Element* to = target + size_t(square.left + threadIdx.y) * height + square.top + row;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (row < square.rows && threadIdx.y + i < square.columns) *to = from[i];
            to += size_t(BLOCK_Y) * height;
        }
    }
}
