// Throughput of modulo: by a number known at run time, or by a power of two that stands in the code.
//
// Chains as before; each link multiplies and adds the remainder by 1024.
// Why it should win: no GPU divides whole numbers in one instruction; it takes a sequence, with a reciprocal of floats. Where
// the compiler knows the divisor (KNOWN = 1), a power of two becomes one logic instruction, a shift in a division.
// Counter to watch: operations per clock and multiprocessor, with KNOWN = 0 and 1.
// Stops winning: a divisor that comes as an argument of the kernel is not known, even if it is always 1024.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CHAINS = 4 in 1..8  elements of a thread, whose operations do not depend on each other
// knob: KNOWN = 0 in 0..1  1 tells the compiler the divisor
// instruction-level parallelism: CHAINS
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: line

#include "throughput.cuh"

#ifndef KNOWN
#define KNOWN 0
#endif

// The divisor is 1024 and stays so: no word has its highest bit set. But the compiler cannot know, and makes each reciprocal
// anew; else it would make one before the loop.
struct Remainder {
    static constexpr int kEach = 1;
    unsigned value, divisor, step;
    __device__ void begin(unsigned word) {
        value = mixed(word);
        divisor = 1024;
        step = word >> 31;
    }
    __device__ void link() {
        divisor += step;
        value = value * 0x2C9277B5u + value % (KNOWN ? 1024u : divisor);
    }
    __device__ unsigned result() const { return value; }
};

extern "C" __global__ void modulo(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                  int height) {
    run<Remainder>(source, target, width, height);
}
