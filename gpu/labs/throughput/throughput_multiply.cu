// Throughput of multiplications of whole numbers, with 32 or 24 bits.
//
// Grew from the additions. MUL24 multiplies by __umul24, which looks at the lower 24 bits of both.
// Why it should win: on 1.x the multiplier has 24 bits, and 32 take several of them. Since 2.0 it is the reverse.
// Counter to watch: operations per clock and multiprocessor, with MUL24 = 0 and 1.
// Stops winning: __umul24 today: the bits above have to be cleared first.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CHAINS = 4 in 1..8  elements of a thread, whose operations do not depend on each other
// knob: MUL24 = 0 in 0..1  1 multiplies by __umul24
// instruction-level parallelism: CHAINS
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: line

#include "throughput.cuh"

#ifndef MUL24
#define MUL24 0
#endif

// Odd, so that it never ends at 0; of the product the 24 bits that both ways agree in.
struct Product {
    static constexpr int kEach = 2;
    unsigned a, b;
    __device__ void begin(unsigned word) {
        a = mixed(word) | 1;
        b = word >> 3 | 1;
    }
    static __device__ unsigned product(unsigned a, unsigned b) { return MUL24 ? __umul24(a, b) : a * b; }
    __device__ void link() {
        a = product(a, b);
        b = product(b, a);
    }
    __device__ unsigned result() const { return (a ^ b) & 0xFFFFFF; }
};

extern "C" __global__ void multiply(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                    int height) {
    run<Product>(source, target, width, height);
}
