// Throughput of special functions: reciprocal, reciprocal root, sine, exp2, log2, division.
//
// Chains as before; a multiply-add in each link keeps its argument where the function is defined and small. EXACT = 0 takes
// what the XU pipe approximates in one instruction, EXACT = 1 the function that is right to the last bits.
// Why it should win: an approximation is one instruction or two, an exact function ten to forty.
// Counter to watch: operations per clock and multiprocessor, with EXACT = 0 and 1; the check says how near the results are.
// Stops winning: where the error counts: __sinf of a large number has no right digit.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CHAINS = 4 in 1..8  elements of a thread, whose operations do not depend on each other
// knob: EXACT = 0 in 0..1  0 takes the intrinsic, 1 the function that is exact to the last bits
// instruction-level parallelism: CHAINS
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: line

#include "throughput.cuh"

static __device__ float reciprocal_of(float value) {
#if EXACT
    return 1.0f / value;
#else
    float made;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(made) : "f"(value));
    return made;
#endif
}
static __device__ float reciprocal_root_of(float value) {
#if EXACT
    return 1.0f / sqrtf(value);
#else
    float made;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(made) : "f"(value));
    return made;
#endif
}
static __device__ float sine_of(float value) {
    return EXACT ? sinf(value) : __sinf(value);
}
static __device__ float exponential_of(float value) {
#if EXACT
    return exp2f(value);
#else
    float made;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(made) : "f"(value));
    return made;
#endif
}
static __device__ float logarithm_of(float value) {
#if EXACT
    return log2f(value);
#else
    float made;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(made) : "f"(value));
    return made;
#endif
}
static __device__ float quotient_of(float a, float b) {
    return EXACT ? a / b : __fdividef(a, b);
}

struct Special {
    static constexpr int kEach = 1;
    float value, summand;
    __device__ void begin(unsigned word) { value = summand = fraction(word); }
    __device__ float argument() const { return fmaf(value, 0.5f, summand); }
    __device__ float result() const { return value; }
};
struct Reciprocal : Special {
    __device__ void link() { value = reciprocal_of(argument()); }
};
struct ReciprocalRoot : Special {
    __device__ void link() { value = reciprocal_root_of(argument()); }
};
struct Sine : Special {
    __device__ void link() { value = sine_of(argument()); }
};
struct Exponential : Special {
    __device__ void link() { value = exponential_of(fmaf(value, 0.5f, -summand)); }
};
struct Logarithm : Special {
    __device__ void link() { value = logarithm_of(argument()); }
};
struct Quotient : Special {
    __device__ void link() { value = quotient_of(summand, fmaf(value, 0.5f, 1.0f)); }
};

extern "C" __global__ void reciprocal(const unsigned* __restrict__ source, float* __restrict__ target, int width,
                                      int height) {
    run<Reciprocal>(source, target, width, height);
}

extern "C" __global__ void root(const unsigned* __restrict__ source, float* __restrict__ target, int width, int height) {
    run<ReciprocalRoot>(source, target, width, height);
}

extern "C" __global__ void sine(const unsigned* __restrict__ source, float* __restrict__ target, int width, int height) {
    run<Sine>(source, target, width, height);
}

extern "C" __global__ void exponential(const unsigned* __restrict__ source, float* __restrict__ target, int width,
                                       int height) {
    run<Exponential>(source, target, width, height);
}

extern "C" __global__ void logarithm(const unsigned* __restrict__ source, float* __restrict__ target, int width,
                                     int height) {
    run<Logarithm>(source, target, width, height);
}

extern "C" __global__ void divide(const unsigned* __restrict__ source, float* __restrict__ target, int width, int height) {
    run<Quotient>(source, target, width, height);
}
