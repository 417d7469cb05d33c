// What waits behind atomics that queue in a slice of L2. Every multiprocessor has one block, all begin
// together and add to words of the same 256 bytes, which one slice has, or of a KiB, which two have.
// - Room: each of eight warps adds 40 times and notes the clock behind each: as long as there is room on the
//   way to L2 these are a few clocks apart, then as far as the slice takes for all multiprocessors.
// - Behind: each of so many warps adds once, then another one loads once: a word of shared memory, a line
// that
//   L1 has, one that L2 has in another slice or in the hot one; how long it takes.
// - Lines: the same behind adds to words of lines in one, two, four and eight slices, for each of 240 lines,
//   the mean of all multiprocessors: shares of the lines, and how long these take.
// - Others: all but one block add for long, and that one loads from L2, line by line, from other slices and
// from
//   the hot one; how long each takes, sorted.
// Build: nvcc -O3 -arch=native atomic_ways.cu -o atomic_ways   Usage: atomic_ways   (seconds)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kAdds = 40;
constexpr int kAdders = 8;
constexpr int kLoads = 64;
constexpr int kKib = 256;  // words

// Of a warp: one word, 32 words of a line, a word of every sector of a KiB.
enum class Words { one, line, sectors };
enum class Load { shared, l1, other_slice, hot_slice };

static __device__ __forceinline__ unsigned now() {
    unsigned clock;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(clock)::"memory");
    return clock;
}

template <Words words>
static __device__ __forceinline__ void add(unsigned* bins, int lane, int warp) {
    unsigned* to = words == Words::one    ? bins
                   : words == Words::line ? bins + 32 * (warp % 2) + lane
                                          : bins + 8 * lane + warp % 8;
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(to) : "memory");
}

// All blocks are there: `arrived` counts up and is never reset, `round` blocks a launch.
static __device__ void begin_together(unsigned* arrived, unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (*reinterpret_cast<volatile unsigned*>(arrived) < goal) {
        }
    }
    __syncthreads();
}

template <Words words>
__global__ void room(unsigned* stamps, unsigned* bins, unsigned* arrived, unsigned goal) {
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    unsigned clocks[kAdds + 1];
    begin_together(arrived, goal);
    clocks[0] = now();
#pragma unroll
    for (int i = 0; i < kAdds; ++i) {
        add<words>(bins, lane, warp);
        clocks[i + 1] = now();
    }
    if (lane != 0 || blockIdx.x != 0) return;
    for (int i = 0; i <= kAdds; ++i) stamps[warp * (kAdds + 1) + i] = clocks[i];
}

// The last warp loads, once the others have added.
template <Words words, Load load>
__global__ void behind(unsigned* stamps, unsigned* bins, unsigned* lines, unsigned* arrived, unsigned goal,
                       int adders) {
    __shared__ unsigned own[32];
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    own[lane] = threadIdx.x;
    unsigned value = 0;
    if (load == Load::l1)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(lines + lane) : "memory");
    unsigned sum = value;
    begin_together(arrived, goal);
    if (warp < adders) return add<words>(bins, lane, warp);
    const unsigned start = now();
    while (now() - start < 400) {
    }  // they have been issued
    const unsigned begin = now();
    if (load == Load::shared) value = reinterpret_cast<volatile unsigned*>(own)[lane ^ 1];
    if (load == Load::l1)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(lines + lane) : "memory");
    if (load == Load::other_slice)
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(lines + 64 + 128 * blockIdx.x + lane)
                     : "memory");
    if (load == Load::hot_slice)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(bins + 128 + lane) : "memory");
    sum += value;
    if (sum == 12345) lines[0] = sum;
    const unsigned end = now();
    if (lane == 0) stamps[blockIdx.x] = end - begin;
}

// The last warp loads one line, the same everywhere, once the others have added `adds` times each, to `count`
// lines by turns (a power of two).
__global__ void behind_lines(unsigned* stamps, unsigned* bins, unsigned* line, unsigned* arrived,
                             unsigned goal, int adders, int adds, int count) {
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    begin_together(arrived, goal);
    if (warp < adders) {
        for (int i = 0; i < adds; ++i) {
            unsigned* to = bins + 32 * ((warp * adds + i) & (count - 1)) + lane;
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(to) : "memory");
        }
        return;
    }
    const unsigned start = now();
    while (now() - start < 1000) {
    }
    const unsigned begin = now();
    unsigned value;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(line + lane) : "memory");
    if (value == 12345) line[0] = value;
    const unsigned end = now();
    if (lane == 0) stamps[blockIdx.x] = end - begin;
}

// The first block loads meanwhile; `step`: words from one of its lines to the next.
template <Words words>
__global__ void others(unsigned* stamps, unsigned* bins, const unsigned* lines, int step, unsigned* arrived,
                       unsigned goal, int adds) {
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    begin_together(arrived, goal);
    if (blockIdx.x != 0) {
        for (int i = 0; i < adds; ++i) add<words>(bins, lane, warp);
        return;
    }
    if (warp > 0) return;
    const unsigned start = now();
    while (now() - start < 20000) {
    }
    unsigned zero = 0;
    for (int i = 0; i < kLoads; ++i) {
        unsigned value;
        const unsigned begin = now();
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(lines + i * step + lane + zero)
                     : "memory");
        zero = value & 0;  // one after the other
        asm volatile("" ::"r"(zero) : "memory");
        if (value == 12345) stamps[kLoads] = value;
        const unsigned end = now();
        if (lane == 0) stamps[i] = end - begin;
    }
}

static void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "atomic_ways: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

struct Gpu {
    unsigned *stamps = nullptr, *bins = nullptr, *lines = nullptr, *arrived = nullptr;
    int multiprocessors = 0;
    unsigned begun = 0;  // blocks, in all launches

    unsigned goal(int blocks) { return begun += unsigned(blocks); }
    std::vector<unsigned> read(std::size_t count, const char* what) const {
        check(cudaDeviceSynchronize(), what);
        std::vector<unsigned> made(count);
        check(cudaMemcpy(made.data(), stamps, count * sizeof(unsigned), cudaMemcpyDeviceToHost), what);
        return made;
    }
};

template <Words words>
static void print_room(const char* name, Gpu& gpu, int blocks) {
    std::vector<unsigned> all;
    for (int pass = 0; pass < 3; ++pass) {  // the last one finds its code
        room<words><<<blocks, 32 * kAdders>>>(gpu.stamps, gpu.bins, gpu.arrived, gpu.goal(blocks));
        all = gpu.read(kAdders * (kAdds + 1), name);
    }
    std::vector<int> issued;
    for (int w = 0; w < kAdders; ++w)
        for (int i = 1; i <= kAdds; ++i)
            issued.push_back(int(all[std::size_t(w * (kAdds + 1) + i)] - all[0]));
    std::sort(issued.begin(), issued.end());
    std::printf("room, %s, %d multiprocessors: clock of every 8th of %d adds:", name, blocks,
                kAdders * kAdds);
    for (std::size_t i = 7; i < issued.size(); i += 8) std::printf(" %d", issued[i]);
    std::printf("\n");
}

template <Words words, Load load>
static void print_behind(const char* name, Gpu& gpu) {
    std::printf("behind, %s: after 0, 1, 2, 4, 8, 16, 30 adds, median and most:", name);
    for (const int adders : {0, 1, 2, 4, 8, 16, 30}) {
        std::vector<unsigned> all;
        for (int pass = 0; pass < 3; ++pass) {
            behind<words, load><<<gpu.multiprocessors, 32 * (adders + 1)>>>(
                gpu.stamps, gpu.bins, gpu.lines, gpu.arrived, gpu.goal(gpu.multiprocessors), adders);
            all = gpu.read(std::size_t(gpu.multiprocessors), name);
        }
        std::sort(all.begin(), all.end());
        std::printf(" %u-%u", all[all.size() / 2], all.back());
    }
    std::printf("\n");
}

template <Words words>
static void print_all_behind(const char* name, Gpu& gpu) {
    std::printf("%s\n", name);
    print_behind<words, Load::shared>("shared memory", gpu);
    print_behind<words, Load::l1>("L1", gpu);
    print_behind<words, Load::other_slice>("another slice", gpu);
    print_behind<words, Load::hot_slice>("the hot slice", gpu);
}

static void print_lines(Gpu& gpu, const char* slices, int first_word, int count) {
    constexpr int kLines = 240;
    for (const int adds : {8, 16, 24, 32, 48}) {
        const int adders = adds > 24 ? adds / 2 : adds;
        std::vector<double> means;
        for (int line = 0; line < kLines; ++line) {
            std::vector<unsigned> all;
            for (int pass = 0; pass < 2; ++pass) {
                behind_lines<<<gpu.multiprocessors, 32 * (adders + 1)>>>(
                    gpu.stamps, gpu.bins + first_word, gpu.lines + 32 * (3 * line + 64), gpu.arrived,
                    gpu.goal(gpu.multiprocessors), adders, adds / adders, count);
                all = gpu.read(std::size_t(gpu.multiprocessors), "lines");
            }
            double sum = 0;
            for (const unsigned one : all) sum += one;
            means.push_back(sum / double(all.size()));
        }
        std::sort(means.begin(), means.end());
        std::printf("lines, %s, %d adds:", slices, adds);
        for (const int percent : {10, 50, 60, 70, 75, 80, 85, 90, 95, 97, 99})
            std::printf(" %d%%: %.0f", percent, means[std::size_t(kLines * percent / 100)]);
        std::printf("\n");
    }
}

// `adds` of each warp, eight or one of which every block but the first has.
template <Words words>
static void print_others(const char* name, Gpu& gpu, int adds, int warps) {
    for (const bool hot : {false, true}) {
        std::vector<unsigned> all;
        for (int pass = 0; pass < 3; ++pass) {
            others<words><<<gpu.multiprocessors, 32 * warps>>>(
                gpu.stamps, gpu.bins, hot ? gpu.bins + 128 : gpu.lines + 64, hot ? 0 : 3 * kKib, gpu.arrived,
                gpu.goal(gpu.multiprocessors), adds);
            all = gpu.read(kLoads, name);
        }
        std::sort(all.begin(), all.end());
        std::printf("others, %s, %d adds of %d warps, loads from %s:", name, adds, warps,
                    hot ? "the hot slice" : "other slices");
        for (std::size_t i = 3; i < all.size(); i += 6) std::printf(" %u", all[i]);
        std::printf("\n");
    }
}

int main() {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "device");
    Gpu gpu;
    gpu.multiprocessors = properties.multiProcessorCount;
    std::printf("%s, %d multiprocessors\n", properties.name, gpu.multiprocessors);
    constexpr std::size_t kBytes = 2 << 20;  // begins at a multiple of it
    for (unsigned** one : {&gpu.stamps, &gpu.bins, &gpu.lines, &gpu.arrived}) {
        check(cudaMalloc(one, kBytes), "memory");
        check(cudaMemset(*one, 0, kBytes), "memory");
    }
    for (const int blocks : {1, gpu.multiprocessors}) {
        print_room<Words::one>("one word", gpu, blocks);
        print_room<Words::line>("words of a line", gpu, blocks);
        print_room<Words::sectors>("32 sectors", gpu, blocks);
    }
    print_all_behind<Words::one>("adds to one word", gpu);
    print_all_behind<Words::line>("adds to words of a line", gpu);
    print_all_behind<Words::sectors>("adds to 32 sectors", gpu);
    print_lines(gpu, "one slice", 0, 2);
    print_lines(gpu, "two slices", 0, 8);
    print_lines(gpu, "four slices", 0, 16);
    print_lines(gpu, "four slices from the middle of a KiB on", 128, 8);
    print_lines(gpu, "eight slices", 0, 32);
    for (const int warps : {1, 8}) {
        print_others<Words::one>("one word", gpu, 400 / warps, warps);
        print_others<Words::line>("words of a line", gpu, 3200 / warps, warps);
        print_others<Words::sectors>("32 sectors", gpu, 800 / warps, warps);
    }
    for (unsigned* one : {gpu.stamps, gpu.bins, gpu.lines, gpu.arrived}) cudaFree(one);
    return 0;
}
