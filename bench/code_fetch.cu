// Fetching code: clocks of instructions that the instruction caches do not have.
// A loop's body of so many chunks of multiply-adds that wait for nothing, by warps that begin together or
// apart, of one multiprocessor and of all. Five parts:
//   straight  through all of it, where caches can fetch ahead
//   jumps     over each chunk, so that no line is executed which the one before tells of
//   lines     over all of a chunk but so many lines
//   places    the same by warps of a scheduler that are in loops of their own
//   kept      by one warp: loops of more and more lines, and jumps, until the first ones are gone
// Build: nvcc -O3 -std=c++17 -arch=native code_fetch.cu -o code_fetch
// (minutes, for each chunk has code of its own)
// Usage: code_fetch
// (seconds; the tables that docs/clock.md takes its figures from)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>
#include <vector>

using Rounds = unsigned long long;

// Of a warp, in clocks of its multiprocessor.
struct Span {
    long long begin, end;
};
constexpr int kWarps = 32;       // of the largest block
constexpr int kLineBytes = 128;  // of code: eight instructions
constexpr int kOverhead = 4;  // instructions of a chunk: whether to jump over it, and whether it is the last
constexpr int kChunk = 256;   // instructions of one that is gone through, 4 KB
constexpr int kMostJumps = 256;
constexpr int kFar = 17 * kLineBytes / 16;  // instructions of one that nothing fetches ahead

// Of so many instructions; those before the jump are always gone through.
template <int kInstructions, int kBefore>
static __device__ __forceinline__ void chunk(float (&value)[8], float factor, unsigned skip) {
#pragma unroll
    for (int i = 0; i < kBefore; ++i)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value[i % 8]) : "f"(factor));
    unsigned over;  // as if it could be another one in each chunk
    asm volatile("mov.u32 %0, %1;" : "=r"(over) : "r"(skip));
    if (over != 0) return;
#pragma unroll
    for (int i = 0; i < kInstructions - kBefore - kOverhead; ++i)
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value[i % 8]) : "f"(factor));
}

// Those up to the number of chunks, each with code of its own: no loop, which the compiler might leave one.
template <int kInstructions, int kBefore, unsigned... i>
static __device__ __forceinline__ void go_through(float (&value)[8], float factor, unsigned skip,
                                                  unsigned chunks, std::integer_sequence<unsigned, i...>) {
    (void)((chunk<kInstructions, kBefore>(value, factor, skip), i + 1 != chunks) && ...);
}

// What a kernel begins with, and what keeps the compiler from leaving its work out.
static __device__ __forceinline__ float factor_of_thread() {
    return 1.0f + float(threadIdx.x) * 1e-7f;
}
static __device__ __forceinline__ void begin_with(float (&value)[8], float factor) {
#pragma unroll
    for (int i = 0; i < 8; ++i) value[i] = factor + float(i);
}
static __device__ __forceinline__ void keep(const float (&value)[8], float* kept) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += value[i];
    if (sum == 12345.678f) *kept = sum;
}

// When all warps of the block have their values.
static __device__ __forceinline__ long long begin_together(float (&value)[8], float factor) {
    begin_with(value, factor);
    __syncthreads();
    return clock64();
}

// A warp begins `apart` clocks after the one before it.
template <int kInstructions, int kChunks, int kBefore = 0>
__global__ void __launch_bounds__(kWarps * 32)
    fetch(Span* spans, Rounds rounds, unsigned chunks, bool skip, int apart, float* kept) {
    const int warp = int(threadIdx.x) / 32;
    const float factor = factor_of_thread();
    float value[8];
    const long long begin = begin_together(value, factor);
    while (clock64() - begin < static_cast<long long>(apart) * warp) {
    }
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
        go_through<kInstructions, kBefore>(value, factor, skip, chunks,
                                           std::make_integer_sequence<unsigned, unsigned(kChunks)>());
    }
    keep(value, kept);
    if (blockIdx.x == 0 && threadIdx.x % 32 == 0) spans[warp] = {begin, clock64()};
}

static void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "code_fetch: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

using Kernel = void (*)(Span*, Rounds, unsigned, bool, int, float*);
struct Load {
    Kernel kernel;
    int blocks, warps;
    unsigned chunks;
    bool skip;
    int apart = 0;
};

class Bench {
  public:
    Bench() {
        check(cudaMalloc(&spans_, kWarps * sizeof(Span)), "memory");
        check(cudaMalloc(&kept_, sizeof(float)), "memory");
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    ~Bench() {
        cudaFree(spans_);
        cudaFree(kept_);
    }

    // Of three samples the median; a sample is the difference of two lengths.
    double clocks_of_round(const Load& load, double instructions) {
        const auto rounds = Rounds(std::clamp(60000.0 / instructions, 2.0, 64.0));
        (void)clocks(load, 1);
        std::vector<double> samples;
        for (int i = 0; i < 3; ++i)
            samples.push_back((clocks(load, 3 * rounds) - clocks(load, rounds)) / (2.0 * double(rounds)));
        std::sort(samples.begin(), samples.end());
        return samples[1];
    }

  private:
    double clocks(const Load& load, Rounds rounds) {
        load.kernel<<<load.blocks, 32 * load.warps>>>(spans_, rounds, load.chunks, load.skip, load.apart,
                                                      kept_);
        check(cudaDeviceSynchronize(), "launch");
        Span all[kWarps];
        check(cudaMemcpy(all, spans_, sizeof all, cudaMemcpyDeviceToHost), "copy");
        long long begin = all[0].begin, end = all[0].end;
        for (int w = 0; w < load.warps; ++w) {
            begin = std::min(begin, all[w].begin);
            end = std::max(end, all[w].end);
        }
        return double(end - begin);
    }

    Span* spans_ = nullptr;
    float* kept_ = nullptr;
};

static void straight(Bench& bench, int multiprocessors) {
    constexpr int kMost = 96;
    for (const bool apart : {false, true}) {
        std::printf("straight%s: clocks per instruction of a scheduler\nKB", apart ? ", warps apart" : "");
        for (const char* blocks : {"", "all: "})
            for (const int warps : {1, 4, 8, 16, 32}) std::printf("\t%s%d", blocks, warps);
        std::printf("\n");
        for (const int chunks : {1, 2, 4, 6, 7, 8, 10, 12, 16, 24, 30, 32, 34, 36, 40, 48, 64, kMost}) {
            std::printf("%d", 4 * chunks);
            const auto print = [&](int blocks, int warps) {
                const double instructions = double(kChunk) * chunks * std::max(1.0, warps / 4.0);
                const int delay = apart ? int(instructions / warps) : 0;
                const Load load{fetch<kChunk, kMost>, blocks, warps, unsigned(chunks), false, delay};
                std::printf("\t%.3f", bench.clocks_of_round(load, instructions) / instructions);
            };
            for (const int blocks : {1, multiprocessors})
                for (const int warps : {1, 4, 8, 16, 32}) print(blocks, warps);
            std::printf("\n");
        }
    }
}

template <int kLines>
static Kernel over_lines() {
    return fetch<kLines * kLineBytes / 16, kMostJumps>;
}

static void jumps(Bench& bench, int blocks, bool apart) {
    const int lines[] = {1, 2, 3, 5, 17};
    const Kernel kernels[] = {over_lines<1>(), over_lines<2>(), over_lines<3>(), over_lines<5>(),
                              over_lines<17>()};
    for (const int warps : {1, 4, 8, 16, 32}) {
        if (apart && warps < 8) continue;  // one of each scheduler
        std::printf(
            "%d blocks of %d warps%s: clocks of a jump, by jumps of the loop and by lines from one to the "
            "next\njumps",
            blocks, warps, apart ? " apart" : "");
        for (const int one : lines) std::printf("\t%d", one);
        std::printf("\n");
        for (const unsigned count : {4u, 8u, 12u, 16u, 20u, 24u, 32u, 48u, 64u, 80u, 96u, 112u, 128u, 160u,
                                     192u, 224u, unsigned(kMostJumps)}) {
            std::printf("%u", count);
            for (const Kernel kernel : kernels) {
                const auto clocks = [&](int delay) {
                    return bench.clocks_of_round({kernel, blocks, warps, count, true, delay}, 4.0 * count);
                };
                const double together = clocks(0);
                std::printf("\t%.1f", (apart ? clocks(int(together / warps)) : together) / count);
            }
            std::printf("\n");
        }
    }
}

// The lines of a chunk of which so many are gone through before the rest is jumped over.
template <int... kLines>
static void lines_behind_jumps(Bench& bench, int multiprocessors, std::integer_sequence<int, kLines...>) {
    const Kernel kernels[] = {fetch<kFar, kMostJumps, kLines * kLineBytes / 16>...};
    const int lines[] = {kLines...};
    for (const int blocks : {1, multiprocessors})
        for (const int warps : {1, 4, 16, 32}) {
            std::printf(
                "%d blocks of %d warps: clocks of a jump of 17 lines behind so many lines of code, by "
                "jumps\njumps",
                blocks, warps);
            for (const int one : lines) std::printf("\t%d", one);
            std::printf("\n");
            for (const unsigned count : {8u, 40u, 96u, 112u, 160u, unsigned(kMostJumps)}) {
                std::printf("%u", count);
                for (std::size_t i = 0; i < std::size(kernels); ++i) {
                    const double instructions = (4.0 + 8 * lines[i]) * count;
                    const Load load{kernels[i], blocks, warps, count, true};
                    std::printf("\t%.1f", bench.clocks_of_round(load, instructions) / count);
                }
                std::printf("\n");
            }
        }
}

// Warps of a scheduler by turns of as many places as there are: each place has a loop of its own.
template <int kPlace, int kJumps, int kBefore>
static __device__ __forceinline__ void loop_of(Rounds rounds, float (&value)[8], float factor,
                                               unsigned skip) {
#pragma unroll 1
    for (Rounds round = 0; round < rounds; ++round) {
        asm volatile("// place %0" ::"n"(kPlace));  // or the compiler makes one loop of all
        go_through<11 * kLineBytes / 16, kBefore>(value, factor, skip, unsigned(kJumps),
                                                  std::make_integer_sequence<unsigned, unsigned(kJumps)>());
    }
}
template <int kJumps, int kBefore>
__global__ void __launch_bounds__(kWarps * 32)
    places(Span* spans, Rounds rounds, unsigned number, bool skip, int each, float* kept) {
    const int warp = int(threadIdx.x) / 32;
    const float factor = factor_of_thread();
    float value[8];
    const long long begin = begin_together(value, factor);
    switch (unsigned(warp / 4 / each) % number) {
        case 0:
            loop_of<0, kJumps, kBefore>(rounds, value, factor, skip);
            break;
        case 1:
            loop_of<1, kJumps, kBefore>(rounds, value, factor, skip);
            break;
        case 2:
            loop_of<2, kJumps, kBefore>(rounds, value, factor, skip);
            break;
        default:
            loop_of<3, kJumps, kBefore>(rounds, value, factor, skip);
    }
    keep(value, kept);
    if (threadIdx.x % 32 == 0) spans[warp] = {begin, clock64()};
}

template <int kJumps>
static void at_places(Bench& bench) {
    const Kernel kernels[] = {places<kJumps, 4>, places<kJumps, 12>, places<kJumps, 28>};
    for (const int warps : {4, 8}) {
        std::printf(
            "%d warps of each scheduler: clocks of a jump of 11 lines, of %d, by places and by instructions "
            "before it\nplaces\t4\t12\t28\n",
            warps, kJumps);
        for (const unsigned number : {1u, 2u, 4u}) {
            std::printf("%u", number);
            for (const Kernel kernel : kernels) {
                const Load load{kernel, 1, 4 * warps, number, true, int(warps / number)};
                std::printf("\t%.1f", bench.clocks_of_round(load, 20.0 * kJumps) / kJumps);
            }
            std::printf("\n");
        }
    }
}

// What a loop takes beyond its instructions: more where its first lines are gone when it jumps back.
template <int... kMore>
static void kept_by_one_warp(Bench& bench, std::integer_sequence<int, kMore...>) {
    constexpr int kLeast = 38;  // lines
    const Kernel loops[] = {fetch<(kLeast + kMore) * kLineBytes / 16, 1>...};
    std::printf("one warp: clocks of a loop beyond eight for each of its lines\nlines\tclocks\n");
    for (std::size_t i = 0; i < std::size(loops); ++i) {
        const double instructions = 8.0 * double(kLeast + int(i));
        std::printf("%d\t%.2f\n", kLeast + int(i),
                    bench.clocks_of_round({loops[i], 1, 1, 1, false}, instructions) - instructions);
    }
    const Kernel jumps[] = {fetch<kFar, 32, 8>, fetch<kFar, 32, 16>};
    std::printf(
        "one warp: clocks of a jump of 17 lines behind one and two lines of code, by jumps\njumps\t1\t2\n");
    for (unsigned count = 4; count <= 24; ++count) {
        std::printf("%u", count);
        for (const Kernel kernel : jumps)
            std::printf("\t%.1f", bench.clocks_of_round({kernel, 1, 1, count, true}, 16.0 * count) / count);
        std::printf("\n");
    }
}

int main() {
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s, %d multiprocessors\n", gpu.name, gpu.multiProcessorCount);
    Bench bench;
    straight(bench, gpu.multiProcessorCount);
    for (const int blocks : {1, gpu.multiProcessorCount})
        for (const bool apart : {false, true}) jumps(bench, blocks, apart);
    lines_behind_jumps(bench, gpu.multiProcessorCount, std::integer_sequence<int, 0, 1, 2, 3, 4, 5, 6, 8>());
    at_places<24>(bench);
    at_places<128>(bench);
    kept_by_one_warp(bench, std::make_integer_sequence<int, 16>());
    return 0;
}
