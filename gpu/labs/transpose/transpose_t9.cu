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

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef PAD
#define PAD 1
#endif
#ifndef WORDS
#define WORDS 0
#endif

#if WORDS
using Element = unsigned;
#else
using Element = float;
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
    const int left = tile_column * TILE;
    const int top = tile_row * TILE;
    // What of the tile lies within the matrix.
    const int columns = min(TILE, width - left);
    const int rows = min(TILE, height - top);

    // Read the tile's rows.
    // size_t: a matrix of 46341 x 46341 has more elements than an int counts.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int column = threadIdx.x + j;
        const Element* from = source + size_t(top + threadIdx.y) * width + left + column;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (column < columns && threadIdx.y + i < rows) tile[threadIdx.y + i][column] = *from;
            from += size_t(BLOCK_Y) * width;
        }
    }
    __syncthreads();

    // Write its columns as rows of the target.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int row = threadIdx.x + j;
        Element* to = target + size_t(left + threadIdx.y) * height + top + row;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (row < rows && threadIdx.y + i < columns) *to = tile[row][threadIdx.y + i];
            to += size_t(BLOCK_Y) * height;
        }
    }
}
