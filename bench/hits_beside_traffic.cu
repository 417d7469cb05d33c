// How long loads take that hit the second level, and such that miss it, while device memory is busy.
// One warp of each multiprocessor follows a chain through 64 KiB, which stay in the second level, or through
// 8 MiB, which what the others move drives out. These read, write or copy what is far larger.
// Prints the clocks of a step and the traffic in GB/s.
// Build: nvcc -O3 -std=c++20 -arch=native hits_beside_traffic.cu -o hits_beside_traffic
// Usage: hits_beside_traffic
// (seconds; gpu/analysis/memory_path has the rule, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace {

constexpr std::size_t kStream = std::size_t(2) << 30;  // bytes of each array
constexpr int kNear = 512, kFar = 65536;               // nodes of the chains, 128 bytes each
constexpr int kSteps = 96;
constexpr int kWarm = 32;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "hits_beside_traffic: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

enum class Traffic { none, read, write, copy };

struct Node {
    unsigned next;
    unsigned pad[31];
};

// Block b of `blocks`; warp 0 follows the chain, the others move so many lines each.
template <Traffic traffic>
__global__ void __launch_bounds__(1024) beside(const Node* nodes, int chain, int first, const uint4* from,
                                               uint4* to, int rounds, unsigned* clocks, unsigned* out) {
    const int warp = int(threadIdx.x) / 32;
    const int lane = int(threadIdx.x) % 32;
    if (warp == 0) {
        // The others begin first.
        const long long begin = clock64();
        while (clock64() - begin < 20000) {
        }
        unsigned at = (blockIdx.x * 97 + unsigned(first)) % unsigned(chain);
        unsigned sum = 0;
        for (int i = 0; i < kSteps; ++i) {
            const unsigned before = unsigned(clock64());
            unsigned next = 0;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(next) : "l"(&nodes[at].next) : "memory");
            at = next;
            sum += at;
            asm volatile("" ::"r"(sum) : "memory");
            const unsigned after = unsigned(clock64());
            if (lane == 0) clocks[blockIdx.x * kSteps + i] = after - before + (sum == 12345);
        }
        return;
    }
    const std::size_t warps = std::size_t(gridDim.x) * (blockDim.x / 32 - 1);
    const std::size_t number = std::size_t(warp - 1) * gridDim.x + blockIdx.x;
    unsigned kept = 0;
    for (int round = 0; round < rounds; ++round) {
        uint4 value[4];
        const std::size_t place = ((std::size_t(round) * warps + number) * 4 * 32 + lane) % (kStream / 16);
        for (int i = 0; i < 4; ++i) {
            value[i] = {unsigned(round), 1, 2, 3};
            if constexpr (traffic == Traffic::read || traffic == Traffic::copy)
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(value[i].x), "=r"(value[i].y), "=r"(value[i].z), "=r"(value[i].w)
                             : "l"(from + place + 32 * i));
        }
        if constexpr (traffic == Traffic::write || traffic == Traffic::copy)
            for (int i = 0; i < 4; ++i) to[place + 32 * i] = value[i];
        if constexpr (traffic == Traffic::read)
            for (int i = 0; i < 4; ++i) kept += value[i].x;
    }
    if (kept == 12345) *out = kept;
}

struct Memory {
    Node* nodes;  // of the near chain, then of the far one
    uint4 *from, *to;
    unsigned *clocks, *out;
    int multiprocessors;
};

// Mean clocks of a step beside so many warps, and the traffic of these.
template <Traffic traffic>
void cell(const Memory& m, int chain, int others, double directions) {
    const Node* nodes = chain == kNear ? m.nodes : m.nodes + kNear;
    const int rounds = 24000 / others;
    const auto launch = [&](int times) {
        beside<traffic><<<m.multiprocessors, 32 * (others + 1)>>>(nodes, chain, times, m.from, m.to, times,
                                                                  m.clocks, m.out);
        check(cudaGetLastError(), "launch");
    };
    launch(100);
    cudaEvent_t begin{}, end{};
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    check(cudaEventRecord(begin), "event");
    launch(rounds);
    check(cudaEventRecord(end), "event");
    check(cudaDeviceSynchronize(), "launch");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "event");
    std::vector<unsigned> all(std::size_t(m.multiprocessors) * kSteps);
    check(cudaMemcpy(all.data(), m.clocks, all.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), "copy");
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) sum += i % kSteps >= kWarm ? all[i] : 0;
    const double bytes = double(m.multiprocessors) * others * rounds * 2048 * directions;
    std::printf("\t%.0f clocks beside %.0f GB/s", sum / (m.multiprocessors * (kSteps - kWarm)),
                bytes / ms / 1e6);
}

template <Traffic traffic>
void rows(const char* name, const Memory& m, double directions) {
    for (const int chain : {kNear, kFar}) {
        if (traffic == Traffic::none && chain == kFar) continue;  // nothing drives it out
        std::printf("%s, of loads that %s", name, chain == kNear ? "hit" : "miss");
        for (const int others : {2, 4, 8, 16, 31}) cell<traffic>(m, chain, others, directions);
        std::printf("\n");
    }
}

// A ring through all of them, in an order by chance.
void chain_up(Node* nodes, int count) {
    std::vector<unsigned> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    std::vector<Node> made(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) made[order[i]].next = order[(i + 1) % order.size()];
    check(cudaMemcpy(nodes, made.data(), made.size() * sizeof(Node), cudaMemcpyHostToDevice), "copy");
}

}  // namespace

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s\nbeside 2, 4, 8, 16 and 31 warps of each multiprocessor\n", gpu.name);
    Memory m{};
    m.multiprocessors = gpu.multiProcessorCount;
    check(cudaMalloc(&m.nodes, (kNear + kFar) * sizeof(Node)), "memory");
    check(cudaMalloc(&m.from, kStream), "memory");
    check(cudaMalloc(&m.to, kStream), "memory");
    check(cudaMalloc(&m.clocks, m.multiprocessors * kSteps * sizeof(unsigned)), "memory");
    check(cudaMalloc(&m.out, sizeof(unsigned)), "memory");
    check(cudaMemset(m.from, 0, kStream), "memory");
    chain_up(m.nodes, kNear);
    chain_up(m.nodes + kNear, kFar);
    rows<Traffic::none>("nothing", m, 0);
    rows<Traffic::read>("reads", m, 1);
    rows<Traffic::write>("writes", m, 1);
    rows<Traffic::copy>("copies", m, 2);
    return 0;
}
