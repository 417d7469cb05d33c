// What one multiprocessor does in how many clocks: latencies, rates of pipes, requests to each level of memory.
// The figures of gpu/analysis/clock_rates.cpp come from here. Needs a GPU and nvcc:
//
//     nvcc -arch=native -O3 -o clock_rates bench/clock_rates.cu && ./clock_rates
//
// Each line is a name, a figure and its unit. Everything is the least of five runs.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "clock_rates: error: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

constexpr int kRuns = 5;
constexpr int kRounds = 256;  // of a measured loop

struct Span {
    long long begin, end;
};

// Clocks of one block from its first warp's begin to its last one's end.
template <typename Kernel, typename... Arguments>
double clocks(Kernel kernel, int blocks, int threads, int shared_bytes, Arguments... arguments) {
    Span* spans = nullptr;
    const int warps = blocks * threads / 32;
    check(cudaMalloc(&spans, warps * sizeof(Span)), "memory");
    std::vector<Span> host(warps);
    double least = 1e30;
    for (int run = 0; run < kRuns; ++run) {
        kernel<<<blocks, threads, shared_bytes>>>(spans, arguments...);
        check(cudaDeviceSynchronize(), "kernel");
        check(cudaMemcpy(host.data(), spans, warps * sizeof(Span), cudaMemcpyDeviceToHost), "copy");
        const int per_block = threads / 32;
        for (int block = 0; block < blocks; ++block) {
            long long begin = host[block * per_block].begin, end = host[block * per_block].end;
            for (int i = 1; i < per_block; ++i) {
                begin = std::min(begin, host[block * per_block + i].begin);
                end = std::max(end, host[block * per_block + i].end);
            }
            least = std::min(least, double(end - begin));
        }
    }
    check(cudaFree(spans), "free");
    return least;
}

template <typename Work>
double milliseconds(const Work& work) {
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    float least = 1e30f;
    for (int run = 0; run < kRuns; ++run) {
        check(cudaEventRecord(begin), "event");
        work();
        check(cudaEventRecord(end), "event");
        check(cudaEventSynchronize(end), "event");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end), "event");
        least = std::min(least, ms);
    }
    return least;
}

__device__ __forceinline__ int warp_of() { return blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; }
#define BEGIN                       \
    __syncthreads();                \
    const long long begin_ = clock64();
#define END                                                   \
    const long long end_ = clock64();                         \
    if (threadIdx.x % 32 == 0) spans[warp_of()] = {begin_, end_};

// Rates: eight independent chains a thread.
#define RATE_KERNEL(name, type, constraint, text)                                             \
    __global__ void name(Span* spans, type seed, type* out) {                                 \
        type a[8];                                                                            \
        for (int i = 0; i < 8; ++i) a[i] = seed + type(threadIdx.x + i);                      \
        type b = seed;                                                                        \
        BEGIN for (int r = 0; r < kRounds; ++r) {                                             \
            _Pragma("unroll") for (int i = 0; i < 8; ++i) asm volatile(text : "+" constraint(a[i]) : constraint(b)); \
        }                                                                                     \
        END type sum = 0;                                                                     \
        for (int i = 0; i < 8; ++i) sum = sum + a[i];                                         \
        if (sum == type(12345)) *out = sum;                                                   \
    }
RATE_KERNEL(rate_ffma, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
RATE_KERNEL(rate_fadd, float, "f", "add.rn.f32 %0, %0, %1;")
RATE_KERNEL(rate_iadd_shr, int, "r", "{.reg .s32 t; shr.s32 t, %0, 1; sub.s32 %0, %1, t;}")
RATE_KERNEL(rate_lop, int, "r", "lop3.b32 %0, %0, %1, 12345, 0x1a;")
RATE_KERNEL(rate_imad, int, "r", "mad.lo.s32 %0, %0, %1, %1;")
RATE_KERNEL(rate_shf, int, "r", "shf.l.wrap.b32 %0, %0, %1, 3;")
RATE_KERNEL(rate_prmt, int, "r", "prmt.b32 %0, %0, %1, 0x2103;")
RATE_KERNEL(rate_mufu, float, "f", "ex2.approx.ftz.f32 %0, %0;")
RATE_KERNEL(rate_dfma, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
RATE_KERNEL(rate_ffma_iadd, float, "f",
            "{.reg .s32 t; fma.rn.f32 %0, %0, %1, %1; mov.b32 t, %0; add.s32 t, t, 12345; mov.b32 %0, t;}")
RATE_KERNEL(rate_ffma_imad, float, "f",
            "{.reg .s32 t; fma.rn.f32 %0, %0, %1, %1; mov.b32 t, %0; mad.lo.s32 t, t, t, 77; mov.b32 %0, t;}")
RATE_KERNEL(rate_imad_iadd, int, "r", "{mad.lo.s32 %0, %0, %1, %1; xor.b32 %0, %0, 12345;}")
RATE_KERNEL(rate_add_xor, int, "r", "{add.s32 %0, %0, 77; xor.b32 %0, %0, 12345;}")
RATE_KERNEL(rate_add_imad, int, "r", "{add.s32 %0, %0, 77; mad.lo.s32 %0, %0, %0, %1;}")
RATE_KERNEL(rate_add_ffma, int, "r",
            "{.reg .f32 f; add.s32 %0, %0, 77; mov.b32 f, %0; fma.rn.f32 f, f, f, f; mov.b32 %0, f;}")
RATE_KERNEL(rate_i2f_u8, int, "r",
            "{.reg .f32 f; .reg .u32 t; and.b32 t, %0, 255; cvt.rn.f32.u32 f, t; mov.b32 %0, f;}")
RATE_KERNEL(rate_f2i, float, "f", "{.reg .s32 t; cvt.rzi.s32.f32 t, %0; mov.b32 %0, t;}")
RATE_KERNEL(rate_shfl, int, "r", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")

// A loop that is not unrolled, of one warp: what a round takes beyond its one multiply-add.
__global__ void rounds_of_a_loop(Span* spans, int rounds, float seed, float* out) {
    float a = seed;
    const long long begin = clock64();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(seed));
    const long long end = clock64();
    if (threadIdx.x % 32 == 0) spans[warp_of()] = {begin, end};
    if (a == 12345.0f) *out = a;
}

// One chain of loads, each the address of the next.
// With `warms` the caches hold what they can; without, each launch goes on where the last one ended.
__global__ void chase(Span* spans, const unsigned* next, unsigned steps, bool warms, unsigned* place) {
    unsigned at = *place;
    for (unsigned i = 0; warms && i < steps; ++i) at = next[at];
    const long long begin = clock64();
    for (unsigned i = 0; i < steps; ++i) at = next[at];
    const long long end = clock64();
    if (threadIdx.x % 32 == 0) spans[warp_of()] = {begin, end};
    __syncwarp();
    *place = at;
}

__global__ void chase_shared(Span* spans, unsigned steps, unsigned* out) {
    __shared__ unsigned next[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = (i * 33 + 7) % 1024;
    __syncthreads();
    unsigned at = 0;
    BEGIN for (unsigned i = 0; i < steps; ++i) at = next[at];
    END if (at == 12345678) *out = at;
}

// Requests that hit the first level, in `lines` lines of 128 bytes.
__global__ void l1_lines(Span* spans, const int* data, int lines, int none, int* out) {
    const int lane = threadIdx.x % 32;
    const int place = lane % lines * 32 + lane / lines;
    int sum = data[place];
    int offset = 0;
    BEGIN for (int r = 0; r < kRounds; ++r) {
        int v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i)
            asm volatile("ld.global.ca.b32 %0, [%1];" : "=r"(v[i]) : "l"(data + place + i * 1024 + offset));
#pragma unroll
        for (int i = 0; i < 8; ++i) sum += v[i];
        offset = (sum + r) & none;
    }
    END if (sum == 12345678) *out = sum;
}

__global__ void shared_loads(Span* spans, int stride, int* out) {
    __shared__ int data[32 * 32];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) data[i] = 0;
    const int place = threadIdx.x % 32 * stride % 1024;
    int sum = 0;
    BEGIN for (int r = 0; r < kRounds; ++r) {
        int v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) v[i] = *(volatile int*)&data[(place + sum) & 1023];
#pragma unroll
        for (int i = 0; i < 8; ++i) sum += v[i];
    }
    END if (sum == 12345678) *out = sum;
}

// Atomics of shared memory; `ways` lanes want the same word.
__global__ void shared_atomics(Span* spans, int ways, int* out) {
    __shared__ int data[32 * 32];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) data[i] = 0;
    const int place = threadIdx.x / 32 % 32 * 32 + threadIdx.x % 32 / ways;
    BEGIN for (int r = 0; r < kRounds; ++r) atomicAdd(&data[place], r + int(threadIdx.x));
    END __syncthreads();
    if (data[threadIdx.x % 1024] == 12345678) *out = 1;
}

__global__ void barriers(Span* spans) {
    BEGIN for (int r = 0; r < kRounds; ++r) __syncthreads();
    END
}

enum class Order { coalesced, sectors, lines };
// Every thread reads words of the region, past L1, until all threads have read `rounds` words.
template <Order kOrder>
__global__ void read_region(const int* data, unsigned mask, int rounds, int* out) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned threads = gridDim.x * blockDim.x;
    int sum = 0;
    unsigned state = thread * 2654435761u + 12345u;
    for (int r = 0; r < rounds; r += 8) {
        int v[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            unsigned at = (thread + (r + i) * threads) & mask;
            if (kOrder == Order::sectors) at = at * 8 & mask;
            if (kOrder == Order::lines) {
                state = state * 1664525u + 1013904223u;
                at = (state >> 3 << 3) & mask;
            }
            asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(v[i]) : "l"(data + at));
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) sum += v[i];
    }
    if (sum == 12345678) *out = sum;
}

template <Order kOrder>
__global__ void write_region(int* data, unsigned mask, int rounds) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned threads = gridDim.x * blockDim.x;
    unsigned state = thread * 2654435761u + 12345u;
    for (int r = 0; r < rounds; ++r) {
        unsigned at = (thread + r * threads) & mask;
        if (kOrder == Order::sectors) at = (at * 8 + (r & 7)) & mask;
        if (kOrder == Order::lines) {
            state = state * 1664525u + 1013904223u;
            at = (state >> 3 << 3) & mask;
        }
        data[at] = r;
    }
}

__global__ void copy_region(const int4* from, int4* to, unsigned count) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) to[i] = from[i];
}

__global__ void global_atomics(int* data, int stride, int rounds) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; ++r) atomicAdd(data + std::size_t(thread) * stride % (1u << 22), 1);
}

__global__ void nothing() {}

void line(const std::string& name, double value, const char* unit) {
    std::printf("%-44s %10.2f %s\n", name.c_str(), value, unit);
}

}  // namespace

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    int mhz = 0;
    check(cudaDeviceGetAttribute(&mhz, cudaDevAttrClockRate, 0), "clock");
    const double clocks_per_ms = mhz;  // kHz
    const int multiprocessors = gpu.multiProcessorCount;
    std::printf("%s, %d multiprocessors, %.0f MHz\n", gpu.name, multiprocessors, mhz / 1e3);
    void* out = nullptr;
    check(cudaMalloc(&out, 1 << 20), "memory");
    const std::size_t bytes = std::size_t(4) << 30;
    int* data = nullptr;
    check(cudaMalloc(&data, bytes), "memory");
    check(cudaMemset(data, 0, bytes), "memory");

    // Latencies.
    const auto chased = [&](const char* name, std::size_t words, std::size_t stride) {
        std::vector<unsigned> order(words / stride);
        std::iota(order.begin(), order.end(), 0u);
        std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
        std::vector<unsigned> next(words);
        for (std::size_t i = 0; i < order.size(); ++i)
            next[order[i] * stride] = unsigned(order[(i + 1) % order.size()] * stride);
        check(cudaMemset(out, 0, 4), "memory");
        check(cudaMemcpy(data, next.data(), words * 4, cudaMemcpyHostToDevice), "copy");
        const unsigned steps = unsigned(std::min<std::size_t>(order.size(), 20000));
        line(name, clocks(chase, 1, 32, 0, (const unsigned*)data, steps, steps == order.size(), (unsigned*)out) / steps, "clocks");
    };
    chased("latency L1", 2048, 32);
    chased("latency L2 (2 MiB)", 512 << 10, 32);
    chased("latency memory (1 GiB)", 256 << 20, 32);
    line("latency shared", clocks(chase_shared, 1, 32, 0, 4096u, (unsigned*)out) / 4096, "clocks");

    // Pipes: clocks of a scheduler for a warp instruction, 32 warps.
    const auto rate = [&](const char* name, auto kernel, auto seed, double instructions) {
        using Type = decltype(seed);
        const double all = clocks(kernel, 1, 1024, 0, seed, (Type*)out);
        line(std::string("pipe ") + name, all / (kRounds * 8 * instructions * 8), "clocks of a scheduler");
    };
    rate("FFMA", rate_ffma, 1.0f, 1);
    rate("FADD", rate_fadd, 1.0f, 1);
    rate("shift and IADD3, a pair", rate_iadd_shr, 1, 1);
    rate("LOP3", rate_lop, 1, 1);
    rate("IMAD", rate_imad, 3, 1);
    rate("SHF", rate_shf, 1, 1);
    rate("PRMT", rate_prmt, 1, 1);
    rate("MUFU", rate_mufu, 1.0f, 1);
    rate("DFMA", rate_dfma, 1.0, 1);
    rate("FFMA and IADD3, a pair", rate_ffma_iadd, 1.0f, 1);
    rate("FFMA and IMAD, a pair", rate_ffma_imad, 1.0f, 1);
    rate("IMAD and LOP3, a pair", rate_imad_iadd, 3, 1);
    rate("addition of a constant and LOP3, a pair", rate_add_xor, 3, 1);
    rate("addition of a constant and IMAD, a pair", rate_add_imad, 3, 1);
    rate("addition of a constant and FFMA, a pair", rate_add_ffma, 3, 1);
    rate("LOP3 and I2F, a pair", rate_i2f_u8, 3, 1);
    rate("F2I", rate_f2i, 1.0f, 1);
    rate("SHFL", rate_shfl, 1, 1);

    line("a round of a loop: FFMA, sum, comparison, branch",
         clocks(rounds_of_a_loop, 1, 32, 0, 4096, 1.0f, (float*)out) / 4096, "clocks");

    // The load/store unit: clocks of the multiprocessor for a request, 32 warps.
    for (const int lines : {1, 2, 4, 8, 16, 32})
        line("L1 hit, lines of a request: " + std::to_string(lines),
             clocks(l1_lines, 1, 1024, 0, (const int*)data, lines, 0, (int*)out) / (kRounds * 8 * 32), "clocks");
    for (const int stride : {1, 2, 8, 32})
        line("shared load, ways of a conflict: " + std::to_string(stride),
             clocks(shared_loads, 1, 1024, 0, stride, (int*)out) / (kRounds * 8 * 32), "clocks");
    for (const int ways : {1, 2, 4, 8, 16, 32})
        line("shared atomic, lanes of a word: " + std::to_string(ways),
             clocks(shared_atomics, 1, 1024, 0, ways, (int*)out) / (kRounds * 32), "clocks");
    for (const int threads : {32, 128, 256, 1024})
        line("barrier of " + std::to_string(threads) + " threads", clocks(barriers, 1, threads, 0) / kRounds, "clocks");

    // All multiprocessors: bytes a clock of each.
    const int blocks = multiprocessors * 2;
    const double threads = double(blocks) * 1024;
    const auto bandwidth = [&](const std::string& name, double moved, const auto& work) {
        const double ms = milliseconds(work);
        line(name, moved / (ms * clocks_per_ms * multiprocessors), "a clock of a multiprocessor");
        line(name, moved / ms / 1e6, "GB/s, or G/s");
    };
    const unsigned l2 = (16u << 20) / 4 - 1, all = unsigned(bytes / 4 - 1);
    bandwidth("L2 read, bytes", threads * 512 * 4, [&] { read_region<Order::coalesced><<<blocks, 1024>>>(data, l2, 512, (int*)out); });
    bandwidth("L2 read, sectors one by one", threads * 128, [&] { read_region<Order::sectors><<<blocks, 1024>>>(data, l2, 128, (int*)out); });
    bandwidth("L2 read, lines with one sector", threads * 128, [&] { read_region<Order::lines><<<blocks, 1024>>>(data, l2, 128, (int*)out); });
    bandwidth("memory read, lines with one sector", threads * 64, [&] { read_region<Order::lines><<<blocks, 1024>>>(data, all, 64, (int*)out); });
    bandwidth("L2 write, lines with a part of a sector", threads * 128, [&] { write_region<Order::lines><<<blocks, 1024>>>(data, l2, 128); });
    bandwidth("memory write, lines with a part of a sector", threads * 64, [&] { write_region<Order::lines><<<blocks, 1024>>>(data, all, 64); });
    bandwidth("memory read, bytes", threads * 512 * 4, [&] { read_region<Order::coalesced><<<blocks, 1024>>>(data, all, 512, (int*)out); });
    bandwidth("memory read, sectors one by one", threads * 64, [&] { read_region<Order::sectors><<<blocks, 1024>>>(data, all, 64, (int*)out); });
    bandwidth("L2 write, bytes", threads * 512 * 4, [&] { write_region<Order::coalesced><<<blocks, 1024>>>(data, l2, 512); });
    bandwidth("L2 write, parts of sectors", threads * 128, [&] { write_region<Order::sectors><<<blocks, 1024>>>(data, l2, 128); });
    bandwidth("memory write, bytes", threads * 512 * 4, [&] { write_region<Order::coalesced><<<blocks, 1024>>>(data, all, 512); });
    bandwidth("memory write, parts of sectors", threads * 64, [&] { write_region<Order::sectors><<<blocks, 1024>>>(data, all, 64); });
    bandwidth("copy within memory, bytes", 2.0 * (1u << 30), [&] { copy_region<<<blocks * 8, 256>>>((const int4*)data, (int4*)(data + (1u << 28)), 1u << 26); });
    bandwidth("copy within L2, bytes", 16.0 * 2 * (8u << 20), [&] { for (int i = 0; i < 16; ++i) copy_region<<<blocks * 2, 512>>>((const int4*)data, (int4*)(data + (1u << 21)), 1u << 19); });
    for (const int stride : {0, 1, 8, 32})
        bandwidth("atomics of global memory, words apart " + std::to_string(stride), threads * 16, [&] { global_atomics<<<blocks, 1024>>>(data, stride, 16); });

    // Launches and blocks.
    line("empty launch among 1000", milliseconds([] { for (int i = 0; i < 1000; ++i) nothing<<<1, 32>>>(); }), "us");
    line("empty launch of 132 blocks of 256", milliseconds([] { for (int i = 0; i < 1000; ++i) nothing<<<132, 256>>>(); }), "us");
    for (const int size : {32, 128, 256, 1024})
        line("blocks of " + std::to_string(size) + " threads", milliseconds([&] { nothing<<<multiprocessors * 4096, size>>>(); }) * clocks_per_ms / 4096, "clocks of a multiprocessor for each");
}
