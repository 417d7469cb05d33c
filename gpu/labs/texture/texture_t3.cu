// Texture t3: the nearest pixel through a texture.
//
// Grew from t1: the texture unit finds the pixel and what lies outside; the picture lies in an array of tiles.
// Why it should win: a sector is a part of two rows, a line of four: turning the picture hardly changes how many a warp
// needs. Clamp, wrap and border cost no instruction.
// Counter to watch: sectors per texture request, by ANGLE.
// Stops winning: at small angles. Loads of whole rows move as many bytes, and the load/store unit takes 32 lanes in a clock, the
// texture units of a multiprocessor 4.

// knob: BLOCK_X = 256 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 1 in 1..1024  threads of a block along a column
// knob: ANGLE = 30 in 0..90  degrees by which the picture is turned
// knob: ADDRESS = 0 in 0..2  what lies outside: 0 the border's pixels (clamp), 1 the picture again (wrap), 2 black (border)

#include "texture.cuh"

extern "C" __global__ void rotate(cudaTextureObject_t picture, unsigned char* result, int width, int height) {
    const int x = column();
    const int y = row();
    if (x >= width || y >= height) return;
    const Point from = source_of(x, y, width, height);
    // The middle of the pixel: no rounding in the texture unit can take it for another one.
    const float u = normalised(floorf(__fadd_rn(from.x, 0.5f)), width);
    const float v = normalised(floorf(__fadd_rn(from.y, 0.5f)), height);
    result[y * width + x] = byte_of(gray_of(tex2D<uchar4>(picture, u, v)));
}
