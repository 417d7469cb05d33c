// How long single loads wait for lines that the second level has: by how far a line's slice is from the
// multiprocessor. A warp of each multiprocessor loads 4096 lines one after the other, past L1, the third time
// round. Prints clocks for lines 128 and 4096 bytes apart: the mean, the standard deviation, the times that
// one in a hundred is below and above; clock to clock, so with the clocks that reading it takes.
// Build: nvcc -O3 -std=c++20 -arch=native l2_latency.cu -o l2_latency   Usage: l2_latency   (a second;
// gpu/analysis/memory_path has the rule, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kLines = 4096;
constexpr int kTimesRound = 3;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "l2_latency: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

__global__ void load_each(const int* words, std::size_t words_apart, int* clocks) {
    if (threadIdx.x != 0) return;
    for (int round = 0; round < kTimesRound; ++round) {
        for (int i = 0; i < kLines; ++i) {
            const int* line = words + std::size_t(i) * words_apart;
            long long begin = 0, end = 0;
            // The second clock is read once it is known what the word is.
            asm volatile(
                "{\n\t.reg .pred known;\n\t.reg .s32 word;\n\tmov.u64 %0, %%clock64;\n\t"
                "ld.global.cg.s32 word, [%2];\n\tsetp.ne.s32 known, word, 1;\n\t"
                "@known mov.u64 %1, %%clock64;\n\t}"
                : "=l"(begin), "+l"(end)
                : "l"(line)
                : "memory");
            clocks[std::size_t(blockIdx.x) * kLines + std::size_t(i)] = int(end - begin);
        }
    }
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "device");
    constexpr std::size_t kFarthest = 4096;  // bytes
    int* words = nullptr;
    int* clocks = nullptr;
    const std::size_t loads = std::size_t(device.multiProcessorCount) * kLines;
    check(cudaMalloc(&words, kLines * kFarthest), "words");
    check(cudaMemset(words, 0, kLines * kFarthest), "words");
    check(cudaMalloc(&clocks, loads * sizeof(int)), "clocks");
    std::printf("%s\nbytes apart: mean, deviation, first and last hundredth\n", device.name);
    for (const std::size_t apart : {std::size_t(128), kFarthest}) {
        load_each<<<device.multiProcessorCount, 32>>>(words, apart / sizeof(int), clocks);
        check(cudaGetLastError(), "launch");
        std::vector<int> made(loads);
        check(cudaMemcpy(made.data(), clocks, loads * sizeof(int), cudaMemcpyDeviceToHost), "load_each");
        std::sort(made.begin(), made.end());
        double sum = 0, squares = 0;
        for (const int one : made) {
            sum += one;
            squares += double(one) * one;
        }
        const double mean = sum / double(loads);
        std::printf("%zu: %.1f, %.1f, %d, %d\n", apart, mean,
                    std::sqrt(squares / double(loads) - mean * mean), made[loads / 100],
                    made[loads - loads / 100]);
    }
}
