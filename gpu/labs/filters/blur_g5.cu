// Gaussian g5: the filter is separable: 7 + 7 multiply-adds instead of 49.
//
// Grew from g3. The 7 x 7 table is the outer product of [1 2 3 4 3 2 1] with itself. So the block
// convolves every row of its tile once, writes the sums back into the tile, and convolves the columns.
// Why it should win: the cheapest instruction is the one that is not executed; a pixel now takes 14
// shared reads and 14 multiply-adds, and 6 more rows of row sums per block.
// Counter to watch: instructions per pixel.
// Stops winning: on low blocks, where the 6 border rows are more than the block itself; and two
// barriers more let warps wait for each other. See g6.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// knob: PAD = 0 in 0..8  cells added to each row of the tile

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif
#ifndef PAD
#define PAD 0
#endif

constexpr int kColumns = BLOCK_X + 6;
constexpr int kRows = BLOCK_Y + 6;
constexpr int kPitch = kColumns + PAD;
constexpr int kLoadsDown = (kRows + BLOCK_Y - 1) / BLOCK_Y;
constexpr int kLoadsAcross = (kColumns + BLOCK_X - 1) / BLOCK_X;

static __device__ int weigh(int a, int b, int c, int d, int e, int f, int g) {
    return a + 2 * b + 3 * c + 4 * d + 3 * e + 2 * f + g;
}

extern "C" __global__ void blur(const unsigned char* __restrict__ src, unsigned char* __restrict__ dst, int width,
                                int height) {
    __shared__ int tile[kRows][kPitch];
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

    // Convolve the rows; all reads come before the first sum is written back.
    int sums[kLoadsDown];
#pragma unroll
    for (int i = 0; i < kLoadsDown; ++i) {
        const int row = threadIdx.y + i * BLOCK_Y;
        if (row < kRows) {
            const int* from = &tile[row][threadIdx.x];
            sums[i] = weigh(from[0], from[1], from[2], from[3], from[4], from[5], from[6]);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kLoadsDown; ++i) {
        const int row = threadIdx.y + i * BLOCK_Y;
        if (row < kRows) tile[row][threadIdx.x] = sums[i];
    }
    __syncthreads();

    // Convolve the columns of row sums.
    const int x = first_x + threadIdx.x;
    const int y = first_y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int* from = &tile[threadIdx.y][threadIdx.x];
    const int sum = weigh(from[0], from[kPitch], from[2 * kPitch], from[3 * kPitch], from[4 * kPitch],
                          from[5 * kPitch], from[6 * kPitch]);
    dst[y * width + x] = sum / 256;
}
