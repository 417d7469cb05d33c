// Gaussian g7: g6 with floats.
//
// Grew from g6; only the type of the tile and of the sums is different. All sums stay below 2^24, so
// floats give the same bytes.
// Why it should win: on many GPUs float multiply-adds have a higher throughput than integer ones,
// and address arithmetic then has the ALU pipe for itself.
// Counter to watch: the share of float and integer instructions; the throughput of each pipe.
// Stops winning: on GPUs since Volta, whose integer multiply-add keeps pace; converting bytes to floats
// costs an instruction each.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: PAD = 0 in 0..8  cells added to each row of the tile
// knob: WIDE_STORES = 0 in 0..1  1: a pair of cells as one 8-byte store
// elements per block: BLOCK_X x 2 * BLOCK_Y

#include "pairs.cuh"

#ifndef WIDE_STORES
#define WIDE_STORES 0
#endif

static __device__ float weigh(float a, float b, float c, float d, float e, float f, float g) {
    return fmaf(4, d, fmaf(3, c + e, fmaf(2, b + f, a + g)));
}

extern "C" __global__ void blur(const unsigned char* __restrict__ src, unsigned char* __restrict__ dst, int width,
                                int height) {
    __shared__ __align__(8) float tile[kTileRows][kPitch];
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
                *reinterpret_cast<float2*>(&tile[row][column]) = make_float2(pair.x, pair.y);
            } else {
                tile[row][column] = pair.x;
                tile[row][column + 1] = pair.y;
            }
        });
        __syncthreads();

        // Convolve the rows; all reads come before the first sum is written back.
        const int left = threadIdx.x + first_x - 3 - tile_x;
        float sums[kLoadsDown];
#pragma unroll
        for (int i = 0; i < kLoadsDown; ++i) {
            const int row = threadIdx.y + i * BLOCK_Y;
            if (row < kTileRows) {
                const float* from = &tile[row][left];
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
            float column_of_sums[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) column_of_sums[i] = tile[row + i][threadIdx.x];
            const float* s = column_of_sums;
            const float upper = weigh(s[0], s[1], s[2], s[3], s[4], s[5], s[6]);
            const float lower = weigh(s[1], s[2], s[3], s[4], s[5], s[6], s[7]);

            // Dividing by 256 is exact in a float; the conversion to a byte truncates.
            const int x = first_x + threadIdx.x;
            const int y = first_y + 2 * threadIdx.y;
            if (x < width && y < height) dst[y * width + x] = int(upper * (1 / 256.0f));
            if (x < width && y + 1 < height) dst[(y + 1) * width + x] = int(lower * (1 / 256.0f));
        }
        if (kBandRows != kRows) __syncthreads();
    }
}
