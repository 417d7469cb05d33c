// Transpose t2: no transpose, a copy down the columns.
//
// Grew from t1. Lanes lie below each other: a warp reads 32 elements of a column and writes 32 of a column.
// Why it is here: both ways are strided; t3 and t4 have one strided way each.
// Counter to watch: sectors per request, 32 instead of 4; sector efficiency 12.5 %.
// Stops winning: it never wins. From 2.0 on caches may hold a sector until the warps of the seven neighbouring
// columns come for the rest of it.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a column
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a row
// knob: TILE = 32 in 4..64  side of the square that a block takes, in elements
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: TILE x TILE

#include "matrix.cuh"

// The target has the shape of the source: height rows of width elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const Square square = square_at(blockIdx.x, blockIdx.y, width, height);

    // A column of the source to the same column of the target.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int row = threadIdx.x + j;
        const Element* from = source + size_t(square.top + row) * width + square.left + threadIdx.y;
        Element* to = target + size_t(square.top + row) * width + square.left + threadIdx.y;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (row < square.rows && threadIdx.y + i < square.columns) to[i] = from[i];
        }
    }
}
