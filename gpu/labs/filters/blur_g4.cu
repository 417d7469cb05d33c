// Gaussian g4: 2-byte loads, a tile of floats, two vertical neighbours per thread.
//
// Grew from g3. A thread computes two pixels, one above the other: their windows share 6 of 8 rows, so
// 56 shared reads serve two pixels instead of 98. The tile is filled by 2-byte loads, half as many, and
// holds floats, converted once instead of at each of 49 uses.
// Why it should win: 28 shared reads a pixel instead of 49, of a full bank word each.
// Counter to watch: shared memory requests per pixel; registers per thread (the window lives in them).
// Stops winning: the arithmetic is still 49 multiply-adds a pixel. See g5.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: PAD = 0 in 0..8  cells added to each row of the tile
// elements per block: BLOCK_X x 2 * BLOCK_Y

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif
#ifndef PAD
#define PAD 0
#endif

__constant__ const float weights[7][7] = {
    {1, 2, 3, 4, 3, 2, 1},   {2, 4, 6, 8, 6, 4, 2},  {3, 6, 9, 12, 9, 6, 3}, {4, 8, 12, 16, 12, 8, 4},
    {3, 6, 9, 12, 9, 6, 3}, {2, 4, 6, 8, 6, 4, 2}, {1, 2, 3, 4, 3, 2, 1},
};

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

// Two neighbours into the tile: one 8-byte word where its rows begin at even cells.
static __device__ void store_pair(float* to, uchar2 pixels) {
    if (kPitch % 2 == 0) {
        *reinterpret_cast<float2*>(to) = make_float2(pixels.x, pixels.y);
    } else {
        to[0] = pixels.x;
        to[1] = pixels.y;
    }
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
                    store_pair(&tile[row][column], pixels[i][j]);
                }
            }
        }
        __syncthreads();

        // Slide the 8 x 7 window; its rows 0 to 6 serve the upper pixel, 1 to 7 the lower one.
        const int row = 2 * threadIdx.y - band;
        const int left = threadIdx.x + first_x - 3 - tile_x;
        if (kBandRows == kRows || (row >= 0 && row < kBandRows)) {
            float upper = 0;
            float lower = 0;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
#pragma unroll
                for (int j = 0; j < 7; ++j) {
                    const float pixel = tile[row + i][left + j];
                    if (i < 7) upper = fmaf(weights[i][j], pixel, upper);
                    if (i > 0) lower = fmaf(weights[i - 1][j], pixel, lower);
                }
            }

            // Dividing by 256 is exact in a float; the conversion to a byte truncates.
            const int x = first_x + threadIdx.x;
            const int y = first_y + 2 * threadIdx.y;
            if (x < width && y < height) dst[y * width + x] = int(upper * (1 / 256.0f));
            if (x < width && y + 1 < height) dst[(y + 1) * width + x] = int(lower * (1 / 256.0f));
        }
        if (kBandRows != kRows) __syncthreads();
    }
}
