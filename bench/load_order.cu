// Which loads of device memory come together, and which of them wait in their order.
// Eight warps of four multiprocessors each load a line that nobody has asked for, all at the same time: lines
// of one KiB, or 64 KiB apart. The other multiprocessors move what is far larger, and so do the other
// warps of these four, or not. Prints how long loads take, and how far those of two warps take long together
// (correlation of their clocks on the same multiprocessor).
// Build: nvcc -O3 -std=c++20 -arch=native load_order.cu -o load_order
// Usage: load_order
// (seconds, 18 GiB; gpu/analysis/channels and device_memory_share have the rules, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

namespace {

constexpr std::size_t kBytes = std::size_t(8) << 30;  // of each array that is moved; a power of two
constexpr unsigned kAskedKib = 2U << 20;              // of what is asked for
constexpr int kAsking = 4;                            // multiprocessors
constexpr unsigned kApart = 64;                       // KiB, of lines that have nothing in common
constexpr int kWarps = 8;                             // of each, that are looked at
constexpr int kMostTurns = 3600;
constexpr int kWarm = 100;  // turns until the traffic is there
constexpr int kThreads = 1024;
constexpr int kShared = 120 << 10;  // of each block, so that each has a multiprocessor of its own

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "load_order: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

enum class Traffic { none, near, read, copy, write, words, anywhere, in_place };
constexpr const char* kNames[]{"nothing",
                               "reads of 16 bytes of 16 MiB",
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
    int multiprocessors;
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
            if constexpr (traffic == Traffic::near)
                value[i] = __ldcg(all.from + (place(i) & ((std::size_t(16) << 20) / sizeof(float4) - 1)));
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
            if constexpr (traffic == Traffic::near || traffic == Traffic::read ||
                          traffic == Traffic::anywhere)
                kept += value[i].x;
            if constexpr (traffic == Traffic::copy || traffic == Traffic::write) all.to[place(i)] = value[i];
            if constexpr (traffic == Traffic::words) all.to[8 * (at + i * threads) & kLast].x = value[i].x;
            if constexpr (traffic == Traffic::in_place) all.to[of_four(i)] = value[i];
        }
    }
    if (kept == 12345) *all.done = int(kept);
}

// A line for each warp, `apart` KiB behind the one before; few are asked for twice.
__device__ void ask(const Arrays& all, unsigned apart, int turns, unsigned first) {
    extern __shared__ unsigned taken[];  // nothing is stored to memory meanwhile
    const unsigned warp = threadIdx.x / 32;
    for (int turn = 0; turn < turns; ++turn) {
        const unsigned number = first + unsigned(turn) * kAsking + blockIdx.x;
        const std::size_t line = 8 * ((scattered(number) + apart * warp) % kAskedKib) + warp;
        const float* word = reinterpret_cast<const float*>(all.asked) + 32 * line + threadIdx.x % 32;
        float value = 0;
        asm volatile("bar.sync 1, %0;" ::"n"(32 * kWarps));
        const unsigned before = unsigned(clock64());
        asm volatile("ld.global.cv.f32 %0, [%1];" : "=f"(value) : "l"(word) : "memory");
        asm volatile("add.f32 %0, %0, %0;" : "+f"(value));
        const unsigned after = unsigned(clock64()) + (value == 12345);
        if (threadIdx.x % 32 == 0) taken[turn * kWarps + warp] = after - before;
        // With other pauses loads beside traffic take up to twice as long, which is not understood
        // (docs/clock.md).
        for (unsigned i = 0; i < number % 8; ++i) __nanosleep(300);
    }
    asm volatile("bar.sync 1, %0;" ::"n"(32 * kWarps) : "memory");
    if (threadIdx.x == 0) atomicAdd(all.done, 1);
    unsigned* clocks = all.clocks + std::size_t(blockIdx.x) * turns * kWarps;
    for (int i = int(threadIdx.x); i < turns * kWarps; i += 32 * kWarps) clocks[i] = taken[i];
}

template <Traffic traffic, int kFlying>
__global__ void __launch_bounds__(kThreads)
    beside(bool own, Arrays all, unsigned apart, int turns, unsigned first) {
    if (blockIdx.x < kAsking && threadIdx.x < 32 * kWarps) return ask(all, apart, turns, first);
    if (traffic == Traffic::none || (blockIdx.x < kAsking && !own)) return;
    move<traffic, kFlying>(all, all.done);
}

unsigned asked_kib = 0;  // no launch asks for what one before it has

// Of each multiprocessor's turns but the first ones the clocks of all warps.
template <Traffic traffic, int kFlying>
std::vector<unsigned> clocks_of(const Arrays& all, bool own, unsigned apart, int turns) {
    const auto kernel = beside<traffic, kFlying>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "shared");
    check(cudaMemset(all.done, 0, sizeof(int)), "memory");
    kernel<<<all.multiprocessors, kThreads, kShared>>>(own, all, apart, turns + kWarm, asked_kib);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "launch");
    asked_kib += unsigned(turns + kWarm) * kAsking;
    std::vector<unsigned> clocks;
    std::vector<unsigned> of_one(std::size_t(turns) * kWarps);
    for (int i = 0; i < kAsking; ++i) {
        const std::size_t begin = (std::size_t(i) * (turns + kWarm) + kWarm) * kWarps;
        check(cudaMemcpy(of_one.data(), all.clocks + begin, of_one.size() * sizeof(unsigned),
                         cudaMemcpyDeviceToHost),
              "copy");
        clocks.insert(clocks.end(), of_one.begin(), of_one.end());
    }
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

// The mean over the multiprocessors.
double correlation(const std::vector<unsigned>& clocks, int one, int other) {
    const std::size_t part = clocks.size() / kAsking;
    const double count = double(part / kWarps);
    double sum = 0;
    for (std::size_t first = 0; first < clocks.size(); first += part) {
        double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
        for (std::size_t i = first; i < first + part; i += kWarps) {
            const double a = clocks[i + one], b = clocks[i + other];
            x += a / count, y += b / count, xx += a * a / count, yy += b * b / count, xy += a * b / count;
        }
        sum += (xy - x * y) / std::sqrt((xx - x * x) * (yy - y * y));
    }
    return sum / kAsking;
}

void print_latencies(const Arrays& all) {
    std::vector<unsigned> clocks;
    for (int i = 0; i < 10; ++i) {
        const std::vector<unsigned> more = clocks_of<Traffic::none, 1>(all, false, kApart, 3000);
        clocks.insert(clocks.end(), more.begin(), more.end());
    }
    const double mean = mean_of(clocks);
    std::printf("beside nothing: %.0f clocks on average, of which\n", mean);
    print_quantiles(
        clocks,
        {0, 0.0001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 0.9999},
        mean);
}

template <Traffic traffic>
void print_kib(const Arrays& all) {
    const std::vector<unsigned> near = clocks_of<traffic, 2>(all, false, 0, 3000);
    std::printf("beside %s\n", kNames[int(traffic)]);
    for (const int line : {0, 2}) {
        std::printf("  lines of a KiB are as late as line %d:", line);
        for (int other = 0; other < kWarps; ++other) std::printf(" %.2f", correlation(near, line, other));
        std::printf("\n");
    }
    const std::vector<unsigned> far = clocks_of<traffic, 2>(all, false, kApart, 3000);
    std::printf("  64 KiB apart: %.2f\n", correlation(far, 0, 5));
}

template <Traffic traffic, int kFlying>
void print_waits(const Arrays& all) {
    for (const bool own : {false, true}) {
        const std::vector<unsigned> clocks = clocks_of<traffic, kFlying>(all, own, kApart, 1500);
        std::printf("  %d in flight, %s: %.0f clocks, two warps' as late as each other: %.2f;", kFlying,
                    own ? "these multiprocessors', too" : "others' alone", mean_of(clocks),
                    correlation(clocks, 0, 5));
        print_quantiles(clocks, {0.1, 0.5, 0.9, 0.99}, 1);
    }
}

template <Traffic traffic>
void print_beside(const Arrays& all) {
    print_kib<traffic>(all);
    if constexpr (traffic != Traffic::none) {
        print_waits<traffic, 2>(all);
        print_waits<traffic, 4>(all);
        print_waits<traffic, 8>(all);
    }
}

}  // namespace

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s\n", gpu.name);
    if (gpu.multiProcessorCount <= kAsking) {
        std::fprintf(stderr, "load_order: error: more than %d multiprocessors are needed\n", kAsking);
        return 1;
    }
    Arrays all{};
    all.multiprocessors = gpu.multiProcessorCount;
    check(cudaMalloc(&all.asked, std::size_t(1024) * kAskedKib), "memory");
    check(cudaMemset(all.asked, 0, std::size_t(1024) * kAskedKib), "memory");
    for (float4** one : {&all.from, &all.to}) {
        check(cudaMalloc(one, kBytes), "memory");
        check(cudaMemset(*one, 0, kBytes), "memory");
    }
    check(cudaMalloc(&all.clocks, sizeof(unsigned) * kAsking * kWarps * kMostTurns), "memory");
    check(cudaMalloc(&all.done, sizeof(int)), "memory");
    print_latencies(all);
    print_beside<Traffic::none>(all);
    print_beside<Traffic::near>(all);
    print_beside<Traffic::read>(all);
    print_beside<Traffic::copy>(all);
    print_beside<Traffic::write>(all);
    print_beside<Traffic::words>(all);
    print_beside<Traffic::anywhere>(all);
    print_beside<Traffic::in_place>(all);
    return 0;
}
