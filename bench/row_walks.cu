// Rows that a walk opens, and which lines L2 gives away: what the clock's rules of both are held against.
// Threads with rows of their own, of another length and in other steps than any kernel of the tables has, load or
// store them; and warps that go round through lines of which L2 has room for some.
// Build: nvcc -O3 -arch=native row_walks.cu -o row_walks
// Usage: row_walks  (some seconds; a line for each: accesses of 64 bytes or of a sector a second, and times)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

// A thread's row of `row` words of 16 bytes, `step` of them at a time: 2 are a sector, 4 are 64 bytes.
template <bool kStores>
__global__ void walk(float4* data, int row, int step) {
    const size_t first = (size_t(blockIdx.x) * blockDim.x + threadIdx.x) * row;
    float sum = 0;
    for (int at = 0; at < row; at += step) {
        if (kStores) {
            for (int i = 0; i < min(step, 2); ++i) data[first + at + i] = make_float4(at, i, 0, 0);
        } else {
            sum += __ldcg(data + first + at).x;
        }
    }
    if (sum == 1.2345f) data[first].x = sum;
}

// Whole lines, all again and again, a part of them by each warp.
__global__ void go_round(const float4* data, unsigned lines, int rounds, float* out) {
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned warps = gridDim.x * blockDim.x / 32;
    const unsigned lane = threadIdx.x % 32;
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
        for (unsigned line = warp * 4 + lane / 8; line < lines; line += warps * 4)
            sum += __ldcg(data + size_t(line) * 8 + lane % 8).x;
    if (sum == 1.2345f) *out = sum;
}

template <typename Launch>
static double microseconds(const Launch& launch) {
    cudaEvent_t begin;
    cudaEvent_t end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    std::vector<float> times;
    launch();
    for (int i = 0; i < 7; ++i) {
        check(cudaEventRecord(begin));
        for (int k = 0; k < 4; ++k) launch();
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end));
        times.push_back(ms / 4);
    }
    check(cudaGetLastError());
    std::sort(times.begin(), times.end());
    return 1e3 * times[times.size() / 2];
}

int main() {
    constexpr size_t kBytes = size_t(256) << 20;
    float4* data = nullptr;
    check(cudaMalloc(&data, kBytes));
    check(cudaMemset(data, 0, kBytes));
    for (const int row_bytes : {128, 256, 512, 1024, 4096}) {
        const int row = row_bytes / 16;
        const unsigned blocks = unsigned(kBytes / row_bytes / 128);
        const double loads = microseconds([&] { walk<false><<<blocks, 128>>>(data, row, 4); });
        const double stores = microseconds([&] { walk<true><<<blocks, 128>>>(data, row, 2); });
        std::printf("rows of %4d bytes: loads of 64 %8.1f us %5.1f G/s, stores of a sector %8.1f us %5.1f G/s\n", row_bytes,
                    loads, kBytes / 64 / loads / 1e3, stores, kBytes / 32 / stores / 1e3);
    }
    int multiprocessors = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    for (int mb = 16; mb <= 96; mb += 8) {
        const unsigned lines = unsigned(mb) << 13;
        const double few = microseconds([&] { go_round<<<2 * multiprocessors, 1024>>>(data, lines, 4, (float*)data); });
        const double many = microseconds([&] { go_round<<<2 * multiprocessors, 1024>>>(data, lines, 12, (float*)data); });
        std::printf("%2d MB again and again: %6.1f us a round, %6.1f GB/s\n", mb, (many - few) / 8, 8e3 * mb * 1.048576 / (many - few));
    }
}
