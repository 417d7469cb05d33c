// Sobel s2: s1 in floats, with math intrinsics.
//
// Grew from s1. The weights are floats, sums are built by __fmaf_rd (one multiply-add instruction) and
// the root by __fsqrt_rn. All values stay below 2^24, so every operation is exact and the bytes are
// those of s1; an approximate root would not be.
// Why it should win: float multiply-adds instead of integer shifts and additions; no conversion of
// the sum of squares.
// Counter to watch: instructions per pixel; the share of the conversion instructions.
// Stops winning: eight bytes are converted instead of one sum, so where conversions are slow it loses:
// on the GPU of 2013 for which it was written it did.

// knob: BLOCK_X = 32 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 8 in 1..1024  threads of a block along a column

#ifndef BLOCK_X
#define BLOCK_X 32
#define BLOCK_Y 8
#endif

__constant__ const float weights_x[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
__constant__ const float weights_y[3][3] = {{1, 2, 1}, {0, 0, 0}, {-1, -2, -1}};

extern "C" __global__ void edge(const unsigned char* src, unsigned char* dst, int width, int height) {
    const int x = blockIdx.x * BLOCK_X + threadIdx.x;
    const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
    if (x >= width || y >= height) return;

    // Both gradients from the 3 x 3 neighbours; a pixel outside the picture counts as 0. Compared as
    // unsigned, a negative position is a large one: one test for both sides.
    float gx = 0;
    float gy = 0;
#pragma unroll
    for (int row = 0; row < 3; ++row) {
#pragma unroll
        for (int column = 0; column < 3; ++column) {
            if (row == 1 && column == 1) continue;
            const int from_x = x + column - 1;
            const int from_y = y + row - 1;
            const bool inside = unsigned(from_x) < unsigned(width) && unsigned(from_y) < unsigned(height);
            const float pixel = inside ? src[from_y * width + from_x] : 0;
            gx = __fmaf_rd(weights_x[row][column], pixel, gx);
            gy = __fmaf_rd(weights_y[row][column], pixel, gy);
        }
    }
    const float length = __fsqrt_rn(__fmaf_rd(gx, gx, gy * gy));
    dst[y * width + x] = min(255, __float2int_rz(length));
}
