// Texture t5: between four pixels, by the texture unit.
//
// Grew from t3: the texture is filtered; a fetch is the mean of four pixels, weighed by how near they are.
// Why it should win: one fetch instead of four loads, their addresses and weights.
// Counter to watch: instructions and requests, against t4.
// Stops winning: where weights of 8 bits are not exact enough: a gray level may be off by 2.

// knob: BLOCK_X = 8 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 32 in 1..1024  threads of a block along a column
// knob: ANGLE = 30 in 0..90  degrees by which the picture is turned
// knob: ADDRESS = 0 in 0..2  what lies outside: 0 the border's pixels (clamp), 1 the picture again (wrap), 2 black (border)

#include "texture.cuh"

extern "C" __global__ void rotate(cudaTextureObject_t picture, unsigned char* result, int width, int height) {
    const int x = column();
    const int y = row();
    if (x >= width || y >= height) return;
    const Point from = source_of(x, y, width, height);
    const float4 pixel = tex2D<float4>(picture, normalised(from.x, width), normalised(from.y, height));
    result[y * width + x] = byte_of(255.0f * gray_of(pixel.x, pixel.y, pixel.z));
}
