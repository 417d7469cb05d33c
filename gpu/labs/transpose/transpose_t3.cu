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

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif
#ifndef TILE
#define TILE 32
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
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const int left = blockIdx.x * TILE;
    const int top = blockIdx.y * TILE;
    // What of the tile lies within the matrix.
    const int columns = min(TILE, width - left);
    const int rows = min(TILE, height - top);

    // A row of the source to a column of the target.
    // size_t: a matrix of 46341 x 46341 has more elements than an int counts.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int column = threadIdx.x + j;
        const Element* from = source + size_t(top + threadIdx.y) * width + left + column;
        Element* to = target + size_t(left + column) * height + top + threadIdx.y;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (column < columns && threadIdx.y + i < rows) to[i] = *from;
            from += size_t(BLOCK_Y) * width;
        }
    }
}
