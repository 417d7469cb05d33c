// The lab on occupancy and latency: what depends on each other is counted, what is in flight is read out of
// the machine code, and the estimated times follow from both as Little's law says.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/compile/kernel_source.h"
#include "gpu/labs/labs.h"
#include "tests/shared_engine.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

// The version's kernel at 2048 x 2048.
StepSnapshot step_of(int version, const std::string& gpu, const KnobValues& knobs = {}) {
    Engine& engine = engine_with_picture({16, 16}, "none");
    const Lab& lab = lab_named("latency");
    Work work = with_version(first_work(lab), version_of(lab, version));
    work.device = DeviceKind::simt;
    work.target_gpu = gpu;
    work.size = {2048, 2048};
    work.knobs = knobs;
    engine.prepare(work);
    engine.wait_for_counts();
    engine.prepare(work);
    return engine.snapshot().steps[std::size_t(main_step(lab, version_of(lab, version)))];
}

StepResult latency_result(int version, const std::string& gpu, const KnobValues& knobs = {}) {
    const StepSnapshot step = step_of(version, gpu, knobs);
    if (!step.counts.result)
        throw std::runtime_error("no counts of V" + std::to_string(version) + " on " + gpu);
    return step.counts.result.value_or(StepResult{});
}

double ms_of(int version, const std::string& gpu, const KnobValues& knobs = {}) {
    const StepResult result = latency_result(version, gpu, knobs);
    return result.estimate ? result.estimate->ms : 0;
}

TEST(Latency, LinksOfAChainAreCounted) {
    WS_NEED_COMPILER();
    for (const int ilp : {1, 4, 8}) {
        const StepResult result = latency_result(9, "RTX 3060", {{"ILP", ilp}});
        const double of_warp = double(result.counters->total.dependent) / double(result.counters->warps);
        // 128 links, whatever stands beside them, and a few for addresses and the loop.
        EXPECT_GE(of_warp, 128) << ilp;
        EXPECT_LE(of_warp, 200) << ilp;
        EXPECT_GE(double(result.counters->total.instructions) / double(result.counters->warps), 128 * ilp);
    }
}

TEST(Latency, WordsInFlightAreRead) {
    WS_NEED_COMPILER();
    EXPECT_EQ(latency_result(2, "H200").code.loads_in_flight, 1);
    EXPECT_EQ(latency_result(3, "H200").code.loads_in_flight, 1) << "one after the other";
    // With six scoreboards for eight loads the compiler may wait for one before the last is issued.
    for (const int ilp : {1, 2, 4, 8}) {
        const int in_flight = latency_result(4, "H200", {{"ILP", ilp}}).code.loads_in_flight;
        EXPECT_LE(in_flight, ilp);
        EXPECT_GE(in_flight, ilp <= 6 ? ilp : ilp - 1);
    }
}

// Few warps: time falls with what is in flight, and hardly does where it is one at a time. An H200 measured
// 94 us of V2, 62.4 of V3, 27.7 of V4, 12.4 of V1.
TEST(Latency, BytesInFlightAreWorthTheirWarps) {
    WS_NEED_COMPILER();
    const double one = ms_of(2, "H200");
    const double four = ms_of(4, "H200");
    EXPECT_NEAR(one / four, 3.4, 0.7);
    EXPECT_GT(ms_of(3, "H200") / four, 1.7);
    EXPECT_NEAR(ms_of(4, "H200", {{"ILP", 2}}) / ms_of(4, "H200", {{"ILP", 8}}), 2.6, 0.6);
    EXPECT_LT(ms_of(1, "H200"), one / 5) << "all warps";
}

// Measured: 165 us of V7, 90.9 of V9 with two chains, 49 with four, 25 of V8.
TEST(Latency, ChainsSideBySideAreWorthTheirWarps) {
    WS_NEED_COMPILER();
    const double one = ms_of(7, "H200");
    EXPECT_NEAR(one / ms_of(9, "H200", {{"ILP", 2}}), 1.8, 0.3);
    EXPECT_NEAR(one / ms_of(9, "H200"), 3.4, 0.6);
    EXPECT_GT(one / ms_of(8, "H200"), 3) << "many warps";
    EXPECT_GT(ms_of(6, "H200"), 2 * one) << "rolled";
    EXPECT_LT(ms_of(10, "H200"), 1.5 * ms_of(8, "H200")) << "few warps with many chains";
}

// The original lecture: 192 threads hide the latency of arithmetic on 1.x, 768 on 2.x.
TEST(Latency, SoManyThreadsHideThatOfArithmetic) {
    const GpuTable gpus;
    const auto limits_of = [&](ComputeCapability capability) {
        return *std::find_if(gpus.capabilities().begin(), gpus.capabilities().end(),
                             [&](const GpuLimits& limits) { return limits.capability == capability; });
    };
    struct Row {
        ComputeCapability capability;
        int threads;
    };
    for (const Row row : {Row{{1, 0}, 192}, Row{{1, 3}, 192}, Row{{2, 0}, 768}}) {
        GpuProfile gpu = gpus.named("GTX 280");
        gpu.limits = limits_of(row.capability);
        KernelCounters counters;
        counters.blocks_total = counters.blocks_simulated = 100'000;
        counters.warps = 100'000;
        counters.total.instructions = counters.total.dependent = 1'000'000'000;
        counters.total.pipes[std::size_t(Pipe::fma)] = counters.total.instructions;
        const auto bound = [&](int threads) {
            Occupancy occupancy = occupancy_of({32, 16, 0}, gpu.limits);
            occupancy.active_blocks = occupancy.active_warps = threads / 32;
            return estimate_time(counters, occupancy, gpu).bounds.front().part;
        };
        EXPECT_EQ(bound(row.threads - 32), Part::latency) << row.capability.text();
        EXPECT_NE(bound(row.threads + 32), Part::latency) << row.capability.text();
    }
}

// Fermi: 48 + 16 KB either way round.
TEST(Latency, LOneTakesTheLargerPartWhereItIsPreferred) {
    WS_NEED_COMPILER();
    const KnobValues small{{"SHARED_KIB", 4}};
    EXPECT_EQ(latency_result(1, "GTX 560 Ti", small).occupancy->by_shared, 4) << "of 16 KB";
    EXPECT_EQ(latency_result(2, "GTX 560 Ti", small).occupancy->by_shared, 12) << "of 48 KB";
    EXPECT_EQ(latency_result(1, "GTX 560 Ti", {{"SHARED_KIB", 20}}).occupancy->by_shared, 2)
        << "16 KB would not do";
    EXPECT_EQ(latency_result(1, "H200", small).occupancy->by_shared,
              latency_result(2, "H200", small).occupancy->by_shared);
}

// A GPU before 3.0 has at most 65535 blocks along x: blocks of one warp lie in several rows.
TEST(Latency, SmallBlocksFitTheGridOfOldGpus) {
    WS_NEED_COMPILER();
    Engine& engine = engine_with_picture({16, 16}, "none");
    const Lab& lab = lab_named("latency");
    const GpuLimits limits = GpuTable().named("GTX 560 Ti").limits;
    const Extent all{lab.sizes.first.width + 1, lab.sizes.first.height};
    for (const Version& version : lab.versions) {
        for (const Extent size : {lab.sizes.first, Extent{4096, 4096}, all}) {
            Work work = with_version(first_work(lab), version);
            work.device = DeviceKind::simt;
            work.target_gpu = "GTX 560 Ti";
            work.size = size;
            engine.prepare(work);
            const PlannedWork planned = engine.plan_of(work);
            for (const PlannedKernel& kernel : planned.kernels) {
                const Launch& launch = kernel.counted;
                EXPECT_LE(launch.grid.width, limits.grid[0]) << version.number;
                EXPECT_LE(launch.grid.height, limits.grid[1]) << version.number;
                EXPECT_GE(launch.grid.pixels() * launch.tile.pixels(), size.pixels()) << version.number;
            }
        }
    }
}

// And every element is there, of sizes that fill the last row and of those that do not.
TEST(Latency, FoldedLinesReachEveryElement) {
    WS_NEED_COMPILER();
    Engine& engine = engine_with_picture({16, 16}, "none");
    const Lab& lab = lab_named("latency");
    // Rows of blocks that are filled, and not.
    struct Row {
        int version;
        Extent size;
    };
    for (const Row& row : {Row{2, {2048, 1100}}, Row{2, {2051, 1025}}, Row{5, {4099, 2053}}}) {
        Work work = with_version(first_work(lab), version_of(lab, row.version));
        work.device = DeviceKind::simt;
        work.target_gpu = "GTX 560 Ti";
        work.size = row.size;
        if (row.version == 5) work.knobs["ILP"] = 1;
        HostTarget target;
        engine.prepare(work);
        engine.wait_for_kernels();
        // The progress that is there at first is of the row before.
        for (int i = 0; i < 30'000 && engine.snapshot().result.check.state == Check::State::pending; ++i) {
            (void)engine.run(target);
            engine.check_now();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        EXPECT_GT(engine.plan().launches.front().grid.height, 1) << row.version;
        EXPECT_EQ(engine.snapshot().result.check.state, Check::State::equal)
            << row.version << ": " << english(engine.snapshot().result.check.message);
    }
}

TEST(Latency, ABlockThatDoesNotFitIsExplained) {
    WS_NEED_COMPILER();
    const StepSnapshot step = step_of(2, "GTX 280");
    ASSERT_TRUE(step.occupancy.now);
    EXPECT_EQ(step.occupancy.now->active_blocks, 0);
    EXPECT_EQ(excess_of(*step.occupancy.now).of, LaunchExcess::Of::shared);
    EXPECT_EQ(excess_of(*step.occupancy.now).asked, 48 * 1024);
    EXPECT_FALSE(step.counts.result) << "and nothing is counted";
}

TEST(Latency, TheKnobOfIndependentWorkIsThere) {
    const char* knob = "// knob: ILP = 4 in 1..8  words\n";
    const std::string line = "// instruction-level parallelism: ILP\n";
    const Result<KernelSource> source = parse_kernel("a", knob + line);
    ASSERT_TRUE(source.ok()) << source.message();
    EXPECT_EQ(source.value().parallelism_knob, "ILP");
    EXPECT_EQ(parse_kernel("a", knob).value().parallelism_knob, "");
    const Result<KernelSource> none = parse_kernel("a", line);
    ASSERT_FALSE(none.ok());
    EXPECT_NE(none.message().find("instruction-level parallelism"), std::string::npos) << none.message();
    // Every version of the lab whose threads have several words or chains says which knob that is.
    for (const int version : {3, 4, 5, 9, 10}) {
        const KernelSource& kernel = step_of(version, "H200").source;
        EXPECT_TRUE(find_knob(kernel, kernel.parallelism_knob)) << "V" << version;
    }
}

}  // namespace
}  // namespace ws
