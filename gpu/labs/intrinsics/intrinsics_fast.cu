// Functions as the XU pipe approximates them: intrinsics.
//
// Each thread reads a float, makes the function's value of it, and writes that. An intrinsic is one instruction of the XU
// pipe, with a multiplication before or behind it where the pipe knows the function to another base.
// Why it should win: an exact function is ten to forty instructions, and takes registers and branches.
// Counter to watch: instructions; and the errors that the check states, over all floats of a binade.
// Stops winning: here. A kernel that waits for memory has time for exact functions; and the sine of a large number has no right digit.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: EXPONENT = 0 in -24..24  arguments are the floats from 2^EXPONENT to twice that
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "intrinsics.cuh"

static __device__ float approximate_reciprocal(float x) {
    float made;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(made) : "f"(x));
    return made;
}
static __device__ float approximate_root(float x) {
    float made;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(made) : "f"(x));
    return made;
}

extern "C" __global__ void sine(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return __sinf(x); });
}

extern "C" __global__ void cosine(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return __cosf(x); });
}

extern "C" __global__ void exponential(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return __expf(x); });
}

extern "C" __global__ void logarithm(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return __logf(x); });
}

extern "C" __global__ void binary_logarithm(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return __log2f(x); });
}

extern "C" __global__ void power(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return __powf(x, kExponent); });
}

extern "C" __global__ void reciprocal(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return approximate_reciprocal(x); });
}

extern "C" __global__ void root(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return approximate_root(x); });
}

extern "C" __global__ void reciprocal_root(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return rsqrtf(x); });
}

extern "C" __global__ void quotient(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return __fdividef(kDividend, x); });
}
