// How many instructions wait before the load/store unit, in L1 and before the unit of constants, until warps
// do. Each warp issues 40 requests that take the unit long, and notes the clock behind each: as long as there
// is room these are a few clocks apart, then as far as the unit takes for one. Build: nvcc -O3 -arch=native
// unit_queues.cu -o unit_queues Usage: unit_queues  (seconds; docs/clock.md takes its figures from it)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kRequests = 40;
constexpr int kMostWarps = 16;
constexpr int kSharedBytes = 64 * 1024;
__constant__ float table[16384];

enum class Request { lines_32, lines_8, banks, word, addresses };

static __device__ __forceinline__ unsigned now() {
    unsigned clock;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory");
    return clock;
}

template <Request kind>
static __device__ __forceinline__ void ask(float& to, const float* data, unsigned shared, int lane, int i) {
    if (kind == Request::lines_32)
        asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(to) : "l"(data + 32 * lane + 2 * i) : "memory");
    if (kind == Request::lines_8)
        asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(to) : "l"(data + 32 * (lane % 8) + i) : "memory");
    if (kind == Request::banks)
        asm volatile("ld.shared.f32 %0, [%1];" : "=f"(to) : "r"(shared + 128 * lane + 8 * i) : "memory");
    if (kind == Request::addresses)
        asm volatile("ld.const.f32 %0, [%1];" : "=f"(to) : "l"(table + 64 * lane + i) : "memory");
    if (kind == Request::word) {
        unsigned old;
        asm volatile("atom.shared.max.u32 %0, [%1], %2;" : "=r"(old) : "r"(shared), "r"(lane) : "memory");
        to = __uint_as_float(old);
    }
}

template <Request kind>
__global__ void __launch_bounds__(32 * kMostWarps) wait_in_line(unsigned* stamps, float* data) {
    extern __shared__ float words[];
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    for (unsigned i = threadIdx.x; i < kSharedBytes / 4; i += blockDim.x) words[i] = 0;
    const auto shared = unsigned(__cvta_generic_to_shared(words));
    unsigned clocks[kRequests + 1];
    float value[kRequests];
    for (int pass = 0; pass < 2; ++pass) {  // the second one finds its code and its lines
        __syncthreads();
        clocks[0] = now();
#pragma unroll
        for (int i = 0; i < kRequests; ++i) {
            ask<kind>(value[i], data, shared, lane, i);
            clocks[i + 1] = now();
        }
    }
    float sum = 0;
    for (int i = 0; i < kRequests; ++i) sum += value[i];
    if (sum == 12345.678f) *data = sum;
    if (lane != 0) return;
    for (int i = 0; i <= kRequests; ++i) stamps[warp * (kRequests + 1) + i] = clocks[i];
}

static void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "unit_queues: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

template <Request kind>
static void print(const char* name, unsigned* stamps, float* data) {
    check(cudaFuncSetAttribute(wait_in_line<kind>, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
          name);
    for (const int warps : {1, 2, 4, 8, kMostWarps}) {
        wait_in_line<kind><<<1, 32 * warps, kSharedBytes>>>(stamps, data);
        check(cudaDeviceSynchronize(), name);
        std::vector<unsigned> all(std::size_t(warps) * (kRequests + 1));
        check(cudaMemcpy(all.data(), stamps, all.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), name);
        std::vector<unsigned> issued;
        for (int w = 0; w < warps; ++w)
            for (int i = 1; i <= kRequests; ++i)
                issued.push_back(all[std::size_t(w) * (kRequests + 1) + std::size_t(i)] - all[0]);
        std::sort(issued.begin(), issued.end(), [](unsigned a, unsigned b) { return int(a - b) < 0; });
        std::printf("%s, %d warps: clock of every %d-th request:", name, warps, warps);
        for (std::size_t i = std::size_t(warps) - 1; i < issued.size(); i += std::size_t(warps))
            std::printf(" %d", int(issued[i]));
        std::printf("\n");
    }
}

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s\n", gpu.name);
    unsigned* stamps = nullptr;
    float* data = nullptr;
    check(cudaMalloc(&stamps, sizeof(unsigned) * kMostWarps * (kRequests + 1)), "memory");
    check(cudaMalloc(&data, 1 << 20), "memory");
    check(cudaMemset(data, 0, 1 << 20), "memory");
    print<Request::lines_32>("loads that L1 has, 32 lines", stamps, data);
    print<Request::lines_8>("loads that L1 has, 8 lines", stamps, data);
    print<Request::banks>("loads from shared memory, one bank", stamps, data);
    print<Request::word>("shared atomics on a word", stamps, data);
    print<Request::addresses>("constants, 32 addresses", stamps, data);
    cudaFree(stamps);
    cudaFree(data);
    return 0;
}
