// Transpose t7: a padded tile.
//
// Grew from t6. Each row of the tile is one element longer: words of a column are 33 apart, each in another bank.
// Why it should win: a column is read in one wavefront instead of 32.
// Counter to watch: shared memory wavefronts per load request, 1; shared efficiency 100 %.
// Stops winning: PAD costs shared memory (4224 bytes instead of 4096: 3 blocks on a multiprocessor of 16 KB
// instead of 4). See t8.

// knob: BLOCK_X = 32 in 8..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: TILE = 32 in 4..64  side of the tile in elements
// knob: PAD = 1 in 0..8  elements added to each row of the tile
// knob: WORDS = 0 in 0..1  elements are 0: floats, 1: unsigned words
// elements per block: TILE x TILE

#include "matrix.cuh"

#ifndef PAD
#define PAD 1
#endif

// The source has height rows of width elements, the target width rows of height elements.
extern "C" __global__ void transpose(const Element* __restrict__ source, Element* __restrict__ target, int width,
                                     int height) {
    __shared__ Element tile[TILE][TILE + PAD];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const Square square = square_at(blockIdx.x, blockIdx.y, width, height);

    read_rows(tile, source, square, width);
    __syncthreads();
    write_columns(tile, target, square, height);
}
