// Throughput of whole numbers: additions, logic, comparisons, shifts.
//
// Chains as those of the floats. Each link uses what the one before made, in turn of two numbers, so that no compiler makes
// fewer of them.
// Why it should win: additions, logic and comparisons run at the full rate of the ALU pipe.
// Counter to watch: operations per clock and multiprocessor; shifts were slower from 2.0 to 5.x.
// Stops winning: index arithmetic is work as well; GPUs of one ALU lane for two FMA lanes (8.6 to 9.0) feel it first.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CHAINS = 4 in 1..8  elements of a thread, whose operations do not depend on each other
// instruction-level parallelism: CHAINS
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: line

#include "throughput.cuh"

struct Pair {
    unsigned a, b, c;
    __device__ void begin(unsigned word) {
        a = mixed(word);
        b = word ^ a >> 16;
        c = ~a ^ b << 3;
    }
    __device__ unsigned result() const { return a ^ b << 1; }
};
struct Sum : Pair {
    static constexpr int kEach = 2;
    __device__ void link() {
        a += b;
        b += a;
    }
};
// Three operands in one instruction: a ^ (b & c).
static __device__ unsigned logic_of_three(unsigned a, unsigned b, unsigned c) {
    unsigned made;
    asm("lop3.b32 %0, %1, %2, %3, 0x78;" : "=r"(made) : "r"(a), "r"(b), "r"(c));
    return made;
}
struct Logic : Pair {
    static constexpr int kEach = 2;
    __device__ void link() {
        a = logic_of_three(a, b, c);
        b = logic_of_three(b, a, c);
    }
};
struct Choice : Pair {
    static constexpr int kEach = 4;
    __device__ void link() {
        a = a < b ? c : a;
        b = b < a ? c : b;
    }
};
struct Rotation : Pair {
    static constexpr int kEach = 1;
    __device__ void link() { a = __funnelshift_l(a, a, c); }
};

extern "C" __global__ void integer_add(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                       int height) {
    run<Sum>(source, target, width, height);
}

extern "C" __global__ void logic(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                 int height) {
    run<Logic>(source, target, width, height);
}

extern "C" __global__ void choose(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                  int height) {
    run<Choice>(source, target, width, height);
}

extern "C" __global__ void rotate(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                  int height) {
    run<Rotation>(source, target, width, height);
}
