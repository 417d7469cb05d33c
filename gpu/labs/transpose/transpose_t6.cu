// Transpose t6: a tile in shared memory.
//
// Grew from t3 and t5. A block reads a tile of 32 x 32 elements by rows and writes its columns as rows of the
// target: what is strided is the way through shared memory, which has no sectors.
// Why it should win: global memory is read and written by rows, 4 sectors a request instead of 32.
// Counter to watch: shared memory wavefronts. The words of a column are 32 apart and lie in one bank: loads
// have 32-way conflicts (16-way on 1.x), shared efficiency is 2 / 33 = 6.06 %.
// Stops winning: as soon as the conflicts take longer than the memory. See t7, t8.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: TILE = 32 in 4..64  side of the tile in elements
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: TILE x TILE

#include "matrix.cuh"

// The source has height rows of width elements, the target width rows of height elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __shared__ Element tile[TILE][TILE];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const Square square = square_at(blockIdx.x, blockIdx.y, width, height);

    read_rows(tile, source, square, width);
    __syncthreads();
    write_columns(tile, target, square, height);
}
