// What the kernels of this lab share and is not the lesson of any of them: which point of the picture a pixel of the result
// comes from, what lies outside, and how a colour becomes gray. Each operation rounds on its own, so that the result is the
// same to the bit wherever it is computed.
#pragma once

#include "sine.cuh"

#ifndef BLOCK_X
#define BLOCK_X 256
#define BLOCK_Y 1
#endif
#ifndef ANGLE
#define ANGLE 30
#endif
#ifndef ADDRESS
#define ADDRESS 0
#endif

constexpr float kSin = ws::texture::kSine[ANGLE];
constexpr float kCos = ws::texture::kSine[90 - ANGLE];

struct Point {
    float x, y;
};

// Of the pixel that this thread makes.
static __device__ __forceinline__ int column() { return blockIdx.x * BLOCK_X + threadIdx.x; }
static __device__ __forceinline__ int row() { return blockIdx.y * BLOCK_Y + threadIdx.y; }

// The point that a pixel comes from: the picture is turned about its middle. Whole numbers are the middles of pixels.
static __device__ __forceinline__ Point source_of(int x, int y, int width, int height) {
    const float middle_x = 0.5f * (float(width) - 1);
    const float middle_y = 0.5f * (float(height) - 1);
    const float across = x - middle_x;
    const float down = y - middle_y;
    return {__fadd_rn(middle_x, __fadd_rn(__fmul_rn(kCos, across), __fmul_rn(kSin, down))),
            __fadd_rn(middle_y, __fsub_rn(__fmul_rn(kCos, down), __fmul_rn(kSin, across)))};
}

// The place that stands for one outside; -1 where it is black.
static __device__ __forceinline__ int addressed(int at, int size) {
    if (ADDRESS == 1) return (at % size + size) % size;
    if (ADDRESS == 2) return at < 0 || at >= size ? -1 : at;
    return min(max(at, 0), size - 1);
}

// `read(index)` is a pixel of the picture.
template <typename Read>
static __device__ __forceinline__ uchar4 pixel_at(int x, int y, int width, int height, Read read) {
    x = addressed(x, width);
    y = addressed(y, height);
    return x < 0 || y < 0 ? uchar4{0, 0, 0, 0} : read(y * width + x);
}

static __device__ __forceinline__ float gray_of(float red, float green, float blue) {
    return __fadd_rn(__fadd_rn(__fmul_rn(0.299f, red), __fmul_rn(0.587f, green)), __fmul_rn(0.114f, blue));
}
static __device__ __forceinline__ float gray_of(uchar4 pixel) { return gray_of(pixel.x, pixel.y, pixel.z); }
// The nearest byte.
static __device__ __forceinline__ unsigned char byte_of(float gray) { return min(255, int(__fadd_rn(gray, 0.5f))); }

// Coordinates of a texture: 0 to 1 is the whole of it, so that it may be repeated. The middle of pixel n is n + 0.5.
static __device__ __forceinline__ float normalised(float at, int size) { return __fdividef(__fadd_rn(at, 0.5f), size); }
