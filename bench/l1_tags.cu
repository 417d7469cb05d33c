// Which lines of one load L1 looks up one after the other: its tags lie in four banks, of which each looks up
// a line in a clock. Two parts:
//   bits    loads of two lines, of which one is one of the first four and the number of the other a power of
//           two: that it lies in the same bank is seen by the time. Prints for each bit of a line's number
//           which of the first four it shares a bank with: the bank is the exclusive or of these numbers
//   blocks  loads of 4 rows of 8 words and 2 rows of 16, so many bytes apart, by warps side by side: clocks
//   of
//           a load, and what the bits say
// Build: nvcc -O3 -std=c++20 -arch=native l1_tags.cu -o l1_tags   Usage: l1_tags   (a second; needs 9 GB;
// gpu/simt/access_rules has the bits, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace {

constexpr int kWarps = 32;
constexpr int kLoads = 8;
constexpr int kRounds = 400;
constexpr int kBits = 26;
constexpr std::size_t kLine = 128;
constexpr std::size_t kSpan = kLine << kBits;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "l1_tags: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

// Rows of `width` words, lines or parts of them, `pitch` bytes apart, of which a load wants the same word of
// each; each warp's first one `step` bytes behind the last one's.
struct Pattern {
    int width = 32;
    std::size_t pitch = 0, step = 0;
};

__global__ void load(const char* data, Pattern pattern, long long* clocks, float* out) {
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const char* at =
        data + std::size_t(warp) * pattern.step + std::size_t(lane / pattern.width) * pattern.pitch;
    float sum = 0;
    const auto round = [&] {
        float loaded[kLoads];
#pragma unroll
        for (int i = 0; i < kLoads; ++i)
            asm volatile("ld.global.f32 %0, [%1];" : "=f"(loaded[i]) : "l"(at + 4 * i));
#pragma unroll
        for (const float one : loaded) sum += one;
        at += __float_as_uint(loaded[kLoads - 1]);  // zero, but the assembler does not know
    };
    for (int i = 0; i < 4; ++i) round();  // L1 has them from here on
    __syncthreads();
    const long long begin = clock64();
    for (int i = 0; i < kRounds; ++i) round();
    __syncthreads();
    if (threadIdx.x == 0) *clocks = clock64() - begin;
    out[threadIdx.x] = sum;
}

class Bench {
  public:
    Bench() {
        check(cudaMalloc(&room_, 2 * kSpan), "cudaMalloc");
        check(cudaMemset(room_, 0, 2 * kSpan), "cudaMemset");
        check(cudaMalloc(&clocks_, sizeof *clocks_), "cudaMalloc");
        check(cudaMalloc(&out_, 1024 * sizeof *out_), "cudaMalloc");
        // The lines' numbers have no other bits.
        first_ =
            reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(room_) + kSpan - 1) / kSpan * kSpan);
    }
    ~Bench() {
        cudaFree(room_);
        cudaFree(clocks_);
        cudaFree(out_);
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    // Of one load, when all schedulers have eight warps that load.
    double clocks(Pattern pattern, std::size_t from = 0) {
        long long least = 0;
        for (int i = 0; i < 3; ++i) {
            load<<<1, 32 * kWarps>>>(first_ + from, pattern, clocks_, out_);
            check(cudaDeviceSynchronize(), "load");
            long long taken = 0;
            check(cudaMemcpy(&taken, clocks_, sizeof taken, cudaMemcpyDeviceToHost), "cudaMemcpy");
            least = i == 0 ? taken : std::min(least, taken);
        }
        return double(least) / (kRounds * kLoads * kWarps);
    }

  private:
    char *room_ = nullptr, *first_ = nullptr;
    long long* clocks_ = nullptr;
    float* out_ = nullptr;
};

// By bit of a line's number; -1: shares one with none of the first four, or with several.
std::vector<int> banks_of_bits(Bench& bench) {
    std::vector<int> banks;
    for (int bit = 0; bit < kBits; ++bit) {
        int bank = -1, shared = 0;
        for (int first = 0; first < 4; ++first) {
            const std::size_t line = std::size_t(1) << bit;
            if (bit < 2 ? line == std::size_t(first)
                        : bench.clocks({16, (line - std::size_t(first)) * kLine + 64, 0},
                                       std::size_t(first) * kLine) > 1.5) {
                bank = first;
                ++shared;
            }
        }
        banks.push_back(shared == 1 ? bank : -1);
    }
    return banks;
}

int bank_of(std::size_t line, const std::vector<int>& banks) {
    int bank = 0;
    for (std::size_t bit = 0; bit < banks.size(); ++bit)
        if (line >> bit & 1) bank ^= banks[bit];
    return bank;
}

// By the bits, the mean of the warps: lines of the fullest bank.
double looked_up(Pattern pattern, const std::vector<int>& banks) {
    double sum = 0;
    for (int warp = 0; warp < kWarps; ++warp) {
        std::map<int, int> lines;
        int most = 0;
        for (int row = 0; row < 32 / pattern.width; ++row) {
            const std::size_t at = std::size_t(warp) * pattern.step + std::size_t(row) * pattern.pitch;
            most = std::max(most, ++lines[bank_of(at / kLine, banks)]);
        }
        sum += most;
    }
    return sum / kWarps;
}

}  // namespace

int main() {
    Bench bench;
    std::printf("a line: %.2f clocks; two of the first four:", bench.clocks({}));
    for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b)
            std::printf(" %.2f",
                        bench.clocks({16, std::size_t(b - a) * kLine + 64, 0}, std::size_t(a) * kLine));
    std::printf("\nbits:");
    const std::vector<int> banks = banks_of_bits(bench);
    for (const int bank : banks) std::printf(" %d", bank);
    std::printf("\n");
    for (const auto& [width, beside] : {std::pair{8, 32}, {16, 64}}) {
        double worst = 0;
        for (int lines = 1; lines <= 64; ++lines) {
            const Pattern pattern{width, std::size_t(lines) * kLine + std::size_t(beside), kLine};
            const double measured = bench.clocks(pattern), said = looked_up(pattern, banks);
            worst = std::max(worst, measured > said ? measured / said : said / measured);
            std::printf("%d rows of %d words, %zu bytes apart: %.3f clocks, %.3f by the bits\n", 32 / width,
                        width, pattern.pitch, measured, said);
        }
        std::printf("worst factor %.3f\n", worst);
    }
}
