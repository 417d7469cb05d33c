// What the kernels of this lab share and is not the lesson of any of them: which point of the picture a pixel of the result
// comes from, what lies outside, and how a colour becomes gray. Each operation rounds on its own, so that the result is the
// same to the bit wherever it is computed.
#pragma once

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

// The sine of 0, 1, ... 90 degrees.
constexpr float kSine[] = {
    0.0f, 0.0174524058f, 0.0348994955f, 0.0523359552f, 0.0697564706f, 0.0871557444f, 0.104528464f, 0.121869341f,
    0.139173105f, 0.156434461f, 0.173648179f, 0.190808997f, 0.207911685f, 0.224951059f, 0.241921902f, 0.258819044f,
    0.275637358f, 0.29237169f, 0.309017003f, 0.325568169f, 0.342020154f, 0.35836795f, 0.37460658f, 0.390731126f,
    0.406736642f, 0.42261827f, 0.438371152f, 0.453990489f, 0.469471574f, 0.484809607f, 0.5f, 0.515038073f,
    0.529919267f, 0.544639051f, 0.559192896f, 0.57357645f, 0.587785244f, 0.601815045f, 0.615661502f, 0.629320383f,
    0.642787635f, 0.656059027f, 0.669130623f, 0.681998372f, 0.694658399f, 0.707106769f, 0.719339788f, 0.7313537f,
    0.74314481f, 0.754709601f, 0.766044438f, 0.777145982f, 0.788010776f, 0.798635483f, 0.809017003f, 0.819152057f,
    0.829037547f, 0.838670552f, 0.848048091f, 0.857167304f, 0.866025388f, 0.874619722f, 0.882947564f, 0.891006529f,
    0.898794055f, 0.906307817f, 0.91354543f, 0.920504868f, 0.927183867f, 0.933580399f, 0.939692616f, 0.945518553f,
    0.95105654f, 0.956304729f, 0.96126169f, 0.965925813f, 0.970295727f, 0.974370062f, 0.978147626f, 0.981627166f,
    0.98480773f, 0.987688363f, 0.990268052f, 0.992546141f, 0.994521916f, 0.99619472f, 0.997564077f, 0.99862951f,
    0.999390841f, 0.99984771f, 1.0f};
constexpr float kSin = kSine[ANGLE];
constexpr float kCos = kSine[90 - ANGLE];

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
