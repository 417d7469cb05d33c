// Observers of the simulated GPU: what one of them sees does not depend on who else watches, and none changes
// what a kernel computes.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "gpu/simt/gpu.h"
#include "gpu/simt/trace.h"
#include "tests/simt_support.h"

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
    std::vector<simt::TraceStep> trace;
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
    equal("a trace", [&](simt::LaunchOptions& options) { options.trace.steps = &trace; });
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

// A trace tells what the counters count, in the order of execution.
TEST(SimtObservers, ATraceIsTheExecutionOfOneBlock) {
    WS_NEED_COMPILER();
    std::vector<simt::TraceStep> one;
    (void)run_with([&](simt::LaunchOptions& options) {
        options.trace.steps = &one;
        options.trace.block = 3;
    });
    ASSERT_FALSE(one.empty());
    std::vector<simt::TraceStep> steps;
    std::uint64_t all = 0;
    std::uint64_t instructions = 0;
    for (std::uint64_t block = 0; block < 4; ++block) {
        steps.clear();
        const Seen seen = run_with([&](simt::LaunchOptions& options) {
            options.trace.steps = &steps;
            options.trace.block = block;
        });
        instructions = seen.outcome.counters.total.instructions;
        for (const simt::TraceStep& step : steps) all += step.weight;
    }
    EXPECT_EQ(all, instructions);
    // The first warp runs up to the barrier before the second one begins, and both end.
    EXPECT_EQ(one.front().warp, 0);
    EXPECT_EQ(one.front().mask, 0xFFFFFFFFu);
    EXPECT_EQ(one.back().warp, 1);
    int changes = 0;
    for (std::size_t i = 1; i < one.size(); ++i) changes += one[i].warp != one[i - 1].warp;
    EXPECT_EQ(changes, 3) << "warp 0, warp 1, the barrier, warp 0, warp 1";
    const bool diverges = std::any_of(one.begin(), one.end(),
                                      [](const simt::TraceStep& step) { return step.mask == 0x49249249u; });
    EXPECT_TRUE(diverges) << "every third lane goes its own way";
}

TEST(SimtObservers, ATraceTakesNoChecks) {
    WS_NEED_COMPILER();
    std::vector<simt::TraceStep> trace;
    EXPECT_THROW((void)run_with([&](simt::LaunchOptions& options) {
                     options.trace.steps = &trace;
                     options.check = true;
                 }),
                 Error);
}

}  // namespace
}  // namespace ws
