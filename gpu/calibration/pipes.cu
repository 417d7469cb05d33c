// Pipes: how long each is busy with a warp instruction, and how long its result takes.
//
// Each thread goes through chains of one instruction, whose links need each other's results. 32 warps with eight chains each keep
// the pipe of every scheduler busy: their time is its throughput. One warp with one chain waits at every link: its time is the latency.
// Why inline PTX: a compiler folds what it understands, and an asm volatile it leaves as it stands.
// Counter to watch: the issue slots of the pipe, which are full.
// Where it stops winning: with fewer links in a round the loop's own instructions take slots of the same schedulers.

#include "microbenchmark.cuh"

constexpr int kLinks = 128;  // of a round, of all chains

struct Fma {
    float value, factor;
    __device__ void begin(unsigned word) { value = factor = __uint_as_float(0x3F800000u | word >> 9); }
    __device__ void link() { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value) : "f"(factor)); }
    __device__ unsigned kept() const { return __float_as_uint(value); }
};
struct FmaHeavy {
    unsigned value, factor;
    __device__ void begin(unsigned word) { value = factor = word | 1; }
    __device__ void link() { asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(value) : "r"(factor)); }
    __device__ unsigned kept() const { return value; }
};
struct Half {
    unsigned value, factor;
    __device__ void begin(unsigned word) { value = factor = 0x3C003C00u | (word & 0x00FF00FFu); }
    __device__ void link() { asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(value) : "r"(factor)); }
    __device__ unsigned kept() const { return value; }
};
struct Alu {
    unsigned value, mask;
    __device__ void begin(unsigned word) { value = mask = word; }
    __device__ void link() { asm volatile("lop3.b32 %0, %0, %1, 12345, 0x1a;" : "+r"(value) : "r"(mask)); }
    __device__ unsigned kept() const { return value; }
};
struct Double {
    double value, factor;
    __device__ void begin(unsigned word) { value = factor = 1.0 + word * 1e-10; }
    __device__ void link() { asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(value) : "d"(factor)); }
    __device__ unsigned kept() const { return unsigned(__double2loint(value)); }
};
struct Special {
    float value;
    __device__ void begin(unsigned word) { value = __uint_as_float(0x3F800000u | word >> 9) - 1.0f; }
    __device__ void link() { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(value)); }
    __device__ unsigned kept() const { return __float_as_uint(value); }
};
struct Shuffle {
    unsigned value;
    __device__ void begin(unsigned word) { value = word; }
    __device__ void link() { asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(value)); }
    __device__ unsigned kept() const { return value; }
};

// kLinks links of each round, of kChains chains side by side.
template <typename Chain, int kChains>
static __device__ void run(Span* spans, Rounds rounds) {
    Chain chain[kChains];
#pragma unroll
    for (int i = 0; i < kChains; ++i) chain[i].begin((threadIdx.x * kChains + i + 1) * 0x9E3779B9u);
    const Watch watch;
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
#pragma unroll
        for (int link = 0; link < kLinks; ++link) chain[link % kChains].link();
    }
    unsigned kept = 0;
#pragma unroll
    for (int i = 0; i < kChains; ++i) kept += chain[i].kept();
    watch.stop(spans, kept);
}

#define PIPE(name, Chain)                                                                                            \
    extern "C" __global__ void __launch_bounds__(1024)                                                               \
        name(Span* spans, unsigned char*, Rounds rounds, Rounds) { run<Chain, 8>(spans, rounds); }
#define LATENCY(name, Chain)                                                                                         \
    extern "C" __global__ void name(Span* spans, unsigned char*, Rounds rounds, Rounds) { run<Chain, 1>(spans, rounds); }

PIPE(fma_pipe, Fma)
PIPE(fma_heavy_pipe, FmaHeavy)
PIPE(fp16_pipe, Half)
PIPE(alu_pipe, Alu)
PIPE(fp64_pipe, Double)
PIPE(xu_pipe, Special)
PIPE(shuffle_pipe, Shuffle)
LATENCY(special_latency, Special)
LATENCY(fp64_latency, Double)
LATENCY(shuffle_latency, Shuffle)
