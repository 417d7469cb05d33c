// Which loads of device memory come together, and which of them wait in their order.
// Eight warps of four multiprocessors each load a line that nobody has asked for, all at the same time: lines
// of one KiB, or 64 KiB apart. The other multiprocessors move what is far larger, and so do the other warps
// of these four, or not. Prints how long loads take, and how far those of two warps take long together
// (correlation of their clocks).
// Build: nvcc -O3 -std=c++20 -arch=native load_order.cu -o load_order
// Usage: load_order
// (seconds; gpu/analysis/channels and device_memory have the rules, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t kBytes = std::size_t(8) << 30;  // of each array; a power of two
constexpr int kAsking = 4;                            // multiprocessors
constexpr int kWarps = 8;                             // of each, that are looked at
constexpr int kMostTurns = 30000;
constexpr int kThreads = 1024;
constexpr int kShared = 120 << 10;  // of each block, so that each has a multiprocessor of its own

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "load_order: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

enum class Traffic { none, read, copy, write, words, anywhere, in_place };
constexpr const char* kNames[]{"nothing",
                               "reads of 16 bytes",
                               "copies of 16 bytes",
                               "stores of 16 bytes",
                               "stores of a word of each line",
                               "reads of 16 bytes anywhere",
                               "16 of each 64 bytes changed in place"};

__device__ unsigned scattered(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352dU;
    x = (x ^ x >> 15) * 0x846ca68bU;
    return x ^ x >> 16;
}

struct Arrays {
    float4 *asked, *from, *to;
    unsigned* clocks;  // [of a multiprocessor] [of a turn] [of a warp]
    int* done;
};

// Of 16 bytes each, so many by a thread before it waits.
template <Traffic traffic, int kFlying>
__device__ void move(const Arrays& all, volatile int* done) {
    constexpr std::size_t kLast = kBytes / sizeof(float4) - 1;
    const std::size_t threads = std::size_t(gridDim.x) * blockDim.x;
    std::size_t at = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    float kept = 0;
    for (int round = 0; round % 8 != 0 || *done < kAsking; ++round, at += kFlying * threads) {
        float4 value[kFlying];
        const auto place = [&](int i) { return (at + i * threads) & kLast; };
        const auto of_four = [&](int i) { return 4 * (at + i * threads) & kLast; };
#pragma unroll
        for (int i = 0; i < kFlying; ++i) {
            value[i] = {1, 2, 3, 4};
            if constexpr (traffic == Traffic::read || traffic == Traffic::copy)
                value[i] = __ldcg(all.from + place(i));
            if constexpr (traffic == Traffic::anywhere)
                value[i] =
                    __ldcg(all.from + (std::size_t(4) * scattered(unsigned(at + i * threads)) & kLast));
            if constexpr (traffic == Traffic::in_place) {
                value[i] = all.to[of_four(i)];
                value[i].x += all.to[of_four(i) + 1].x;
            }
        }
#pragma unroll
        for (int i = 0; i < kFlying; ++i) {
            if constexpr (traffic == Traffic::read || traffic == Traffic::anywhere) kept += value[i].x;
            if constexpr (traffic == Traffic::copy || traffic == Traffic::write) all.to[place(i)] = value[i];
            if constexpr (traffic == Traffic::words) all.to[8 * (at + i * threads) & kLast].x = value[i].x;
            if constexpr (traffic == Traffic::in_place) all.to[of_four(i)] = value[i];
        }
    }
    if (kept == 12345) *all.done = int(kept);
}

__device__ void ask(const Arrays& all, std::size_t apart, int turns, int first) {
    constexpr std::size_t kLines = kBytes / 128;
    const int warp = int(threadIdx.x) / 32;
    for (int turn = 0; turn < turns; ++turn) {
        const unsigned key = scattered(unsigned((first + turn) * kAsking) + blockIdx.x);
        const std::size_t line = (key % (kLines / 2) & ~std::size_t(7)) + warp * apart;
        const float* word = reinterpret_cast<const float*>(all.asked) + 32 * line + threadIdx.x % 32;
        float value = 0;
        asm volatile("bar.sync 1, %0;" ::"n"(32 * kWarps));
        const unsigned before = unsigned(clock64());
        asm volatile("ld.global.cv.f32 %0, [%1];" : "=f"(value) : "l"(word) : "memory");
        asm volatile("add.f32 %0, %0, %0;" : "+f"(value));
        const unsigned after = unsigned(clock64()) + (value == 12345);
        if (threadIdx.x % 32 == 0)
            all.clocks[(std::size_t(blockIdx.x) * turns + turn) * kWarps + warp] = after - before;
        for (unsigned i = 0; i < (key >> 20 & 7); ++i) __nanosleep(300);
    }
    if (threadIdx.x == 0) atomicAdd(all.done, 1);
}

template <Traffic traffic, int kFlying>
__global__ void __launch_bounds__(kThreads)
    beside(bool own, Arrays all, std::size_t apart, int turns, int first) {
    if (blockIdx.x < kAsking && threadIdx.x < 32 * kWarps) return ask(all, apart, turns, first);
    if (traffic == Traffic::none || (blockIdx.x < kAsking && !own)) return;
    move<traffic, kFlying>(all, all.done);
}

// Of each turn the clocks of all warps.
template <Traffic traffic, int kFlying>
std::vector<unsigned> clocks_of(const Arrays& all, bool own, std::size_t apart, int turns) {
    static int first = 0;  // so that no launch asks for what one before it has
    int multiprocessors = 0;
    const auto kernel = beside<traffic, kFlying>;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "device");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "shared");
    check(cudaMemset(all.done, 0, sizeof(int)), "memory");
    kernel<<<multiprocessors, kThreads, kShared>>>(own, all, apart, turns, first);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "launch");
    first += turns;
    std::vector<unsigned> clocks(std::size_t(kAsking) * turns * kWarps);
    check(cudaMemcpy(clocks.data(), all.clocks, clocks.size() * sizeof(unsigned), cudaMemcpyDeviceToHost),
          "copy");
    return clocks;
}

double mean_of(const std::vector<unsigned>& clocks) {
    double sum = 0;
    for (const unsigned one : clocks) sum += one;
    return sum / double(clocks.size());
}

// The clocks that so many parts of all take no more than, over `unit`.
void print_quantiles(std::vector<unsigned> clocks, std::initializer_list<double> parts, double unit) {
    std::sort(clocks.begin(), clocks.end());
    for (const double part : parts)
        std::printf("  %g %%: %.*f", 100 * part, unit == 1 ? 0 : 3,
                    clocks[std::min(clocks.size() - 1, std::size_t(part * double(clocks.size())))] / unit);
    std::printf("\n");
}

double correlation(const std::vector<unsigned>& clocks, int one, int other) {
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    const double count = double(clocks.size() / kWarps);
    for (std::size_t i = 0; i < clocks.size(); i += kWarps) {
        const double a = clocks[i + one], b = clocks[i + other];
        x += a / count, y += b / count, xx += a * a / count, yy += b * b / count, xy += a * b / count;
    }
    return (xy - x * y) / std::sqrt((xx - x * x) * (yy - y * y));
}

void print_latencies(const Arrays& all) {
    const std::vector<unsigned> clocks = clocks_of<Traffic::none, 1>(all, false, 1, kMostTurns);
    const double mean = mean_of(clocks);
    std::printf("beside nothing: %.0f clocks on average, of which\n", mean);
    print_quantiles(
        clocks, {0.0001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999},
        mean);
}

template <Traffic traffic>
void print_kib(const Arrays& all) {
    const std::vector<unsigned> near = clocks_of<traffic, 2>(all, false, 1, 3000);
    std::printf("beside %s, lines of a KiB are as late as its first one:", kNames[int(traffic)]);
    for (int line = 1; line < kWarps; ++line) std::printf(" %.2f", correlation(near, 0, line));
    const std::vector<unsigned> far = clocks_of<traffic, 2>(all, false, 512, 3000);
    std::printf("; 64 KiB apart %.2f\n", correlation(far, 0, 4));
}

template <Traffic traffic, int kFlying>
void print_waits(const Arrays& all) {
    for (const bool own : {false, true}) {
        const std::vector<unsigned> clocks = clocks_of<traffic, kFlying>(all, own, 512, 1500);
        std::printf("  %d in flight, %s: %.0f clocks, two warps' as late as each other: %.2f;", kFlying,
                    own ? "these multiprocessors', too" : "others' alone", mean_of(clocks),
                    correlation(clocks, 0, 4));
        print_quantiles(clocks, {0.1, 0.5, 0.9, 0.99}, 1);
    }
}

template <Traffic traffic>
void print_beside(const Arrays& all) {
    print_kib<traffic>(all);
    if constexpr (traffic == Traffic::none) return;
    print_waits<traffic, 2>(all);
    print_waits<traffic, 4>(all);
    print_waits<traffic, 8>(all);
}

}  // namespace

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s\n", gpu.name);
    Arrays all{};
    for (float4** one : {&all.asked, &all.from, &all.to}) {
        check(cudaMalloc(one, kBytes), "memory");
        check(cudaMemset(*one, 0, kBytes), "memory");
    }
    check(cudaMalloc(&all.clocks, sizeof(unsigned) * kAsking * kWarps * kMostTurns), "memory");
    check(cudaMalloc(&all.done, sizeof(int)), "memory");
    print_latencies(all);
    print_beside<Traffic::none>(all);
    print_beside<Traffic::read>(all);
    print_beside<Traffic::copy>(all);
    print_beside<Traffic::write>(all);
    print_beside<Traffic::words>(all);
    print_beside<Traffic::anywhere>(all);
    print_beside<Traffic::in_place>(all);
    return 0;
}
