// Whether two warps of a block that keep one pipe busy on the same scheduler stay together. Each goes eight
// times round a loop of 128 double-precision sums of four chains, as `throughput` V4 does, and writes down
// when each round begins, by the multiprocessor's clock. Printed are, for 1 to 8 such blocks on a
// multiprocessor: how many pairs stay within 30 clocks, how many have come apart at the end and by how much,
// in how many of these the warp with the higher number is ahead, and how long a round takes the one and the
// other, in the second half.
// Build: nvcc -O3 -std=c++20 -arch=native paired_warps.cu -o paired_warps   Usage: paired_warps
// (a second; docs/clock.md has the figures, "Stalls by line")

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32, kChains = 4, kRounds = 8, kLinks = 32, kSchedulers = 4;
constexpr std::int64_t kTogether = 30;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "paired_warps: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

struct Times {
    std::uint32_t round[kRounds + 1];  // begins; the last one: all are over
    std::uint32_t warp;                // its place on the multiprocessor
};

__global__ void sums(const unsigned* words, double* results, Times* times) {
    const unsigned first = blockIdx.x * (kChains * kThreads) + threadIdx.x;
    double value[kChains], summand[kChains];
#pragma unroll
    for (int i = 0; i < kChains; ++i) value[i] = summand[i] = 1 + words[first + i * kThreads] * 0x1p-32;
    Times& mine = times[(blockIdx.x * kThreads + threadIdx.x) / 32];
    const bool writes = threadIdx.x % 32 == 0;
#pragma unroll 1
    for (int round = 0; round < kRounds; ++round) {
        if (writes) mine.round[round] = clock();
#pragma unroll
        for (int k = 0; k < kLinks; ++k)
#pragma unroll
            for (int i = 0; i < kChains; ++i) value[i] = fma(value[i], 0.5, summand[i]);
    }
    if (writes) {
        mine.round[kRounds] = clock();
        asm volatile("mov.u32 %0, %%warpid;" : "=r"(mine.warp));
    }
#pragma unroll
    for (int i = 0; i < kChains; ++i) results[first + i * kThreads] = value[i];
}

double median(std::vector<std::int64_t> values) {
    if (values.empty()) return 0;
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2), values.end());
    return double(values[values.size() / 2]);
}

void print(int of_one, const std::vector<Times>& all) {
    std::map<std::pair<std::size_t, std::uint32_t>, std::vector<const Times*>> of_block;
    for (std::size_t i = 0; i < all.size(); ++i)
        of_block[{i / kWarps, all[i].warp % kSchedulers}].push_back(&all[i]);
    int pairs = 0, together = 0, higher = 0;
    std::vector<std::int64_t> apart, of_lower, of_higher;
    for (const auto& [at, warps] : of_block) {
        if (warps.size() != 2) continue;
        const auto [low, high] =
            std::minmax(warps[0], warps[1], [](const Times* a, const Times* b) { return a->warp < b->warp; });
        const auto ahead = [&, low = low, high = high](int round) {
            return std::int64_t(std::int32_t(low->round[round] - high->round[round]));
        };
        ++pairs;
        bool stay = true;
        for (int round = 1; round < kRounds; ++round) stay = stay && std::abs(ahead(round)) < kTogether;
        together += stay;
        if (stay || std::abs(ahead(kRounds - 1)) < kTogether) continue;
        higher += ahead(kRounds - 1) > 0;
        apart.push_back(std::abs(ahead(kRounds - 1)));
        const auto half = [](const Times* one) {
            return std::int64_t(one->round[kRounds - 1] - one->round[kRounds / 2]) / (kRounds / 2 - 1);
        };
        of_lower.push_back(half(low));
        of_higher.push_back(half(high));
    }
    std::printf(
        "%d blocks on each: %d pairs, %d together; %zu apart, by %.0f clocks (median), in %d of them the "
        "higher number ahead; a round takes it %.0f clocks, the other %.0f\n",
        of_one, pairs, together, apart.size(), median(apart), higher, median(of_higher), median(of_lower));
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "device");
    std::printf("%s\n", device.name);
    const int most = device.multiProcessorCount * 8;
    unsigned* words = nullptr;
    double* results = nullptr;
    Times* times = nullptr;
    const std::size_t elements = std::size_t(most) * kChains * kThreads;
    check(cudaMalloc(&words, sizeof(unsigned) * elements), "words");
    check(cudaMemset(words, 1, sizeof(unsigned) * elements), "words");
    check(cudaMalloc(&results, sizeof(double) * elements), "results");
    check(cudaMalloc(&times, sizeof(Times) * std::size_t(most) * kWarps), "times");
    for (int of_one = 1; of_one <= 8; of_one *= 2) {
        const int blocks = device.multiProcessorCount * of_one;
        for (int run = 0; run < 2; ++run) sums<<<blocks, kThreads>>>(words, results, times);
        check(cudaGetLastError(), "launch");
        std::vector<Times> all(std::size_t(blocks) * kWarps);
        check(cudaMemcpy(all.data(), times, sizeof(Times) * all.size(), cudaMemcpyDeviceToHost), "run");
        print(of_one, all);
    }
}
