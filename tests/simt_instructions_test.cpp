// Instructions of the simulated GPU that are more than arithmetic: what a warp does together, memory, calls,
// constants, textures, special registers.

#include <cstdint>
#include <limits>
#include <set>
#include <utility>

#include "simt_support.h"

namespace ws {
namespace {

using testing::Kernel;

TEST(SimtInstructions, WarpOperations) {
    WS_NEED_COMPILER();
    std::vector<unsigned> d(32 * 9);
    Kernel kernel(R"(extern "C" __global__ void k(unsigned* d) { unsigned i = threadIdx.x, all = 0xffffffffu;
        d[i] = __shfl_up_sync(all, i, 3); d[32 + i] = __shfl_down_sync(all, i, 5, 16); d[64 + i] = __shfl_xor_sync(all, i, 6);
        d[96 + i] = __shfl_sync(all, i, i * 7, 8); d[128 + i] = __ballot_sync(all, i % 3 == 0);
        d[160 + i] = __any_sync(all, i == 40) + 2 * __all_sync(all, i < 32);
        d[192 + i] = __match_any_sync(all, i / 5); d[224 + i] = __activemask();
        int same; d[256 + i] = __match_all_sync(all, 7, &same) + same; })",
                  "k");
    const auto outcome = kernel.buffer(d, false).run({1, 1, 1}, {32, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    for (unsigned i = 0; i < 32; ++i) {
        EXPECT_EQ(d[i], i < 3 ? i : i - 3);
        EXPECT_EQ(d[32 + i], i % 16 + 5 < 16 ? i + 5 : i);
        EXPECT_EQ(d[64 + i], i ^ 6);
        EXPECT_EQ(d[96 + i], i / 8 * 8 + i * 7 % 8);
        EXPECT_EQ(d[128 + i], 0x49249249u);
        EXPECT_EQ(d[160 + i], 2u);
        unsigned group = 0;
        for (unsigned k = 0; k < 32; ++k) group |= unsigned(k / 5 == i / 5) << k;
        EXPECT_EQ(d[192 + i], group);
        EXPECT_EQ(d[224 + i], ~0u);
        EXPECT_EQ(d[256 + i], 0u);  // all lanes and 1
    }
}

TEST(SimtInstructions, AtomicSumsWrap) {
    WS_NEED_COMPILER();
    std::vector<int> d{std::numeric_limits<int>::max(), std::numeric_limits<int>::min()};
    Kernel kernel(R"(extern "C" __global__ void k(int* d) { atomicAdd(d, 1); atomicAdd(d + 1, -1); })", "k");
    const auto outcome = kernel.buffer(d).run({1, 1, 1}, {1, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    EXPECT_EQ(d[0], std::numeric_limits<int>::min());
    EXPECT_EQ(d[1], std::numeric_limits<int>::max());
}

TEST(SimtInstructions, AtomicsOfAllBlocks) {
    WS_NEED_COMPILER();
    std::vector<unsigned> d(8);
    std::vector<float> f(1);
    std::vector<double> g(1);
    d[2] = ~0u;
    d[5] = 12;
    Kernel kernel(
        R"(extern "C" __global__ void k(unsigned* d, float* f, double* g) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        atomicAdd(&d[0], 1u); atomicMax(&d[1], i); atomicMin(&d[2], i + 3); atomicOr(&d[3], 1u << (i % 32));
        atomicXor(&d[4], i); atomicCAS(&d[5], 12u, 13u); atomicInc(&d[6], 9u); atomicExch(&d[7], 5u);
        atomicAdd(f, 1.0f); atomicAdd(g, 0.5); })",
        "k");
    const auto outcome = kernel.buffer(d).buffer(f).buffer(g).run({40, 1, 1}, {96, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    EXPECT_EQ(d, (std::vector<unsigned>{3840, 3839, 3, ~0u, 0, 13, 0, 5}));
    EXPECT_EQ(f[0], 3840);
    EXPECT_EQ(g[0], 1920);
    EXPECT_EQ(outcome.counters.total.atomics, 40u * 3 * 10);
}

TEST(SimtInstructions, AsynchronousCopies) {
    WS_NEED_COMPILER();
    std::vector<unsigned> d(64, 7);
    std::vector<unsigned> s(64);
    for (unsigned i = 0; i < 64; ++i) s[i] = 1000 + i;
    Kernel kernel(
        R"(extern "C" __global__ void k(unsigned* d, const unsigned* s) {
        __shared__ uint4 shared[16]; unsigned i = threadIdx.x;
        unsigned to = (unsigned)__cvta_generic_to_shared(&shared[i]);
        if (i < 8) asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(s + 4 * i), "r"(i == 3 ? 0 : i == 4 ? 6 : 16));
        else asm volatile("cp.async.ca.shared.global [%0 + 4], [%1 + 8], 4;" :: "r"(to), "l"(s + 4 * i));
        asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        uint4 v = i < 8 ? shared[i] : make_uint4(0, shared[i].y, 0, 0);
        d[4 * i] = v.x; d[4 * i + 1] = v.y; d[4 * i + 2] = v.z; d[4 * i + 3] = v.w; })",
        "k", "RTX 3060", 80);
    const auto outcome = kernel.buffer(d).buffer(s).run({1, 1, 1}, {16, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    for (unsigned i = 0; i < 64; ++i) {
        const unsigned lane = i / 4;
        unsigned expected = 1000 + i;
        if (lane == 3) expected = 0;
        if (lane == 4) expected = i % 4 == 0 ? 1016 : i % 4 == 1 ? 1017 & 0xFFFF : 0;
        if (lane >= 8) expected = i % 4 == 1 ? 1000 + 4 * lane + 2 : 0;
        EXPECT_EQ(d[i], expected) << i;
    }
    // Loads of 7 lanes in one request (lane 3 reads nothing), of 8 lanes in another.
    EXPECT_EQ(outcome.counters.total.global_load.requests, 2u);
    EXPECT_EQ(outcome.counters.total.global_load.bytes_requested, 7u * 16 + 8 * 4);
}

TEST(SimtInstructions, AsynchronousCopyBeyondABufferIsFound) {
    WS_NEED_COMPILER();
    std::vector<unsigned> s(4);
    Kernel kernel(
        R"(extern "C" __global__ void k(const unsigned* s) { __shared__ uint4 shared[32];
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(&shared[threadIdx.x])), "l"(s + 4 * threadIdx.x)); })",
        "k", "RTX 3060", 80);
    const auto outcome = kernel.buffer(s).run({1, 1, 1}, {2, 1, 1});
    ASSERT_FALSE(outcome.counters.findings.empty());
    EXPECT_EQ(outcome.counters.findings[0].kind, Finding::Kind::out_of_bounds);
}

TEST(SimtInstructions, CallsAndLocalArrays) {
    WS_NEED_COMPILER();
    std::vector<int> d(64);
    Kernel kernel(R"(
        __device__ __noinline__ int scaled(int a, int b) { return a > 20 ? a * b : a + b; }
        __device__ __noinline__ long long twice(int a) { int v = scaled(a, 3); return 2ll * v + (a % 2 ? scaled(v, 2) : 0); }
        extern "C" __global__ void k(int* d, int n) { int local[8]; int i = threadIdx.x;
            for (int k = 0; k < 8; ++k) local[k] = i * k;
            d[i] = (int)twice(i) + local[(i + n) % 8]; })",
                  "k");
    const auto outcome = kernel.buffer(d, false).value(5).run({1, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    const auto scaled = [](int a, int b) { return a > 20 ? a * b : a + b; };
    for (int i = 0; i < 64; ++i) {
        const int v = scaled(i, 3);
        EXPECT_EQ(d[std::size_t(i)], 2 * v + (i % 2 ? scaled(v, 2) : 0) + i * ((i + 5) % 8)) << i;
    }
    EXPECT_GT(outcome.counters.total.local_store.requests, 0u);
}

TEST(SimtInstructions, SwitchesConstantsAndDynamicShared) {
    WS_NEED_COMPILER();
    std::vector<int> d(128);
    Kernel kernel(R"(
        __constant__ int table[6] = {5, 4, 3, 2, 1, 9}; __device__ int counter = 40;
        extern __shared__ int words[];
        extern "C" __global__ void k(int* d) { int i = threadIdx.x; words[i] = i; __syncthreads(); int r = words[127 - i];
            switch (i % 7) { case 0: r += 1; break; case 1: r *= 2; break; case 2: r -= 7; break; case 3: r ^= 21; break;
                             case 4: r = r / 3; break; case 5: r = table[r % 6]; break; default: r += counter; }
            d[i] = r; })",
                  "k");
    kernel.launch().dynamic_shared_bytes = 512;
    const auto outcome = kernel.buffer(d, false).run({1, 1, 1}, {128, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    const int table[] = {5, 4, 3, 2, 1, 9};
    for (int i = 0; i < 128; ++i) {
        int r = 127 - i;
        switch (i % 7) {
            case 0:
                r += 1;
                break;
            case 1:
                r *= 2;
                break;
            case 2:
                r -= 7;
                break;
            case 3:
                r ^= 21;
                break;
            case 4:
                r = r / 3;
                break;
            case 5:
                r = table[r % 6];
                break;
            default:
                r += 40;
        }
        EXPECT_EQ(d[std::size_t(i)], r) << i;
    }
}

TEST(SimtInstructions, Textures) {
    WS_NEED_COMPILER();
    std::vector<float> texels(8 * 4);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = float(i);
    std::vector<float> d(3);
    Kernel kernel(R"(extern "C" __global__ void k(float* d, unsigned long long t) {
        d[0] = tex2D<float>(t, 3.5f, 2.5f); d[1] = tex2D<float>(t, -5.0f, 2.5f); d[2] = tex2D<float>(t, 4.0f, 1.0f); })",
                  "k");
    for (const bool linear : {false, true}) {
        for (const auto mode : {simt::Texture::Address::clamp, simt::Texture::Address::wrap}) {
            simt::Texture texture;
            texture.data = reinterpret_cast<const std::byte*>(texels.data());
            texture.width = 8;
            texture.height = 4;
            texture.linear = linear;
            texture.address = mode;
            Kernel run = kernel;
            run.texture(texture);
            const auto outcome = run.buffer(d, false).value(std::uint64_t(1)).run({1, 1, 1}, {1, 1, 1});
            EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
            EXPECT_EQ(d[0], 19.0f);
            const bool wraps = mode == simt::Texture::Address::wrap;
            EXPECT_EQ(d[1], wraps ? (linear ? 18.5f : 19.0f) : 16.0f);
            EXPECT_EQ(d[2], linear ? 7.5f : 12.0f);
        }
    }
}

simt::Texture four_by_four(const std::vector<float>& texels) {
    simt::Texture texture;
    texture.data = reinterpret_cast<const std::byte*>(texels.data());
    texture.width = texture.height = 4;
    return texture;
}

TEST(SimtInstructions, TexturesAddressWhatLiesOutside) {
    WS_NEED_COMPILER();
    std::vector<float> texels(16);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = float(i + 1);
    constexpr int kSteps = 17;  // texels -8 to 8 of the second row
    std::vector<float> d(kSteps);
    const Kernel kernel(R"(extern "C" __global__ void k(float* d, unsigned long long t) {
        if (threadIdx.x < 17) d[threadIdx.x] = tex2D<float>(t, (int(threadIdx.x) - 7.5f) / 4, 0.375f); })",
                        "k");
    using Address = simt::Texture::Address;
    const std::vector<std::pair<Address, std::vector<float>>> cases{
        {Address::clamp, {5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 7, 8, 8, 8, 8, 8, 8}},
        {Address::wrap, {5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 5}},
        {Address::border, {0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0, 0}},
        {Address::mirror, {5, 6, 7, 8, 8, 7, 6, 5, 5, 6, 7, 8, 8, 7, 6, 5, 5}}};
    for (const auto& [address, expected] : cases) {
        simt::Texture texture = four_by_four(texels);
        texture.normalised_coordinates = true;
        texture.address = address;
        const auto outcome = Kernel(kernel)
                                 .texture(texture)
                                 .buffer(d, false)
                                 .value(std::uint64_t(1))
                                 .run({1, 1, 1}, {32, 1, 1});
        EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
        EXPECT_EQ(d, expected) << int(address);
    }
}

// tex(x) = (1 - a) T[i] + a T[i + 1], where a has 8 bits of fraction.
TEST(SimtInstructions, TexturesAreFilteredWithEightBits) {
    WS_NEED_COMPILER();
    const std::vector<float> texels{0, 1, 0, 0, 4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    std::vector<float> d(4);
    simt::Texture texture = four_by_four(texels);
    texture.linear = true;
    const auto outcome = Kernel(R"(extern "C" __global__ void k(float* d, unsigned long long t) {
        d[0] = tex2D<float>(t, 0.8f, 0.5f); d[1] = tex2D<float>(t, 0.5f + 1.0f / 512, 0.5f);
        d[2] = tex2D<float>(t, 0.5f + 1.0f / 1024, 0.5f); d[3] = tex2D<float>(t, 0.75f, 1.0f); })",
                                "k")
                             .texture(texture)
                             .buffer(d, false)
                             .value(std::uint64_t(1))
                             .run({1, 1, 1}, {1, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    EXPECT_EQ(d[0], 77.0f / 256) << "0.3 is 76.8 of 256";
    EXPECT_EQ(d[1], 1.0f / 256);
    EXPECT_EQ(d[2], 0.0f);
    EXPECT_EQ(d[3], (0.75f * 0 + 0.25f * 1 + 0.75f * 4 + 0.25f * 2) / 2);
}

TEST(SimtInstructions, CoordinatesThatAreNoNumbersDoNoHarm) {
    WS_NEED_COMPILER();
    std::vector<float> texels(16, 3);
    for (const bool linear : {false, true}) {
        for (const auto address : {simt::Texture::Address::clamp, simt::Texture::Address::wrap,
                                   simt::Texture::Address::border, simt::Texture::Address::mirror}) {
            std::vector<float> d(3);
            simt::Texture texture = four_by_four(texels);
            texture.linear = linear;
            texture.address = address;
            const auto outcome = Kernel(R"(extern "C" __global__ void k(float* d, unsigned long long t) {
                d[0] = tex2D<float>(t, __int_as_float(0x7fffffff), 1.0f);
                d[1] = tex2D<float>(t, 1e30f, -1e30f);
                d[2] = tex2D<float>(t, 1.0f, -__int_as_float(0x7f800000)); })",
                                        "k")
                                     .texture(texture)
                                     .buffer(d, false)
                                     .value(std::uint64_t(1))
                                     .run({1, 1, 1}, {1, 1, 1});
            EXPECT_FALSE(outcome.stopped);
        }
    }
}

// In tiles of 64 bytes x 8 rows: sectors of 16 bytes x 2 rows, lines of 32 bytes x 4 rows.
TEST(SimtInstructions, TexelsLieInTiles) {
    simt::Texture texture;
    texture.width = 40;  // of 4 bytes: 2.5 tiles across
    texture.height = 20;
    texture.channels = 4;
    texture.bytes = true;
    texture.base = 1 << 20;
    const auto at = [&](int x, int y) { return simt::address_of(texture, x, y) - texture.base; };
    EXPECT_EQ(at(0, 0), 0u);
    EXPECT_EQ(at(3, 0) / 32, at(0, 1) / 32) << "one sector";
    EXPECT_NE(at(4, 0) / 32, at(0, 0) / 32);
    EXPECT_NE(at(0, 2) / 32, at(0, 0) / 32);
    EXPECT_EQ(at(7, 3) / 128, 0u) << "one line";
    EXPECT_NE(at(8, 0) / 128, 0u);
    EXPECT_NE(at(0, 4) / 128, 0u);
    EXPECT_EQ(at(15, 7) / 512, 0u) << "one tile";
    EXPECT_EQ(at(16, 0), 512u);
    EXPECT_EQ(at(0, 8), 3 * 512u);
    EXPECT_EQ(simt::bytes_of(texture), 9 * 512u);
    std::set<std::uint64_t> places;
    for (int y = 0; y < texture.height; ++y) {
        for (int x = 0; x < texture.width; ++x) {
            EXPECT_LT(at(x, y), simt::bytes_of(texture));
            EXPECT_TRUE(places.insert(at(x, y)).second) << x << ", " << y;
        }
    }
    texture.height = 1;
    EXPECT_EQ(at(33, 0), 4 * 33u) << "linear memory";
}

TEST(SimtInstructions, TexturesCountSectorsAndHits) {
    WS_NEED_COMPILER();
    std::vector<std::uint8_t> texels(4 * 64 * 64, 7);
    simt::Texture texture;
    texture.data = reinterpret_cast<const std::byte*>(texels.data());
    texture.width = texture.height = 64;
    texture.channels = 4;
    texture.bytes = true;
    std::vector<unsigned> d(64);
    // Twice the same texels: a row, a column or a tile of 8 x 4.
    const Kernel kernel(
        R"(extern "C" __global__ void k(unsigned* d, unsigned long long t, int across, int down) {
        const int i = threadIdx.x;
        const float x = across == 1 ? 0 : i % across, y = down == 1 ? 0 : i / across;
        d[i] = tex2D<uchar4>(t, x, y).x; d[32 + i] = tex2D<uchar4>(t, x, y).y; })",
        "k");
    struct Case {
        int across, down;
        unsigned sectors, lines;
    };
    for (const Case one : {Case{32, 1, 8, 4}, Case{1, 32, 16, 8}, Case{8, 4, 4, 1}}) {
        Kernel run = kernel;
        run.options().model_caches = true;
        run.options().track_touched = true;
        const auto outcome = run.texture(texture)
                                 .buffer(d, false)
                                 .value(std::uint64_t(1))
                                 .value(one.across)
                                 .value(one.down)
                                 .run({1, 1, 1}, {32, 1, 1});
        const TrafficCounts& counts = outcome.counters.total.texture;
        EXPECT_EQ(counts.requests, 2u);
        EXPECT_EQ(counts.sectors, 2 * one.sectors) << one.across;
        EXPECT_EQ(counts.bytes_requested, 2 * 128u);
        EXPECT_EQ(counts.bytes_transferred, 2 * 32 * one.sectors);
        EXPECT_EQ(counts.replays, 2 * (one.lines - 1));
        EXPECT_EQ(outcome.counters.caches.texture_sectors, 2 * one.sectors);
        EXPECT_EQ(outcome.counters.caches.texture_hits, one.sectors) << "the second time";
        EXPECT_EQ(outcome.counters.unique_bytes, 32 * one.sectors + 256u);
    }
}

TEST(SimtInstructions, TexturesOfOneDimension) {
    WS_NEED_COMPILER();
    std::vector<float> texels{10, 20, 40, 80};
    std::vector<float> d(5);
    Kernel kernel(R"(extern "C" __global__ void k(float* d, unsigned long long t) {
        d[0] = tex1Dfetch<float>(t, 2); d[1] = tex1Dfetch<float>(t, 5); d[2] = tex1Dfetch<float>(t, -1);
        d[3] = tex1D<float>(t, 2.0f); d[4] = tex1D<float>(t, 7.25f); })",
                  "k");
    using Address = simt::Texture::Address;
    struct Case {
        Address address;
        bool linear;
        std::vector<float> expected;
    };
    const Case cases[] = {{Address::clamp, false, {40, 80, 10, 40, 80}},
                          {Address::clamp, true, {40, 80, 10, 30, 80}},  // whole coordinates are not filtered
                          {Address::border, false, {40, 0, 0, 40, 0}},
                          {Address::wrap, true, {40, 20, 80, 30, 70}}};
    for (const Case& one : cases) {
        simt::Texture texture;
        texture.data = reinterpret_cast<const std::byte*>(texels.data());
        texture.width = 4;
        texture.linear = one.linear;
        texture.address = one.address;
        std::fill(d.begin(), d.end(), -1.0f);
        Kernel run = kernel;
        const auto outcome =
            run.texture(texture).buffer(d, false).value(std::uint64_t(1)).run({1, 1, 1}, {1, 1, 1});
        EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
        EXPECT_EQ(d, one.expected) << int(one.address) << one.linear;
        texture.height = 2;
        const auto two = Kernel(kernel)
                             .texture(texture)
                             .buffer(d, false)
                             .value(std::uint64_t(1))
                             .run({1, 1, 1}, {1, 1, 1});
        EXPECT_TRUE(two.stopped) << "it has two dimensions";
    }
}

TEST(SimtInstructions, SpecialRegisters) {
    // One register of each kind, stored by lane 5 of the second warp of block (2, 1).
    const std::vector<std::pair<std::string, unsigned>> registers = {{"%tid.x", 5},
                                                                     {"%tid.y", 4},
                                                                     {"%ntid.x", 8},
                                                                     {"%ntid.y", 8},
                                                                     {"%ctaid.x", 2},
                                                                     {"%ctaid.y", 1},
                                                                     {"%nctaid.x", 3},
                                                                     {"%nctaid.y", 2},
                                                                     {"%laneid", 5},
                                                                     {"%warpid", 1},
                                                                     {"%lanemask_eq", 32},
                                                                     {"%lanemask_lt", 31},
                                                                     {"%lanemask_le", 63},
                                                                     {"%lanemask_gt", ~63u},
                                                                     {"%lanemask_ge", ~31u},
                                                                     {"%gridid", 0},
                                                                     {"%clusterid.y", 1},
                                                                     {"%nclusterid.x", 3},
                                                                     {"%cluster_ctarank", 0},
                                                                     {"%cluster_nctaid.x", 1},
                                                                     {"%envreg3", 0},
                                                                     {"%pm0", 0},
                                                                     {"%dynamic_smem_size", 0},
                                                                     {"WARP_SZ", 32}};
    std::string ptx =
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
        ".reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<2>;\nld.param.u64 %rd1, [p];\n"
        "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;\n"
        "shl.b32 %r5, %r4, 12; mad.lo.u32 %r5, %r3, 1024, %r5; mad.lo.u32 %r5, %r2, 32, %r5;\n"
        "add.u32 %r5, %r5, %r1; setp.ne.u32 %p1, %r5, 6277;\n@%p1 ret;\n";
    for (std::size_t i = 0; i < registers.size(); ++i)
        ptx += "mov.u32 %r6, " + registers[i].first + ";\nst.global.u32 [%rd1+" + std::to_string(4 * i) +
               "], %r6;\n";
    Kernel kernel = Kernel::from_ptx(ptx + "ret;\n}\n", "k");
    std::vector<unsigned> d(registers.size());
    const auto outcome = kernel.buffer(d, false).run({3, 2, 1}, {8, 8, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    for (std::size_t i = 0; i < registers.size(); ++i)
        EXPECT_EQ(d[i], registers[i].second) << registers[i].first;
}

TEST(SimtInstructions, UnknownOnesAreNamed) {
    const std::string head =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 "
        "%r<4>;\n";
    const auto message = [&](const std::string& body) {
        const auto program = simt::load_program(head + body + "ret;\n}\n.file 1 \"k.cu\"\n", "k");
        return program.ok() ? std::string() : program.message();
    };
    EXPECT_EQ(message("mov.u32 %r1, %tid.x;\n"), "");
    const std::string unknown = message(".loc 1 17 3\nwmma.mma.sync %r1, %r2;\n");
    EXPECT_NE(unknown.find("wmma.mma.sync"), std::string::npos) << unknown;
    EXPECT_NE(unknown.find("line 17"), std::string::npos) << unknown;
    EXPECT_NE(unknown.find("kernel k"), std::string::npos) << unknown;
    EXPECT_NE(message("add.u32 %r1, %r9, 1;\n").find("%r9"), std::string::npos);
    EXPECT_NE(message("{{{").find("PTX"), std::string::npos);
}

}  // namespace
}  // namespace ws
