// Loads and stores of shared memory whose offsets come from a table: what h200_shared.txt is measured with.

struct Map {
    unsigned lanes;  // which are active
    unsigned offsets[32];
};

// One warp loads and stores `bytes` wide words at `count` maps: the first once, the second 64 times, the third
// 4096 times, so that one count of wavefronts holds all three. No request takes more than 32.
#define MAPS(bytes, type, load, store)                                                                     \
    extern "C" __global__ void maps_##bytes(const Map* maps, type* out, int count) {                       \
        extern __shared__ __align__(128) unsigned char words[];                                            \
        const unsigned start = unsigned(__cvta_generic_to_shared(words));                                  \
        type sum = threadIdx.x;                                                                            \
        for (int m = 0, times = 1; m < count; ++m, times *= 64) {                                          \
            const unsigned at = start + maps[m].offsets[threadIdx.x];                                      \
            if (maps[m].lanes >> threadIdx.x & 1) {                                                        \
                _Pragma("unroll 1") for (int i = 0; i < times; ++i) {                                      \
                    type a, b, c, d;                                                                       \
                    a = b = c = d = 0;                                                                     \
                    load;                                                                                  \
                    sum += a ^ b ^ c ^ d;                                                                  \
                    store;                                                                                 \
                }                                                                                          \
            }                                                                                              \
            __syncwarp();                                                                                  \
        }                                                                                                  \
        out[threadIdx.x] = sum;                                                                            \
    }
#define ASM(text, ...) asm volatile(text __VA_ARGS__ : "memory")
MAPS(1, unsigned, ASM("ld.volatile.shared.u8 %0, [%1];", : "=r"(a) : "r"(at)),
     ASM("st.volatile.shared.u8 [%0], %1;", ::"r"(at), "r"(sum)))
MAPS(2, unsigned short, ASM("ld.volatile.shared.u16 %0, [%1];", : "=h"(a) : "r"(at)),
     ASM("st.volatile.shared.u16 [%0], %1;", ::"r"(at), "h"(sum)))
MAPS(4, unsigned, ASM("ld.volatile.shared.u32 %0, [%1];", : "=r"(a) : "r"(at)),
     ASM("st.volatile.shared.u32 [%0], %1;", ::"r"(at), "r"(sum)))
MAPS(8, unsigned, ASM("ld.volatile.shared.v2.u32 {%0, %1}, [%2];", : "=r"(a), "=r"(b) : "r"(at)),
     ASM("st.volatile.shared.v2.u32 [%0], {%1, %1};", ::"r"(at), "r"(sum)))
MAPS(16, unsigned,
     ASM("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];", : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at)),
     ASM("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};", ::"r"(at), "r"(sum)))
