// A kernel run by the clock of a multiprocessor, as the engine is asked for it: with few and with many blocks
// resident, for kernels that wait and kernels that compute.

#include "gpu/engine/clock_book.h"

#include <gtest/gtest.h>

#include "gpu/engine/engine.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "tests/shared_engine.h"

namespace ws {
namespace {

Engine& clocking_engine() {
    return engine_with_picture({1000, 701}, "a picture.jpg");
}

bool has_compiler() {
    return Nvrtc::open().ok();
}

Work work_of(const Lab& lab, int version, const char* gpu = "H200") {
    Work work = with_version(first_work(lab), version_of(lab, version));
    work.device = DeviceKind::simt;
    work.target_gpu = gpu;
    return work;
}

const ChosenClock& run(const Work& work, ClockWish wish) {
    Beside beside;
    beside.clock = wish;
    clocking_engine().prepare(work, beside);
    clocking_engine().wait_for_counts();
    return clocking_engine().snapshot().steps[std::size_t(wish.step)].counts.clock;
}

std::int64_t clocks_of(const WarpTimeline& timeline) {
    std::int64_t sum = 0;
    for (const std::int64_t clocks : timeline.states) sum += clocks;
    return sum;
}

void expect_whole(const ClockedKernel& clocked) {
    ASSERT_FALSE(clocked.timeline.rows.empty());
    EXPECT_EQ(int(clocked.timeline.rows.size()), clocked.warps());
    EXPECT_EQ(clocked.names.size(), clocked.lines.size());
    EXPECT_GT(clocked.timeline.issue_percent, 0);
    EXPECT_LE(clocked.timeline.issue_percent, 100);
    EXPECT_GT(clocks_of(clocked.timeline), 0);
    for (const TimelineRow& row : clocked.timeline.rows) {
        std::int64_t at = 0;
        for (const TimelineSpan& span : row.spans) {
            EXPECT_GE(span.from, at) << "spans of a warp do not overlap";
            EXPECT_GT(span.until, span.from);
            at = span.until;
            ASSERT_LT(std::size_t(span.instruction), clocked.names.size());
        }
    }
}

TEST(ClockBook, MoreWarpsHideMoreOfTheLatency) {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
    const Work work = work_of(filters::lab(), 3);
    const ChosenClock clock = run(work, {filters::step::blur, 1, 0});
    ASSERT_TRUE(clock.few && clock.many) << clock.problem.pattern();
    EXPECT_FALSE(clock.stale);
    expect_whole(*clock.few);
    expect_whole(*clock.many);
    EXPECT_EQ(clock.few->blocks, 1);
    EXPECT_EQ(clock.many->blocks, clock.many->most_blocks);
    EXPECT_LT(clock.few->timeline.issue_percent, clock.many->timeline.issue_percent);
}

// Two blocks fit, but the launch has 128 for 132 multiprocessors.
TEST(ClockBook, OfFewerBlocksThanFitAreThoseThatThereAre) {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
    Work work = work_of(lab_named("matmul"), 8);
    work.size = {256, 256};
    const ChosenClock clock = run(work, {0, 1, 0});
    ASSERT_TRUE(clock.few && clock.many) << clock.problem.pattern();
    const std::optional<Occupancy>& occupancy = clocking_engine().snapshot().steps.front().occupancy.now;
    ASSERT_TRUE(occupancy);
    EXPECT_EQ(occupancy->active_blocks, 2);
    EXPECT_EQ(clock.many->blocks, 1);
    EXPECT_EQ(clock.many->most_blocks, 1);
    expect_whole(*clock.many);
    EXPECT_EQ(run(work, {0, 1, 2}).many->blocks, 1);
}

// Above stands the kernel of the version before, with all its blocks; where there is none, few of this one.
TEST(ClockBook, TheBaselinesKernelStandsAbove) {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
    const Work before = work_of(filters::lab(), 4);
    const auto alone = run(before, {filters::step::blur, 1, 0}).many;
    const ChosenClock clock = run(work_of(filters::lab(), 5), {filters::step::blur, 1, 0, true});
    ASSERT_TRUE(alone && clock.few && clock.many) << clock.problem.pattern();
    EXPECT_TRUE(clock.baseline);
    expect_whole(*clock.few);
    EXPECT_EQ(clock.few->key.counts, alone->key.counts);
    EXPECT_FALSE(clock.few->key.counts == clock.many->key.counts);
    EXPECT_EQ(clock.few->blocks, clock.few->most_blocks);
    EXPECT_EQ(clock.few->timeline.issue_percent, alone->timeline.issue_percent);
    const ChosenClock none = run(work_of(filters::lab(), 0), {filters::step::blur, 1, 0, true});
    ASSERT_TRUE(none.few && none.many) << none.problem.pattern();
    EXPECT_FALSE(none.baseline) << "V0 is the first";
    EXPECT_EQ(none.few->blocks, 1);
}

TEST(ClockBook, AGpuWithoutMachineCodeSaysWhy) {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
    const ChosenClock clock = run(work_of(filters::lab(), 3, "Tesla K40m"), {filters::step::blur, 1, 0});
    EXPECT_FALSE(clock.few || clock.many);
    EXPECT_NE(clock.problem.pattern().find("7.5"), std::string::npos) << clock.problem.pattern();
}

std::string line_of(const std::string& text, int number) {
    std::size_t at = 0;
    for (int line = 1; line < number && at != std::string::npos; ++line) at = text.find('\n', at) + 1;
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

// Of a kernel with a barrier: the clocks of all lines are those of all states, and warps wait for a barrier
// where there is one.
TEST(StallsByLine, AddUpAndStandWhereTheyArise) {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
    clocking_engine().prepare(work_of(filters::lab(), 5), {});
    clocking_engine().wait_for_counts();
    const StepSnapshot& step = clocking_engine().snapshot().steps[filters::step::blur];
    ASSERT_TRUE(step.counts.result && step.counts.result->clocked);
    const ClockedLaunch& clocked = *step.counts.result->clocked;
    EXPECT_DOUBLE_EQ(step.estimate()->ms, clocked.ms);
    std::int64_t sum = 0;
    int barriers = 0;
    for (int line = 0; line < int(clocked.at_line.size()); ++line) {
        const StateClocks& states = clocked.at_line[std::size_t(line)];
        for (const std::int64_t clocks : states) EXPECT_GE(clocks, 0) << line;
        sum += ws::clocks_of(states);
        EXPECT_EQ(states_at(&clocked, line) != nullptr, line > 0 && ws::clocks_of(states) > 0);
        if (states[std::size_t(WarpState::barrier)] == 0) continue;
        ++barriers;
        EXPECT_NE(line_of(step.counts.source.text, line).find("__syncthreads"), std::string::npos)
            << "line " << line << ": " << line_of(step.counts.source.text, line);
    }
    EXPECT_GT(barriers, 0);
    EXPECT_EQ(sum, ws::clocks_of(all_states(clocked)));
    EXPECT_LT(double(ws::clocks_of(clocked.at_line.front())), 0.02 * double(sum))
        << "what belongs to no line";
    // On a GPU whose machine code nobody reads there is none.
    clocking_engine().prepare(work_of(filters::lab(), 5, "Tesla K40m"), {});
    clocking_engine().wait_for_counts();
    const StepSnapshot& old = clocking_engine().snapshot().steps[filters::step::blur];
    ASSERT_TRUE(old.counts.result);
    EXPECT_EQ(old.counts.result->clocked, nullptr);
}

TEST(ClockBook, NothingIsRunThatNobodyAskedFor) {
    if (!has_compiler()) GTEST_SKIP() << "no compiler";
    clocking_engine().prepare(work_of(filters::lab(), 3), {});
    clocking_engine().wait_for_counts();
    EXPECT_FALSE(clocking_engine().snapshot().steps[filters::step::blur].counts.clock.many);
}

}  // namespace
}  // namespace ws
