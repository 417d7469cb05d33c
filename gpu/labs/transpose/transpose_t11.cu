// Transpose t11: no transpose, nothing is read: the matrix is filled with x + y * width.
//
// Grew from t1 by leaving out its loads: an element's value follows from its place. A block of 32 x 8 threads takes a
// square of 32 x 32 elements, four rows a thread; a warp writes 32 neighbours of a row.
// Why it is here: a transpose writes each element once, and this is what writing alone costs: the price of the other
// half is what t1 takes longer. Its peer is cudaMemset, which stores one word everywhere.
// Counter to watch: sectors per store request, 4; no loads; effective bandwidth (4 bytes an element).
// Stops winning: nowhere as a line for stores; cudaMemset has no numbers to compute.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: TILE = 32 in 4..64  side of the square that a block takes, in elements
// elements per block: TILE x TILE

#include "matrix.cuh"

// The target has height rows of width elements. From 2^24 on an element is the float that is nearest to its number.
// Numbers are of 32 bits: a float is made of them in one instruction. They are enough for 65535 x 65535.
extern "C" __global__ void fill(float* __restrict__ target, int width, int height) {
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const Square square = square_at(blockIdx.x, blockIdx.y, width, height);

    // The number of each place, to that place.
#pragma unroll
    for (int j = 0; j < TILE; j += BLOCK_X) {
        const int column = threadIdx.x + j;
        unsigned number = unsigned(square.top + threadIdx.y) * width + square.left + column;
        float* to = target + number;
#pragma unroll
        for (int i = 0; i < TILE; i += BLOCK_Y) {
            if (column < square.columns && threadIdx.y + i < square.rows) *to = float(number);
            number += BLOCK_Y * width;
            to += size_t(BLOCK_Y) * width;
        }
    }
}
