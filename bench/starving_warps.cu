// When warps go on that older ones keep from a pipe. Blocks go round a loop that keeps the ALU of their
// schedulers busy, so that young warps wait before their first instruction of it. Of each warp it is known
// when it began and when that instruction was issued, by the multiprocessor's clock. Printed are, for several
// lengths of a round of that clock, how many of the long waits end within 128 clocks of a round's begin; and
// for 16384 clocks, of the warps that wait when a round begins, how many go on then: of those that waited all
// of the round before, and of those that began in it.
// Build: nvcc -O3 -std=c++20 -arch=native starving_warps.cu -o starving_warps   Usage: starving_warps
// (a second; gpu/analysis/ready_warps has the rule, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace {

constexpr int kThreads = 256, kRoundsOfBlocks = 32, kLoop = 200;
constexpr std::int64_t kRound = 16384, kSoon = 128, kLong = 2000;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "starving_warps: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

struct Times {
    std::int64_t begin, first;
};

__global__ void busy(unsigned* words, int count, Times* times) {
    const std::int64_t begin = clock64();
    const int i = int(blockIdx.x * kThreads + threadIdx.x);
    if (i >= count) return;  // the comparison is the first of the ALU's
    const std::int64_t first = clock64();
    unsigned v = words[i];
    for (int k = 0; k < kLoop; ++k) {
        v = (v >> 1) ^ (v & 0x1234567 ? 77 : k);
        v = v < 500 ? v ^ 0x55555 : v;
    }
    words[i] = v;
    if (threadIdx.x % 32 == 0) times[i / 32] = {begin, first};
}

struct Share {
    int of = 0, all = 0;
};

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "device");
    const int places = device.maxThreadsPerMultiProcessor / kThreads;
    const int blocks = device.multiProcessorCount * places * kRoundsOfBlocks;
    const int warps = blocks * (kThreads / 32);
    unsigned* words = nullptr;
    Times* times = nullptr;
    check(cudaMalloc(&words, sizeof(unsigned) * kThreads * std::size_t(blocks)), "words");
    check(cudaMemset(words, 1, sizeof(unsigned) * kThreads * std::size_t(blocks)), "words");
    check(cudaMalloc(&times, sizeof(Times) * std::size_t(warps)), "times");
    for (int run = 0; run < 2; ++run) busy<<<blocks, kThreads>>>(words, blocks * kThreads, times);
    check(cudaGetLastError(), "launch");
    std::vector<Times> all(static_cast<std::size_t>(warps));
    check(cudaMemcpy(all.data(), times, sizeof(Times) * all.size(), cudaMemcpyDeviceToHost), "run");

    int waited = 0;
    std::map<std::int64_t, int> at_begin;  // by the length of a round
    Share all_round, began_in_it;
    for (const Times& one : all) {
        if (one.first - one.begin < kLong) continue;
        ++waited;
        for (std::int64_t round = kRound / 4; round <= 4 * kRound; round *= 2)
            at_begin[round] += one.first % round < kSoon;
        for (std::int64_t begin = (one.begin / kRound + 1) * kRound; begin <= one.first; begin += kRound) {
            Share& share = one.begin < begin - kRound ? all_round : began_in_it;
            ++share.all;
            share.of += one.first - begin < kSoon;
        }
    }
    std::printf("%s: %d of %d warps waited more than %lld clocks before their first ALU instruction\n",
                device.name, waited, warps, static_cast<long long>(kLong));
    for (const auto& [round, count] : at_begin)
        std::printf("round of %lld clocks: %.1f %% of the waits end within %lld clocks of its begin\n",
                    static_cast<long long>(round), 100.0 * count / std::max(1, waited),
                    static_cast<long long>(kSoon));
    std::printf(
        "when a round of %lld begins, of the warps that waited all of the one before %d of %d go on, "
        "of those that began in it %d of %d\n",
        static_cast<long long>(kRound), all_round.of, all_round.all, began_in_it.of, began_in_it.all);
}
