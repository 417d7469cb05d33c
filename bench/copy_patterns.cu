// What device memory takes for loads, stores and copies of whole buffers, launched one after the other: by
// their size, by how many arrays a thread goes to, how far apart these lie and how many blocks are resident,
// by how many rows blocks store to at the same time, and by where the first word lies. What the
// clock's rules of turning round and of stored places are held against.
// Build: nvcc -O3 -arch=native copy_patterns.cu -o copy_patterns
// Usage: copy_patterns [once]  (some seconds; a line for each: microseconds of a launch, and GB/s of its bytes;
// `once` launches each once, for a profiler)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::exit(1);
}

enum What { kLoad = 1, kStore = 2, kCopy = 3 };

// A thread has a word of each of `kPlanes` arrays of `plane` words, which lie one behind the other; then come
// the next as many.
template <int kWhat, int kPlanes>
__global__ void planes(const float* __restrict__ source, float* __restrict__ target, unsigned plane) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t mine = size_t(thread / plane) * plane * kPlanes + thread % plane;
    float word[kPlanes];
#pragma unroll
    for (int i = 0; i < kPlanes; ++i)
        word[i] = kWhat & kLoad ? source[size_t(i) * plane + mine] : float(mine + i);
    if (kWhat & kStore) {
#pragma unroll
        for (int i = 0; i < kPlanes; ++i) target[size_t(i) * plane + mine] = word[i];
    } else {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < kPlanes; ++i) sum += word[i];
        if (sum == 1.2345f) target[0] = sum;
    }
}

// A thread has `kWords` words, a block's side by side.
template <int kWhat, int kWords>
__global__ void blocks(const float* __restrict__ source, float* __restrict__ target, int offset,
                       int offset_of_target) {
    const size_t first = size_t(blockIdx.x) * blockDim.x * kWords + threadIdx.x;
    float word[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i)
        word[i] = kWhat & kLoad ? source[offset + first + i * blockDim.x] : float(first + i);
    if (kWhat & kStore) {
#pragma unroll
        for (int i = 0; i < kWords; ++i) target[offset_of_target + first + i * blockDim.x] = word[i];
    } else {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < kWords; ++i) sum += word[i];
        if (sum == 1.2345f) target[0] = sum;
    }
}

// Of a matrix with rows of so many lines each block stores to a line in each of 32 rows, its band. The next one
// stores to the next band, and behind so many bands one to the next line of the first.
template <int kWhat>
__global__ void rows(const float* __restrict__ source, float* __restrict__ target, int lines, int bands) {
    constexpr int kEach = 4;  // lines of a warp, of eight warps
    const int group = int(blockIdx.x) / (bands * lines);
    const int place = int(blockIdx.x) % (bands * lines);
    const int row = (group * bands + place % bands) * 32 + int(threadIdx.x) / 32;
    const int lane = int(threadIdx.x) % 32;
    const size_t from = size_t(blockIdx.x) * 1024 + threadIdx.x;
    const size_t to = (size_t(row) * lines + place / bands) * 32 + lane;
    float word[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) word[i] = kWhat & kLoad ? source[from + i * 256] : float(i);
#pragma unroll
    for (int i = 0; i < kEach; ++i) target[to + size_t(i) * 8 * lines * 32] = word[i];
}

static bool once = false;

template <typename Launch>
static double microseconds(const Launch& launch) {
    if (once) {
        launch();
        check(cudaDeviceSynchronize());
        return 0;
    }
    cudaEvent_t begin;
    cudaEvent_t end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < 3; ++i) launch();
    for (int i = 0; i < 9; ++i) {
        constexpr int kLaunches = 20;
        check(cudaEventRecord(begin));
        for (int k = 0; k < kLaunches; ++k) launch();
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end));
        times.push_back(ms / kLaunches);
    }
    check(cudaGetLastError());
    std::sort(times.begin(), times.end());
    return 1e3 * times[times.size() / 2];
}

static void print(const char* name, double mib, int what, double us) {
    const double bytes = mib * 1048576 * (what == kCopy ? 2 : 1);
    std::printf("%-60s %6.0f MiB %9.2f us %7.1f GB/s\n", name, mib, us, bytes / us / 1e3);
}

static float* source;
static float* target;

template <int kWhat, int kPlanes>
static void of_planes(const char* name, size_t mib, int threads, size_t kib_of_plane = 0, int resident = 0) {
    const size_t plane = kib_of_plane > 0 ? kib_of_plane << 8 : (mib << 18) / kPlanes;
    const unsigned count = unsigned((mib << 18) / kPlanes / threads);
    // So many blocks are resident that each has its part of the shared memory.
    const int shared = resident > 0 ? (224 << 10) / resident - 1024 & ~255 : 0;
    check(cudaFuncSetAttribute(planes<kWhat, kPlanes>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    const double us = microseconds(
        [&] { planes<kWhat, kPlanes><<<count, threads, shared>>>(source, target, unsigned(plane)); });
    char text[80];
    char room[32] = "";
    if (resident > 0) std::snprintf(room, sizeof(room), ", %d resident", resident);
    std::snprintf(text, sizeof(text), "%s, %d arrays of %zu KiB, blocks of %d%s", name, kPlanes, plane >> 8,
                  threads, room);
    print(text, double(mib), kWhat, us);
}

template <int kPlanes>
static void ways_of_planes(size_t mib, int threads, size_t kib_of_plane = 0) {
    of_planes<kLoad, kPlanes>("load", mib, threads, kib_of_plane);
    of_planes<kStore, kPlanes>("store", mib, threads, kib_of_plane);
    of_planes<kCopy, kPlanes>("copy", mib, threads, kib_of_plane);
}

template <int kPlanes>
static void of_distances(size_t mib) {
    for (const size_t kib : {2, 8, 16, 32, 64, 128, 256, 512, 1024}) ways_of_planes<kPlanes>(mib, 128, kib);
}

template <int kWhat, int kWords>
static void of_blocks(const char* name, size_t mib, int offset, int offset_of_target) {
    const unsigned count = unsigned((mib << 18) / (256 * kWords));
    const double us = microseconds(
        [&] { blocks<kWhat, kWords><<<count, 256>>>(source, target, offset, offset_of_target); });
    char text[80];
    std::snprintf(text, sizeof(text), "%s, %d words, from word %d and %d on", name, kWords, offset,
                  offset_of_target);
    print(text, double(mib), kWhat, us);
}

static void of_rows(size_t mib) {
    for (const int lines : {32, 128, 512}) {
        for (int bands = 1; bands <= 1024; bands *= 2) {
            const unsigned count = unsigned(mib << 8);
            if (unsigned(bands * lines) > count) continue;
            char text[80];
            std::snprintf(text, sizeof(text), "rows of %d KiB, by %d bands", lines / 8, bands);
            const auto print_as = [&](const char* name, int what, double us) {
                char whole[100];
                std::snprintf(whole, sizeof(whole), "%s, %s", name, text);
                print(whole, double(mib), what, us);
            };
            print_as("store", kStore,
                     microseconds([&] { rows<kStore><<<count, 256>>>(source, target, lines, bands); }));
            print_as("copy", kCopy,
                     microseconds([&] { rows<kCopy><<<count, 256>>>(source, target, lines, bands); }));
        }
    }
}

int main(int argc, char** argv) {
    once = argc > 1;
    constexpr size_t kMost = size_t(1) << 30;
    check(cudaMalloc(&source, kMost + 4096));
    check(cudaMalloc(&target, kMost + 4096));
    check(cudaMemset(source, 0, kMost));
    check(cudaMemset(target, 0, kMost));
    for (const size_t mib : {64, 128, 256, 512, 1024}) {
        of_blocks<kLoad, 4>("load", mib, 0, 0);
        of_blocks<kStore, 4>("store", mib, 0, 0);
        of_blocks<kCopy, 4>("copy", mib, 0, 0);
    }
    for (const int resident : {2, 3, 4, 6, 8, 12, 16}) {
        of_planes<kCopy, 4>("copy", 512, 128, 0, resident);
        of_planes<kCopy, 16>("copy", 512, 128, 0, resident);
        of_planes<kCopy, 64>("copy", 512, 128, 0, resident);
        of_planes<kStore, 16>("store", 512, 128, 0, resident);
        of_planes<kStore, 64>("store", 512, 128, 0, resident);
    }
    of_rows(64);
    of_rows(512);
    of_distances<16>(512);
    of_distances<64>(512);
    for (const size_t mib : {64, 512}) {
        for (const int offset : {1, 8, 16, 32}) {
            of_blocks<kLoad, 4>("load", mib, offset, 0);
            of_blocks<kStore, 4>("store", mib, 0, offset);
            of_blocks<kCopy, 4>("copy", mib, offset, offset);
        }
        for (const int threads : {32, 128, 256, 1024}) {
            ways_of_planes<4>(mib, threads);
            ways_of_planes<16>(mib, threads);
            ways_of_planes<64>(mib, threads);
        }
    }
}
