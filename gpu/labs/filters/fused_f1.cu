// Fused f1: gray, blur and edges in one kernel; what lies between them never leaves the multiprocessor.
//
// Grew from c1, g5 and s1. The block turns its pixels and a border of 4 into gray, adds up the rows, then the
// columns, and takes the edges, each step from one tile in shared memory into the next.
// Why it should win: three kernels read 6 bytes and write 3 for every pixel; this one reads 4 and writes 1. Two
// launches less, too.
// Counter to watch: bytes transferred against bytes requested; barriers.
// Stops winning: on small blocks, whose border is larger than themselves, and where four barriers let warps wait.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 16 in 1..1024  threads of a block along a column
// elements per block: BLOCK_X x BLOCK_Y

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 16
#endif

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kColumns = BLOCK_X + 8;      // of gray: a border of 3 for the blur, 1 for the edges
constexpr int kRows = BLOCK_Y + 8;
constexpr int kBlurColumns = BLOCK_X + 2;  // of blurred pixels: a border of 1
constexpr int kBlurRows = BLOCK_Y + 2;

static __device__ unsigned char gray_of(uchar4 pixel) {
    // Each operation rounds on its own: a fused multiply-add would change some pixels.
    const float red = __fmul_rn(0.299f, pixel.x);
    const float green = __fmul_rn(0.587f, pixel.y);
    const float blue = __fmul_rn(0.114f, pixel.z);
    return min(255, __float2int_rz(__fadd_rn(__fadd_rn(red, green), blue)));
}

static __device__ int weigh(int a, int b, int c, int d, int e, int f, int g) {
    return a + 2 * b + 3 * c + 4 * d + 3 * e + 2 * f + g;
}

extern "C" __global__ void gray_blur_edge(const uchar4* __restrict__ src, unsigned char* __restrict__ dst, int width,
                                          int height) {
    __shared__ unsigned char gray[kRows][kColumns];
    __shared__ unsigned short sums[kRows][kBlurColumns];
    __shared__ unsigned char blurred[kBlurRows][kBlurColumns];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    const int first_x = blockIdx.x * BLOCK_X;
    const int first_y = blockIdx.y * BLOCK_Y;

    // Gray, with a border of 4; a pixel outside the picture counts as 0.
    for (int i = thread; i < kRows * kColumns; i += kThreads) {
        const int row = i / kColumns;
        const int column = i % kColumns;
        const int x = first_x - 4 + column;
        const int y = first_y - 4 + row;
        const bool inside = unsigned(x) < unsigned(width) && unsigned(y) < unsigned(height);
        gray[row][column] = inside ? gray_of(src[y * width + x]) : 0;
    }
    __syncthreads();

    // Sums along the rows.
    for (int i = thread; i < kRows * kBlurColumns; i += kThreads) {
        const int row = i / kBlurColumns;
        const int column = i % kBlurColumns;
        const unsigned char* from = &gray[row][column];
        sums[row][column] = weigh(from[0], from[1], from[2], from[3], from[4], from[5], from[6]);
    }
    __syncthreads();

    // Sums of those down the columns. For the edges, too, a pixel outside the picture is 0.
    for (int i = thread; i < kBlurRows * kBlurColumns; i += kThreads) {
        const int row = i / kBlurColumns;
        const int column = i % kBlurColumns;
        const int x = first_x - 1 + column;
        const int y = first_y - 1 + row;
        const bool inside = unsigned(x) < unsigned(width) && unsigned(y) < unsigned(height);
        const int sum = weigh(sums[row][column], sums[row + 1][column], sums[row + 2][column], sums[row + 3][column],
                              sums[row + 4][column], sums[row + 5][column], sums[row + 6][column]);
        blurred[row][column] = inside ? sum / 256 : 0;
    }
    __syncthreads();

    // The edges of the thread's own pixel.
    const int x = first_x + threadIdx.x;
    const int y = first_y + threadIdx.y;
    if (x >= width || y >= height) return;
    const unsigned char* above = &blurred[threadIdx.y][threadIdx.x];
    const unsigned char* level = &blurred[threadIdx.y + 1][threadIdx.x];
    const unsigned char* below = &blurred[threadIdx.y + 2][threadIdx.x];
    const int gx = above[2] + 2 * level[2] + below[2] - above[0] - 2 * level[0] - below[0];
    const int gy = above[0] + 2 * above[1] + above[2] - below[0] - 2 * below[1] - below[2];
    dst[y * width + x] = min(255, int(sqrtf(float(gx * gx + gy * gy))));
}
