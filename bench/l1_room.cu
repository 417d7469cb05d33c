// How many loads and stores are issued before warps wait, where L1 has no room for more: one multiprocessor,
// warps of one to four of its schedulers that ask for lines which no cache has and write down when each request
// was issued. Shared memory leaves L1 so much. What is issued until the first data come is on its way, or in a
// queue: how much more with each scheduler is that scheduler's.
// Prints when the one load of a warp of its own was there, then how many requests had been issued by 100, 200 and
// so on clocks: of seven runs that in which this load took the median.
// Build: nvcc -O3 -std=c++20 -arch=native l1_room.cu -o l1_room   Usage: l1_room   (a second; gpu/analysis/
// clock_units and memory_path have the rules, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kWarps = 32;
constexpr int kRequests = 20;  // of a warp
constexpr int kHundreds = 16;
constexpr int kRuns = 7;
constexpr std::size_t kOfRun = std::size_t(128) << 20;  // bytes
constexpr std::size_t kInTheWay = std::size_t(256) << 20;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "l1_room: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

// Words: so many lanes' lie beside each other, those of the next ones `apart` further; the next request's
// begin `next` further.
struct Pattern {
    const char* name;
    int beside, apart, next;
};
constexpr Pattern kPatterns[] = {{"a line", 32, 0, 32},
                                 {"a sector of a line", 8, 0, 32},
                                 {"a sector of each of 4 lines", 8, 32, 128},
                                 {"a sector of each of 32 lines", 1, 32, 1024}};

// Clocks: when the one load of warp 0 was issued and there, and when the requests of the others were issued.
struct Times {
    unsigned issued, there;
    unsigned requests[kWarps][kRequests];
};

__device__ unsigned now() {
    unsigned clocks = 0;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clocks));
    return clocks;
}
__device__ unsigned loaded_from(const unsigned* at) {
    unsigned value = 0;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
    return value;
}

template <bool Stores>
__global__ void __launch_bounds__(32 * kWarps)
    request(unsigned* memory, Pattern pattern, int schedulers, Times* times, unsigned* out) {
    const int warp = int(threadIdx.x) / 32;
    const int lane = int(threadIdx.x) % 32;
    if (loaded_from(memory) == 1) *out = 1;  // waits for it: the page is known from now on
    unsigned* at = memory + 1024 + std::size_t(warp) * kRequests * pattern.next +
                   std::size_t(lane / pattern.beside) * pattern.apart + lane % pattern.beside;
    __syncthreads();
    if (warp % 4 >= schedulers) return;
    if (warp == 0) {
        const unsigned issued = now();
        if (loaded_from(memory + 512 + lane) == 1) *out = 1;
        times->issued = issued;
        times->there = now();
        return;
    }
    unsigned value[kRequests], issued[kRequests], sum = 0;
#pragma unroll
    for (int i = 0; i < kRequests; ++i) {
        if constexpr (Stores)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(at + std::size_t(i) * pattern.next), "r"(0));
        else
            value[i] = loaded_from(at + std::size_t(i) * pattern.next);
        issued[i] = now();
    }
    if constexpr (!Stores) {
#pragma unroll
        for (int i = 0; i < kRequests; ++i) sum += value[i];
    }
    if (sum == 1) *out = sum;
    if (lane != 0) return;
#pragma unroll
    for (int i = 0; i < kRequests; ++i) times->requests[warp][i] = issued[i];
}

struct Buffers {
    unsigned char* memory = nullptr;
    unsigned char* in_the_way = nullptr;
    Times* times = nullptr;
    unsigned* out = nullptr;
    int shared_kib = 0;  // of a multiprocessor, at most
};

template <bool Stores>
void row(const Buffers& buffers, const Pattern& pattern, int shared_kib, int schedulers) {
    check(cudaFuncSetAttribute(request<Stores>, cudaFuncAttributePreferredSharedMemoryCarveout,
                               100 * shared_kib / buffers.shared_kib),
          "part of L1");
    check(cudaFuncSetAttribute(request<Stores>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               (buffers.shared_kib - 1) * 1024),
          "shared memory");
    std::vector<std::vector<int>> runs;
    for (int run = 0; run < kRuns; ++run) {
        check(cudaMemset(buffers.in_the_way, run, kInTheWay), "what the caches have");
        auto* const memory = reinterpret_cast<unsigned*>(buffers.memory + run * kOfRun);
        request<Stores><<<1, 32 * kWarps, std::max(0, shared_kib - 1) * 1024>>>(
            memory, pattern, schedulers, buffers.times, buffers.out);
        check(cudaGetLastError(), "launch");
        Times times;
        check(cudaMemcpy(&times, buffers.times, sizeof times, cudaMemcpyDeviceToHost), "times");
        runs.push_back({int(times.there - times.issued)});
        for (int hundred = 1; hundred <= kHundreds; ++hundred) {
            int count = 0;
            for (int warp = 1; warp < kWarps; ++warp)
                for (int i = 0; warp % 4 < schedulers && i < kRequests; ++i)
                    count += int(times.requests[warp][i] - times.issued) < 100 * hundred;
            runs.back().push_back(count);
        }
    }
    std::sort(runs.begin(), runs.end());
    std::printf("%s, %-28s shared %3d KiB, %d schedulers: %5d |", Stores ? "stores" : "loads", pattern.name,
                shared_kib, schedulers, runs[kRuns / 2][0]);
    for (int hundred = 1; hundred <= kHundreds; ++hundred) std::printf(" %3d", runs[kRuns / 2][hundred]);
    std::printf("\n");
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "device");
    Buffers buffers;
    buffers.shared_kib = int(device.sharedMemPerMultiprocessor / 1024);
    check(cudaMalloc(&buffers.memory, kRuns * kOfRun), "memory");
    check(cudaMemset(buffers.memory, 0, kRuns * kOfRun), "memory");
    check(cudaMalloc(&buffers.in_the_way, kInTheWay), "256 MiB");
    check(cudaMalloc(&buffers.times, sizeof(Times)), "times");
    check(cudaMalloc(&buffers.out, sizeof(unsigned)), "out");
    std::printf("%s\n", device.name);
    for (const Pattern& pattern : kPatterns)
        for (const int shared_kib : {0, 100, 164, 196, 228})
            for (const int schedulers : {1, 2, 4})
                if (shared_kib <= buffers.shared_kib) row<false>(buffers, pattern, shared_kib, schedulers);
    for (const Pattern& pattern : kPatterns)
        for (const int schedulers : {1, 2, 4}) row<true>(buffers, pattern, 0, schedulers);
    return 0;
}
