// Throughput of conversions between whole numbers: from 8 and 16 bits to 32, and to 8 and 16 bits.
//
// Chains as before; each link converts two values and makes one of them, by a sum that another pipe does.
// Why it should win: from 8 and 16 bits is a conversion of its own, for which 3.x has four times the lanes of others.
// Counter to watch: operations per clock and multiprocessor, against those of the conversions of floats.
// Stops winning: it is an instruction all the same. A load of bytes that fills in the sign costs none.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: CHAINS = 4 in 1..8  elements of a thread, whose operations do not depend on each other
// instruction-level parallelism: CHAINS
// elements per block: CHAINS * BLOCK_X x 1
// order of tiles: line

#include "throughput.cuh"

// One instruction of PTX each; of int(char(value)) the compiler makes shifts where it likes them better.
#define CONVERSION(name, type, opcode)                      \
    static __device__ type name(type value) {               \
        type made;                                          \
        asm(opcode " %0, %1;" : "=r"(made) : "r"(value));   \
        return made;                                        \
    }
CONVERSION(signed_byte, unsigned, "cvt.s32.s8")
CONVERSION(unsigned_byte, unsigned, "cvt.u32.u8")
CONVERSION(signed_short, unsigned, "cvt.s32.s16")
CONVERSION(unsigned_short, unsigned, "cvt.u32.u16")
CONVERSION(to_signed_byte, int, "cvt.sat.s8.s32")
CONVERSION(to_unsigned_byte, int, "cvt.sat.u8.s32")
CONVERSION(to_signed_short, int, "cvt.sat.s16.s32")
CONVERSION(to_unsigned_short, int, "cvt.sat.u16.s32")

// Each value is made of the two before it, one with a sign and one without.
struct Two {
    static constexpr int kEach = 2;
    unsigned a, b;
    __device__ void begin(unsigned word) {
        a = mixed(word);
        b = word ^ a >> 16;
    }
    __device__ void push(unsigned made) {
        b = a;
        a = made;
    }
    __device__ unsigned result() const { return a ^ b << 1; }
};
struct FromByte : Two {
    __device__ void link() { push(signed_byte(a) + unsigned_byte(b)); }
};
struct FromShort : Two {
    __device__ void link() { push(signed_short(a) + unsigned_short(b)); }
};
struct ToByte : Two {
    __device__ void link() { push(to_unsigned_byte(int(b)) - to_signed_byte(int(a))); }
};
struct ToShort : Two {
    __device__ void link() { push(to_unsigned_short(int(b)) - to_signed_short(int(a))); }
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
