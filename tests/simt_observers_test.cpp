// Observers of the simulated GPU: what one of them sees does not depend on who else watches, and none changes
// what a kernel computes.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "gpu/core/warp_trace.h"
#include "gpu/simt/gpu.h"
#include "tests/simt_support.h"
#include "tests/trace_equality.h"

namespace ws {
namespace {

using testing::Kernel;

// Divergence, a barrier, a call, shared, constant and local memory, atomics and a copy.
constexpr const char* kSource = R"(
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ __noinline__ float twice(float x) { return x * 2; }
extern "C" __global__ void k(float* out, const float* in, int n) {
    __shared__ float tile[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    tile[threadIdx.x] = in[i] + weights[threadIdx.x % 4];
    __syncthreads();
    float room[8];
    for (int k = 0; k < 8; ++k) room[(k * n) % 8] = tile[(threadIdx.x + k) % 64];
    float sum = 0;
    if (threadIdx.x % 3 == 0) for (int k = 0; k < 8; ++k) sum += room[(k + n) % 8];
    else sum = twice(room[n % 8]);
    out[i] = sum;
    if (threadIdx.x == 0) atomicAdd(out + 256, 1.0f);
})";

struct Seen {
    simt::LaunchOutcome outcome;
    std::vector<float> out;
};

template <typename Choose>
Seen run_with(const Choose& choose) {
    std::vector<float> in(256);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = float(i % 37);
    Seen seen;
    seen.out.assign(257, 0);
    Kernel kernel(kSource, "k");
    kernel.options() = {};
    kernel.options().threads = 2;
    choose(kernel.options());
    kernel.buffer(seen.out).buffer(in).value(3);
    seen.outcome = kernel.run({4, 1, 1}, {64, 1, 1});
    EXPECT_FALSE(seen.outcome.stopped);
    EXPECT_TRUE(seen.outcome.counters.findings.empty()) << testing::findings_text(seen.outcome);
    return seen;
}

TEST(SimtObservers, CountsAreTheSameWhoeverElseWatches) {
    WS_NEED_COMPILER();
    const Seen counted = run_with([](simt::LaunchOptions&) {});
    EXPECT_GT(counted.outcome.counters.total.shared_load.wavefronts, 0u);
    EXPECT_GT(counted.outcome.counters.total.local_load.requests, 0u);
    EXPECT_EQ(counted.outcome.counters.total.atomics, 4u);
    KernelTrace trace;
    const auto equal = [&](const char* who, const auto& choose) {
        const Seen seen = run_with(choose);
        EXPECT_EQ(seen.out, counted.out) << who;
        EXPECT_TRUE(seen.outcome.counters.total == counted.outcome.counters.total) << who;
        ASSERT_EQ(seen.outcome.counters.lines.size(), counted.outcome.counters.lines.size()) << who;
        for (std::size_t i = 0; i < seen.outcome.counters.lines.size(); ++i)
            EXPECT_TRUE(seen.outcome.counters.lines[i].counts == counted.outcome.counters.lines[i].counts)
                << who << ", line " << seen.outcome.counters.lines[i].line;
    };
    equal("examples", [](simt::LaunchOptions& options) { options.example_block = 1; });
    equal("caches", [](simt::LaunchOptions& options) { options.model_caches = true; });
    equal("touched sectors", [](simt::LaunchOptions& options) { options.track_touched = true; });
    equal("checks", [](simt::LaunchOptions& options) { options.check = true; });
    equal("all", [](simt::LaunchOptions& options) {
        options.check = options.model_caches = options.track_touched = true;
        options.example_block = 2;
    });
    const Seen traced = run_with([&](simt::LaunchOptions& options) { options.trace.trace = &trace; });
    EXPECT_EQ(traced.out, counted.out) << "a trace";
    EXPECT_EQ(traced.outcome.counters.total.instructions, 0u) << "which counts nothing";
    for (const bool check : {false, true}) {
        const Seen seen = run_with([&](simt::LaunchOptions& options) {
            options.count = false;
            options.check = check;
        });
        EXPECT_EQ(seen.out, counted.out) << "uncounted";
        EXPECT_EQ(seen.outcome.counters.total.instructions, 0u);
    }
}

TEST(SimtObservers, ExamplesAndSectorsAreThoseOfTheBlocks) {
    WS_NEED_COMPILER();
    const auto watch = [](simt::LaunchOptions& options) {
        options.track_touched = true;
        options.example_block = 2;
    };
    const Seen seen = run_with(watch);
    EXPECT_EQ(seen.outcome.counters.unique_bytes, 256u * 4 + 256 * 4 + 32);
    ASSERT_FALSE(seen.outcome.counters.accesses.empty());
    std::set<std::pair<int, bool>> lines;
    for (const AccessExample& example : seen.outcome.counters.accesses) {
        EXPECT_EQ(example.block_x, 2);
        EXPECT_GT(example.sectors, 0);
        lines.insert({example.line, example.shared});
    }
    EXPECT_TRUE(lines.count({7, false}) && lines.count({7, true})) << "the tile is filled from memory";
}

// Warps that end early leave the others of their block to go on, whatever those wait for.
TEST(SimtObservers, ATraceMayFollowWarpsForAWhile) {
    WS_NEED_COMPILER();
    const char* source = R"(
extern "C" __global__ void k(float* out, int n) {
    float x = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        x = x * 0.5f + 1;
        asm volatile("bar.sync 1, 128;");
    }
    // Half of the warps wait for the others to come by here.
    if (threadIdx.x < 64) asm volatile("bar.sync 2, 128;");
    else asm volatile("bar.arrive 2, 128;");
    out[threadIdx.x] = x;
})";
    const auto traced = [&](std::int64_t most) {
        std::vector<float> out(128, -1);
        KernelTrace trace;
        Kernel kernel(source, "k");
        kernel.options() = {};
        kernel.options().trace = {&trace, 0, most};
        kernel.buffer(out).value(100);
        EXPECT_FALSE(kernel.run({1, 1, 1}, {128, 1, 1}).stopped);
        return trace;
    };
    const KernelTrace whole = traced(0);
    const auto executed = [&](const KernelTrace& trace, const WarpTrace& warp) {
        std::int64_t sum = 0;
        for (const TracedBlock& block : warp.path) sum += trace.counted[std::size_t(block.block)];
        return sum;
    };
    for (const WarpTrace& warp : whole.warps) EXPECT_EQ(warp.cut, 0u);
    const std::int64_t all = executed(whole, whole.warps.front());
    for (const std::int64_t most : {std::int64_t(1), all / 2, all - 1}) {
        const KernelTrace part = traced(most);
        ASSERT_EQ(part.warps.size(), whole.warps.size());
        for (std::size_t i = 0; i < part.warps.size(); ++i) {
            const WarpTrace& warp = part.warps[i];
            ASSERT_LE(warp.path.size(), whole.warps[i].path.size());
            for (std::size_t k = 0; k < warp.path.size(); ++k)
                EXPECT_EQ(warp.path[k].block, whole.warps[i].path[k].block);
            if (most == all - 1) continue;
            EXPECT_EQ(warp.cut, ~0u) << most;
            EXPECT_NEAR(double(executed(part, warp)), double(most), 12) << "it ends behind a basic block";
        }
    }
    const KernelTrace more = traced(2 * all);
    for (const WarpTrace& warp : more.warps) EXPECT_EQ(warp.cut, 0u) << "it has ended by itself";
}

// A trace tells what the counters count, in the order of execution.
TEST(SimtObservers, ATraceIsThePathOfEveryWarp) {
    WS_NEED_COMPILER();
    KernelTrace trace;
    (void)run_with([&](simt::LaunchOptions& options) { options.trace.trace = &trace; });
    ASSERT_EQ(trace.warps.size(), 4u * 2) << "four blocks of two warps";
    std::uint64_t shared = 0;
    std::uint64_t sectors = 0;
    std::uint64_t atomics = 0;
    bool diverges = false;
    bool local = false;
    for (std::size_t i = 0; i < trace.warps.size(); ++i) {
        const WarpTrace& warp = trace.warps[i];
        EXPECT_EQ(warp.thread_block, i / 2);
        EXPECT_EQ(warp.warp, int(i % 2));
        ASSERT_FALSE(warp.path.empty());
        EXPECT_EQ(warp.path.front().mask, 0xFFFFFFFFu);
        int at = 0;
        for (const TracedBlock& block : warp.path) {
            ASSERT_LT(std::size_t(block.block), trace.ptx_lines.size());
            EXPECT_GE(block.first_access, at);
            at = block.first_access;
            diverges |= block.mask == 0x49249249u;
        }
        for (const TracedAccess& access : warp.accesses) {
            EXPECT_GT(access.ptx_line, 0);
            EXPECT_LE(access.past_l1, access.sectors);
            if (access.asked_lines > 0) {
                int asked = 0;
                for (const LineSectors line : warp.asked_by(access)) asked += line.count();
                EXPECT_EQ(asked, access.sectors);
                EXPECT_EQ(access.by_l1, access.kind == MachineKind::load) << "the rest is written through";
                EXPECT_EQ(access.past_l1, access.by_l1 ? 0 : asked);
                local |= access.space == MemorySpace::local;
            }
            atomics += access.kind == MachineKind::atomic;
            if (access.kind == MachineKind::load && access.space == MemorySpace::shared)
                shared += access.wavefronts;
            if (access.kind == MachineKind::store && access.space == MemorySpace::global)
                sectors += access.sectors;
        }
    }
    const InstructionCounts counts = run_with([](simt::LaunchOptions&) {}).outcome.counters.total;
    EXPECT_EQ(shared, counts.shared_load.wavefronts);
    EXPECT_EQ(sectors, counts.global_store.sectors);
    EXPECT_EQ(atomics, counts.atomics);
    EXPECT_TRUE(local);
    EXPECT_EQ(trace.local_words, 8) << "of `room`";
    EXPECT_TRUE(trace.before.empty());
    EXPECT_TRUE(diverges) << "every third lane goes its own way";
    // What atomics queue for in the second level: lanes that want one word come one after the other.
    ASSERT_EQ(trace.atomics.size(), 1u);
    EXPECT_EQ(trace.atomics[0].blocks, 4);
    EXPECT_EQ(trace.atomics[0].float_lanes, 4) << "the first lane of each block";
    EXPECT_EQ(trace.atomics[0].lanes, 0);
}

// Blocks that only fill the cache are not written down, but leave what they read.
TEST(SimtObservers, ATraceBeginsBehindTheWarmUp) {
    WS_NEED_COMPILER();
    KernelTrace trace;
    (void)run_with([&](simt::LaunchOptions& options) {
        options.trace.trace = &trace;
        options.trace.warm_up = 3;
    });
    ASSERT_EQ(trace.warps.size(), 2u);
    EXPECT_EQ(trace.warps.front().thread_block, 3u);
    // Two warps of each of the three blocks load 32 floats.
    int sectors = 0;
    for (const LineSectors line : trace.before) sectors += line.count();
    EXPECT_GE(sectors, 3 * 2 * 4);
}

// Of 37 blocks that stand alone, each with more or less to do, by so many workers.
KernelTrace traced_by(int workers) {
    constexpr int kBlocks = 37;
    constexpr int kThreads = 70;
    Kernel kernel(R"(extern "C" __global__ void k(float* out, const float* in, int n) {
        __shared__ float tile[70];
        const int i = blockIdx.x * 70 + threadIdx.x;
        float room[4];
        float sum = 0;
        for (int k = 0; k < blockIdx.x % 5 + 1; ++k) {
            tile[threadIdx.x] = in[(i * (k + 1)) % n];
            __syncthreads();
            room[k % 4] = tile[(threadIdx.x * 3 + k) % 70];
            if (threadIdx.x % (k + 2) == 0) sum += room[(k * n) % 4] / float(i - 100);
            __syncthreads();
        }
        out[i] = sum;
        if (i % 3 == 0) out[n + 2 * i] = sum;
    })",
                  "k");
    std::vector<float> in(kBlocks * kThreads);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = float(i % 37);
    std::vector<float> out(3 * in.size(), -1);
    KernelTrace made;
    kernel.options() = {};
    kernel.options().threads = workers;
    kernel.options().trace.trace = &made;
    kernel.options().trace.warm_up = 5;
    kernel.buffer(out).buffer(in).value(int(in.size()));
    EXPECT_FALSE(kernel.run({kBlocks, 1, 1}, {kThreads, 1, 1}).stopped);
    EXPECT_EQ(made.warps.size(), (kBlocks - 5) * 3u);
    EXPECT_FALSE(made.before.empty());
    EXPECT_GT(made.local_words, 0);
    return made;
}

TEST(SimtObservers, ATraceIsTheSameByAnyNumberOfWorkers) {
    WS_NEED_COMPILER();
    const KernelTrace by_one = traced_by(1);
    bool rare = false;
    for (const WarpTrace& warp : by_one.warps) rare |= !warp.rare.empty();
    EXPECT_TRUE(rare) << "a division by 0";
    for (int again = 0; again < 5; ++again)
        for (const int workers : {2, 3, 8})
            testing::expect_equal(by_one, traced_by(workers), std::to_string(workers) + " workers");
}

// Which bytes a store leaves out: holes within what lanes store, not the ends where the next warp goes on.
TEST(SimtObservers, ATraceKnowsWhichSectorsAreStoredInPart) {
    WS_NEED_COMPILER();
    const auto stored = [](int distance, int first) {
        KernelTrace trace;
        Kernel kernel(R"(extern "C" __global__ void k(float* out, int distance, int first) {
            out[threadIdx.x * distance + first] = 1;
        })",
                      "k");
        std::vector<float> out(1024);
        kernel.options() = {};
        kernel.options().trace.trace = &trace;
        kernel.buffer(out).value(distance).value(first);
        EXPECT_FALSE(kernel.run({1, 1, 1}, {32, 1, 1}).stopped);
        EXPECT_EQ(trace.warps.size(), 1u);
        return trace.warps.front();
    };
    const WarpTrace whole = stored(1, 0);
    EXPECT_EQ(whole.accesses.back().parts, 0);
    EXPECT_TRUE(whole.stored_by(whole.accesses.back()).empty());
    const WarpTrace moved = stored(1, 3);
    EXPECT_EQ(moved.accesses.back().parts, 2) << "the first sector and the last one";
    EXPECT_EQ(moved.accesses.back().lines_of_parts, 2);
    EXPECT_TRUE(moved.stored_by(moved.accesses.back()).empty()) << "their rest is the next warp's";
    const WarpTrace apart = stored(2, 1);
    const TracedAccess& access = apart.accesses.back();
    EXPECT_EQ(access.parts, 8);
    EXPECT_EQ(access.lines_of_parts, 2);
    const std::span<const StoredBytes> bytes = apart.stored_by(access);
    ASSERT_EQ(bytes.size(), 2u);
    for (const StoredBytes& line : bytes)
        for (const std::uint32_t sector : line) EXPECT_EQ(sector, 0xF0F0F0F0U) << "every other word";
}

TEST(SimtObservers, ATraceTakesNoChecks) {
    WS_NEED_COMPILER();
    KernelTrace trace;
    EXPECT_THROW((void)run_with([&](simt::LaunchOptions& options) {
                     options.trace.trace = &trace;
                     options.check = true;
                 }),
                 Error);
}

// From 7.0 on; before it stores pass L1 by.
TEST(SimtObservers, L1HasWhatWasStored) {
    WS_NEED_COMPILER();
    constexpr const char* kText = R"(extern "C" __global__ void k(unsigned* d, unsigned* e) {
        d[threadIdx.x] = threadIdx.x;
        __syncthreads();
        e[threadIdx.x] = d[threadIdx.x ^ 1];
    })";
    std::vector<unsigned> d(64);
    std::vector<unsigned> e(64);
    for (const auto& [gpu, hits] :
         {std::pair("RTX 3060", 8u), std::pair("H200", 8u), std::pair("GTX 980", 0u)}) {
        Kernel kernel(kText, "k", gpu);
        kernel.options().model_caches = true;
        const auto outcome = kernel.buffer(d, false).buffer(e, false).run({1, 1, 1}, {64, 1, 1});
        EXPECT_EQ(outcome.counters.caches.l1_sectors, 8u) << gpu;
        EXPECT_EQ(outcome.counters.caches.l1_hits, hits) << gpu;
        EXPECT_EQ(e[5], 4u);
    }
}

}  // namespace
}  // namespace ws
