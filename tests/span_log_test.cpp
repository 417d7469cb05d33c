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
    ClockRates rates = testing::rates();
    rates.first_block = 400;  // places stay empty at first
    const ClockRun without = run_clock(launch.load, rates);
    SpanLog log;
    launch.load.log = &log;
    const ClockRun run = run_clock(launch.load, rates);
    EXPECT_EQ(run.by_instruction, without.by_instruction) << "writing it down changes nothing";
    const ClockRun sampled = log.as_sampled(run);
    EXPECT_NEAR(double(all_of(sampled.by_instruction)) / SpanLog::kPerClock, double(run.clocks),
                0.01 * double(run.clocks))
        << "a clock in which there are warps is one";
    const auto share_of_long = [](const std::vector<StateClocks>& of) {
        return double(all_of({of[0]})) / double(all_of(of));
    };
    EXPECT_GT(share_of_long(sampled.by_instruction), share_of_long(run.by_instruction) + 0.05)
        << "it is alone at the end";
    ASSERT_GT(run.full_clocks, 0);
    EXPECT_GE(run.full_from, 800) << "when the third block has come";
    EXPECT_NEAR(double(all_of(sampled.full_by_instruction)) / SpanLog::kPerClock, double(run.full_clocks),
                0.01 * double(run.full_clocks));
    EXPECT_NEAR(share_of_long(sampled.full_by_instruction), share_of_long(run.full_by_instruction), 0.01)
        << "as many warps are there all the time";
}

TEST(SpanLog, KnowsWarpsThatComeLaterAndClocksWithoutAny) {
    SpanLog log;
    add_warp(log, 1, {10, 20, WarpState::memory, 0});
    add_warp(log, 1, {20, 30, WarpState::memory, 1});  // takes its place at once
    add_warp(log, 3, {50, 60, WarpState::memory, 2});  // behind a gap
    log.begins(3, 55);                                 // of a warp that has nothing to do
    log.ends(3, 60);
    ClockRun run;
    run.clocks = 60;
    run.by_instruction.resize(3);
    const ClockRun sampled = log.as_sampled(run);
    const auto memory = std::size_t(WarpState::memory);
    EXPECT_EQ(sampled.by_instruction[0][memory], 10 * SpanLog::kPerClock);
    EXPECT_EQ(sampled.by_instruction[1][memory], 10 * SpanLog::kPerClock);
    EXPECT_EQ(sampled.by_instruction[2][memory], 75 * SpanLog::kPerClock / 10)
        << "five clocks, and half of five";
    EXPECT_EQ(sampled.states[memory], 275 * SpanLog::kPerClock / 10);
    EXPECT_TRUE(sampled.full_by_instruction.empty()) << "no place was ever missing";
}

}  // namespace
}  // namespace ws
