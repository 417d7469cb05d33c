// Throughput of conversions: between floats and whole numbers, between floats and doubles.
//
// Chains as before; each link converts there and back, with an addition in between that another pipe does.
// Why it should win: it does not. Conversions have few lanes, those from and to 64 bits fewest.
// Counter to watch: operations per clock and multiprocessor, against those of the addition.
// Stops winning: a cast is an instruction, and an expensive one. int i; x * i in a loop converts each time.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CHAINS = 4 in 1..8  elements of a thread, whose operations do not depend on each other
// instruction-level parallelism: CHAINS
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: line

#include "throughput.cuh"

struct Whole {
    static constexpr int kEach = 2;
    float value, summand;
    __device__ void begin(unsigned word) { value = summand = fraction(word); }
    __device__ void link() { value = __int2float_rn(__float2int_rz(value)) + summand; }
    __device__ float result() const { return value; }
};
// A step of the double's upper half, of whole numbers, keeps the compiler from dropping both conversions.
struct Wide {
    static constexpr int kEach = 2;
    float value;
    int step;
    __device__ void begin(unsigned word) {
        value = fraction(word);
        step = int(mixed(word) >> 28);
    }
    __device__ void link() {
        const double wide = value;
        value = __double2float_rn(__hiloint2double(__double2hiint(wide) + step, __double2loint(wide)));
    }
    __device__ float result() const { return value; }
};

extern "C" __global__ void convert(const unsigned* __restrict__ source, float* __restrict__ target, int width,
                                   int height) {
    run<Whole>(source, target, width, height);
}

extern "C" __global__ void widen(const unsigned* __restrict__ source, float* __restrict__ target, int width, int height) {
    run<Wide>(source, target, width, height);
}
