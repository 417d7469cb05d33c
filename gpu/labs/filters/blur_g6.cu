// Gaussian g6: separable, 2-byte loads, two rows per thread.
//
// Grew from g5 and g4. A thread computes two pixels, one above the other, from 8 row sums instead of
// twice 7, and the tile is filled by 2-byte loads. The 6 border rows are now shared by twice the rows.
// Why it should win: fewer loads, fewer row sums, and two independent sums that hide latency.
// Counter to watch: instructions per pixel; shared memory bank conflicts of the stores: lanes that store
// every second word use every second bank (2-way conflicts). WIDE_STORES (V9) stores both words at once instead,
// what a bank width of 8 bytes does on Kepler.
// Stops winning: with taller work per thread the block runs out of threads to hide latency.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: PAD = 0 in 0..8  cells added to each row of the tile
// knob: WIDE_STORES = 0 in 0..1  1: a pair of cells as one 8-byte store
// elements per block: BLOCK_X x 2 * BLOCK_Y

#include "pairs.cuh"

#ifndef WIDE_STORES
#define WIDE_STORES 0
#endif

static __device__ int weigh(int a, int b, int c, int d, int e, int f, int g) {
    return a + 2 * b + 3 * c + 4 * d + 3 * e + 2 * f + g;
}

extern "C" __global__ void blur(const unsigned char* __restrict__ src, unsigned char* __restrict__ dst, int width,
                                int height) {
    __shared__ __align__(8) int tile[kTileRows][kPitch];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const int first_x = blockIdx.x * BLOCK_X;
    const int first_y = blockIdx.y * kRows;
    const int tile_x = (first_x - 3) & ~1;

    for (int band = 0; band < kRows; band += kBandRows) {
        // Read the band and a border of 3, two pixels at a time.
        Pairs pixels;
        load_pairs(pixels, src, tile_x, first_y + band, width, height);
        each_pair(pixels, [&](int row, int column, uchar2 pair) {
            if (WIDE_STORES && kPitch % 2 == 0) {
                *reinterpret_cast<int2*>(&tile[row][column]) = make_int2(pair.x, pair.y);
            } else {
                tile[row][column] = pair.x;
                tile[row][column + 1] = pair.y;
            }
        });
        __syncthreads();

        // Convolve the rows; all reads come before the first sum is written back.
        const int left = threadIdx.x + first_x - 3 - tile_x;
        int sums[kLoadsDown];
#pragma unroll
        for (int i = 0; i < kLoadsDown; ++i) {
            const int row = threadIdx.y + i * BLOCK_Y;
            if (row < kTileRows) {
                const int* from = &tile[row][left];
                sums[i] = weigh(from[0], from[1], from[2], from[3], from[4], from[5], from[6]);
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kLoadsDown; ++i) {
            const int row = threadIdx.y + i * BLOCK_Y;
            if (row < kTileRows) tile[row][threadIdx.x] = sums[i];
        }
        __syncthreads();

        // Convolve the columns: 8 row sums serve the upper and the lower pixel.
        const int row = 2 * threadIdx.y - band;
        if (kBandRows == kRows || (row >= 0 && row < kBandRows)) {
            int column_of_sums[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) column_of_sums[i] = tile[row + i][threadIdx.x];
            const int* s = column_of_sums;
            const int upper = weigh(s[0], s[1], s[2], s[3], s[4], s[5], s[6]);
            const int lower = weigh(s[1], s[2], s[3], s[4], s[5], s[6], s[7]);

            const int x = first_x + threadIdx.x;
            const int y = first_y + 2 * threadIdx.y;
            if (x < width && y < height) dst[y * width + x] = upper / 256;
            if (x < width && y + 1 < height) dst[(y + 1) * width + x] = lower / 256;
        }
        if (kBandRows != kRows) __syncthreads();
    }
}
