// How many requests a multiprocessor takes in until its warps wait: before the load/store unit, in L1, and
// before the unit of constants. Warps of one, two and four schedulers issue so many requests one after the
// other and note the clock behind every second one. Once all places are taken these come as far apart as the
// unit takes for a request; what was issued until then, less what the unit had done, has a place.
// Build: nvcc -O3 -std=c++20 -arch=native unit_queues.cu -o unit_queues   Usage: unit_queues   (seconds;
// docs/clock.md has its figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kRequests = 64;
constexpr int kStamps = kRequests / 2;
constexpr int kMostWarps = 8;
constexpr int kPasses = 4;  // the last one finds its code and its lines
constexpr int kSharedBytes = 64 * 1024;
__constant__ unsigned table[16384];

enum class Request { load, shared, atomic, constant };

// Where each lane's word lies, in bytes.
struct Places {
    unsigned short of_lane[32];
};

static __device__ __forceinline__ unsigned now() {
    unsigned clock = 0;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory");
    return clock;
}

template <Request kind>
static __device__ __forceinline__ unsigned ask(const char* data, unsigned shared, unsigned place, int i) {
    unsigned value = 0;
    if constexpr (kind == Request::load)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(data + 4 * i) : "memory");
    if constexpr (kind == Request::shared)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared + place + 4 * i) : "memory");
    if constexpr (kind == Request::atomic)
        asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(value) : "r"(shared), "r"(i) : "memory");
    if constexpr (kind == Request::constant)
        asm volatile("ld.const.u32 %0, [%1];" : "=r"(value) : "l"(table + place / 4 + i) : "memory");
    return value;
}

// What is loaded counts in every pass, so that no request is left out or moved behind the clocks; constants
// need a barrier of the warp for that, too.
template <Request kind>
__global__ void __launch_bounds__(32 * kMostWarps)
    wait_in_line(unsigned* stamps, const char* data, Places places, int passes) {
    extern __shared__ unsigned words[];
    for (unsigned i = threadIdx.x; i < kSharedBytes / 4; i += blockDim.x) words[i] = 0;
    const int warp = int(threadIdx.x) / 32;
    const unsigned place = places.of_lane[threadIdx.x % 32];
    const char* from = data + place;
    const auto shared = unsigned(__cvta_generic_to_shared(words));
    unsigned clocks[kStamps];
    unsigned sum = 0;
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
        unsigned value[kRequests];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kRequests; ++i) {
            value[i] = ask<kind>(from, shared, place, i);
            if constexpr (kind == Request::constant) __syncwarp();
            if (i % 2 == 1) clocks[i / 2] = now();
        }
#pragma unroll
        for (int i = 0; i < kRequests; ++i) sum = sum * 3 + value[i];
        if (sum == 12345) break;
    }
    if (threadIdx.x % 32 != 0) return;
    for (int i = 0; i < kStamps; ++i) stamps[warp * kStamps + i] = clocks[i];
}

static void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "unit_queues: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

// Requests that were issued and not done, on average over the part of the launch in which they come evenly.
static void print_held(const char* name, int warps, std::vector<unsigned> stamps) {
    const auto earlier = [](unsigned a, unsigned b) { return int(a - b) < 0; };
    std::sort(stamps.begin(), stamps.end(), earlier);
    const std::size_t from = stamps.size() / 2, to = stamps.size() * 3 / 4;
    const double each = double(stamps[to] - stamps[from]) / (2.0 * double(to - from));
    double held = 0;
    for (std::size_t i = from; i < to; ++i)
        held += 2.0 * double(i + 1) - double(stamps[i] - stamps[0]) / each;
    std::printf("%s, %d warps: a request every %.2f clocks, %.0f are held\n", name, warps, each,
                held / double(to - from));
}

template <Request kind, class Place>
static void row(const char* name, unsigned* stamps, const char* data, Place place) {
    check(cudaFuncSetAttribute(wait_in_line<kind>, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
          name);
    Places places{};
    for (int lane = 0; lane < 32; ++lane) places.of_lane[lane] = static_cast<unsigned short>(place(lane));
    for (const int warps : {1, 2, 4, kMostWarps}) {
        wait_in_line<kind><<<1, 32 * warps, kSharedBytes>>>(stamps, data, places, kPasses);
        check(cudaDeviceSynchronize(), name);
        std::vector<unsigned> all(std::size_t(warps) * kStamps);
        check(cudaMemcpy(all.data(), stamps, all.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), name);
        print_held(name, warps, std::move(all));
    }
}

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s\n", gpu.name);
    unsigned* stamps = nullptr;
    char* data = nullptr;
    check(cudaMalloc(&stamps, sizeof(unsigned) * kMostWarps * kStamps), "memory");
    check(cudaMalloc(&data, 1 << 20), "memory");
    check(cudaMemset(data, 0, 1 << 20), "memory");
    row<Request::load>("loads that L1 has, 2 lines", stamps, data,
                       [](int lane) { return 1024 * (lane / 16); });
    row<Request::load>("loads that L1 has, 8 lines", stamps, data, [](int lane) { return 128 * (lane % 8); });
    row<Request::load>("loads that L1 has, 32 lines", stamps, data, [](int lane) { return 128 * lane; });
    row<Request::shared>("loads from shared memory, one bank", stamps, data,
                         [](int lane) { return 128 * lane; });
    row<Request::atomic>("atomics on a word of shared memory", stamps, data, [](int) { return 0; });
    row<Request::constant>("constants, 32 addresses", stamps, data, [](int lane) { return 4 * lane; });
    check(cudaFree(stamps), "memory");
    check(cudaFree(data), "memory");
    return 0;
}
