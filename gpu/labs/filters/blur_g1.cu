// Gaussian g1: one thread, one pixel, 49 reads from global memory.
//
// The first version, written as the formula reads: fetch the 7 x 7 neighbours, each read guarded by a
// test for the border, weigh them with a table in constant memory, sum, divide by 256.
// What its block size does: the lanes of a warp read BLOCK_X neighbours of a row. A block 8 wide
// touches 4 rows with one warp read, so each read becomes several sectors, most of whose bytes
// nobody requested; a block 32 wide touches one.
// Counter to watch: sectors per request; theoretical occupancy (8 x 8 threads are only 2 warps a block).
// Stops winning: 49 load instructions a pixel saturate the LSU pipe whatever the block. See g3.

// knob: BLOCK_X = 8 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column

#ifndef BLOCK_X
#define BLOCK_X 8
#define BLOCK_Y 8
#endif

// The weights of the upper left quarter, its middle row and column included: the others mirror them.
__constant__ int weights[4][4] = {{1, 2, 3, 4}, {2, 4, 6, 8}, {3, 6, 9, 12}, {4, 8, 12, 16}};

extern "C" __global__ void blur(const unsigned char* src, unsigned char* dst, int width, int height) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;

    // Read the 7 x 7 neighbours into registers; a pixel outside the picture counts as 0. Compared as
    // unsigned, a negative position is a large one: one test for both sides.
    unsigned char window[7][7];
#pragma unroll
    for (int row = 0; row < 7; ++row) {
#pragma unroll
        for (int column = 0; column < 7; ++column) {
            const int from_x = x + column - 3;
            const int from_y = y + row - 3;
            const bool inside = unsigned(from_x) < unsigned(width) && unsigned(from_y) < unsigned(height);
            window[row][column] = inside ? src[from_y * width + from_x] : 0;
        }
    }

    // Weigh and sum them.
    int sum = 0;
#pragma unroll
    for (int row = 0; row < 7; ++row) {
#pragma unroll
        for (int column = 0; column < 7; ++column) {
            const int weight = weights[row < 4 ? row : 6 - row][column < 4 ? column : 6 - column];
            sum += weight * window[row][column];
        }
    }
    dst[y * width + x] = sum / 256;
}
