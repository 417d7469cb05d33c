// Throughput of floats: additions, multiplications, multiply-adds.
//
// A thread takes CHAINS elements through 256 operations each; links of different chains do not wait for each other, so that the
// pipe's throughput limits the time, not its latency.
// Why it should win: a multiply-add does the work of two instructions in one; the intrinsics of V2 forbid to make one of two.
// Counter to watch: operations per clock and multiprocessor: as many as the FMA pipe has lanes.
// Stops winning: with CHAINS = 1 and few warps latency limits the time, and the pipe idles.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CHAINS = 4 in 1..8  elements of a thread, whose operations do not depend on each other
// instruction-level parallelism: CHAINS
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: line

#include "throughput.cuh"

struct Float {
    float value, summand;
    __device__ void begin(unsigned word) { value = summand = fraction(word); }
    __device__ float result() const { return value; }
};
struct Sum : Float {
    static constexpr int kEach = 1;
    __device__ void link() { value += summand; }
};
struct Separate : Float {
    static constexpr int kEach = 2;
    __device__ void link() { value = __fadd_rn(__fmul_rn(value, 0.5f), summand); }
};
struct Fused : Float {
    static constexpr int kEach = 1;
    __device__ void link() { value = fmaf(value, 0.5f, summand); }
};

extern "C" __global__ void float_add(const unsigned* __restrict__ source, float* __restrict__ target, int width,
                                     int height) {
    run<Sum>(source, target, width, height);
}

extern "C" __global__ void separate(const unsigned* __restrict__ source, float* __restrict__ target, int width,
                                    int height) {
    run<Separate>(source, target, width, height);
}

extern "C" __global__ void fused(const unsigned* __restrict__ source, float* __restrict__ target, int width, int height) {
    run<Fused>(source, target, width, height);
}
