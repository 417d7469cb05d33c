// Fused f2: a thread works on four pixels side by side, read as 16 bytes and written as 4.
//
// Grew from f1. The tiles hold words of four pixels: four gray bytes, four sums of 16 bits. A load, a store
// and the arithmetic of an address serve four pixels, in shared memory as in global.
// Why it should win: fewer requests for the same bytes; neighbours are taken from registers, not read again.
// Counter to watch: requests to global and to shared memory; instructions per pixel.
// Stops winning: where a row does not begin at a multiple of 16 bytes (a width that is no multiple of 4): then
// pixels are read one by one.

// knob: BLOCK_X = 32 in 1..256  threads of a block along a row, four pixels each
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column
// elements per block: 4 * BLOCK_X x BLOCK_Y

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif

constexpr int kThreads = BLOCK_X * BLOCK_Y;
constexpr int kWords = BLOCK_X + 2;  // of a tile's row: one word of border on either side
constexpr int kRows = BLOCK_Y + 8;
constexpr int kBlurRows = BLOCK_Y + 2;

static __device__ unsigned gray_of(uchar4 pixel) {
    // Each operation rounds on its own: a fused multiply-add would change some pixels.
    const float red = __fmul_rn(0.299f, pixel.x);
    const float green = __fmul_rn(0.587f, pixel.y);
    const float blue = __fmul_rn(0.114f, pixel.z);
    return min(255, __float2int_rz(__fadd_rn(__fadd_rn(red, green), blue)));
}

// Byte i of a word; bytes 4 to 7 and -4 to -1 are the neighbours'.
static __device__ int byte_at(unsigned left, unsigned own, unsigned right, int i) {
    const unsigned word = i < 0 ? left : i < 4 ? own : right;
    return word >> (i & 3) * 8 & 255;
}

static __device__ int weigh(int a, int b, int c, int d, int e, int f, int g) {
    return a + 2 * b + 3 * c + 4 * d + 3 * e + 2 * f + g;
}

// The gray values of four pixels from (x, y) on, 0 outside the picture.
static __device__ unsigned gray_word(const uchar4* src, int x, int y, int width, int height) {
    if (unsigned(y) >= unsigned(height) || x < 0 || x >= width) return 0;
    const uchar4* from = src + ((long long)y * width + x);
    uchar4 pixels[4] = {};
    if (width % 4 == 0) {
        *reinterpret_cast<uint4*>(pixels) = *reinterpret_cast<const uint4*>(from);
    } else {
        for (int i = 0; i < 4; ++i) {
            if (x + i < width) pixels[i] = from[i];
        }
    }
    return gray_of(pixels[0]) | gray_of(pixels[1]) << 8 | gray_of(pixels[2]) << 16 | gray_of(pixels[3]) << 24;
}

extern "C" __global__ void gray_blur_edge(const uchar4* __restrict__ src, unsigned char* __restrict__ dst, int width,
                                          int height) {
    // Blurred words take the place of the gray ones, which are then needed no more.
    __shared__ unsigned words[kRows][kWords];
    __shared__ ushort4 sums[kRows][kWords];
    __builtin_assume(threadIdx.x < BLOCK_X && threadIdx.y < BLOCK_Y);
    const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
    const int first_x = blockIdx.x * (4 * BLOCK_X);
    const int first_y = blockIdx.y * BLOCK_Y;

    // Gray.
    for (int i = thread; i < kRows * kWords; i += kThreads) {
        const int row = i / kWords;
        const int word = i % kWords;
        words[row][word] = gray_word(src, first_x - 4 + 4 * word, first_y - 4 + row, width, height);
    }
    __syncthreads();

    // Sums along the rows. Of a border word, only the pixel beside the block is needed, and right.
    for (int i = thread; i < kRows * kWords; i += kThreads) {
        const int row = i / kWords;
        const int word = i % kWords;
        const unsigned own = words[row][word];
        const unsigned left = word > 0 ? words[row][word - 1] : 0;
        const unsigned right = word < kWords - 1 ? words[row][word + 1] : 0;
        int pixel[10];
#pragma unroll
        for (int j = 0; j < 10; ++j) pixel[j] = byte_at(left, own, right, j - 3);
        int sum[4];
#pragma unroll
        for (int j = 0; j < 4; ++j)
            sum[j] = weigh(pixel[j], pixel[j + 1], pixel[j + 2], pixel[j + 3], pixel[j + 4], pixel[j + 5], pixel[j + 6]);
        sums[row][word] = make_ushort4(sum[0], sum[1], sum[2], sum[3]);
    }
    __syncthreads();

    // Sums of those down the columns; 0 outside the picture.
    for (int i = thread; i < kBlurRows * kWords; i += kThreads) {
        const int row = i / kWords;
        const int word = i % kWords;
        constexpr int kWeights[7] = {1, 2, 3, 4, 3, 2, 1};
        int sum[4] = {};
#pragma unroll
        for (int j = 0; j < 7; ++j) {
            const ushort4 from = sums[row + j][word];
            sum[0] += kWeights[j] * from.x;
            sum[1] += kWeights[j] * from.y;
            sum[2] += kWeights[j] * from.z;
            sum[3] += kWeights[j] * from.w;
        }
        const int x = first_x - 4 + 4 * word;
        const int y = first_y - 1 + row;
        unsigned blurred = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const bool inside = unsigned(x + j) < unsigned(width) && unsigned(y) < unsigned(height);
            if (inside) blurred |= unsigned(sum[j] / 256) << 8 * j;
        }
        words[row][word] = blurred;
    }
    __syncthreads();

    // The edges of the thread's four pixels, from three rows of six.
    const int x = first_x + 4 * threadIdx.x;
    const int y = first_y + threadIdx.y;
    if (x >= width || y >= height) return;
    int pixel[3][6];
#pragma unroll
    for (int row = 0; row < 3; ++row) {
        const unsigned* from = &words[threadIdx.y + row][threadIdx.x];
#pragma unroll
        for (int j = 0; j < 6; ++j) pixel[row][j] = byte_at(from[0], from[1], from[2], j - 1);
    }
    unsigned edges = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const int gx = pixel[0][j + 2] + 2 * pixel[1][j + 2] + pixel[2][j + 2] - pixel[0][j] - 2 * pixel[1][j] -
                       pixel[2][j];
        const int gy = pixel[0][j] + 2 * pixel[0][j + 1] + pixel[0][j + 2] - pixel[2][j] - 2 * pixel[2][j + 1] -
                       pixel[2][j + 2];
        edges |= unsigned(min(255, int(sqrtf(float(gx * gx + gy * gy))))) << 8 * j;
    }
    unsigned char* to = dst + ((long long)y * width + x);
    if (width % 4 == 0) {
        *reinterpret_cast<unsigned*>(to) = edges;
    } else {
        for (int j = 0; j < 4; ++j) {
            if (x + j < width) to[j] = edges >> 8 * j;
        }
    }
}
