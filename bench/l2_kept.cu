// What of the bytes that launches touch one after the other the second level has still, by how many these
// are: for Nsight Compute, which counts what device memory gives and takes. Each size is launched eleven
// times with each way of touching it, of which the last is another kernel, `measured`; each is announced by a
// line "case: ...", in the order of its rows. Build: nvcc -O3 -std=c++20 -arch=native l2_kept.cu -o l2_kept
// Usage: ncu --replay-mode application --cache-control none --clock-control none -k regex:measured
//            --metrics dram__bytes_read.sum,dram__bytes_write.sum --csv --page raw ./l2_kept
// (seconds; gpu/analysis/l2_share has the rule, docs/clock.md the figures)

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr std::size_t kMost = std::size_t(160) << 20;
constexpr int kBefore = 10;   // launches
constexpr int kWidth = 4096;  // of the points
constexpr int kThreads = 256;

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "l2_kept: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

// load: words; copy: words to words; points: bytes to bytes, each from 3 x 3; store: words; gray: words to
// bytes.
enum class Way { load, copy, points, store, gray };
constexpr Way kWays[] = {Way::load, Way::copy, Way::points, Way::store, Way::gray};
constexpr const char* kNames[] = {"load", "copy", "3x3 points", "store", "gray"};

template <Way way>
__device__ void touch(unsigned* out, const unsigned* in, std::size_t count) {
    if constexpr (way == Way::points) {
        const auto* from = reinterpret_cast<const unsigned char*>(in);
        const int x = int(blockIdx.x) * 32 + int(threadIdx.x);
        const int y = int(blockIdx.y) * 8 + int(threadIdx.y);
        const int height = int(count / kWidth);
        if (x < 1 || y < 1 || x >= kWidth - 1 || y >= height - 1) return;
        int sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) sum += from[(y + dy) * kWidth + x + dx];
        reinterpret_cast<unsigned char*>(out)[y * kWidth + x] = static_cast<unsigned char>(sum / 9);
    } else {
        const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
        if (i >= count) return;
        if constexpr (way == Way::load)
            if (in[i] == 12345) out[0] = 1;
        if constexpr (way == Way::copy) out[i] = in[i];
        if constexpr (way == Way::store) out[i] = unsigned(i);
        if constexpr (way == Way::gray) reinterpret_cast<unsigned char*>(out)[i] = in[i] >> 8;
    }
}

template <Way way>
__global__ void usual(unsigned* out, const unsigned* in, std::size_t count) {
    touch<way>(out, in, count);
}
template <Way way>
__global__ void measured(unsigned* out, const unsigned* in, std::size_t count) {
    touch<way>(out, in, count);
}

// Bytes of an element, loaded and stored.
template <Way way>
constexpr std::size_t kBytes = way == Way::copy     ? 8
                               : way == Way::points ? 2
                               : way == Way::gray   ? 5
                                                    : 4;

template <Way way>
void row(unsigned* out, const unsigned* in, std::size_t bytes) {
    const std::size_t count = bytes / kBytes<way>;
    const bool points = way == Way::points;
    const dim3 block = points ? dim3(32, 8) : dim3(kThreads);
    const dim3 grid = points ? dim3(kWidth / 32, unsigned(count / kWidth / 8))
                             : dim3(unsigned((count + kThreads - 1) / kThreads));
    std::printf("case: %s, %zu MiB\n", kNames[int(way)], bytes >> 20);
    for (int i = 0; i < kBefore; ++i) usual<way><<<grid, block>>>(out, in, count);
    measured<way><<<grid, block>>>(out, in, count);
    check(cudaDeviceSynchronize(), kNames[int(way)]);
}

}  // namespace

int main() {
    unsigned *in = nullptr, *out = nullptr;
    check(cudaMalloc(&in, kMost), "memory");
    check(cudaMalloc(&out, kMost), "memory");
    check(cudaMemset(in, 1, kMost), "memory");
    check(cudaMemset(out, 1, kMost), "memory");
    for (const std::size_t mib : {16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 96}) {
        const std::size_t bytes = mib << 20;
        row<kWays[0]>(out, in, bytes);
        row<kWays[1]>(out, in, bytes);
        row<kWays[2]>(out, in, bytes);
        row<kWays[3]>(out, in, bytes);
        row<kWays[4]>(out, in, bytes);
    }
    return 0;
}
