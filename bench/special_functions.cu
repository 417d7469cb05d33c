// What waits before the pipe of special functions (XU) of a scheduler, and how long it takes. Two parts:
//   turns  warps of a scheduler compute a power of two and some sums of it by turns: its clocks for each
//          power. A profiler says what they wait for meanwhile (ncu --section WarpStateStats): for the
//          result, if one waits before the pipe, for the pipe, if more do
//   rates  clocks of a scheduler for each of many, and from one result to the next
// Build: nvcc -O3 -std=c++20 -arch=native special_functions.cu -o special_functions
// Usage: special_functions  (a second; gpu/analysis/scheduler_pipes has the rule, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kSchedulers = 4;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "special_functions: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

__device__ __forceinline__ unsigned now() {
    unsigned clock = 0;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory");
    return clock;
}

enum class Kind { power, multiply_add };

template <Kind kind>
__device__ __forceinline__ void compute(float& value) {
    if constexpr (kind == Kind::power) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(value)::"memory");
    if constexpr (kind == Kind::multiply_add)
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(value)::"memory");
}

// Of all multiprocessors, as a profiler sees them; clocks are those of one.
template <int sums>
__global__ void by_turns(unsigned* clocks, int rounds, float* kept) {
    float value = 1e-3f * float(threadIdx.x);
    const float one = 1e-7f * float(rounds);
    const unsigned begin = now();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 32; ++i) {
            compute<Kind::power>(value);
#pragma unroll
            for (int k = 0; k < sums; ++k) asm volatile("add.f32 %0, %0, %1;" : "+f"(value) : "f"(one));
        }
    }
    __syncthreads();  // until all have done theirs
    const unsigned taken = now() - begin;
    if (blockIdx.x == 0 && threadIdx.x == 0) *clocks = taken;
    if (value == 1.5f) *kept = value;
}

template <int sums>
void turns(int multiprocessors, unsigned* clocks, float* kept) {
    constexpr int kRounds = 200;
    std::printf("a power and %d sums:", sums);
    for (const int warps : {2, 4, 6, 8}) {
        by_turns<sums><<<multiprocessors, 32 * kSchedulers * warps>>>(clocks, kRounds, kept);
        check(cudaGetLastError(), "launch");
        check(cudaDeviceSynchronize(), "launch");
        unsigned taken = 0;
        check(cudaMemcpy(&taken, clocks, sizeof taken, cudaMemcpyDeviceToHost), "copy");
        std::printf("  %d warps %.2f", warps, double(taken) / (32.0 * kRounds * warps));
    }
    std::printf("\n");
}

template <Kind kind>
__global__ void chain(unsigned* clocks, int rounds, float* kept) {
    float value = float(threadIdx.x);
    const unsigned begin = now();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < 32; ++i) compute<kind>(value);
    }
    __syncthreads();  // until all have done theirs
    const unsigned taken = now() - begin;
    if (threadIdx.x == 0) *clocks = taken;
    if (value == 1.5f) *kept = value;
}

// Of a chain, by so many warps.
template <Kind kind>
double clocks_of_one(int warps, unsigned* clocks, float* kept) {
    const auto taken = [&](int rounds) {
        chain<kind><<<1, 32 * warps>>>(clocks, rounds, kept);
        check(cudaGetLastError(), "launch");
        check(cudaDeviceSynchronize(), "launch");
        unsigned value = 0;
        check(cudaMemcpy(&value, clocks, sizeof value, cudaMemcpyDeviceToHost), "copy");
        return double(value);
    };
    (void)taken(4);
    return (taken(96) - taken(32)) / 64 / 32;
}

template <Kind kind>
void rates(const char* name, unsigned* clocks, float* kept) {
    std::printf("%s: %.2f clocks from one result to the next, %.2f of a scheduler for each\n", name,
                clocks_of_one<kind>(1, clocks, kept), clocks_of_one<kind>(32, clocks, kept) / 8);
}

}  // namespace

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s\n", gpu.name);
    unsigned* clocks = nullptr;
    float* kept = nullptr;
    check(cudaMalloc(&clocks, sizeof(unsigned)), "memory");
    check(cudaMalloc(&kept, sizeof(float)), "memory");
    turns<4>(gpu.multiProcessorCount, clocks, kept);
    turns<8>(gpu.multiProcessorCount, clocks, kept);
    turns<12>(gpu.multiProcessorCount, clocks, kept);
    rates<Kind::power>("powers of two", clocks, kept);
    rates<Kind::multiply_add>("multiply-adds", clocks, kept);
    check(cudaFree(clocks), "memory");
    check(cudaFree(kept), "memory");
    return 0;
}
