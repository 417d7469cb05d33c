// What warps do as a profiler samples it: clocks with few warps count as much as those with many.

#include "gpu/analysis/span_log.h"

#include <gtest/gtest.h>

#include <numeric>

#include "clock_programs.h"
#include "gpu/analysis/warp_clock.h"

namespace ws {
namespace {

using testing::arithmetic;
using testing::last;

std::int64_t all_of(const std::vector<StateClocks>& instructions) {
    std::int64_t sum = 0;
    for (const StateClocks& one : instructions)
        sum += std::accumulate(one.begin(), one.end(), std::int64_t(0));
    return sum;
}

// A warp that does one thing from its begin to its end.
void add_warp(SpanLog& log, int scheduler, TimelineSpan span) {
    log.begins(scheduler, span.from);
    log.add(scheduler, span);
    log.ends(scheduler, span.until);
}

TEST(SpanLog, ASchedulerIsSampledInTurnAndSoAreItsWarps) {
    SpanLog log;
    add_warp(log, 0, {0, 100, WarpState::memory, 0});
    add_warp(log, 0, {0, 50, WarpState::pipe, 1});
    add_warp(log, 1, {0, 20, WarpState::barrier, 2});
    ClockRun run;
    run.clocks = 100;
    run.full_from = 10;
    run.full_clocks = 10;
    run.by_instruction.assign(3, StateClocks{-1});
    run.full_by_instruction.assign(3, StateClocks{-1});
    const ClockRun sampled = log.as_sampled(run);
    const auto clocks = [](double of) { return std::int64_t(of * SpanLog::kPerClock); };
    const auto at = [](const std::vector<StateClocks>& all, std::size_t instruction, WarpState state) {
        return all[instruction][std::size_t(state)];
    };
    // 20 clocks of both schedulers, 30 of two warps of one, 50 of one alone.
    EXPECT_EQ(at(sampled.by_instruction, 0, WarpState::memory), clocks(20.0 / 4 + 30.0 / 2 + 50));
    EXPECT_EQ(at(sampled.by_instruction, 1, WarpState::pipe), clocks(20.0 / 4 + 30.0 / 2));
    EXPECT_EQ(at(sampled.by_instruction, 2, WarpState::barrier), clocks(20.0 / 2));
    EXPECT_EQ(all_of(sampled.by_instruction), clocks(100));
    EXPECT_EQ(sampled.states[std::size_t(WarpState::barrier)], clocks(20.0 / 2));
    // Of the second ten clocks.
    EXPECT_EQ(at(sampled.full_by_instruction, 0, WarpState::memory), clocks(10.0 / 4));
    EXPECT_EQ(at(sampled.full_by_instruction, 2, WarpState::barrier), clocks(10.0 / 2));
    EXPECT_EQ(all_of(sampled.full_by_instruction), clocks(10));
    EXPECT_EQ(sampled.clocks, 100);
    EXPECT_EQ(sampled.full_clocks, 10);
}

// A block with a long way beside, then behind, short ones.
struct LongAndShort {
    MachineCode code;
    MachinePath of_long, of_short;
    WarpTrace trace;
    ClockLoad load;

    LongAndShort() {
        code.instructions = {arithmetic(4), arithmetic(4), last()};
        for (std::size_t i = 0; i < code.instructions.size(); ++i) code.instructions[i].address = int(16 * i);
        for (int i = 0; i < 3000; ++i) of_long.steps.push_back({0, -1, 32});
        for (int i = 0; i < 500; ++i) of_short.steps.push_back({1, -1, 32});
        of_long.steps.push_back({2, -1, 32});
        of_short.steps.push_back({2, -1, 32});
        load.code = &code;
        load.resident_blocks = 3;
        for (int i = 0; i < 6; ++i)
            load.blocks.emplace_back(std::size_t(8), ClockWarp{i == 1 ? &of_long : &of_short, &trace});
    }
    LongAndShort(const LongAndShort&) = delete;
    LongAndShort& operator=(const LongAndShort&) = delete;
};

TEST(SpanLog, HasAllThatTheClockCountsAndWeighsWhatIsLeftForMore) {
    LongAndShort launch;
    const ClockRun without = run_clock(launch.load, testing::rates());
    SpanLog log;
    launch.load.log = &log;
    const ClockRun run = run_clock(launch.load, testing::rates());
    EXPECT_EQ(run.by_instruction, without.by_instruction) << "writing it down changes nothing";
    const ClockRun sampled = log.as_sampled(run);
    EXPECT_NEAR(double(all_of(sampled.by_instruction)) / SpanLog::kPerClock, double(run.clocks),
                0.01 * double(run.clocks))
        << "a clock in which there are warps is one";
    ASSERT_GT(run.full_clocks, 0);
    EXPECT_NEAR(double(all_of(sampled.full_by_instruction)) / SpanLog::kPerClock, double(run.full_clocks),
                0.01 * double(run.full_clocks));
    const auto share_of_long = [](const ClockRun& of) {
        return double(all_of({of.by_instruction[0]})) / double(all_of(of.by_instruction));
    };
    EXPECT_GT(share_of_long(sampled), share_of_long(run) + 0.05) << "it is alone at the end";
}

}  // namespace
}  // namespace ws
