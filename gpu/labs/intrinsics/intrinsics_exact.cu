// Exact functions: right to the last bit, or two.
//
// Grew from the intrinsics: the same functions as the compiler makes them without any wish to be fast.
// Why it should win: it does not win time. Its errors are at most a few units in the last place, for every argument.
// Counter to watch: instructions, and the time: where memory limits, it hardly changes.
// Stops winning: large arguments of sine and cosine: their reduction takes a loop and local memory.

// needs compute capability: 1.3  doubles, with which today's compiler reduces the arguments of sine and cosine
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: EXPONENT = 0 in -24..24  arguments are the floats from 2^EXPONENT to twice that
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "intrinsics.cuh"

extern "C" __global__ void sine(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return sinf(x); });
}

extern "C" __global__ void cosine(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return cosf(x); });
}

extern "C" __global__ void exponential(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return expf(x); });
}

extern "C" __global__ void logarithm(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return logf(x); });
}

extern "C" __global__ void binary_logarithm(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return log2f(x); });
}

extern "C" __global__ void power(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return powf(x, kExponent); });
}

extern "C" __global__ void reciprocal(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return 1.0f / x; });
}

extern "C" __global__ void root(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return sqrtf(x); });
}

extern "C" __global__ void reciprocal_root(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return 1.0f / sqrtf(x); });
}

extern "C" __global__ void quotient(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    apply(source, target, width, height, [](float x) { return kDividend / x; });
}
