// How blocks follow each other in a multiprocessor's places: each of their warps goes round a loop until a
// time has passed, a quarter more or less. Four times are printed, in clocks:
//   from end to begin  from the end of a block to the begin of the next one in its place
//   last warp          from the first warp of a block to the last one
//   a block each       from one block of a multiprocessor to the next
//   a first block each  the same of those for which there is room when the launch begins
// and by how many schedulers the first warps of blocks that follow each other are apart.
// Build: nvcc -O3 -std=c++20 -arch=native block_turns.cu -o block_turns   Usage: block_turns   (a second;
// gpu/analysis/clock_rates has the rates, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace {

constexpr int kSchedulers = 4;
constexpr int kRounds = 24;  // of blocks in each place
constexpr std::size_t kMostBytes = std::size_t(256) << 20;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "block_turns: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

struct Span {
    long long begin = 0, end = 0;
    int multiprocessor = 0, scheduler = 0;
};

// It stores what it knows before it waits, so that nothing is on its way when it ends.
__global__ void wait(Span* spans, int clocks) {
    const long long begin = clock64();
    const unsigned dice = (blockIdx.x * 9781U + 12345U) * 2654435761U;
    const long long mine = clocks * 3 / 4 + int((dice >> 8) % unsigned(clocks / 2 + 1));
    int multiprocessor = 0, place = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(place));
    if (threadIdx.x % 32 == 0)
        spans[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = {begin, begin + mine, multiprocessor,
                                                                    place % kSchedulers};
    while (clock64() - begin < mine) {
    }
}

struct Turns {
    double gap = 0, last_warp = 0, each = 0, first_each = 0;
    int schedulers_apart[kSchedulers] = {};  // how often
};

Turns turns_of(const std::vector<Span>& spans, int warps, int places) {
    std::map<int, std::vector<Span>> blocks;
    Turns made;
    double all = 0;
    for (std::size_t first = 0; first < spans.size(); first += std::size_t(warps)) {
        Span block = spans[first];
        long long last = block.begin;
        for (int i = 1; i < warps; ++i) {
            const Span& warp = spans[first + std::size_t(i)];
            block.begin = std::min(block.begin, warp.begin);
            block.end = std::max(block.end, warp.end);
            last = std::max(last, warp.begin);
        }
        made.last_warp += double(last - block.begin);
        ++all;
        blocks[block.multiprocessor].push_back(block);
    }
    made.last_warp /= all;
    double gaps = 0;
    for (auto& [multiprocessor, of_one] : blocks) {
        std::vector<long long> begins, ends;
        for (const Span& block : of_one) {
            begins.push_back(block.begin);
            ends.push_back(block.end);
        }
        std::sort(begins.begin(), begins.end());
        std::sort(ends.begin(), ends.end());
        if (begins.size() < std::size_t(places) + 2) continue;
        made.first_each +=
            double(begins[std::size_t(places) - 1] - begins.front()) / (places - 1) / double(blocks.size());
        std::sort(of_one.begin(), of_one.end(),
                  [](const Span& a, const Span& b) { return a.begin < b.begin; });
        for (std::size_t i = 1; i < of_one.size(); ++i)
            ++made.schedulers_apart[(of_one[i].scheduler - of_one[i - 1].scheduler + kSchedulers) %
                                    kSchedulers];
        for (std::size_t i = std::size_t(places); i < begins.size(); ++i) {
            made.gap += double(begins[i] - ends[i - std::size_t(places)]);
            ++gaps;
        }
        made.each += double(begins.back() - begins[std::size_t(places)]) /
                     double(begins.size() - std::size_t(places) - 1) / double(blocks.size());
    }
    made.gap /= gaps;
    return made;
}

}  // namespace

int main() {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "device");
    Span* spans = nullptr;
    check(cudaMalloc(&spans, kMostBytes), "spans");
    check(cudaFuncSetAttribute(wait, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               int(device.sharedMemPerBlockOptin)),
          "shared memory");
    std::printf(
        "%s\nthreads, blocks resident, clocks: from end to begin, last warp, a block each, a first "
        "block each; how often the next first warp is 0, 1, 2, 3 schedulers further\n",
        device.name);
    for (const int threads : {32, 64, 96, 128, 160, 192, 256})
        for (const int places : {4, 8})
            for (const int clocks : {300, 2400, 9600}) {
                const int blocks = device.multiProcessorCount * places * kRounds, warps = threads / 32;
                const std::size_t shared = device.sharedMemPerMultiprocessor / std::size_t(places) - 2048;
                for (int run = 0; run < 2; ++run) wait<<<blocks, threads, shared>>>(spans, clocks);
                check(cudaGetLastError(), "launch");
                std::vector<Span> made(std::size_t(blocks) * std::size_t(warps));
                check(cudaMemcpy(made.data(), spans, made.size() * sizeof(Span), cudaMemcpyDeviceToHost),
                      "wait");
                const Turns turns = turns_of(made, warps, places);
                std::printf("%3d, %d, %4d: %5.0f, %3.0f, %5.0f, %3.0f;", threads, places, clocks, turns.gap,
                            turns.last_warp, turns.each, turns.first_each);
                for (const int times : turns.schedulers_apart) std::printf(" %d", times);
                std::printf("\n");
            }
}
