// How long warps of two of the classics wait, by clocks that they read themselves: `compact`
// (bench/classics/scans.cu) for its load and at its barrier, `radix_digits` (histograms.cu) for its load.
// Nsight Compute's samples are held against this, and the clock of a multiprocessor (docs/clock.md):
//   warpscope simt bench/clocked_waits.cu --kernel clocked_compact --gpu H200 --grid 65536 --block 256
//     --arg f32[16777216]=zero --arg i32[65536]=zero --arg f32[16777216]=random:1 --arg f32=0.5
//     --arg i32=16777216 --arg u32[262144]=zero
// Prints the mean clocks of a warp from its begin to its end and in each part of its life.
// Build: nvcc -O3 -std=c++20 -arch=native clocked_waits.cu -o clocked_waits
// Usage: clocked_waits
// (seconds)

// The clock, once the value is there. A macro, so that the wait belongs to the line that uses it.
#define CLOCK_BEHIND(clock, value)                                                          \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0x7ffffff1; @p mov.u32 %0, %%clock; }" \
                 : "+r"(clock)                                                              \
                 : "r"(value)                                                               \
                 : "memory")
#define CLOCK(clock) asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory")

constexpr int kOneOf = 16;  // blocks writes its clocks
constexpr int kClocks = 8;  // of a warp

// Of each warp of a block of those: its clocks, one after the other.
__device__ void keep(unsigned* clocks, const unsigned (&of_warp)[kClocks]) {
    if (blockIdx.x % kOneOf != 0 || threadIdx.x % 32 != 0) return;
    const unsigned warp = blockIdx.x / kOneOf * (blockDim.x / 32) + threadIdx.x / 32;
    for (int k = 0; k < kClocks; ++k) clocks[warp * kClocks + k] = of_warp[k];
}

extern "C" __global__ void clocked_compact(float* out, int* counts, const float* in, float limit, int n,
                                           unsigned* clocks) {
    unsigned at[kClocks] = {};
    CLOCK(at[0]);
    __shared__ int of_warps[8];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    const float* from = in + i;
    CLOCK_BEHIND(at[1], unsigned(reinterpret_cast<unsigned long long>(from)));
    const float v = i < n ? *from : -1;
    CLOCK_BEHIND(at[2], __float_as_uint(v));  // waits for its load
    const bool kept = v >= limit;
    const unsigned votes = __ballot_sync(0xffffffff, kept);
    if (t % 32 == 0) of_warps[t / 32] = __popc(votes);
    CLOCK(at[3]);
    __syncthreads();  // waits for the others
    const unsigned seen = *static_cast<volatile int*>(of_warps);
    CLOCK_BEHIND(at[4], seen);
    int place = __popc(votes & ((1u << t % 32) - 1));
    for (int k = 0; k < t / 32; ++k) place += of_warps[k];
    if (kept) out[blockIdx.x * 256 + place] = v;
    if (t == 255) counts[blockIdx.x] = place + kept;
    CLOCK(at[5]);
    keep(clocks, at);
}

extern "C" __global__ void clocked_digits(unsigned* counts, const unsigned* keys, int shift, int n,
                                          unsigned* clocks) {
    unsigned at[kClocks] = {};
    CLOCK(at[0]);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool there = i < n;
    const unsigned* from = keys + i;
    CLOCK_BEHIND(at[1], unsigned(reinterpret_cast<unsigned long long>(from)));
    const unsigned key = there ? *from : 0;
    CLOCK_BEHIND(at[2], key);  // waits for its load
    const unsigned digit = there ? key >> shift & 15 : 16;
    const int lane = threadIdx.x % 32;
    unsigned same = __ballot_sync(0xffffffff, there);
    for (int bit = 0; bit < 4; ++bit) {
        const unsigned set = __ballot_sync(0xffffffff, digit >> bit & 1);
        same &= (lane >> bit & 1) ? set : ~set;
    }
    CLOCK_BEHIND(at[3], same);
    if (lane < 16) counts[i / 32 * 16 + lane] = __popc(same);
    CLOCK(at[4]);
    keep(clocks, at);
}

#ifndef __CUDACC_RTC__

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr int kElements = 1 << 24;
constexpr int kThreads = 256;
constexpr int kBlocks = kElements / kThreads;
constexpr int kWarps = kBlocks / kOneOf * (kThreads / 32);  // with clocks

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "clocked_waits: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

// The parts of a warp's life, on average; without those of the launch's first and last blocks.
void print(const char* name, const unsigned* clocks, const std::vector<const char*>& parts) {
    std::vector<unsigned> made(std::size_t(kWarps) * kClocks);
    check(cudaMemcpy(made.data(), clocks, made.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), name);
    std::vector<double> sums(parts.size());
    double life = 0, warps = 0;
    for (int warp = kWarps / 8; warp < kWarps - kWarps / 8; ++warp) {
        const unsigned* at = &made[std::size_t(warp) * kClocks];
        for (std::size_t part = 0; part < parts.size(); ++part) sums[part] += double(at[part + 1] - at[part]);
        life += double(at[parts.size()] - at[0]);
        ++warps;
    }
    std::printf("%s: %.0f clocks of a warp", name, life / warps);
    for (std::size_t part = 0; part < parts.size(); ++part)
        std::printf("; %s %.0f (%.1f %%)", parts[part], sums[part] / warps, 100 * sums[part] / life);
    std::printf("\n");
}

}  // namespace

int main() {
    float *in, *out;
    int* counts;
    unsigned *keys, *of_digits, *clocks;
    check(cudaMalloc(&in, kElements * sizeof(float)), "in");
    check(cudaMalloc(&out, kElements * sizeof(float)), "out");
    check(cudaMalloc(&counts, kBlocks * sizeof(int)), "counts");
    check(cudaMalloc(&keys, kElements * sizeof(unsigned)), "keys");
    check(cudaMalloc(&of_digits, kElements / 2 * sizeof(unsigned)), "digits");
    check(cudaMalloc(&clocks, std::size_t(kWarps) * kClocks * sizeof(unsigned)), "clocks");
    std::mt19937 random(1);
    std::vector<float> floats(kElements);
    std::vector<unsigned> words(kElements);
    for (float& one : floats) one = std::uniform_real_distribution<float>(0, 1)(random);
    for (unsigned& one : words) one = random();
    check(cudaMemcpy(in, floats.data(), kElements * sizeof(float), cudaMemcpyHostToDevice), "in");
    check(cudaMemcpy(keys, words.data(), kElements * sizeof(unsigned), cudaMemcpyHostToDevice), "keys");
    for (int run = 0; run < 11; ++run)
        clocked_compact<<<kBlocks, kThreads>>>(out, counts, in, 0.5f, kElements, clocks);
    check(cudaDeviceSynchronize(), "clocked_compact");
    print("clocked_compact", clocks,
          {"before the load", "load", "votes", "barrier and a shared load", "behind it"});
    for (int run = 0; run < 11; ++run)
        clocked_digits<<<kBlocks, kThreads>>>(of_digits, keys, 4, kElements, clocks);
    check(cudaDeviceSynchronize(), "clocked_digits");
    print("clocked_digits", clocks, {"before the load", "load", "votes", "behind them"});
}

#endif
