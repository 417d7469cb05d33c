// Transpose t1: no transpose, a plain copy.
//
// A block of 32 x 8 threads takes a square of 32 x 32 elements, four rows a thread; a warp reads 32 neighbours of a
// row and writes 32 neighbours of a row.
// Why it comes first: a transpose moves the same bytes, so this is the line that the others are held against.
// Counter to watch: sectors per request, 4 for loads and stores; effective bandwidth (8 bytes an element).
// Stops winning: 16 bytes in flight a thread do not fill the memory of the largest GPUs. See t10.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: TILE = 32 in 4..64  side of the square that a block takes, in elements
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: TILE x TILE

#include "matrix.cuh"

// The target has the shape of the source: height rows of width elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const Square square = square_at(blockIdx.x, blockIdx.y, width, height);

    // A row of the source to the same row of the target.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int column = threadIdx.x + j;
        const Element* from = source + size_t(square.top + threadIdx.y) * width + square.left + column;
        Element* to = target + size_t(square.top + threadIdx.y) * width + square.left + column;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (column < square.columns && threadIdx.y + i < square.rows) *to = *from;
            from += size_t(BLOCK_Y) * width;
            to += size_t(BLOCK_Y) * width;
        }
    }
}
