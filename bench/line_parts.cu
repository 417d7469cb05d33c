// Parts of lines: what device memory takes for lines of which only some bytes are wanted, and for such that lie apart.
// Of every so many bytes of 512 MiB the first ones are loaded, stored or copied, by words of 4 or 16 bytes, side by
// side; and halves of lines by different blocks, one after the other. What the clock's costs of lines are held against.
// Build: nvcc -O3 -std=c++20 -arch=native line_parts.cu -o line_parts
// Usage: line_parts  (some seconds; a line for each: microseconds of a launch among others, and of one touched line how
// many times as long as of the first row, which is whole lines side by side, or all sectors in part)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t kBytes = std::size_t(512) << 20, kLine = 128;
constexpr int kThreads = 256;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "line_parts: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

enum class Move { load, store, copy };

__device__ float first_of(float word) {
    return word;
}
__device__ float first_of(float4 word) {
    return word.x;
}
__device__ void fill(float& word, float value) {
    word = value;
}
__device__ void fill(float4& word, float value) {
    word = make_float4(value, value, value, value);
}

// Of each `step` bytes the first `words`, a thread one.
template <typename Word, Move move>
__global__ void parts(char* to, const char* from, int words, std::size_t step, std::size_t all) {
    const std::size_t i = blockIdx.x * std::size_t(kThreads) + threadIdx.x;
    if (i >= all) return;
    const std::size_t at = i / words * step + i % words * sizeof(Word);
    Word word;
    if constexpr (move == Move::store)
        fill(word, float(i));
    else
        word = *reinterpret_cast<const Word*>(from + at);
    if constexpr (move != Move::load)
        *reinterpret_cast<Word*>(to + at) = word;
    else if (first_of(word) == 1.2345f)
        *reinterpret_cast<Word*>(to + at) = word;
}

// All lines, their first halves by a block and their second ones by the next.
__global__ void halves(char* to) {
    constexpr int kOfHalf = kLine / 2 / sizeof(float4);
    const std::size_t line = blockIdx.x / 2 * std::size_t(kThreads / kOfHalf) + threadIdx.x / kOfHalf;
    const std::size_t at = line * kLine + (blockIdx.x % 2 * kOfHalf + threadIdx.x % kOfHalf) * sizeof(float4);
    *reinterpret_cast<float4*>(to + at) = make_float4(1, 2, 3, 4);
}

template <typename Launch>
double microseconds(const Launch& launch) {
    constexpr int kTogether = 4, kSamples = 7;
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    std::vector<float> times;
    launch();
    for (int i = 0; i < kSamples; ++i) {
        check(cudaEventRecord(begin), "event");
        for (int k = 0; k < kTogether; ++k) launch();
        check(cudaGetLastError(), "launch");
        check(cudaEventRecord(end), "event");
        check(cudaEventSynchronize(end), "run");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end), "time");
        times.push_back(1e3f * ms / kTogether);
    }
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
    std::sort(times.begin(), times.end());
    return times[kSamples / 2];
}

struct Buffers {
    char *to = nullptr, *from = nullptr;
};

template <typename Word, Move move>
double time_of(const Buffers& buffers, std::size_t bytes, std::size_t step) {
    const std::size_t words = bytes / sizeof(Word), all = kBytes / step * words;
    const auto blocks = unsigned((all + kThreads - 1) / kThreads);
    return microseconds([&] {
        parts<Word, move><<<blocks, kThreads>>>(buffers.to, buffers.from, int(words), step, all);
    });
}

struct Row {
    double us[3];  // load, store, copy
};

// `first`: what lines are compared with; null: with themselves.
template <typename Word>
Row print_row(const Buffers& buffers, std::size_t bytes, std::size_t step, const Row* first) {
    const Row row{{time_of<Word, Move::load>(buffers, bytes, step), time_of<Word, Move::store>(buffers, bytes, step),
                   time_of<Word, Move::copy>(buffers, bytes, step)}};
    // Touched lines among all: of several in a row as many as they are.
    const double lines = double(std::max(bytes, kLine)) / double(std::max(step, kLine));
    std::printf("%4zu of %4zu:", bytes, step);
    for (int move = 0; move < 3; ++move)
        std::printf("  %-5s %6.1f us %5.2f", std::data({"load", "store", "copy"})[move], row.us[move],
                    row.us[move] / lines / (first ? first : &row)->us[move]);
    std::printf("\n");
    return row;
}

}  // namespace

int main() {
    Buffers buffers;
    check(cudaMalloc(&buffers.to, kBytes), "memory");
    check(cudaMalloc(&buffers.from, kBytes), "memory");
    check(cudaMemset(buffers.to, 0, kBytes), "clear");
    check(cudaMemset(buffers.from, 0, kBytes), "clear");
    const Row whole = print_row<float4>(buffers, kLine, kLine, nullptr);
    for (const std::size_t bytes : {32, 64, 96, 128, 256, 512})
        for (std::size_t step = 32; step <= 4096; step *= 2)
            if (step > bytes) print_row<float4>(buffers, bytes, step, &whole);
    std::printf("words of four bytes, so that what is stored is no whole sector\n");
    const Row words = print_row<float>(buffers, 4, 8, nullptr);
    for (std::size_t step = 16; step <= 4096; step *= 2) print_row<float>(buffers, 4, step, &words);
    std::printf("halves of lines, by different blocks: store %.1f us\n",
                microseconds([&] { halves<<<unsigned(kBytes / kThreads / sizeof(float4)), kThreads>>>(buffers.to); }));
    return 0;
}
