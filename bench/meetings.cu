// What a warp waits for where it goes on elsewhere: eight times a round it meets its lanes again behind a
// branch that all of them skip (BSSY, BSYNC), or calls a function that adds one. Prints clocks of each, by 1
// and 16 warps of a multiprocessor; of these are stall counts, in code that nvcc 13.0 makes for
// capability 9.0: 28 and 21, and the loop's branch, an eighth of some ten. Build: nvcc -O3 -std=c++20
// -arch=native meetings.cu -o meetings   Usage: meetings   (a second; gpu/analysis/clock_rates has the rates,
// docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kRounds = 500, kTimes = 8;
constexpr int kMostWarps = 16;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "meetings: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

struct Span {
    long long begin = 0, end = 0;
};

__device__ void add_one(float& value) {
    asm volatile("add.f32 %0, %0, 0f3F800000;" : "+f"(value));
}

__device__ __noinline__ float with_one_more(float value) {
    add_one(value);
    return value;
}

// No thread's value is ever `never`, which the compiler does not know.
template <bool Calls>
__global__ void go_round(float* values, volatile float* others, float never, int rounds, Span* spans) {
    float value = float(threadIdx.x);
    Span span;
    span.begin = clock64();
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < kTimes; ++i) {
            if constexpr (Calls) {
                value = with_one_more(value);
            } else {
                if (value == never) {
#pragma unroll 1
                    for (int k = 0; k < rounds; ++k) others[k] = others[k + 1] * value;
                    value = others[i];
                }
                add_one(value);
            }
        }
    }
    span.end = clock64();
    values[threadIdx.x] = value;
    if (threadIdx.x % 32 == 0) spans[threadIdx.x / 32] = span;
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "device");
    float* values = nullptr;
    Span* spans = nullptr;
    check(cudaMalloc(&values, 4096 * sizeof(float)), "values");
    check(cudaMalloc(&spans, kMostWarps * sizeof(Span)), "spans");
    std::printf("%s\nclocks of a meeting, of a call and return\n", device.name);
    for (const int warps : {1, kMostWarps}) {
        double clocks[2] = {};
        for (const bool calls : {false, true}) {
            long long least = 0;
            for (int run = 0; run < 4; ++run) {
                if (calls)
                    go_round<true><<<1, 32 * warps>>>(values, values + 1024, -5.5F, kRounds, spans);
                else
                    go_round<false><<<1, 32 * warps>>>(values, values + 1024, -5.5F, kRounds, spans);
                check(cudaGetLastError(), "launch");
                std::vector<Span> made(std::size_t(warps), Span{});
                check(cudaMemcpy(made.data(), spans, made.size() * sizeof(Span), cudaMemcpyDeviceToHost),
                      "go_round");
                Span all = made.front();
                for (const Span& one : made) {
                    all.begin = std::min(all.begin, one.begin);
                    all.end = std::max(all.end, one.end);
                }
                if (run == 0 || all.end - all.begin < least) least = all.end - all.begin;
            }
            clocks[calls ? 1 : 0] = double(least) / (kRounds * kTimes);
        }
        std::printf("%2d warps: %.2f, %.2f\n", warps, clocks[0], clocks[1]);
    }
}
