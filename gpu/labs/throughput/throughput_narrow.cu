// Throughput of conversions between whole numbers: from 8 and 16 bits to 32, and to 8 and 16 bits.
//
// Chains as before; each link converts once, with a sum in between that another pipe does.
// Why it should win: from 8 and 16 bits is a conversion of its own, for which 3.x has four times the lanes of others.
// Counter to watch: operations per clock and multiprocessor, against those of the conversions of floats.
// Stops winning: it is an instruction all the same. A load of bytes that fills in the sign costs none.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CHAINS = 4 in 1..8  elements of a thread, whose operations do not depend on each other
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: line

#include "throughput.cuh"

// One instruction of PTX each; of int(char(value)) the compiler makes shifts where it likes them better.
static __device__ unsigned from_byte_of(unsigned value) {
    unsigned made;
    asm("cvt.s32.s8 %0, %1;" : "=r"(made) : "r"(value));
    return made;
}
static __device__ unsigned from_short_of(unsigned value) {
    unsigned made;
    asm("cvt.s32.s16 %0, %1;" : "=r"(made) : "r"(value));
    return made;
}
static __device__ int to_byte_of(int value) {
    int made;
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(made) : "r"(value));
    return made;
}
static __device__ int to_short_of(int value) {
    int made;
    asm("cvt.sat.s16.s32 %0, %1;" : "=r"(made) : "r"(value));
    return made;
}

struct FromByte {
    static constexpr int kEach = 1;
    unsigned value, summand;
    __device__ void begin(unsigned word) { value = summand = mixed(word); }
    __device__ void link() { value = from_byte_of(value) + summand; }
    __device__ unsigned result() const { return value; }
};
struct FromShort : FromByte {
    __device__ void link() { value = from_short_of(value) + summand; }
};
// Twice as large as what fits, so that half of them are saturated.
struct ToByte {
    static constexpr int kEach = 1;
    int value, summand;
    __device__ void begin(unsigned word) { value = summand = int(mixed(word)) >> 25; }
    __device__ void link() { value = summand - to_byte_of(value); }
    __device__ unsigned result() const { return unsigned(value); }
};
struct ToShort : ToByte {
    __device__ void begin(unsigned word) { value = summand = int(mixed(word)) >> 17; }
    __device__ void link() { value = summand - to_short_of(value); }
};

extern "C" __global__ void from_byte(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                     int height) {
    run<FromByte>(source, target, width, height);
}

extern "C" __global__ void from_short(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                      int height) {
    run<FromShort>(source, target, width, height);
}

extern "C" __global__ void to_byte(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                   int height) {
    run<ToByte>(source, target, width, height);
}

extern "C" __global__ void to_short(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                    int height) {
    run<ToShort>(source, target, width, height);
}
