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

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef WIDE_STORES
#define WIDE_STORES 0
#endif

// The tile: the block's rows and columns with a border of 3, from an even column on. A block too tall
// for 48 KB of shared memory works through its rows in bands; the usual one needs one band only.
constexpr int kRows = 2 * BLOCK_Y;
constexpr int kPairs = (BLOCK_X + 8) / 2;
constexpr int kPitch = 2 * kPairs + PAD;
constexpr int kRowsThatFit = 48 * 1024 / (4 * kPitch) - 6;
constexpr int kBandRows = kRows <= kRowsThatFit ? kRows : kRowsThatFit / 2 * 2;
constexpr int kTileRows = kBandRows + 6;
constexpr int kLoadsDown = (kTileRows + BLOCK_Y - 1) / BLOCK_Y;
constexpr int kLoadsAcross = (kPairs + BLOCK_X - 1) / BLOCK_X;

// Two horizontal neighbours from the even column x on; outside the picture counts as 0. With an odd width
// every second row starts at an odd address, where a 2-byte load is not allowed: then two 1-byte loads.
static __device__ uchar2 load_pair(const unsigned char* __restrict__ src, int x, int y, int width, int height) {
    if (unsigned(x) >= unsigned(width) || unsigned(y) >= unsigned(height)) return make_uchar2(0, 0);
    const unsigned char* from = src + y * width + x;
    if (width % 2 == 0) return *reinterpret_cast<const uchar2*>(from);
    return make_uchar2(from[0], x + 1 < width ? from[1] : 0);
}

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
        // Read the band and a border of 3, two pixels at a time. All reads are in flight before the first is stored.
        // Threads beyond the tile read too: to keep them from it costs more.
        uchar2 pixels[kLoadsDown][kLoadsAcross];
#pragma unroll
        for (int i = 0; i < kLoadsDown; ++i) {
#pragma unroll
            for (int j = 0; j < kLoadsAcross; ++j) {
                const int from_x = tile_x + 2 * (threadIdx.x + j * BLOCK_X);
                const int from_y = first_y + band - 3 + threadIdx.y + i * BLOCK_Y;
                pixels[i][j] = load_pair(src, from_x, from_y, width, height);
            }
        }
#pragma unroll
        for (int i = 0; i < kLoadsDown; ++i) {
#pragma unroll
            for (int j = 0; j < kLoadsAcross; ++j) {
                const int row = threadIdx.y + i * BLOCK_Y;
                const int column = 2 * (threadIdx.x + j * BLOCK_X);
                if (row < kTileRows && column < 2 * kPairs) {
                    if (WIDE_STORES && kPitch % 2 == 0) {
                        *reinterpret_cast<float2*>(&tile[row][column]) = make_float2(pixels[i][j].x, pixels[i][j].y);
                    } else {
                        tile[row][column] = pixels[i][j].x;
                        tile[row][column + 1] = pixels[i][j].y;
                    }
                }
            }
        }
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
