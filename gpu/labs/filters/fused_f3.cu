// Fused f3: a warp marches down the picture; rows live in registers, neighbours come by shuffle.
//
// Grew from f2. Each lane keeps four columns. With every new row it takes the gray bytes of the lanes beside it,
// adds up the row, and keeps running sums down the columns; the two blurred rows above are still in registers
// when the third makes the edges.
// Why it should win: no shared memory and no barrier; a row is read and made gray once for all rows of the strip,
// where a tile reads its border of 8 rows again for every 8 rows of its own.
// Counter to watch: barriers and shared requests (none); registers per thread.
// Stops winning: on pictures with too few strips to fill the GPU; lower ROWS helps, until the 8 rows before
// each strip weigh more.

// knob: BLOCK_X = 32 in 32..32  one warp along a row: 30 of its lanes write 4 pixels each
// knob: BLOCK_Y = 2 in 1..8  warps of a block, one strip of rows each
// knob: ROWS = 40 in 4..512  rows of a strip
// elements per block: 120 x ROWS * BLOCK_Y
// needs compute capability: 3.0  warp shuffles

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 2
#endif
#ifndef ROWS
#define ROWS 40
#endif

constexpr unsigned kAll = 0xFFFFFFFF;

static __device__ unsigned gray_of(unsigned pixel) {
    // Each operation rounds on its own: a fused multiply-add would change some pixels.
    const float red = __fmul_rn(0.299f, pixel & 255);
    const float green = __fmul_rn(0.587f, pixel >> 8 & 255);
    const float blue = __fmul_rn(0.114f, pixel >> 16 & 255);
    return min(255, __float2int_rz(__fadd_rn(__fadd_rn(red, green), blue)));
}

// Four pixels from (x, y) on, 0 outside the picture.
static __device__ uint4 read(const uchar4* src, int x, int y, int width, int height) {
    uint4 pixels = {0, 0, 0, 0};
    if (unsigned(y) >= unsigned(height) || x < 0 || x >= width) return pixels;
    const uchar4* from = src + ((long long)y * width + x);
    if (width % 4 == 0) return *reinterpret_cast<const uint4*>(from);
    const unsigned* one = reinterpret_cast<const unsigned*>(from);
    pixels.x = one[0];
    if (x + 1 < width) pixels.y = one[1];
    if (x + 2 < width) pixels.z = one[2];
    if (x + 3 < width) pixels.w = one[3];
    return pixels;
}

extern "C" __global__ void __launch_bounds__(32 * BLOCK_Y)
gray_blur_edge(const uchar4* __restrict__ src, unsigned char* __restrict__ dst, int width, int height) {
    const int lane = threadIdx.x;
    const int x = int(blockIdx.x) * 120 + lane * 4 - 4;
    const int top = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
    if (top >= height) return;
    const int end = min(top + ROWS, height);

    // [1 2 3 4 3 2 1] is [1 1 1 1] twice: running sums of the last four row sums, and of the last four of those.
    int rows[4][4] = {};
    int fours[4][4] = {};
    int four[4] = {};
    int sum[4] = {};
    // Two blurred rows: the lane's four pixels and one neighbour on either side.
    int above[6] = {};
    int level[6] = {};

    // Row y of gray completes row y - 3 of the blur and row y - 4 of the edges.
    uint4 next = read(src, x, top - 4, width, height);
#pragma unroll 1
    for (int group = top - 4; group < end + 4; group += 4) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int y = group + j;
            const uint4 pixels = next;
            next = read(src, x, y + 1, width, height);

            // Gray, and the six pixels beside the lane's four from the lanes to its left and right.
            const unsigned own = gray_of(pixels.x) | gray_of(pixels.y) << 8 | gray_of(pixels.z) << 16 |
                                 gray_of(pixels.w) << 24;
            const unsigned left = __shfl_up_sync(kAll, own, 1);
            const unsigned right = __shfl_down_sync(kAll, own, 1);
            const int pixel[10] = {int(left >> 8 & 255), int(left >> 16 & 255), int(left >> 24),
                                   int(own & 255),       int(own >> 8 & 255),   int(own >> 16 & 255),
                                   int(own >> 24),       int(right & 255),      int(right >> 8 & 255),
                                   int(right >> 16 & 255)};

            // Blur: along the row, then down the columns.
            int below[6];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int row = pixel[i] + pixel[i + 6] + 2 * (pixel[i + 1] + pixel[i + 5]) +
                                3 * (pixel[i + 2] + pixel[i + 4]) + 4 * pixel[i + 3];
                four[i] += row - rows[j][i];
                rows[j][i] = row;
                sum[i] += four[i] - fours[j][i];
                fours[j][i] = four[i];
                const bool inside = unsigned(x + i) < unsigned(width) && unsigned(y - 3) < unsigned(height);
                below[i + 1] = inside ? sum[i] / 256 : 0;
            }
            below[0] = __shfl_up_sync(kAll, below[4], 1);
            below[5] = __shfl_down_sync(kAll, below[1], 1);

            // Edges of the row between.
            unsigned edges = 0;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int gx = above[i + 2] + 2 * level[i + 2] + below[i + 2] - above[i] - 2 * level[i] - below[i];
                const int gy = above[i] + 2 * above[i + 1] + above[i + 2] - below[i] - 2 * below[i + 1] - below[i + 2];
                edges |= unsigned(min(255, int(sqrtf(float(gx * gx + gy * gy))))) << 8 * i;
            }
#pragma unroll
            for (int i = 0; i < 6; ++i) {
                above[i] = level[i];
                level[i] = below[i];
            }

            const int to_y = y - 4;
            if (to_y < top || to_y >= end || lane == 0 || lane == 31 || x >= width) continue;
            unsigned char* to = dst + ((long long)to_y * width + x);
            if (width % 4 == 0) {
                *reinterpret_cast<unsigned*>(to) = edges;
            } else {
                for (int i = 0; i < 4; ++i) {
                    if (x + i < width) to[i] = edges >> 8 * i;
                }
            }
        }
    }
}
