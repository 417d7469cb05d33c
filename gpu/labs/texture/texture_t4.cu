// Texture t4: between four pixels, by hand.
//
// Grew from t2: the four pixels around the point, weighed by how near they are.
// Why it should win: it does not: edges get smooth, for four loads and some thirty operations more.
// Counter to watch: load requests and instructions.
// Stops winning: against t5, which has one fetch for all that.

// knob: BLOCK_X = 8 in 1..1024  threads of a block along a row
// knob: BLOCK_Y = 32 in 1..1024  threads of a block along a column
// knob: ANGLE = 30 in 0..90  degrees by which the picture is turned
// knob: ADDRESS = 0 in 0..2  what lies outside: 0 the border's pixels (clamp), 1 the picture again (wrap), 2 black (border)

#include "texture.cuh"

static __device__ __forceinline__ float mix(float first, float second, float share) {
    return __fadd_rn(__fmul_rn(__fsub_rn(1.0f, share), first), __fmul_rn(share, second));
}

extern "C" __global__ void rotate(const uchar4* __restrict__ picture, unsigned char* __restrict__ result, int width,
                                  int height) {
    const int x = column();
    const int y = row();
    if (x >= width || y >= height) return;
    const Point from = source_of(x, y, width, height);
    const float left = floorf(from.x);
    const float top = floorf(from.y);
    const auto gray_at = [&](int across, int down) {
        return gray_of(pixel_at(int(left) + across, int(top) + down, width, height,
                                [&](int index) { return __ldg(picture + index); }));
    };
    const float share = __fsub_rn(from.x, left);
    const float upper = mix(gray_at(0, 0), gray_at(1, 0), share);
    const float lower = mix(gray_at(0, 1), gray_at(1, 1), share);
    result[y * width + x] = byte_of(mix(upper, lower, __fsub_rn(from.y, top)));
}
