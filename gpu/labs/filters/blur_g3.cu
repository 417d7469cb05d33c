// Gaussian g3: the block shares its pixels through shared memory.
//
// Grew from g1. Neighbouring threads read nearly the same 49 pixels, so the block first copies its
// pixels and a border of 3 into a tile in shared memory, each once, and then convolves from there.
// Why it should win: one or two global reads per thread instead of 49, and shared memory answers
// several times faster than a cache.
// Counter to watch: global load requests fall; shared memory requests take their place.
// Stops winning: 49 shared reads a pixel are still 49 instructions, of one byte each. See g4.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 4 in 1..1024  threads of a block along a column

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 4
#endif

__constant__ const int weights[7][7] = {
    {1, 2, 3, 4, 3, 2, 1},   {2, 4, 6, 8, 6, 4, 2},  {3, 6, 9, 12, 9, 6, 3}, {4, 8, 12, 16, 12, 8, 4},
    {3, 6, 9, 12, 9, 6, 3}, {2, 4, 6, 8, 6, 4, 2}, {1, 2, 3, 4, 3, 2, 1},
};

constexpr int kColumns = BLOCK_X + 6;
constexpr int kRows = BLOCK_Y + 6;
constexpr int kPitch = (kColumns + 31) / 32 * 32;
constexpr int kLoadsDown = (kRows + BLOCK_Y - 1) / BLOCK_Y;
constexpr int kLoadsAcross = (kColumns + BLOCK_X - 1) / BLOCK_X;

extern "C" __global__ void blur(const unsigned char* src, unsigned char* dst, int width, int height) {
    __shared__ unsigned char tile[kRows][kPitch];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const int first_x = blockIdx.x * BLOCK_X;
    const int first_y = blockIdx.y * BLOCK_Y;

    // Read the block's pixels and a border of 3; a pixel outside the picture counts as 0. All reads are in flight
    // before the first value is stored. Threads beyond the tile read too: to keep them from it costs more.
    unsigned char pixels[kLoadsDown][kLoadsAcross];
#pragma unroll
    for (int i = 0; i < kLoadsDown; ++i) {
#pragma unroll
        for (int j = 0; j < kLoadsAcross; ++j) {
            const int from_x = first_x - 3 + threadIdx.x + j * BLOCK_X;
            const int from_y = first_y - 3 + threadIdx.y + i * BLOCK_Y;
            const bool inside = unsigned(from_x) < unsigned(width) && unsigned(from_y) < unsigned(height);
            pixels[i][j] = inside ? src[from_y * width + from_x] : 0;
        }
    }
#pragma unroll
    for (int i = 0; i < kLoadsDown; ++i) {
#pragma unroll
        for (int j = 0; j < kLoadsAcross; ++j) {
            const int row = threadIdx.y + i * BLOCK_Y;
            const int column = threadIdx.x + j * BLOCK_X;
            if (row < kRows && column < kColumns) tile[row][column] = pixels[i][j];
        }
    }
    __syncthreads();

    // Convolve from the tile.
    const int x = first_x + threadIdx.x;
    const int y = first_y + threadIdx.y;
    if (x >= width || y >= height) return;
    int sum = 0;
#pragma unroll
    for (int row = 0; row < 7; ++row) {
#pragma unroll
        for (int column = 0; column < 7; ++column) {
            sum += weights[row][column] * tile[threadIdx.y + row][threadIdx.x + column];
        }
    }
    dst[y * width + x] = sum / 256;
}
