// Transpose t9: blocks along diagonals.
//
// Grew from t7. Blocks that run at the same time take tiles along a diagonal of the matrix instead of along a row.
// Why it should win: on 1.x memory consists of partitions of 256 bytes in turn, 6 or 8 of them. Where a row of the
// target is a multiple of all of them long (512 floats on G200), tiles of one row of blocks are written to one
// partition while the others wait (partition camping). Along a diagonal both sides use all of them.
// Counter to watch: transactions by memory partition, at widths that are multiples of 128, 256 and 512.
// Stops winning: from 2.0 on addresses are hashed over the partitions: no gain here, and the tile's column and row
// cost a division.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: TILE = 32 in 4..64  side of the tile in elements
// knob: PAD = 1 in 0..8  elements added to each row of the tile
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: TILE x TILE
// order of tiles: diagonals

#include "matrix.cuh"

#ifndef PAD
#define PAD 1
#endif

// The source has height rows of width elements, the target width rows of height elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __shared__ Element tile[TILE][TILE + PAD];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    // The n-th block in the order of the launch takes row n modulo the grid's height of tiles, one column further for
    // every round.
    const unsigned number = blockIdx.y * gridDim.x + blockIdx.x;
    const unsigned round = number / gridDim.y;
    const unsigned tile_row = number - round * gridDim.y;
    const unsigned tile_column = (round + tile_row) % gridDim.x;
    const Square square = square_at(tile_column, tile_row, width, height);

    read_rows(tile, source, square, width);
    __syncthreads();
    write_columns(tile, target, square, height);
}
