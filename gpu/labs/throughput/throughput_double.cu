// Throughput of doubles: multiply-adds.
//
// Grew from the multiply-add of floats. The same links with 64 bits.
// Why it should win: it does not; it has twice the digits. How much they cost is the GPU's maker's choice.
// Counter to watch: operations per clock and multiprocessor: half of the floats' on GPUs for science, 1/32 or 1/64 on others.
// Stops winning: a constant without an f, as in 0.5 * x, makes a double of a float without anybody's wish.

// needs compute capability: 1.3  doubles
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CHAINS = 4 in 1..8  elements of a thread, whose operations do not depend on each other
// instruction-level parallelism: CHAINS
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: line

#include "throughput.cuh"

struct Double {
    static constexpr int kEach = 1;
    double value, summand;
    __device__ void begin(unsigned word) { value = summand = 1 + mixed(word) * 0x1p-32; }
    __device__ void link() { value = fma(value, 0.5, summand); }
    __device__ double result() const { return value; }
};

extern "C" __global__ void doubles(const unsigned* __restrict__ source, double* __restrict__ target, int width,
                                        int height) {
    run<Double>(source, target, width, height);
}
