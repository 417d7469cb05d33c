// What warps wait for while many of their loads are on their way to L1, and once they have ended: kernels for
// Nsight Compute, which tells. Each launch is announced by a line "case: ...", in the order of its rows.
// Build: nvcc -O3 -arch=native warp_waits.cu -o warp_waits
// Usage: ncu --clock-control none --cache-control none --section WarpStateStats --metrics
// smsp__inst_executed.sum,smsp__warps_launched.sum warp_waits stream|ends|stores|blocks
// A state's clocks of a warp are its ratio times instructions over warps. docs/clock.md takes figures from
// it.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

constexpr std::size_t kBytes = std::size_t(256) << 20;  // of each of two arrays

static void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "warp_waits: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

// Loads go over the memory, `many` one after the other, each of a sector or more of so many lines. The
// assembler unrolls further: 16 or 32 are on their way before the first is used.
template <int many, int lines>
__global__ void stream_loads(const char* in, float* out, unsigned rounds) {
    const unsigned warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const char* at =
        in + std::size_t(warp) * (lines * 128) + (lane * lines / 32) * 128 + (lane % (32 / lines)) * 4;
    float sum = 0;
    for (unsigned r = 0; r < rounds; ++r) {
        float v[many];
#pragma unroll
        for (int i = 0; i < many; ++i) {
            const char* one = at + std::size_t(i) * warps * (lines * 128);
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[i]) : "l"(one) : "memory");
        }
        at += std::size_t(many) * warps * (lines * 128);
#pragma unroll
        for (int i = 0; i < many; ++i) sum += v[i];
    }
    if (sum == 12345.678f) *out = sum;
}

template <int many, int lines>
static void stream(char* data, float* out, int blocks, int threads) {
    const std::size_t round = std::size_t(many) * blocks * (threads / 32) * lines * 128;
    std::printf("case: loads, %d together, %d lines, %d blocks of %d threads\n", many, lines, blocks,
                threads);
    stream_loads<many, lines>
        <<<blocks, threads>>>(data, out, unsigned(std::max<std::size_t>(1, kBytes / round)));
    check(cudaDeviceSynchronize(), "stream");
}

enum class Ends { load, load_and_store, store, nothing };

// A pixel of each thread; `limit` is more than any.
template <typename T, Ends end>
__global__ void ends(T* out, const T* in, int limit, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int i = y * width + x;
    if (end == Ends::load && in[i] == limit) out[i] = 1;
    if (end == Ends::load_and_store) out[i] = in[i] > limit ? 255 : 0;
    if (end == Ends::store) out[i] = 3;
    if (end == Ends::nothing && limit == 77) out[i] = 1;
}

template <typename T, Ends end>
static void run_ends(char* data, int across, int down) {
    constexpr int kWidth = 3840, kHeight = 1080;
    std::printf("case: words of %d bytes, end %d, block %d x %d\n", int(sizeof(T)), int(end), across, down);
    ends<T, end><<<dim3((kWidth + across - 1) / across, (kHeight + down - 1) / down), dim3(across, down)>>>(
        reinterpret_cast<T*>(data), reinterpret_cast<T*>(data + kBytes / 2), 300, kWidth, kHeight);
    check(cudaDeviceSynchronize(), "ends");
}

// A matrix the other way round: a warp stores to as many lines as a block is wide.
template <bool loads>
__global__ void turn(float* out, const float* in, int order) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float word = loads ? in[std::size_t(y) * order + x] : float(order);
    out[std::size_t(x) * order + y] = word;
}

template <bool loads>
static void run_turn(char* data, int order, int across, int down) {
    std::printf("case: stores to %d lines%s, order %d, block %d x %d\n", across, loads ? " behind loads" : "",
                order, across, down);
    turn<loads><<<dim3(order / across, order / down), dim3(across, down)>>>(
        reinterpret_cast<float*>(data), reinterpret_cast<float*>(data + kBytes), order);
    check(cudaDeviceSynchronize(), "stores");
}

// A thread works for a while and stores a word, if it is to.
__global__ void short_block(unsigned* out, int work, bool stores) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = i;
    for (int k = 0; k < work; ++k) word = word * 1664525U + 1013904223U;
    if (stores || word == 12345) out[i] = word;
}

static void run_blocks(char* data, int threads, int work, bool stores, int shared) {
    constexpr int kBlocks = 66000;
    std::printf("case: blocks of %d threads that work %d%s, %d bytes of shared memory\n", threads, work,
                stores ? " and store" : "", shared);
    short_block<<<kBlocks, threads, shared>>>(reinterpret_cast<unsigned*>(data), work, stores);
    check(cudaDeviceSynchronize(), "blocks");
}

int main(int argc, char** argv) {
    const std::string part = argc > 1 ? argv[1] : "stream";
    char* data = nullptr;
    float* out = nullptr;
    check(cudaMalloc(&data, 2 * kBytes), "memory");
    check(cudaMalloc(&out, 256), "memory");
    check(cudaMemset(data, 0, 2 * kBytes), "memory");
    if (part == "stream") {
        stream<1, 1>(data, out, 264, 1024);
        stream<4, 1>(data, out, 264, 1024);
        stream<8, 1>(data, out, 132, 1024);
        stream<8, 1>(data, out, 132, 512);
        stream<2, 4>(data, out, 264, 1024);
        stream<2, 32>(data, out, 264, 1024);
    }
    if (part == "ends") {
        using Byte = unsigned char;
        run_ends<Byte, Ends::nothing>(data, 8, 8);
        run_ends<Byte, Ends::load_and_store>(data, 8, 8);
        run_ends<Byte, Ends::load_and_store>(data, 32, 8);
        run_ends<Byte, Ends::store>(data, 32, 8);
        run_ends<float, Ends::nothing>(data, 32, 1);
        run_ends<float, Ends::load_and_store>(data, 32, 8);
    }
    if (part == "stores") {
        for (const int order : {1024, 8192}) {
            run_turn<true>(data, order, 32, 8);
            run_turn<false>(data, order, 32, 8);
            run_turn<true>(data, order, 16, 16);
            run_turn<true>(data, order, 8, 32);
        }
    }
    if (part == "blocks") {
        check(cudaFuncSetAttribute(short_block, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152),
              "shared");
        for (const int work : {0, 10, 30, 60, 100, 200}) run_blocks(data, 64, work, true, 0);
        run_blocks(data, 64, 0, false, 0);
        for (const int threads : {32, 96, 128, 256}) run_blocks(data, threads, 0, true, 0);
        for (const int shared : {6144, 12288, 24576}) run_blocks(data, 64, 0, true, shared);
    }
    return 0;
}
