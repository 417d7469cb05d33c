// How long a warp waits for a special register while others of its multiprocessor load and store: for one
// that is the warp's own (%warpid), and for one of the multiprocessor (%smid).
// A warp of each scheduler reads one again and again. Of the other 28 warps so many of each scheduler, or of
// the first one alone, store words of lines, store to one bank of shared memory, load lines that L1 has, load
// such and store behind them, or load constants, each lane another one. Prints the mean clocks on the first
// scheduler and on the three others.
// Build: nvcc -O3 -std=c++20 -arch=native special_registers.cu -o special_registers
// Usage: special_registers
// (seconds; gpu/analysis/memory_path has the rule, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t kWords = std::size_t(1) << 30;  // of the array
constexpr int kThreads = 1024;
constexpr int kSchedulers = 4;
constexpr int kLast = kThreads / 32 / kSchedulers - 1;  // of a scheduler's warps: the one that reads
constexpr int kTurns = 300;
constexpr int kWarm = 100;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "special_registers: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

constexpr unsigned kConstants = 2048;
__constant__ float constants[kConstants];

enum class Register { of_warp, of_multiprocessor };
enum class Work { stores, shared_stores, shared_loads, loads, loads_and_stores, constants };
constexpr const char* kNames[]{
    "stores of words of lines",  "stores to one bank of shared memory", "loads from one bank",
    "loads of 32 lines from L1", "such loads, and a store behind each", "loads of 32 constants"};

// The mean clocks of a multiprocessor's scheduler; what reads stores nothing until it has done.
// The clock is read with all of its bits: the lower half alone comes by the unit of constants.
template <Register which>
__device__ void read_registers(float* clocks, int scheduler, int* done) {
    for (int i = 0; i < 200; ++i) __nanosleep(100);
    long long sum = 0;
    for (int turn = 0; turn < kTurns; ++turn) {
        unsigned value = 0;
        const long long before = clock64();
        if constexpr (which == Register::of_warp) asm volatile("mov.u32 %0, %%warpid;" : "=r"(value));
        if constexpr (which == Register::of_multiprocessor) asm volatile("mov.u32 %0, %%smid;" : "=r"(value));
        asm volatile("add.u32 %0, %0, %0;" : "+r"(value));
        const long long after = clock64() + (value == 12345);
        if (turn >= kWarm) sum += after - before;
        __nanosleep(50 + turn % 7 * 10);
    }
    if (threadIdx.x % 32 != 0) return;
    atomicAdd(done, 1);
    clocks[blockIdx.x * kSchedulers + scheduler] = float(sum) / (kTurns - kWarm);
}

// `busy`: warps of a scheduler that work; `all`: of each, or else of the first one.
template <Register which, Work work>
__global__ void __launch_bounds__(kThreads)
    beside(float* words, int busy, bool all, float* clocks, int* done) {
    __shared__ float tile[32 * 32];
    const int warp = int(threadIdx.x) / 32;
    const int lane = int(threadIdx.x) % 32;
    if (warp / kSchedulers == kLast) return read_registers<which>(clocks, warp % kSchedulers, done);
    if (warp / kSchedulers >= busy || (!all && warp % kSchedulers != 0)) return;
    std::size_t at = (std::size_t(blockIdx.x) * kThreads + threadIdx.x) * 32;
    const auto bank = unsigned(__cvta_generic_to_shared(&tile[32 * lane]));
    const std::size_t next = std::size_t(gridDim.x) * kThreads * 32;
    const volatile int* ended = done;  // of the warps that read
    for (int round = 0; round % 16 != 0 || *ended < kSchedulers * int(gridDim.x); ++round) {
        if constexpr (work == Work::shared_stores)
            asm volatile("st.volatile.shared.f32 [%0], %1;" ::"r"(bank), "f"(float(round)));
        if constexpr (work == Work::constants) {
            unsigned place = (unsigned(round) * 33 + unsigned(lane) * 37 + unsigned(warp)) % kConstants;
            asm volatile("" : "+r"(place));
            if (constants[place] == 12345) words[at] = 1;
        }
        if constexpr (work == Work::shared_loads) {
            float value = 0;
            asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(value) : "r"(bank));
            if (value == 12345) words[at] = value;
        }
        if constexpr (work == Work::loads || work == Work::loads_and_stores) {
            float value = 0;
            asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(value) : "l"(words + 32 * lane + warp));
            if (value == 12345) words[at] = value;
        }
        if constexpr (work == Work::stores || work == Work::loads_and_stores) {
            words[at & (kWords - 1)] = float(round);
            at += next;
        }
    }
}

template <Register which, Work work>
void rows(float* words, float* clocks, int* done, int multiprocessors) {
    std::vector<float> all(std::size_t(multiprocessors) * kSchedulers);
    for (const bool everywhere : {false, true}) {
        std::printf("%s: %s, %s:", which == Register::of_warp ? "warp's" : "multiprocessor's",
                    kNames[int(work)], everywhere ? "of each scheduler" : "of the first scheduler");
        for (const int busy : {0, 1, 4, 7}) {
            check(cudaMemset(done, 0, sizeof(int)), "memory");
            beside<which, work><<<multiprocessors, kThreads>>>(words, busy, everywhere, clocks, done);
            check(cudaGetLastError(), "launch");
            check(cudaMemcpy(all.data(), clocks, all.size() * sizeof(float), cudaMemcpyDeviceToHost), "copy");
            double first = 0, others = 0;
            for (std::size_t i = 0; i < all.size(); i += kSchedulers) {
                first += all[i] / multiprocessors;
                others += (all[i + 1] + all[i + 2] + all[i + 3]) / 3.0 / multiprocessors;
            }
            std::printf("  %d warps %.0f, others %.0f", busy, first, others);
        }
        std::printf("\n");
    }
}

template <Register which>
void all_rows(float* words, float* clocks, int* done, int multiprocessors) {
    rows<which, Work::stores>(words, clocks, done, multiprocessors);
    rows<which, Work::shared_stores>(words, clocks, done, multiprocessors);
    rows<which, Work::shared_loads>(words, clocks, done, multiprocessors);
    rows<which, Work::loads>(words, clocks, done, multiprocessors);
    rows<which, Work::loads_and_stores>(words, clocks, done, multiprocessors);
    rows<which, Work::constants>(words, clocks, done, multiprocessors);
}

}  // namespace

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s\n", gpu.name);
    float* words = nullptr;
    float* clocks = nullptr;
    int* done = nullptr;
    check(cudaMalloc(&words, kWords * sizeof(float)), "memory");
    check(cudaMemset(words, 0, kWords * sizeof(float)), "memory");
    check(cudaMalloc(&clocks, sizeof(float) * gpu.multiProcessorCount * kSchedulers), "memory");
    check(cudaMalloc(&done, sizeof(int)), "memory");
    all_rows<Register::of_warp>(words, clocks, done, gpu.multiProcessorCount);
    all_rows<Register::of_multiprocessor>(words, clocks, done, gpu.multiProcessorCount);
    return 0;
}
