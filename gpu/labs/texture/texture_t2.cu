// Texture t2: the nearest pixel by read-only loads.
//
// Grew from t1: the picture is read by loads that promise that nobody writes it while the kernel runs.
// Why it should win: Kepler takes such loads through its texture cache; its L1 does not keep what plain loads read.
// Counter to watch: hits of the caches. Sectors per load stay what they were.
// Stops winning: from 5.0 on L1 and texture cache are one, and keep what plain loads read, too.

// knob: BLOCK_X = 8 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 32 in 1..1024  threads of a block along a column
// knob: ANGLE = 30 in 0..90  degrees by which the picture is turned
// knob: ADDRESS = 0 in 0..2  what lies outside: 0 the border's pixels (clamp), 1 the picture again (wrap), 2 black (border)

#include "texture.cuh"

extern "C" __global__ void rotate(const uchar4* __restrict__ picture, unsigned char* __restrict__ result, int width,
                                  int height) {
    const int x = column();
    const int y = row();
    if (x >= width || y >= height) return;
    const Point from = source_of(x, y, width, height);
    const uchar4 pixel = pixel_at(__float2int_rd(__fadd_rn(from.x, 0.5f)), __float2int_rd(__fadd_rn(from.y, 0.5f)), width,
                                  height, [&](int index) { return __ldg(picture + index); });
    result[y * width + x] = byte_of(gray_of(pixel));
}
