// What warps wait for while many of their loads are on their way to L1, and once they have ended: kernels for
// Nsight Compute, which tells. Each launch is announced by a line "case: ...", in the order of its rows.
// Build: nvcc -O3 -arch=native warp_waits.cu -o warp_waits
// Usage: ncu --clock-control none --cache-control none --section WarpStateStats --metrics
// smsp__inst_executed.sum,smsp__warps_launched.sum warp_waits stream|ends
// A state's clocks of a warp are its ratio times instructions over warps. docs/clock.md takes figures from
// it.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

constexpr std::size_t kBytes = std::size_t(256) << 20;

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
    return 0;
}
