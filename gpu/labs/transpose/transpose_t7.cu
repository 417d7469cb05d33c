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
    const int left = blockIdx.x * TILE;
    const int top = blockIdx.y * TILE;
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
