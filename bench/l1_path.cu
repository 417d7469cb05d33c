// What a multiprocessor's L1 takes for loads, stores and shared memory that come mixed, as in kernels: loops
// of one pattern reach one wavefront a clock, kernels four fifths of that. Three parts:
//   rates     bodies of instructions, one letter each (see op), by warps of one or more schedulers: clocks of
//   one
//             body of one warp
//   products  a matrix product with the rows of both factors as far apart as is asked for, so that all loads
//             find their lines in L1, or some of them none
//   order     how long a load takes behind some that L1 lacks, of the same warp and of others
// Build: nvcc -O3 -std=c++20 -arch=native l1_path.cu -o l1_path   Usage: l1_path [part]  (seconds;
// docs/clock.md takes its figures from it)

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

namespace {

constexpr int kRounds = 200;
constexpr int kMostWarps = 64;
constexpr std::size_t kStreamBytes = std::size_t(4) << 20;  // more than L1 has, less than the second level

void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "l1_path: error: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

struct Stamp {
    long long begin, end;
    unsigned multiprocessor, bodies;
};

__device__ __forceinline__ unsigned multiprocessor() {
    unsigned id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

// With both halves, so that it is read at once (CS2R) and not by way of a unit of the multiprocessor.
__device__ __forceinline__ unsigned now() {
    unsigned long long clock;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
    return unsigned(clock) + unsigned(clock >> 32);
}

constexpr const char* kBodies[] = {
    "bbbbbbbbbbbbbbbb",
    "rrrrrrrrrrrrrrrr",
    "dddddddd",
    "qqqq",
    "uuuuuuuuuuuuuuuu",
    "hhhhhhhh",
    "ssssssssssssssss",
    "tttttttttttttttt",
    "eeeeeeee",
    "EEEE",
    "cccccccc",
    "SSSSSSSSSSSSSSSS",
    "CCCCCCCC",
    "xxxxxxxxxxxxxxxx",
    "zzzzzzzzzzzzzzzz",
    "brbrbrbrbrbrbrbr",
    "BrBrBrBrBrBrBrBr",
    "rsrsrsrsrsrsrsrs",
    "rrrrrrrrssssssss",
    "dbdbdbdb",
    "hbhbhbhb",
    "cscscscs",
    "sSsSsSsSsSsSsSsS",
    "ssssssssSSSSSSSS",
    "cCcCcCcC",
    "ccCCccCC",
    "csCcsCcsC",
    "estestestest",
    "sxsxsxsxsxsxsxsx",
    "rxrxrxrxrxrxrxrx",
    "szszszszszszszsz",
    "rrrrrrrrrrrrrrrw",
    "ssssssssssssssSw",
    "iRbfiRbfiRbfiRbfiRbfiRbfiRbfiRbf",
    "iRiRiRiRiRiRiRiRiRiRiRiRiRiRiRiR",
    "rfrfrfrfrfrfrfrfrfrfrfrfrfrfrfrf",
    "rlrlrlrlrlrlrlrlrlrlrlrlrlrlrlrl",
    "rffrffrffrffrffrffrffrff",
    "rllrllrllrllrllrllrllrll",
    "sfsfsfsfsfsfsfsfsfsfsfsfsfsfsfsf",
    "rrrrrrrrrrrrrrrrffffffffffffffff",
    "rrrrrrrrrrrrrrrm",
    "rrrrrrrmrrrrrrrm",
    "rrrmrrrmrrrmrrrm",
    "rrrrrrrrrrrrrrrn",
    "rrrrrrrnrrrrrrrn",
    "rrrnrrrnrrrnrrrn",
    "sssssssmsssssssm",
    "bbbbbbbmbbbbbbbm",
    "dddmdddm",
    "hhhmhhhm",
    "mmmm",
    "nnnn",
    "rrrrrrrrrrrrrrrr|",
    "ssssssss|SSSSSSSS|",
    "ss|SS|ss|SS|",
    "cc|CC|cc|CC|",
    "||||",
    "s|s|s|s|",
    "ssssssss|",
};
constexpr int kRates = int(std::size(kBodies));

__host__ __device__ constexpr std::size_t length_of(const char* text) {
    std::size_t made = 0;
    while (text[made] != 0) ++made;
    return made;
}
// How often it is among the first letters.
__host__ __device__ constexpr int count_of(const char* text, char what, std::size_t before) {
    int made = 0;
    for (std::size_t i = 0; i < before; ++i) made += text[i] == what;
    return made;
}

struct Places {
    const char *own, *one, *row, *row8, *row16, *bytes, *two_rows, *stream, *stream_word;
    char* stores;
    unsigned shared, shared_word, shared8, shared16, shared_apart;
    const char* walking;
    int step;
    float a, b, c, d;
    unsigned bits;

    // To the same places, which the compiler does not know.
    __device__ __forceinline__ void move(int by) {
        own += by, one += by, row += by, row8 += by, row16 += by, bytes += by, two_rows += by;
        a = __int_as_float(__float_as_int(a) + by);
        shared += by, shared_word += by, shared8 += by, shared16 += by, shared_apart += by;
    }
};

// b a word of a line of the warp's own, B of one line of all; r, d, q a row of 4, 8, 16 bytes a lane; u a row
// of bytes; h two rows of 16 words in the same banks; m a line that L1 lacks, n a word of such a line; s, t,
// e, E, c shared memory: a row, a word, 8 and 16 bytes a lane, two lanes a bank; S, C stores of a row and two
// lanes a bank; z a load of no lane; w a row stored to global memory; x a shuffle; i an address further, R a
// row there; f, l an FMA, a LOP3; | a barrier
template <int body, std::size_t at>
__device__ __forceinline__ void op(Places& p, float* v) {
    constexpr char c = kBodies[body][at];
    constexpr int k = count_of(kBodies[body], c, at);
    [[maybe_unused]] float& to = v[at];
    if constexpr (c == 'b')
        asm volatile("ld.global.f32 %0, [%1+%2];" : "=f"(to) : "l"(p.own), "n"(4 * (k % 32)));
    if constexpr (c == 'B')
        asm volatile("ld.global.f32 %0, [%1+%2];" : "=f"(to) : "l"(p.one), "n"(4 * (k % 32)));
    if constexpr (c == 'r')
        asm volatile("ld.global.f32 %0, [%1+%2];" : "=f"(to) : "l"(p.row), "n"(128 * (k % 16)));
    if constexpr (c == 'd') {
        double two;
        asm volatile("ld.global.f64 %0, [%1+%2];" : "=d"(two) : "l"(p.row8), "n"(256 * (k % 8)));
        to = __int_as_float(__double2loint(two) ^ __double2hiint(two));
    }
    if constexpr (c == 'q') {
        float x, y, z;
        asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4+%5];"
                     : "=f"(to), "=f"(x), "=f"(y), "=f"(z)
                     : "l"(p.row16), "n"(512 * (k % 4)));
    }
    if constexpr (c == 'u') {
        unsigned byte;
        asm volatile("ld.global.u8 %0, [%1+%2];" : "=r"(byte) : "l"(p.bytes), "n"(128 * (k % 16)));
        to = __uint_as_float(byte);
    }
    if constexpr (c == 'h')
        asm volatile("ld.global.f32 %0, [%1+%2];" : "=f"(to) : "l"(p.two_rows), "n"(128 * (k % 16)));
    if constexpr (c == 'm')
        asm volatile("ld.global.f32 %0, [%1+%2];" : "=f"(to) : "l"(p.stream), "n"(128 * k));
    if constexpr (c == 'n')
        asm volatile("ld.global.f32 %0, [%1+%2];" : "=f"(to) : "l"(p.stream_word), "n"(128 * k));
    if constexpr (c == 's')
        asm volatile("ld.shared.f32 %0, [%1+%2];" : "=f"(to) : "r"(p.shared), "n"(128 * (k % 16)));
    if constexpr (c == 't')
        asm volatile("ld.shared.f32 %0, [%1+%2];" : "=f"(to) : "r"(p.shared_word), "n"(4 * (k % 32)));
    if constexpr (c == 'c')
        asm volatile("ld.shared.f32 %0, [%1+%2];"
                     : "=f"(to)
                     : "r"(p.shared_apart), "n"(4 * (k % 2) + 256 * (k / 2 % 8)));
    if constexpr (c == 'e') {
        float x;
        asm volatile("ld.shared.v2.f32 {%0,%1}, [%2+%3];"
                     : "=f"(to), "=f"(x)
                     : "r"(p.shared8), "n"(256 * (k % 8)));
    }
    if constexpr (c == 'E') {
        float x, y, z;
        asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4+%5];"
                     : "=f"(to), "=f"(x), "=f"(y), "=f"(z)
                     : "r"(p.shared16), "n"(512 * (k % 4)));
    }
    if constexpr (c == 'S')
        asm volatile("st.shared.f32 [%0+%1], %2;" ::"r"(p.shared), "n"(128 * (k % 16)), "f"(p.a));
    if constexpr (c == 'C')
        asm volatile("st.shared.f32 [%0+%1], %2;" ::"r"(p.shared_apart), "n"(4 * (k % 2) + 256 * (k / 2 % 8)),
                     "f"(p.a));
    if constexpr (c == 'z')
        asm volatile("{.reg .pred q; setp.lt.s32 q, %2, 0; @q ld.shared.f32 %0, [%1];}"
                     : "+f"(to)
                     : "r"(p.shared), "r"(p.step));
    if constexpr (c == 'w')
        asm volatile("st.global.f32 [%0+%1], %2;" ::"l"(p.stores), "n"(128 * k), "f"(p.a));
    if constexpr (c == 'x')
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=f"(to) : "f"(p.a), "n"(k % 31 + 1));
    if constexpr (c == 'i') asm volatile("mad.wide.s32 %0, %1, 4, %0;" : "+l"(p.walking) : "r"(p.step));
    if constexpr (c == 'R') asm volatile("ld.global.f32 %0, [%1];" : "=f"(to) : "l"(p.walking));
    if constexpr (c == 'f') {
        if constexpr (k % 4 == 0) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(p.a) : "f"(p.b));
        if constexpr (k % 4 == 1) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(p.c) : "f"(p.b));
        if constexpr (k % 4 >= 2) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(p.d) : "f"(p.b));
    }
    if constexpr (c == 'l')
        asm volatile("lop3.b32 %0, %0, %1, %2, 0x6a;" : "+r"(p.bits) : "r"(p.step), "r"(p.shared));
    if constexpr (c == '|') asm volatile("bar.sync 0;" ::: "memory");
}

__host__ __device__ constexpr bool gives(char c) {
    for (const char one : {'S', 'C', 'w', 'i', 'f', 'l', '|'})
        if (c == one) return false;
    return true;
}

template <int body, std::size_t... at>
__device__ __forceinline__ void once(Places& p, float& sum, std::index_sequence<at...>) {
    float v[length_of(kBodies[body])] = {};
    (op<body, at>(p, v), ...);
    // What was loaded is used, each once.
    ((gives(kBodies[body][at]) ? void(sum = sum + v[at]) : void()), ...);
}

template <int body>
__global__ void __launch_bounds__(1024)
    run_body(Stamp* stamps, const char* data, char* stores, int only, int schedulers, int step, float* out) {
    __shared__ float words[4096];
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32, warps = int(blockDim.x) / 32;
    if ((only >= 0 && multiprocessor() != unsigned(only)) || warp % 4 >= schedulers) return;
    for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = float(i);
    const auto shared = unsigned(__cvta_generic_to_shared(words));
    constexpr std::size_t kLength = length_of(kBodies[body]);
    constexpr int kMissing = count_of(kBodies[body], 'm', kLength) + count_of(kBodies[body], 'n', kLength);
    Places p{};
    const char* stream = data + (std::size_t(1) << 20);
    p.own = data + 128 * warp, p.one = data, p.row = data + 8192 + 4 * lane, p.row8 = data + 8192 + 8 * lane;
    p.row16 = data + 8192 + 16 * lane, p.bytes = data + 8192 + lane;
    p.two_rows = data + 8192 + 4 * (lane % 16) + 4096 * (lane / 16);
    p.stores = stores + (std::size_t(blockIdx.x) * warps + warp) * 4096 + 4 * lane;
    p.shared = shared + 4 * lane, p.shared_word = shared + 128 * (warp % 8), p.shared8 = shared + 8 * lane;
    p.shared16 = shared + 16 * lane, p.shared_apart = shared + 8 * lane;
    p.step = step, p.a = float(lane + step), p.b = 0.5F, p.bits = unsigned(lane);
    float sum = 0;
    long long begin = 0;
#pragma unroll 1
    for (int round = -20; round < kRounds; ++round) {
        if (round == 0) {
            __syncthreads();
            begin = clock64();
        }
        if constexpr (kMissing > 0) {
            // The warps of a multiprocessor go through all of it, one behind the other.
            const std::size_t line =
                (std::size_t(round + 20) * warps + warp + (blockIdx.x & 1) * 16384) * kMissing;
            p.stream_word = stream + (128 * line) % kStreamBytes;
            p.stream = p.stream_word + 4 * lane;
        }
        p.move(step);
        p.walking = p.row;
        once<body>(p, sum, std::make_index_sequence<length_of(kBodies[body])>());
    }
    const long long end = clock64();
    if (sum + p.a + p.c + p.d + __uint_as_float(p.bits) == 12345.678F) *out = sum;
    if (lane == 0) stamps[blockIdx.x * warps + warp] = {begin, end, multiprocessor(), kRounds};
}

struct Buffers {
    Stamp* stamps = nullptr;
    char *data = nullptr, *stores = nullptr;
    float* out = nullptr;
    int multiprocessors = 0;
};

// Clocks of a multiprocessor for a body of a warp: of all its warps together.
double clocks_of(const std::vector<Stamp>& stamps, int multiprocessors) {
    std::vector<double> made;
    for (int one = 0; one < multiprocessors; ++one) {
        long long begin = 0, end = 0, bodies = 0;
        for (const Stamp& stamp : stamps) {
            if (stamp.bodies == 0 || stamp.multiprocessor != unsigned(one)) continue;
            begin = bodies == 0 ? stamp.begin : std::min(begin, stamp.begin);
            end = std::max(end, stamp.end);
            bodies += stamp.bodies;
        }
        if (bodies > 0) made.push_back(double(end - begin) / double(bodies));
    }
    if (made.empty()) return 0;
    std::sort(made.begin(), made.end());
    return made[made.size() / 2];
}

template <int body>
void rate(const Buffers& on, int step = 0) {
    std::printf("%-40s", kBodies[body]);
    if (step) std::printf(" step %d", step);
    const auto with = [&](int warps, int blocks_each, int only, int schedulers) {
        const int blocks = on.multiprocessors * blocks_each;
        std::vector<Stamp> stamps(std::size_t(blocks) * std::size_t(warps));
        check(cudaMemset(on.stamps, 0, stamps.size() * sizeof(Stamp)), "stamps");
        run_body<body><<<blocks, 32 * warps>>>(on.stamps, on.data, on.stores, only, schedulers, step, on.out);
        check(cudaMemcpy(stamps.data(), on.stamps, stamps.size() * sizeof(Stamp), cudaMemcpyDeviceToHost),
              kBodies[body]);
        std::printf(" | %7.2f", clocks_of(stamps, on.multiprocessors));
    };
    with(32, 1, 0, 1);
    with(32, 1, 0, 2);
    with(8, 1, 0, 4);
    with(16, 1, 0, 4);
    with(32, 1, 0, 4);
    with(32, 1, -1, 4);
    with(32, 2, -1, 4);
    std::printf("\n");
}

void rates(const Buffers& on) {
    std::printf(
        "clocks of a body of a warp, of one multiprocessor: 8 warps of one scheduler, 16 of two | 8, 16, 32 "
        "of four | of all: 32, 64\n");
    [&]<int... body>(std::integer_sequence<int, body...>) {
        (rate<body>(on), ...);
    }
    (std::make_integer_sequence<int, kRates>());
}

// c = a * b, where row y of a begins y * a_row words from its begin, and row k of b k * b_row. (The loop is
// that of a plain product; with rows of 0 all blocks read the same.)
template <class Number>
__global__ void __launch_bounds__(256)
    multiply(Number* c, const Number* a, const Number* b, int n, int a_row, int b_row) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    Number sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * a_row + k] * b[k * b_row + x];
    c[y * n + x] = sum;
}

template <class Number>
void product(const Buffers& on, int n, int a_row, int b_row, dim3 block, int shared) {
    auto* a = reinterpret_cast<Number*>(on.data);
    auto* b = a + std::size_t(n) * n;
    auto* c = b + std::size_t(n) * n;
    check(cudaFuncSetAttribute(multiply<Number>, cudaFuncAttributeMaxDynamicSharedMemorySize, 160 * 1024),
          "shared");
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    const dim3 grid(n / block.x, n / block.y);
    const int times = std::getenv("ONCE") ? 1 : 8;
    if (times > 1) multiply<Number><<<grid, block, shared>>>(c, a, b, n, a_row, b_row);
    check(cudaEventRecord(begin), "event");
    for (int i = 0; i < times; ++i) multiply<Number><<<grid, block, shared>>>(c, a, b, n, a_row, b_row);
    check(cudaEventRecord(end), "event");
    check(cudaDeviceSynchronize(), "product");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "time");
    std::printf("product of %d-byte numbers, n %d, rows %d and %d, block %d x %d, %d KB: %.1f us\n",
                int(sizeof(Number)), n, a_row, b_row, int(block.x), int(block.y), shared / 1024,
                1e3 * ms / times);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

void products(const Buffers& on) {
    const int n = 1024;
    for (const auto [a, b] : {std::pair(n, n), {n, 0}, {0, n}, {0, 0}, {n, 32}, {32, 32}, {32, n}})
        product<float>(on, n, a, b, {32, 8}, 0);
    for (const int shared : {16, 32, 48}) product<float>(on, n, n, n, {32, 8}, shared * 1024);
    for (const int shared : {16, 32, 48}) product<float>(on, n, 0, 0, {32, 8}, shared * 1024);
    product<float>(on, n, n, n, {256, 1}, 0);
    product<float>(on, n, n, n, {16, 16}, 0);
    product<float>(on, n, 0, 0, {16, 16}, 0);
    for (const auto [a, b] : {std::pair(512, 512), {512, 0}, {0, 0}})
        product<double>(on, 512, a, b, {32, 8}, 0);
    product<double>(on, 1024, 1024, 1024, {32, 8}, 0);
    product<float>(on, 512, 512, 512, {32, 8}, 0);
}

// A load that L1 has behind loads that it lacks: from when the first is issued until the last may be used.
__global__ void behind(unsigned* clocks, const char* data, int others, float* out) {
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const char* hit = data + 4 * lane;
    float value = 0, sum = 0;
    for (int pass = 0; pass < 3; ++pass) {
        const char* missing = data + (std::size_t(1) << 20) + 65536 * pass + 4 * lane;
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(hit));
        sum += value;
        __syncthreads();
        float far[8] = {};
        const unsigned begin = now();
        if (warp == 1 || others == 0) {
#pragma unroll
            for (int i = 0; i < 8; ++i)
                asm volatile("ld.global.f32 %0, [%1];" : "=f"(far[i]) : "l"(missing + 128 * i));
        } else {
            const unsigned until = begin + 60;
            while (int(now() - until) < 0) {
            }
        }
        const unsigned before = now();
        asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(hit + 128));
        asm volatile("add.f32 %0, %0, 0f3F800000;" : "+f"(value)::"memory");
        const unsigned after = now();
        sum += value;
        if (pass == 2 && lane == 0) clocks[warp] = after - before;
        for (int i = 0; i < 8; ++i) sum += far[i];
        const unsigned all = now();
        if (pass == 2 && lane == 0) clocks[32 + warp] = all - begin;
    }
    if (sum == 12345.678F) *out = sum;
}

void order(const Buffers& on) {
    auto* clocks = reinterpret_cast<unsigned*>(on.stamps);
    for (const int others : {0, 1}) {
        for (const int warps : {1, 2, 5}) {
            if (others && warps == 1) continue;
            check(cudaMemset(on.stamps, 0, 64 * 4), "clocks");
            behind<<<1, 32 * warps>>>(
                clocks, on.data + (std::size_t(8 + others) << 20) + warps * (std::size_t(2) << 20), others,
                on.out);
            std::vector<unsigned> all(64);
            check(cudaMemcpy(all.data(), clocks, 64 * 4, cudaMemcpyDeviceToHost), "order");
            std::printf("a load that L1 has behind 8 that it lacks, %s, %d warps:",
                        others ? "of warp 1" : "of the same warp", warps);
            for (int w = 0; w < warps; ++w)
                std::printf(" %u (all %u)", all[std::size_t(w)], all[std::size_t(32 + w)]);
            std::printf("\n");
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const char* part = argc > 1 ? argv[1] : "all";
    const auto is = [&](const char* one) {
        return std::strcmp(part, "all") == 0 || std::strcmp(part, one) == 0;
    };
    cudaDeviceProp gpu{};
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    std::printf("%s, %d multiprocessors\n", gpu.name, gpu.multiProcessorCount);
    Buffers on;
    on.multiprocessors = gpu.multiProcessorCount;
    check(cudaMalloc(&on.stamps, sizeof(Stamp) * std::size_t(on.multiprocessors) * kMostWarps), "memory");
    check(cudaMalloc(&on.data, std::size_t(64) << 20), "memory");
    check(cudaMemset(on.data, 0, std::size_t(64) << 20), "memory");
    check(cudaMalloc(&on.stores, std::size_t(64) << 20), "memory");
    check(cudaMalloc(&on.out, 4), "memory");
    if (is("rates")) rates(on);
    if (is("products")) products(on);
    if (is("order")) order(on);
    return 0;
}
