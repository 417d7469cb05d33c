// Texture t1: the nearest pixel by global loads.
//
// The picture is turned: a thread makes a pixel of the result and reads the one of the picture that it comes from.
// Why it should win: at 0 degrees a warp reads a row, which is coalesced.
// Counter to watch: sectors per load, by ANGLE: the lanes of a warp read along a line that leaves the rows of memory.
// Stops winning: as the angle grows, most of all where a warp is a row of the result. In blocks of 8 x 32 it is 8 x 4.

// knob: BLOCK_X = 256 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 1 in 1..1024  threads of a block along a column
// knob: ANGLE = 30 in 0..90  degrees by which the picture is turned
// knob: ADDRESS = 0 in 0..2  what lies outside: 0 the border's pixels (clamp), 1 the picture again (wrap), 2 black (border)

#include "texture.cuh"

extern "C" __global__ void rotate(const uchar4* picture, unsigned char* result, int width, int height) {
    const int x = column();
    const int y = row();
    if (x >= width || y >= height) return;
    const Point from = source_of(x, y, width, height);
    const uchar4 pixel = pixel_at(__float2int_rd(__fadd_rn(from.x, 0.5f)), __float2int_rd(__fadd_rn(from.y, 0.5f)), width,
                                  height, [&](int index) { return picture[index]; });
    result[y * width + x] = byte_of(gray_of(pixel));
}
