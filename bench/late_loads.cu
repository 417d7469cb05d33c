// What L1's banks lose by loads of which some find their line and some wait for it. 64 and 32 warps of one
// multiprocessor, each with 16 loads on the way, so that nothing but L1 holds them. Two parts:
//   lines  of eight loads so many ask for a line that is new, by each warp or by groups of them
//   parts  loads of so many lines, a part of each, of which some are new
// both by words of four bytes, of two and of one. Prints clocks of a load.
// Build: nvcc -O3 -std=c++20 -arch=native late_loads.cu -o late_loads   Usage: late_loads   (a second;
// gpu/analysis/memory_path has the rules, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kLoads = 8;  // of a round: the next one's are on their way while these are waited for
constexpr int kRounds = 128;
constexpr int kBlocks = 2;
constexpr std::size_t kLine = 128;  // bytes
constexpr std::size_t kBytes = std::size_t(1) << 30;
constexpr std::size_t kResident = std::size_t(1) << 18;  // at the begin, which stay in L1

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "late_loads: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

struct Clocks {
    unsigned long long begin = ~0ULL, end = 0;
    int blocks = 0;
};

template <int Bytes>
__device__ unsigned loaded_from(const unsigned char* at) {
    unsigned value = 0;
    if constexpr (Bytes == 1) asm volatile("ld.global.u8 %0, [%1];" : "=r"(value) : "l"(at));
    if constexpr (Bytes == 2) asm volatile("ld.global.u16 %0, [%1];" : "=r"(value) : "l"(at));
    if constexpr (Bytes == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at));
    return value;
}

// Loads of words of so many bytes touch `Lines` lines, of which the first `New` are others each time, the same
// for `group` warps.
template <int Bytes, int Late, int Lines, int New>
__global__ void __launch_bounds__(1024, kBlocks)
    load(const unsigned char* memory, int group, int same, Clocks* clocks, unsigned* out) {
    __shared__ int number;
    unsigned multiprocessor = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    if (multiprocessor != 0) return;
    if (threadIdx.x == 0) number = atomicAdd(&clocks->blocks, 1);
    __syncthreads();
    if (number >= kBlocks) return;
    const int lane = int(threadIdx.x) % 32;
    const int warp = (number * int(blockDim.x) + int(threadIdx.x)) / 32;
    const int line = lane / (32 / Lines);
    const unsigned char* there = memory + (warp % 8 * Lines + line) * kLine + lane * Bytes;
    const unsigned char* fresh = memory + kResident +
                                 std::size_t(warp / group) * (kRounds + 1) * Late * Lines * kLine +
                                 line * kLine + lane * Bytes;
    unsigned one[kLoads], other[kLoads], sum = 0;
    const auto round = [&](unsigned* loaded) {
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
            const bool is_new = i < Late && line < New;
            loaded[i] = loaded_from<Bytes>(is_new ? fresh + i * Lines * kLine : there + i * 8 * Lines * kLine);
        }
        fresh += Late * Lines * kLine;
        there += same;  // zero, but the compiler does not know
    };
    const auto add = [&](const unsigned* loaded) {
#pragma unroll
        for (int i = 0; i < kLoads; ++i) sum += loaded[i];
    };
    __syncthreads();
    const long long begin = clock64();
    round(one);
    for (int i = 0; i < kRounds / 2; ++i) {
        round(other);
        add(one);
        round(one);
        add(other);
    }
    add(one);
    asm volatile("" : "+r"(sum));
    const long long end = clock64();
    if (lane == 0) {
        atomicMin(&clocks->begin, static_cast<unsigned long long>(begin));
        atomicMax(&clocks->end, static_cast<unsigned long long>(end));
    }
    out[threadIdx.x] = sum;
}

struct Buffers {
    unsigned char* memory = nullptr;
    unsigned* out = nullptr;
    Clocks* clocks = nullptr;
    int multiprocessors = 0;
};

template <int Bytes, int Late, int Lines, int New>
double clocks_of(const Buffers& buffers, int warps, int group) {
    double least = 1e30;
    for (int run = 0; run < 4; ++run) {
        const Clocks none;
        check(cudaMemcpy(buffers.clocks, &none, sizeof none, cudaMemcpyHostToDevice), "clocks");
        load<Bytes, Late, Lines, New><<<8 * buffers.multiprocessors, 32 * warps / kBlocks>>>(
            buffers.memory, group, 0, buffers.clocks, buffers.out);
        check(cudaGetLastError(), "launch");
        Clocks made;
        check(cudaMemcpy(&made, buffers.clocks, sizeof made, cudaMemcpyDeviceToHost), "load");
        least = std::min(least, double(made.end - made.begin));
    }
    return least / ((kRounds + 1) * kLoads * warps);
}

template <int Bytes, int Late, int Lines, int New>
void row(const Buffers& buffers) {
    std::printf("%d bytes, %d of 8 loads, %2d lines, %2d of them new:", Bytes, Late, Lines, New);
    for (const int warps : {64, 32})
        for (const int group : {1, 8})
            std::printf(" %6.2f", clocks_of<Bytes, Late, Lines, New>(buffers, warps, group));
    std::printf("\n");
}

template <int Bytes>
void rows(const Buffers& buffers) {
    row<Bytes, 0, 1, 0>(buffers);
    row<Bytes, 1, 1, 1>(buffers);
    row<Bytes, 2, 1, 1>(buffers);
    row<Bytes, 4, 1, 1>(buffers);
    row<Bytes, 6, 1, 1>(buffers);
    row<Bytes, 7, 1, 1>(buffers);
    row<Bytes, 8, 1, 1>(buffers);
    row<Bytes, 0, 4, 0>(buffers);
    row<Bytes, 8, 4, 1>(buffers);
    row<Bytes, 8, 4, 2>(buffers);
    row<Bytes, 8, 4, 4>(buffers);
    row<Bytes, 0, 8, 0>(buffers);
    row<Bytes, 8, 8, 1>(buffers);
    row<Bytes, 8, 8, 4>(buffers);
    row<Bytes, 8, 8, 8>(buffers);
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "device");
    Buffers buffers;
    buffers.multiprocessors = device.multiProcessorCount;
    check(cudaMalloc(&buffers.memory, kBytes), "1 GiB");
    check(cudaMemset(buffers.memory, 0, kBytes), "memory");
    check(cudaMalloc(&buffers.out, 4096), "out");
    check(cudaMalloc(&buffers.clocks, sizeof(Clocks)), "clocks");
    std::printf("%s: clocks of a load by 64 warps, each with new lines of its own and by eight, then by 32\n",
                device.name);
    rows<4>(buffers);
    rows<2>(buffers);
    rows<1>(buffers);
}
