// Estimated times against values worked out by hand, and the verdict on two results.

#include "gpu/analysis/estimate.h"

#include <gtest/gtest.h>

#include "gpu/analysis/comparison.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/analysis/partitions.h"
#include "gpu/analysis/profiles.h"
#include "gpu/labs/filters/filters.h"

namespace ws {
namespace {

double bound(const Estimate& estimate, const std::string& name) {
    for (const Bound& one : estimate.bounds) {
        if (one.name == name) return one.ms;
    }
    return 0;
}

// 8.6, 10 multiprocessors at 1000 MHz, 100 GB/s: a clock is a nanosecond.
GpuProfile plain_gpu() {
    GpuProfile gpu = GpuTable().named("RTX 3060");
    gpu.name = "plain";
    gpu.multiprocessors = 10;
    gpu.clock_mhz = 1000;
    gpu.bandwidth_gb_s = 100;
    return gpu;
}

// 1000 blocks of 8 warps: 100 for each multiprocessor.
KernelCounters plain_counters() {
    KernelCounters counters;
    counters.kernel = "plain";
    counters.block = {32, 8};
    counters.blocks_total = counters.blocks_simulated = 1000;
    counters.warps = 8000;
    return counters;
}

Occupancy plain_occupancy(const GpuProfile& gpu) {
    return occupancy_of({256, 32, 0}, gpu.limits);  // 6 blocks, 48 warps
}

TEST(Estimate, ArithmeticTakesInstructionsOverThroughput) {
    const GpuProfile gpu = plain_gpu();
    KernelCounters counters = plain_counters();
    counters.total.instructions = 100'000'000;
    counters.total.pipes[std::size_t(Pipe::fma)] = 90'000'000;
    counters.total.pipes[std::size_t(Pipe::alu)] = 10'000'000;
    const Estimate estimate = estimate_time(counters, plain_occupancy(gpu), gpu);
    // 8.6 issues 4 warp instructions a clock, 4 of 128 FMA lanes or 2 of 64 ALU lanes; 0.86 machine
    // instructions for one of PTX. 10^7 instructions a multiprocessor, 10^6 clocks a millisecond.
    EXPECT_NEAR(bound(estimate, "instruction issue"), 0.86 * 1e7 / 4 / 1e6, 1e-9);
    EXPECT_NEAR(bound(estimate, "FMA pipe"), 0.86 * 9e6 / 4 / 1e6, 1e-9);
    EXPECT_NEAR(bound(estimate, "ALU pipe"), 0.86 * 1e6 / 2 / 1e6, 1e-9);
    // Latency: a warp waits once for its store (450 clocks) and issues an instruction every clock; 1000
    // blocks in waves of 60.
    const double waves = 1000.0 / 60;
    EXPECT_NEAR(bound(estimate, "latency"), waves * (450 + 0.86 * 1e8 / 8000) / 1e6, 1e-9);
    // The longest, and a quarter of the second.
    EXPECT_EQ(estimate.bounds[0].name, "instruction issue");
    EXPECT_NEAR(estimate.ms, estimate.bounds[0].ms + 0.25 * estimate.bounds[1].ms, 1e-12);
    EXPECT_EQ(estimate.diagnosis, "compute bound");
    EXPECT_NEAR(estimate.compute_percent, 100 * estimate.bounds[0].ms / estimate.ms, 1e-9);
}

// A link of a chain can be issued 4 clocks after the one before; on 7.5 a scheduler takes 2 clocks for a
// warp.
TEST(Estimate, ChainsWaitForTheirLinks) {
    GpuProfile gpu = plain_gpu();
    KernelCounters counters = plain_counters();
    counters.total.instructions = 100'000'000;
    counters.total.pipes[std::size_t(Pipe::fma)] = counters.total.instructions;
    const auto latency = [&](std::uint64_t dependent) {
        counters.total.dependent = dependent;
        return bound(estimate_time(counters, plain_occupancy(gpu), gpu), "latency");
    };
    const double waves = 1000.0 / 60;
    const double of_warp = 0.86 * 1e8 / 8000;
    EXPECT_NEAR(latency(100'000'000), waves * (450 + 4 * of_warp) / 1e6, 1e-9);
    EXPECT_NEAR(latency(50'000'000), waves * (450 + 2 * of_warp) / 1e6, 1e-9);
    EXPECT_NEAR(latency(10'000'000), waves * (450 + of_warp) / 1e6, 1e-9) << "eight chains side by side";
    gpu.limits.capability = {7, 5};
    EXPECT_NEAR(latency(10'000'000), waves * (450 + 2 * of_warp) / 1e6, 1e-9);
}

// What is in flight at once waits once.
TEST(Estimate, LoadsInFlightWaitTogether) {
    const GpuProfile gpu = plain_gpu();
    KernelCounters counters = plain_counters();
    counters.total.global_load.requests = 8 * counters.warps;
    const auto latency = [&](int in_flight) {
        return bound(estimate_time(counters, plain_occupancy(gpu), gpu, {in_flight, 0, 0}), "latency");
    };
    const double waves = 1000.0 / 60;
    EXPECT_NEAR(latency(1), waves * (8 + 1) * 450 / 1e6, 1e-9);
    EXPECT_NEAR(latency(4), waves * (2 + 1) * 450 / 1e6, 1e-9);
    EXPECT_NEAR(latency(8), waves * (1 + 1) * 450 / 1e6, 1e-9);
    EXPECT_NEAR(latency(0), latency(12), 1e-12) << "where it is not known";
}

// 100 bytes of stores and as many of loads: 25 + 25 requests of a warp, and of the 48 warps' 153 600 bytes
// the first level holds 131 072 - 8 * 1024: shared memory has 8 KB, for the 6 that the blocks need.
TEST(Estimate, SpillsGoThroughTheCaches) {
    const GpuProfile gpu = plain_gpu();
    KernelCounters counters = plain_counters();
    counters.caches = {1000, 500, 500, 0};
    const Estimate estimate = estimate_time(counters, plain_occupancy(gpu), gpu, {0, 100, 100});
    EXPECT_NEAR(bound(estimate, "LSU pipe"), 8000.0 * 50 / 10 / 1e6, 1e-9);
    EXPECT_NEAR(bound(estimate, "L1 cache"), 8000.0 * 50 / 10 / 1e6, 1e-9);
    const double past_l1 = 8000.0 * 32 * 200 * (1 - (131072 - 8 * 1024) / 153600.0);
    EXPECT_NEAR(bound(estimate, "L2 cache"), past_l1 / (100 * 2.5 * 1e6), 1e-9);
    EXPECT_EQ(bound(estimate_time(counters, plain_occupancy(gpu), gpu, {0, 20, 20}), "L2 cache"), 0);
    // Of 480 warps' 1 536 000 bytes a second level of 1 MiB keeps 0.7 MiB.
    GpuProfile small = gpu;
    small.l2_kib = 1024;
    const double before = bound(estimate_time(counters, plain_occupancy(gpu), gpu), "device memory");
    const double past_l2 = past_l1 * (1 - 0.7 * 1024 * 1024 / (480.0 * 32 * 100));
    const double reachable = 100 * kReachableBandwidth * 1e6;
    EXPECT_NEAR(bound(estimate_time(counters, plain_occupancy(small), small, {0, 100, 100}), "device memory"),
                before + past_l2 / reachable, 1e-9);
}

// What is stored comes back from the second level only if that keeps it, with all else that is moved, until
// the next block's threads store there: 480 of 8000 warps are resident at a time.
TEST(Estimate, StoredSpillsLeaveTheSecondLevelBesideWhatElseMoves) {
    GpuProfile gpu = plain_gpu();
    gpu.l2_kib = 2400;
    const CodeFacts code{0, 100, 100};
    const auto stores = [&](double others) {
        return spill_shares(8000, plain_occupancy(gpu), gpu, code, others).stores_past_l2;
    };
    EXPECT_EQ(stores(0), 0) << "1 536 000 bytes fit";
    const double moved = 480.0 * 32 * 100 + 64e6 * 480 / 8000;
    EXPECT_NEAR(stores(64e6), 1 - 0.7 * 2400 * 1024 / moved, 1e-9);
    EXPECT_EQ(spill_shares(8000, plain_occupancy(gpu), gpu, code, 64e6).past_l2, 0) << "loads come sooner";
}

TEST(Estimate, MemoryTakesBytesOverBandwidth) {
    const GpuProfile gpu = plain_gpu();
    KernelCounters counters = plain_counters();
    counters.total.instructions = 1'000'000;
    counters.total.pipes[std::size_t(Pipe::lsu)] = 750'000;
    counters.total.global_load = {500'000, 2'000'000, 64'000'000, 64'000'000, 0};
    counters.total.global_store = {250'000, 1'000'000, 32'000'000, 32'000'000, 0};
    counters.unique_bytes = 64'000'000;
    counters.caches = {1000, 500, 500, 0};
    const Estimate estimate = estimate_time(counters, plain_occupancy(gpu), gpu);
    // Every sector once from device memory, of whose 100 GB/s 85 % are reached.
    EXPECT_NEAR(bound(estimate, "device memory"), 64e6 / (100 * 0.85 * 1e6), 1e-9);
    EXPECT_EQ(estimate.device_bytes, 64e6);
    // Half of what is loaded misses L1; with what is stored it passes L2, which has 2.5 times the bandwidth.
    EXPECT_NEAR(bound(estimate, "L2 cache"), (32e6 + 32e6) / (100 * 2.5 * 1e6), 1e-9);
    // 4 sectors a clock from L1: 2 000 000 sectors on 10 multiprocessors.
    EXPECT_NEAR(bound(estimate, "L1 cache"), std::max(75'000.0, 200'000 / 4.0) / 1e6, 1e-9);
    EXPECT_NEAR(bound(estimate, "LSU pipe"), 75'000.0 / 1e6, 1e-9);
    EXPECT_EQ(estimate.bounds[0].name, "device memory");
    EXPECT_EQ(estimate.diagnosis, "memory bound");
}

TEST(Estimate, WithoutACacheEveryByteComesFromDeviceMemory) {
    GpuProfile gpu = GpuTable().named("GTX 280");
    KernelCounters counters = plain_counters();
    counters.total.instructions = 1'000'000;
    counters.total.global_load = {1'000'000, 60'000'000, 490'000'000, 2'400'000'000, 0};
    counters.total.global_store = {300'000, 312'500, 10'000'000, 10'000'000, 0};
    counters.unique_bytes = 20'000'000;
    counters.caches = {0, 0, 75'000'000, 70'000'000};  // of another GPU's model: it must not help
    const Occupancy occupancy = occupancy_of({256, 16, 0}, gpu.limits);
    const Estimate estimate = estimate_time(counters, occupancy, gpu);
    EXPECT_NEAR(bound(estimate, "device memory"), 2.41e9 / (141.7 * 0.85 * 1e6), 1e-6);
    EXPECT_EQ(estimate.device_bytes, 2.41e9);
    EXPECT_GE(estimate.ms, 2.41e9 / 141.7e6) << "17 ms at the theoretical bandwidth";
    EXPECT_EQ(estimate.bounds[0].name, "device memory");
    EXPECT_EQ(bound(estimate, "L1 cache"), 0);
    EXPECT_EQ(bound(estimate, "L2 cache"), 0);
    // The same counts on the first GPU with caches.
    gpu.limits.capability = {2, 0};
    const Estimate cached = estimate_time(counters, occupancy, gpu);
    EXPECT_NEAR(bound(cached, "device memory"), 20e6 / (141.7 * 0.85 * 1e6), 1e-9);
    EXPECT_GT(bound(cached, "L2 cache"), 0);
}

// Eight partitions at 1 GB/s each: a nanosecond a byte.
KernelCounters partitioned(const std::vector<std::vector<PartitionCounts>>& windows) {
    KernelCounters counters = plain_counters();
    counters.partitions.resize(8);
    for (const auto& window : windows) {
        for (std::size_t i = 0; i < 8; ++i) {
            counters.partition_windows.counts.push_back(window[i]);
            counters.partitions[i] += window[i];
        }
    }
    counters.partition_windows.blocks = counters.blocks_total;
    return counters;
}

TEST(Estimate, ABusyPartitionKeepsTheOthersWaiting) {
    const std::vector<PartitionCounts> even(8, {1, 1000, 0});
    std::vector<PartitionCounts> one(8), next(8);
    one[2] = {8, 8000, 0};
    next[3] = {8, 8000, 0};
    EXPECT_NEAR(partition_time(partitioned({even, even}), 8), 2 * 1000 / 1e6, 1e-12);
    EXPECT_NEAR(partition_imbalance(partitioned({even, even})), 1, 1e-12);
    // Two partitions have it all, one after the other: the launch's sums would show two busy ones.
    EXPECT_NEAR(partition_time(partitioned({one, next}), 8), 2 * 8000 / 1e6, 1e-12);
    EXPECT_NEAR(partition_imbalance(partitioned({one, next})), 8, 1e-12);
    EXPECT_NEAR(partition_time(partitioned({even, one}), 8), (1000 + 8000) / 1e6, 1e-12);
    // Rows are opened one after the other.
    std::vector<PartitionCounts> scattered(8, {10, 320, 10});
    EXPECT_NEAR(partition_time(partitioned({scattered}), 8), (320 + 10 * kRowOpening) / 1e6, 1e-12);
    // Windows of half the blocks stand for all.
    KernelCounters half = partitioned({even});
    half.partition_windows.blocks = half.blocks_total / 2;
    EXPECT_NEAR(partition_time(half, 8), 2 * 1000 / 1e6, 1e-12);
    EXPECT_EQ(partition_time(plain_counters(), 8), 0);
    EXPECT_EQ(partition_imbalance(plain_counters()), 0);
}

TEST(Estimate, DeviceMemoryWaitsForTheBusiestPartition) {
    const GpuProfile gpu = GpuTable().named("GTX 280");
    std::vector<PartitionCounts> one(8);
    one[0] = {1'000'000, 64'000'000, 0};
    KernelCounters counters = partitioned({one});
    counters.total.global_store = {500'000, 1'000'000, 64'000'000, 64'000'000, 0};
    const Estimate estimate = estimate_time(counters, occupancy_of({256, 16, 0}, gpu.limits), gpu);
    EXPECT_NEAR(bound(estimate, "device memory"), 64e6 / (141.7 * 0.85 / 8 * 1e6), 1e-9);
}

TEST(Estimate, PartlyFilledSectorsOccupyL2Longer) {
    const GpuProfile gpu = plain_gpu();
    KernelCounters counters = plain_counters();
    counters.caches = {0, 0, 1000, 1000};
    counters.total.global_store = {1'000'000, 32'000'000, 128'000'000, 1'024'000'000, 0};
    const Estimate estimate = estimate_time(counters, plain_occupancy(gpu), gpu);
    EXPECT_NEAR(bound(estimate, "L2 cache"), (1024e6 + 4.5 * 896e6) / (100 * 2.5 * 1e6), 1e-9);
}

TEST(Estimate, BankConflictsTakeIssueSlotsBefore20) {
    GpuProfile gpu = GpuTable().named("GTX 280");
    KernelCounters counters = plain_counters();
    counters.total.instructions = 1'000'000;
    counters.total.shared_load = {100'000, 3'200'000, 200'000, 0, 16};
    const auto issue = [&] {
        return bound(estimate_time(counters, occupancy_of({256, 16, 0}, gpu.limits), gpu),
                     "instruction issue");
    };
    const double with = issue();
    counters.total.shared_load.wavefronts = counters.total.shared_load.ideal;
    EXPECT_NEAR(with / issue(), (0.86 * 1e6 + 0.2 * 3e6) / (0.86 * 1e6), 1e-9);
}

TEST(Estimate, FewBlocksLeaveMultiprocessorsIdle) {
    const GpuProfile gpu = plain_gpu();
    KernelCounters counters = plain_counters();
    counters.blocks_total = 11;  // one multiprocessor gets two
    counters.warps = 88;
    counters.total.instructions = 11'000'000;
    const Estimate estimate = estimate_time(counters, plain_occupancy(gpu), gpu);
    EXPECT_NEAR(bound(estimate, "instruction issue"), 2 * 0.86 * 1e6 / 4 / 1e6, 1e-9);
}

TEST(Estimate, WithoutClockOrOccupancyThereIsNone) {
    GpuProfile gpu = plain_gpu();
    Occupancy none = plain_occupancy(gpu);
    none.active_warps = 0;
    EXPECT_EQ(estimate_time(plain_counters(), none, gpu).ms, 0);
    gpu.clock_mhz = 0;
    EXPECT_EQ(estimate_time(plain_counters(), plain_occupancy(gpu), gpu).ms, 0);
}

// A result with so many instructions of arithmetic and nothing else.
StepResult result_of(std::uint64_t instructions) {
    StepResult result;
    result.key.gpu = plain_gpu();
    result.key.launch.step = filters::step::blur;
    KernelCounters counters = plain_counters();
    counters.total.instructions = instructions;
    counters.total.thread_instructions = 32 * instructions;
    counters.total.pipes[std::size_t(Pipe::alu)] = instructions;
    result.occupancy = plain_occupancy(result.key.gpu);
    result.estimate = estimate_time(counters, *result.occupancy, result.key.gpu);
    result.counters = std::make_shared<const KernelCounters>(std::move(counters));
    return result;
}

StepResult with(StepResult result, void (*change)(InstructionCounts&)) {
    KernelCounters counters = *result.counters;
    change(counters.total);
    result.estimate = estimate_time(counters, *result.occupancy, result.key.gpu);
    result.counters = std::make_shared<const KernelCounters>(std::move(counters));
    return result;
}

const Quantity& quantity(const std::string& label) {
    for (const Quantity& one : quantities()) {
        if (label_of(one, {8, 6}) == label) return one;
    }
    throw Error("there is no quantity " + label);
}

TEST(Comparison, ColorsOnlyWhatIsWorseInItself) {
    EXPECT_EQ(change_of(quantity("warp instructions"), 110, 100), Change::worse);
    EXPECT_EQ(change_of(quantity("warp instructions"), 90, 100), Change::better);
    EXPECT_EQ(change_of(quantity("global bytes transferred"), 110, 100), Change::worse);
    EXPECT_EQ(change_of(quantity("bank conflict wavefronts"), 10, 0), Change::worse);
    EXPECT_EQ(change_of(quantity("bank conflict wavefronts"), 0, 10), Change::better);
    EXPECT_EQ(change_of(quantity("warp execution efficiency"), 0.9, 0.8), Change::better);
    EXPECT_EQ(change_of(quantity("warp execution efficiency"), 0.8, 0.9), Change::worse);
    // A 16-byte load moves 16 sectors where a 1-byte load moves one: no worse.
    EXPECT_EQ(change_of(quantity("sectors per load"), 16, 1), Change::other);
    EXPECT_EQ(change_of(quantity("wavefronts per request"), 4, 1), Change::other);
    EXPECT_EQ(change_of(quantity("load sector efficiency"), 0.5, 0.9), Change::other);
    EXPECT_EQ(change_of(quantity("warp instructions"), 100.4, 100), Change::same);
    EXPECT_EQ(change_of(quantity("warp instructions"), 0, 0), Change::same);
    for (const Quantity& one : quantities()) {
        const bool ratio = one.form == Form::ratio || one.form == Form::percent;
        if (ratio && one.better != Better::neither) {
            EXPECT_TRUE(one.label == std::string_view("warp execution efficiency") ||
                        one.label == std::string_view("words per constant load"))
                << one.label << ": a ratio changes with either side";
        }
    }
}

TEST(Comparison, FasterNeedsNoExcuse) {
    EXPECT_EQ(verdict(result_of(90'000'000), result_of(100'000'000), "V8"), "");
    EXPECT_EQ(causes(result_of(90'000'000), result_of(100'000'000)), "");
}

TEST(Comparison, SlowerSaysWhy) {
    const std::string text = verdict(result_of(120'000'000), result_of(100'000'000), "V8");
    EXPECT_NE(text.find("Estimated 20 % slower than V8"), std::string::npos) << text;
    const std::string far = verdict(result_of(1'018'000'000), result_of(100'000'000), "V8");
    EXPECT_NE(far.find("Estimated to take 10."), std::string::npos) << far;
    EXPECT_NE(far.find("times as long as V8"), std::string::npos) << far;
    EXPECT_NE(text.find("still bound by ALU pipe"), std::string::npos) << text;
    EXPECT_NE(text.find("warp instructions rose 1.20-fold"), std::string::npos) << text;
}

TEST(Comparison, SlowerNamesTheLimitThatMoved) {
    const StepResult before = result_of(10'000'000);
    const StepResult now = with(before, [](InstructionCounts& counts) {
        counts.shared_load = {1'000'000, 32'000'000, 1'000'000, 0, 32};
        counts.shared_store = {};
    });
    const std::string text = verdict(now, before, "V6");
    EXPECT_NE(text.find("bound by shared memory instead of ALU pipe"), std::string::npos) << text;
    EXPECT_NE(text.find("bank conflict wavefronts appear"), std::string::npos) << text;
}

TEST(Comparison, SlowerBySpillsAndOccupancy) {
    StepResult before = result_of(10'000'000);
    StepResult now = with(before, [](InstructionCounts& counts) {
        counts.local_store = {1'000'000, 4'000'000, 128'000'000, 128'000'000, 3'000'000};
    });
    now.code.spill_store_bytes = 24;
    now.occupancy = occupancy_of({256, 64, 0}, now.key.gpu.limits);
    const std::string text = causes(now, before);
    EXPECT_NE(text.find("spilled bytes per thread appear"), std::string::npos) << text;
    EXPECT_NE(text.find("theoretical occupancy fell from 100 % to 67 % (limiter: registers)"),
              std::string::npos)
        << text;
}

TEST(Comparison, EqualCountsGainNothing) {
    const StepResult before = result_of(100'000'000);
    StepResult now = before;
    std::string text = verdict(now, before, "V8");
    EXPECT_NE(text.find("plain gains nothing over V8: every count is the same"), std::string::npos) << text;
    EXPECT_EQ(text.find("8 bytes"), std::string::npos) << text;
    now.key.launch.banks = BankWidth::eight_bytes;
    text = verdict(now, before, "V8");
    EXPECT_NE(text.find("Only compute capability 3.x has banks of 8 bytes; this GPU has 8.6"),
              std::string::npos)
        << text;
    now.key.gpu.limits.capability = {3, 0};
    EXPECT_EQ(verdict(now, before, "V8").find("Banks"), std::string::npos);
}

TEST(Comparison, WithinTheSampleNothingIsSlower) {
    const std::string text = verdict(result_of(101'000'000), result_of(100'000'000), "V8");
    EXPECT_NE(text.find("as fast as V8"), std::string::npos) << text;
    EXPECT_EQ(text.find("slower"), std::string::npos) << text;
}

TEST(Comparison, SeveralKernelsAddUp) {
    StepResult gray = result_of(10'000'000);
    gray.key.launch.step = filters::step::gray;
    const StepResult blur = result_of(100'000'000);
    StepResult edge = result_of(20'000'000);
    edge.key.launch.step = filters::step::edge;
    const StepResult sum = together({gray, blur, edge}, filters::lab().by_weight);
    EXPECT_EQ(sum.counters->total.instructions, 130'000'000u);
    EXPECT_EQ(sum.key.launch.step, filters::step::blur);
    ASSERT_TRUE(sum.estimate);
    EXPECT_DOUBLE_EQ(sum.estimate->ms, gray.estimate->ms + blur.estimate->ms + edge.estimate->ms);
    EXPECT_NEAR(bound(*sum.estimate, "ALU pipe"),
                bound(*gray.estimate, "ALU pipe") + bound(*blur.estimate, "ALU pipe") +
                    bound(*edge.estimate, "ALU pipe"),
                1e-12);
    StepResult unknown = gray;
    unknown.estimate.reset();
    EXPECT_FALSE(together({unknown, blur}, filters::lab().by_weight).estimate)
        << "a sum of what is known and what is not is not known";
}

TEST(Comparison, OnlyOfOneLabInputAndGpu) {
    const CountKey key = result_of(1).key;
    CountKey other = key;
    other.launch.block = {8, 8};
    other.launch.kernel.text = 7;
    EXPECT_TRUE(comparable(key, other)) << "kernel and block are what is compared";
    other = key;
    other.input.content = 1;
    EXPECT_FALSE(comparable(key, other));
    other = key;
    other.input.size = {2, 1};
    EXPECT_FALSE(comparable(key, other));
    other = key;
    other.lab = "another";
    EXPECT_FALSE(comparable(key, other));
    other = key;
    other.gpu.clock_mhz = 1;
    EXPECT_FALSE(comparable(key, other));
    other = key;
    other.launch.kernel.architecture = 75;
    EXPECT_FALSE(comparable(key, other));
}

}  // namespace
}  // namespace ws
