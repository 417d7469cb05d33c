// Launches that follow each other on one simulated GPU: its memory, its modules' variables, and what the
// checks know of both.

#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/simt/gpu.h"
#include "gpu/simt/sample.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

using simt::Content;
using simt::Gpu;
using simt::KernelLaunch;

constexpr const char* kCountingSource = R"(
__device__ int calls = 100;
__constant__ int factor = 2;
extern "C" __global__ void count(int* d) { if (threadIdx.x == 0) d[0] = ++calls; }
extern "C" __global__ void fill(int* d, int n) { if (threadIdx.x < n) d[threadIdx.x] = factor * threadIdx.x; }
extern "C" __global__ void bins(int* d, int apart) { atomicAdd(&d[threadIdx.x * apart], 1); }
extern "C" __global__ void rounds(int* d, int uneven) {
    const unsigned far = blockIdx.x * 512 / gridDim.x;
    int sum = threadIdx.x;
    for (unsigned i = 0; i < (uneven ? far * far / 512 : 256); ++i) sum = sum * 3 ^ d[i % 32];
    d[32 + threadIdx.x] = sum;
}
extern "C" __global__ void reverse(int* to, const int* from) { to[threadIdx.x] = from[31 - threadIdx.x]; }
)";

const simt::Module& module() {
    static const simt::Module made = [] {
        std::string entry;
        Result<simt::Module> loaded = simt::Module::load(testing::ptx_of(kCountingSource, "count", entry));
        EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.message());
        return loaded.value();
    }();
    return made;
}

// A launch of one warp; arguments of 8 bytes are addresses, of 4 integers.
template <typename... Arguments>
KernelLaunch launch_of(const std::string& kernel, Arguments... arguments) {
    const auto program = module().kernel(kernel);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.message());
    KernelLaunch made;
    made.program = program.value();
    made.block = {32, 1, 1};
    std::size_t index = 0;
    (simt::set_parameter(made, index++, std::uint64_t(arguments), sizeof arguments), ...);
    return made;
}

simt::LaunchOptions checked() {
    simt::LaunchOptions options;
    options.check = true;
    return options;
}

TEST(SimtGpu, BuffersLastFromLaunchToLaunch) {
    WS_NEED_COMPILER();
    Gpu gpu(GpuTable().named("RTX 3060"));
    const std::uint64_t a = gpu.allocate(128);
    const std::uint64_t b = gpu.allocate(128);
    EXPECT_TRUE(gpu.launch(launch_of("fill", a, 32), checked()).counters.findings.empty());
    const simt::LaunchOutcome second = gpu.launch(launch_of("reverse", b, a), checked());
    EXPECT_TRUE(second.counters.findings.empty()) << testing::findings_text(second);
    std::vector<int> out(32, -1);
    gpu.copy_out(std::as_writable_bytes(std::span(out)), b);
    for (int i = 0; i < 32; ++i) EXPECT_EQ(out[std::size_t(i)], 2 * (31 - i));
}

// What one launch leaves unwritten, the next one may not read; what the host has written it may.
TEST(SimtGpu, WhatIsWrittenIsKnownToTheNextLaunch) {
    WS_NEED_COMPILER();
    struct Case {
        int filled;   // ints that the first launch writes
        int copied;   // ints that the host writes from the end
        bool checks;  // the first launch
        bool found;
    };
    for (const Case& one : {Case{32, 0, true, false}, Case{0, 0, true, true}, Case{20, 0, true, true},
                            Case{20, 12, true, false}, Case{20, 11, true, true}, Case{0, 32, true, false},
                            Case{20, 0, false, false}}) {
        Gpu gpu(GpuTable().named("RTX 3060"));
        const std::uint64_t a = gpu.allocate(128);
        const std::uint64_t b = gpu.allocate(128);
        simt::LaunchOptions options;
        options.check = one.checks;
        (void)gpu.launch(launch_of("fill", a, one.filled), options);
        const std::vector<int> given(std::size_t(one.copied), 7);
        if (one.copied > 0)
            gpu.copy_in(a + 4 * std::uint64_t(32 - one.copied), std::as_bytes(std::span(given)));
        const simt::LaunchOutcome second = gpu.launch(launch_of("reverse", b, a), checked());
        EXPECT_EQ(testing::found(second, Finding::Kind::uninitialised), one.found)
            << one.filled << " + " << one.copied << "\n"
            << testing::findings_text(second);
    }
}

TEST(SimtGpu, ALaunchOfSomeBlocksKeepsNothing) {
    WS_NEED_COMPILER();
    Gpu gpu(GpuTable().named("RTX 3060"));
    const std::uint64_t a = gpu.allocate(128);
    const std::uint64_t b = gpu.allocate(128);
    simt::LaunchOptions some = checked();
    some.blocks = {0};
    (void)gpu.launch(launch_of("fill", a, 32), some);
    (void)gpu.launch(launch_of("count", b), some);
    const simt::LaunchOutcome read = gpu.launch(launch_of("reverse", b, a), checked());
    EXPECT_TRUE(testing::found(read, Finding::Kind::uninitialised)) << testing::findings_text(read);
    (void)gpu.launch(launch_of("count", b));
    int calls = 0;
    gpu.copy_out(std::as_writable_bytes(std::span(&calls, 1)), b);
    EXPECT_EQ(calls, 101);
}

TEST(SimtGpu, VariablesOfAModuleKeepTheirValues) {
    WS_NEED_COMPILER();
    Gpu gpu(GpuTable().named("RTX 3060"));
    Gpu other(GpuTable().named("RTX 3060"));
    std::vector<int> out(32, -1);
    const std::uint64_t a = gpu.map(std::as_writable_bytes(std::span(out)));
    for (int i = 1; i <= 3; ++i) {
        (void)gpu.launch(launch_of("count", a));
        EXPECT_EQ(out[0], 100 + i);
    }
    // Each GPU has its own, and the host sets them by name.
    const std::uint64_t b = other.map(std::as_writable_bytes(std::span(out)));
    (void)other.launch(launch_of("count", b));
    EXPECT_EQ(out[0], 101);
    const KernelLaunch fill = launch_of("fill", b, 32);
    const int factor = 5;
    const std::span<std::byte> place = other.variable(*fill.program, "factor");
    ASSERT_EQ(place.size(), sizeof factor);
    std::memcpy(place.data(), &factor, sizeof factor);
    (void)other.launch(fill);
    EXPECT_EQ(out[31], 155);
    EXPECT_THROW((void)other.variable(*fill.program, "nothing"), Error);
}

// What cudaMalloc returned on an H200, one after the other: bytes behind a multiple of 2 MiB.
TEST(SimtGpu, BuffersBeginWhereTheDriverPutsThem) {
    struct Allocation {
        std::uint64_t bytes, place;
    };
    const std::vector<std::vector<Allocation>> all{
        {{1024, 0}, {1 << 20, 1024}},
        {{64 << 20, 0}, {32768, 0}, {4, 32768}, {1024, 33280}, {1024, 34304}},
        {{4, 0},       {256, 512},         {513, 1024},       {100000, 2048},
         {4, 102400},  {1 << 19, 102912},  {4, 627200},       {(1 << 20) - 512, 627712},
         {4, 1675776}, {1 << 20, 0},       {4, 1676288},      {(1 << 20) + 512, 0},
         {4, 1676800}, {3 << 19, 0},       {4, 1677312},      {(2 << 20) - 512, 0},
         {4, 2096640}, {2 << 20, 0},       {4, 1677824},      {(2 << 20) + 512, 0},
         {4, 1678336}, {1000000, 1049088}, {1000000, 1048576}}};
    for (const std::vector<Allocation>& run : all) {
        simt::DeviceMemory memory;
        std::uint64_t end = 0;
        for (const Allocation& one : run) {
            const std::uint64_t address = memory.map(nullptr, one.bytes, Content::given, true);
            EXPECT_EQ(address % simt::BufferPlaces::kChunk, one.place) << one.bytes;
            EXPECT_GE(address, end + (1 << 20)) << "running over an end meets nothing";
            end = address + one.bytes;
        }
    }
}

// Measured on an H200: which slice of L2 executes the atomics of each 256 bytes, from a multiple of 1024 on.
TEST(SimtGpu, AtomicsOfAKibibyteShareTwoSlices) {
    WS_NEED_COMPILER();
    static_assert(slice_of(0) == slice_of(512) && slice_of(256) == slice_of(768));
    static_assert(slice_of(0) != slice_of(256) && slice_of(768) != slice_of(1024));
    struct Case {
        std::uint64_t place;
        int apart;                  // words
        std::vector<double> lanes;  // of each slice
    };
    for (const Case& one : {Case{0, 1, {0.8 * 4}}, Case{0, 8, {16, 16}}, Case{512, 8, {8, 8, 8, 8}},
                            Case{256, 8, {8, 16, 8}}, Case{0, 0, {32}}}) {
        Gpu gpu(GpuTable().named("H200"));
        std::vector<int> bins(256);
        const std::uint64_t address =
            gpu.map(std::as_writable_bytes(std::span(bins)), Content::given, one.place);
        KernelTrace trace;
        simt::LaunchOptions options;
        options.trace.trace = &trace;
        (void)gpu.launch(launch_of("bins", address, one.apart), options);
        std::vector<double> lanes;
        for (const AtomicSlice& slice : trace.atomics) lanes.push_back(slice.lanes);
        ASSERT_EQ(lanes.size(), one.lanes.size()) << one.place << ", " << one.apart;
        for (std::size_t i = 0; i < lanes.size(); ++i) EXPECT_NEAR(lanes[i], one.lanes[i], 1e-9) << one.place;
    }
}

// A sample has more of the blocks where these differ, of both kinds of layout, and no more where they do not.
TEST(SimtGpu, ASampleGoesOnWhereBlocksDiffer) {
    WS_NEED_COMPILER();
    Gpu gpu(GpuTable().named("H200"));
    constexpr int kBlocks = 1 << 14;
    std::vector<int> values(64, 7);
    const std::uint64_t address = gpu.map(std::as_writable_bytes(std::span(values)));
    for (const int reach : {0, kReadsAnywhere}) {
        for (const bool uneven : {false, true}) {
            KernelLaunch launch = launch_of("rounds", address, int(uneven));
            launch.grid = {kBlocks, 1, 1};
            const KernelCounters all = gpu.launch(launch).counters;
            simt::Layout layout{{32 * kBlocks, 1}, {32, 1}, 4, 4, reach};
            layout.least_blocks = 32;
            std::vector<simt::Stratum> strata = simt::choose_blocks(layout, 1 << 12);
            const KernelCounters sample = simt::launch_sample(gpu, launch, {}, strata).counters;
            const auto instructions = double(all.total.instructions);
            EXPECT_NEAR(double(sample.total.instructions), instructions, 0.03 * instructions)
                << reach << ", " << uneven;
            EXPECT_GE(sample.blocks_simulated, 16u);
            if (!uneven) {
                EXPECT_LE(sample.blocks_simulated, 160u) << reach;
            }
            for (simt::Stratum& stratum : strata) stratum.further.clear();
            const KernelCounters first = simt::launch_sample(gpu, launch, {}, strata).counters;
            const double off = std::abs(double(first.total.instructions) - instructions);
            EXPECT_EQ(off > 0.1 * instructions, uneven && reach == 0) << "the middle alone does not tell";
            ASSERT_EQ(sample.block_executions.size(), all.block_executions.size());
            for (std::size_t i = 0; i < all.block_executions.size(); ++i) {
                const auto times = double(all.block_executions[i]);
                EXPECT_NEAR(double(sample.block_executions[i]), times, 0.03 * times) << i;
            }
        }
    }
}

TEST(SimtGpu, ReleasedAndReadOnlyBuffersAreNotWritten) {
    WS_NEED_COMPILER();
    Gpu gpu(GpuTable().named("RTX 3060"));
    const std::uint64_t gone = gpu.allocate(128);
    gpu.release(gone);
    const std::uint64_t next = gpu.allocate(128);
    EXPECT_NE(gone, next);
    const std::vector<int> values(32, 3);
    const std::uint64_t constant = gpu.map_read_only(std::as_bytes(std::span(values)));
    for (const std::uint64_t address : {gone, constant}) {
        const simt::LaunchOutcome outcome = gpu.launch(launch_of("fill", address, 32));
        EXPECT_TRUE(testing::found(outcome, Finding::Kind::out_of_bounds)) << address;
    }
    EXPECT_EQ(values, std::vector<int>(32, 3));
    std::vector<std::byte> room(129);
    EXPECT_THROW(gpu.release(gone), Error);
    EXPECT_THROW(gpu.copy_out(room, next), Error);
    EXPECT_THROW(gpu.copy_in(gone, std::span(room).first(1)), Error);
    EXPECT_THROW(gpu.copy_in(constant, std::span(room).first(1)), Error);
}

}  // namespace
}  // namespace ws
