// Transpose t8: a swizzled tile.
//
// Grew from t7. Instead of a longer row, each row has its columns in another order: the element of column c, row r
// stands at c ^ r. A column's words then lie in 32 different banks, and a row's still do.
// Why it should win: as free of conflicts as t7, without its memory, and rows still begin at multiples of 16
// bytes, which wide accesses need (t10).
// Counter to watch: shared memory wavefronts, one a request; shared memory per block, 4096 bytes.
// Stops winning: where t7's padding costs no block; the XOR is an instruction more for each element.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: TILE = 32 in 4..64  side of the tile in elements
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: TILE x TILE

#include "matrix.cuh"

// The XOR keeps a column within the tile: it changes only bits below the side's lowest bit that is 1. A side such as
// 48 leaves 4 bits and 2-way conflicts; an odd side needs no XOR, its columns lie in different banks anyway.
constexpr int kLowestBit = TILE & -TILE;
constexpr int kMask = (kLowestBit < 32 ? kLowestBit : 32) - 1;

// The source has height rows of width elements, the target width rows of height elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __shared__ Element tile[TILE][TILE];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const Square square = square_at(blockIdx.x, blockIdx.y, width, height);

    // Read the tile's rows.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int column = threadIdx.x + j;
        const Element* from = source + size_t(square.top + threadIdx.y) * width + square.left + column;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            const int row = threadIdx.y + i;
            if (column < square.columns && row < square.rows) tile[row][column ^ (row & kMask)] = *from;
            from += size_t(BLOCK_Y) * width;
        }
    }
    __syncthreads();

    // Write its columns as rows of the target.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int row = threadIdx.x + j;
        Element* to = target + size_t(square.left + threadIdx.y) * height + square.top + row;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            const int column = threadIdx.y + i;
            if (column < square.columns && row < square.rows) *to = tile[row][column ^ (row & kMask)];
            to += size_t(BLOCK_Y) * height;
        }
    }
}
