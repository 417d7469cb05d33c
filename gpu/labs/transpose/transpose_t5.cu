// Transpose t5: no transpose, a copy within tiles.
//
// Grew from t1. A block reads a tile of 32 x 32 elements into shared memory and writes it from there, every
// thread four elements.
// Why it is here: it is t6 without the transpose. What it takes longer than t1 is the price of shared memory
// and the barrier; what t6 takes longer than this is bank conflicts alone.
// Counter to watch: shared memory wavefronts, one a request; barriers.
// Stops winning: it has nothing to win; the tile must be worth its way, as in t6.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: TILE = 32 in 4..64  side of the tile in elements
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: TILE x TILE

#include "matrix.cuh"

// The target has the shape of the source: height rows of width elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __shared__ Element tile[TILE][TILE];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const Square square = square_at(blockIdx.x, blockIdx.y, width, height);

    read_rows(tile, source, square, width);
    __syncthreads();

    // Write them as they are.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int column = threadIdx.x + j;
        Element* to = target + size_t(square.top + threadIdx.y) * width + square.left + column;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (column < square.columns && threadIdx.y + i < square.rows) *to = tile[threadIdx.y + i][column];
            to += size_t(BLOCK_Y) * width;
        }
    }
}
