// Launches of long ways, of which the last part is left out, against the whole of them.

#include "gpu/analysis/shortened_ways.h"

#include <gtest/gtest.h>

#include <functional>

#include "clock_programs.h"

namespace ws {
namespace {

using testing::arithmetic;
using testing::barrier;
using testing::last;
using testing::waiting;

constexpr double kMost = 250'000;

// A loop of loads and arithmetic, so many rounds of it for each warp.
struct LoopedLaunch {
    int blocks = 4, warps = 8, resident = 4, rounds = 2000;
    bool with_barrier = false;
    double past_l2 = 0.5;
    // Sectors that the load of a round asks for.
    std::function<int(int round)> sectors = [](int) { return 4; };

    MachineCode code;
    std::vector<MachinePath> paths;
    std::vector<WarpTrace> traces;
    ClockLoad load;

    void make() {
        code.instructions = {testing::load(0), arithmetic(4), arithmetic(4), waiting(arithmetic(2), 1)};
        for (int i = 0; i < 8; ++i) code.instructions.push_back(arithmetic(3, MachinePipe::alu));
        if (with_barrier) code.instructions.push_back(barrier());
        const int end = int(code.instructions.size());
        code.instructions.push_back(last());
        for (int i = 0; i <= end; ++i) code.instructions[std::size_t(i)].address = 16 * i;
        paths.assign(1, {});
        traces.assign(std::size_t(warps), {});
        for (int round = 0; round < rounds; ++round) {
            for (int i = 0; i < end; ++i) paths.front().steps.push_back({i, i == 0 ? round : -1, 32});
            for (WarpTrace& trace : traces) trace.accesses.push_back(testing::line_of_memory(sectors(round)));
        }
        paths.front().steps.push_back({end, -1, 32});
        load.code = &code;
        load.blocks.assign(std::size_t(blocks), {});
        for (ClockBlocks::value_type& block : load.blocks)
            for (const WarpTrace& trace : traces) block.push_back({&paths.front(), &trace});
        load.resident_blocks = resident;
        load.past_l2 = testing::past_l2(past_l2);
    }
    [[nodiscard]] ClockRun run() const { return run_clock(load, testing::rates()); }
    [[nodiscard]] std::size_t left_out() const {
        std::size_t sum = 0;
        for (const ClockBlocks::value_type& block : load.blocks)
            for (const ClockWarp& warp : block) sum += warp.left_out;
        return sum;
    }
};

TEST(ShortenedWays, WhatIsRunStandsForTheWhole) {
    struct Case {
        const char* name;
        LoopedLaunch launch;
    };
    std::vector<Case> cases;
    cases.push_back({"loads that wait for memory", {}});
    cases.push_back({"pipes that are full", {}});
    cases.back().launch.blocks = cases.back().launch.resident = 8;
    cases.back().launch.past_l2 = 0;
    cases.push_back({"barriers", {}});
    cases.back().launch.with_barrier = true;
    for (auto& [name, launch] : cases) {
        launch.make();
        const double work = work_of(launch.load.blocks);
        ASSERT_GT(work, 3 * kMost) << name;
        const ClockRun whole = launch.run();
        const double times = shorten(launch.load.blocks, launch.code, kMost);
        EXPECT_NEAR(times, work / kMost, 0.001 * times) << name;
        const ClockRun run = launch.run();
        EXPECT_NEAR(double(run.issued), double(whole.issued) * kMost / work, 0.001 * kMost) << name;
        ASSERT_EQ(run.block_ends.size(), whole.block_ends.size()) << name << ": every block ends";
        EXPECT_NEAR(times * double(run.issued), double(whole.issued), 1e-6 * double(whole.issued)) << name;
        EXPECT_NEAR(times * double(run.clocks), double(whole.clocks), 0.04 * double(whole.clocks)) << name;
        for (std::size_t part = 0; part < kParts; ++part)
            EXPECT_NEAR(times * run.busy[part], whole.busy[part], 0.01 * double(whole.clocks))
                << name << ", " << part;
    }
}

TEST(ShortenedWays, NothingIsLeftOutThatIsNotLikeTheRest) {
    LoopedLaunch launch;
    launch.sectors = [](int round) { return round < 1000 ? 1 : 4; };
    launch.make();
    EXPECT_EQ(shorten(launch.load.blocks, launch.code, kMost), 1) << "later rounds ask for more";
    EXPECT_EQ(launch.left_out(), 0u);
    launch.sectors = [](int) { return 4; };
    launch.make();
    for (std::size_t k = launch.paths.front().steps.size() / 2; k < launch.paths.front().steps.size(); ++k) {
        MachineStep& step = launch.paths.front().steps[k];
        if (step.instruction > 4) step.instruction = 1;
    }
    EXPECT_EQ(shorten(launch.load.blocks, launch.code, kMost), 1) << "later rounds have another pipe";
    EXPECT_EQ(launch.left_out(), 0u);
}

TEST(ShortenedWays, WhatIsLittleIsRunWhole) {
    LoopedLaunch launch;
    launch.rounds = 200;
    launch.make();
    ASSERT_LT(work_of(launch.load.blocks), kMost);
    EXPECT_EQ(shorten(launch.load.blocks, launch.code, kMost), 1);
    EXPECT_EQ(launch.left_out(), 0u);
}

// The ways begin with other requests than they go on with, so that a short part of them is unlike the rest.
TEST(ShortenedWays, AsMuchIsRunAsMakesItLikeTheRest) {
    LoopedLaunch launch;
    launch.sectors = [](int round) { return round < 100 ? 1 : 4; };
    launch.make();
    const ClockRun whole = launch.run();
    const double work = work_of(launch.load.blocks);
    constexpr double kLittle = 0.06;  // of the whole: hardly more than the begin
    const double times = shorten(launch.load.blocks, launch.code, kLittle * work);
    EXPECT_LT(times, 0.5 / kLittle);
    EXPECT_GT(times, 1.5) << "nor more than that";
    const ClockRun run = launch.run();
    EXPECT_NEAR(times * double(run.issued), double(whole.issued), 1e-6 * double(whole.issued));
    EXPECT_NEAR(times * double(run.clocks), double(whole.clocks), 0.06 * double(whole.clocks));
}

// Requests and the lines that they are for take the clock's time, too.
TEST(ShortenedWays, RequestsAreWork) {
    LoopedLaunch launch;
    launch.make();
    const auto blocks = double(launch.load.blocks.size());
    const double before = work_of(launch.load.blocks);
    std::vector<TracedAccess>& accesses = launch.traces.front().accesses;
    accesses.resize(accesses.size() + 100);
    EXPECT_EQ(work_of(launch.load.blocks), before + blocks * 175) << "of each block's first warp";
    accesses.back().asked_lines = 1;
    EXPECT_EQ(work_of(launch.load.blocks), before + blocks * 175) << "a request has a line";
    accesses.back().asked_lines = 31;
    EXPECT_NEAR(work_of(launch.load.blocks), before + blocks * (175 + 21), 1e-6);
}

}  // namespace
}  // namespace ws
