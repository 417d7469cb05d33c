// Who shares the caches that code comes from: warps go straight through regions of multiply-adds, each its
// own ones, or the same ones from another begin. Regions of the schedulers of one multiprocessor, of two
// multiprocessors, and the same regions for all that share.
// Build: nvcc -O3 -std=c++17 -arch=native code_sharing.cu -o code_sharing
// Usage: code_sharing
// (a second; docs/clock.md takes its figures from this)

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

// Of a warp, in clocks of its multiprocessor.
struct Span {
    long long begin, end;
};
constexpr int kWarps = 32;       // of a block
constexpr int kLineBytes = 128;  // of code: eight instructions

static void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "code_sharing: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

// From `first` on so many regions, round and round, beginning with `begin`; no rounds: it does not run.
struct Walk {
    int first, regions, begin, rounds;
};
constexpr int kRegion = 512;  // instructions, 8 KB
constexpr int kRegions = 24;

template <int kThis>
static __device__ __forceinline__ void region(float (&value)[8], float factor) {
#pragma unroll
    for (int i = 0; i < kRegion; ++i)
        asm volatile("fma.rn.f32 %0, %0, %1, %1; // of %2"  // or the compiler makes one of all
                     : "+f"(value[i % 8])
                     : "f"(factor), "n"(kThis));
}
#define REGION(n)                 \
    case n:                       \
        region<n>(value, factor); \
        break

// One block for each multiprocessor. They begin together; a round before counts for nothing.
__global__ void __launch_bounds__(kWarps * 32)
    walk(const Walk* walks, Span* spans, int* arrived, int all, float* kept) {
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    const unsigned place = multiprocessor * kWarps + threadIdx.x / 32;
    const Walk own = walks[place];
    if (own.rounds == 0) return;
    const float factor = 1.0f + float(threadIdx.x) * 1e-7f;
    float value[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) value[i] = factor + float(i);
    if (threadIdx.x % 32 == 0) atomicAdd(arrived, 1);
    while (*static_cast<volatile int*>(arrived) < all) {
    }
    long long begin = 0;
    int at = own.begin;
#pragma unroll 1
    for (int left = own.regions * (own.rounds + 1); left > 0; --left) {
        if (left == own.regions * own.rounds) begin = clock64();
        switch (own.first + at) {
            REGION(0);
            REGION(1);
            REGION(2);
            REGION(3);
            REGION(4);
            REGION(5);
            REGION(6);
            REGION(7);
            REGION(8);
            REGION(9);
            REGION(10);
            REGION(11);
            REGION(12);
            REGION(13);
            REGION(14);
            REGION(15);
            REGION(16);
            REGION(17);
            REGION(18);
            REGION(19);
            REGION(20);
            REGION(21);
            REGION(22);
            REGION(23);
        }
        at = at + 1 == own.regions ? 0 : at + 1;
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += value[i];
    if (sum == 12345.678f) *kept = sum;
    if (threadIdx.x % 32 == 0) spans[place] = {begin, clock64()};
}

class Walks {
  public:
    explicit Walks(int multiprocessors) : places_(std::size_t(multiprocessors) * kWarps) {
        check(cudaMalloc(&walks_, places_ * sizeof(Walk)), "memory");
        check(cudaMalloc(&spans_, places_ * sizeof(Span)), "memory");
        check(cudaMalloc(&arrived_, sizeof(int)), "memory");
        check(cudaMalloc(&kept_, sizeof(float)), "memory");
        check(cudaFuncSetAttribute(walk, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "room");
        clear();
    }
    Walks(const Walks&) = delete;
    Walks& operator=(const Walks&) = delete;
    ~Walks() {
        cudaFree(walks_);
        cudaFree(spans_);
        cudaFree(arrived_);
        cudaFree(kept_);
    }

    void clear() { all_.assign(places_, {0, 0, 0, 0}); }
    Walk& at(int multiprocessor, int warp = 0) { return all_[std::size_t(multiprocessor) * kWarps + warp]; }
    // Of a line, on average of all warps that run.
    double clocks_of_line() {
        int running = 0;
        for (const Walk& one : all_) running += one.rounds > 0;
        check(cudaMemcpy(walks_, all_.data(), places_ * sizeof(Walk), cudaMemcpyHostToDevice), "copy");
        check(cudaMemset(arrived_, 0, sizeof(int)), "memory");
        walk<<<unsigned(places_ / kWarps), kWarps * 32, kShared>>>(walks_, spans_, arrived_, running, kept_);
        check(cudaDeviceSynchronize(), "launch");
        std::vector<Span> spans(places_);
        check(cudaMemcpy(spans.data(), spans_, places_ * sizeof(Span), cudaMemcpyDeviceToHost), "copy");
        double sum = 0;
        for (std::size_t i = 0; i < places_; ++i) {
            const Walk& one = all_[i];
            const double lines = double(one.rounds) * one.regions * kRegion * 16 / kLineBytes;
            if (one.rounds > 0) sum += double(spans[i].end - spans[i].begin) / lines;
        }
        return sum / running;
    }

  private:
    static constexpr int kShared = 120 * 1024;  // no second block beside the first
    std::size_t places_;
    std::vector<Walk> all_;
    Walk* walks_ = nullptr;
    Span* spans_ = nullptr;
    int* arrived_ = nullptr;
    float* kept_ = nullptr;
};

static void walks(int multiprocessors) {
    constexpr int kRounds = 6;
    Walks walks(multiprocessors);
    std::printf("straight, each warp of one scheduler in regions of its own: clocks of a line\nKB");
    for (const int warps : {1, 2, 3, 4}) std::printf("\t%d", warps);
    for (const int regions : {1, 2, 3, 4, 6}) {
        std::printf("\n%d", 8 * regions);
        for (const int warps : {1, 2, 3, 4}) {
            walks.clear();
            for (int warp = 0; warp < warps; ++warp)
                walks.at(0, warp) = {warp * regions, regions, 0, kRounds};
            std::printf("\t%.1f", walks.clocks_of_line());
        }
    }
    // Two that share what holds 128 KB slow each other down by 96 KB each.
    constexpr int kHalf = kRegions / 2;
    walks.clear();
    walks.at(0) = {0, kHalf, 0, kRounds};
    const double alone = walks.clocks_of_line();
    std::vector<int> sharers{0};
    for (int other = 1; other < multiprocessors; ++other) {
        walks.clear();
        walks.at(0) = {0, kHalf, 0, kRounds};
        walks.at(other) = {kHalf, kHalf, 0, kRounds};
        if (walks.clocks_of_line() > 1.3 * alone) sharers.push_back(other);
    }
    std::printf(
        "\n96 KB of one multiprocessor: %.1f clocks of a line; those of others of their own slow it "
        "down:",
        alone);
    for (const int one : sharers) std::printf(" %d", one);
    std::vector<int> all;
    all.resize(std::size_t(multiprocessors));
    std::iota(all.begin(), all.end(), 0);
    for (const std::vector<int>& those : {sharers, all}) {
        std::printf(
            "\n%s in the same regions: clocks of a line\nKB\tmultiprocessors\tone warp each, in "
            "step\tpairs half a round apart\tall apart\tfour warps apart\n",
            those.size() < all.size() ? "these" : "all");
        for (const int regions : {6, kHalf, kRegions})
            for (std::size_t number = 2; number <= those.size(); number += those.size() < 20 ? 2 : 130) {
                std::printf("%d\t%zu", 8 * regions, number);
                for (const int way : {0, 1, 2, 3}) {
                    walks.clear();
                    for (std::size_t i = 0; i < number; ++i)
                        for (int warp = 0; warp < (way == 3 ? 4 : 1); ++warp) {
                            const int place = int(i) * 5 + int(i) % 2 * regions / 2;
                            const int begin = way == 0   ? 0
                                              : way == 1 ? int(i) % 2 * regions / 2
                                                         : (place + warp * regions / 4) % regions;
                            walks.at(those[i], warp) = {0, regions, begin, kRounds};
                        }
                    std::printf("\t%.1f", walks.clocks_of_line());
                }
                std::printf("\n");
            }
    }
}

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s, %d multiprocessors\n", gpu.name, gpu.multiProcessorCount);
    walks(gpu.multiProcessorCount);
    return 0;
}
