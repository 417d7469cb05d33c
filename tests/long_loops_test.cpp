// Launches of long loops, of which most is passed over, against the same clock by clock.

#include "gpu/analysis/long_loops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "clock_programs.h"

namespace ws {
namespace {

using testing::arithmetic;
using testing::barrier;
using testing::last;
using testing::waiting;

// A loop of loads and arithmetic, so many rounds of it for each warp; warps of a block take the lines of
// memory in turn.
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

    // Its clocks; those of a timeline of all of it, of which nothing is passed over.
    ClockRun run(bool clock_by_clock, bool only_latencies = false) {
        make();
        load.timeline_clocks = clock_by_clock ? std::int64_t(1) << 40 : 0;
        load.only_latencies = only_latencies;
        return run_clock(load, testing::rates());
    }

  private:
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
        for (std::vector<ClockWarp>& block : load.blocks)
            for (const WarpTrace& trace : traces) block.push_back({&paths.front(), &trace});
        load.resident_blocks = resident;
        load.past_l2 = past_l2;
    }
};

double share(const StateClocks& states, std::size_t state) {
    return double(states[state]) / double(std::accumulate(states.begin(), states.end(), std::int64_t(0)));
}

void expect_same(const ClockRun& run, const ClockRun& plain, const char* of) {
    EXPECT_EQ(plain.passed_over, 0) << of;
    EXPECT_GT(run.passed_over, plain.issued / 3) << of;
    EXPECT_EQ(run.issued, plain.issued) << of;
    // As much as two windows may differ.
    EXPECT_NEAR(double(run.clocks), double(plain.clocks), 0.02 * double(plain.clocks)) << of;
    ASSERT_EQ(run.block_ends.size(), plain.block_ends.size()) << of;
    // That blocks come apart by chance no window shows.
    EXPECT_NEAR(double(run.block_ends.front()), double(plain.block_ends.front()), 0.03 * double(plain.clocks))
        << of;
    for (std::size_t part = 0; part < kParts; ++part)
        EXPECT_NEAR(run.busy[part], plain.busy[part], 0.01 * double(plain.clocks)) << of << ", " << part;
    EXPECT_NEAR(run.moved.from_memory, plain.moved.from_memory, 0.02 * plain.moved.from_memory) << of;
    EXPECT_NEAR(double(run.full_clocks), double(plain.full_clocks), 0.03 * double(plain.clocks)) << of;
    EXPECT_NEAR(double(run.full_issued), double(plain.full_issued), 0.01 * double(plain.issued)) << of;
    for (std::size_t state = 0; state < kWarpStates; ++state)
        EXPECT_NEAR(share(run.states, state), share(plain.states, state), 0.02) << of << ", " << state;
    for (std::size_t i = 0; i < plain.by_instruction.size(); ++i)
        EXPECT_EQ(run.by_instruction[i][std::size_t(WarpState::issuing)],
                  plain.by_instruction[i][std::size_t(WarpState::issuing)])
            << of << ", instruction " << i;
}

TEST(LongLoops, WhatIsPassedOverTakesWhatItWouldHaveTaken) {
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
    cases.push_back({"blocks one after the other", {}});
    cases.back().launch.resident = 2;
    cases.back().launch.rounds = 3000;
    for (Case& one : cases) {
        const ClockRun plain = one.launch.run(true);
        expect_same(one.launch.run(false), plain, one.name);
    }
}

TEST(LongLoops, LatenciesAlonePassOverTheSame) {
    LoopedLaunch launch;
    const ClockRun plain = launch.run(true, true);
    const ClockRun run = launch.run(false, true);
    EXPECT_GT(run.passed_over, plain.issued / 2);
    EXPECT_EQ(run.issued, plain.issued);
    EXPECT_NEAR(double(run.clocks), double(plain.clocks), 0.01 * double(plain.clocks));
}

// Whose rounds ask for more and more.
TEST(LongLoops, NothingIsPassedOverThatIsNotLikeTheWindow) {
    LoopedLaunch launch;
    launch.sectors = [](int round) { return round < 1000 ? 1 : 4; };
    const ClockRun plain = launch.run(true);
    const ClockRun run = launch.run(false);
    EXPECT_GT(run.passed_over, 0) << "of one half and of the other";
    EXPECT_EQ(run.issued, plain.issued);
    EXPECT_NEAR(double(run.clocks), double(plain.clocks), 0.02 * double(plain.clocks));
    EXPECT_NEAR(run.moved.from_memory, plain.moved.from_memory, 0.03 * plain.moved.from_memory);
    launch.sectors = [](int round) { return 1 + round * 4 / 2001; };
    launch.rounds = 2000;
    const ClockRun grows = launch.run(false);
    EXPECT_NEAR(double(grows.clocks), double(launch.run(true).clocks), 0.02 * double(grows.clocks));
}

TEST(LongLoops, WhatTakesLittleIsRunClockByClock) {
    LoopedLaunch launch;
    launch.rounds = 500;
    const ClockRun run = launch.run(false);
    EXPECT_EQ(run.passed_over, 0);
    EXPECT_EQ(run.clocks, launch.run(true).clocks);
}

}  // namespace
}  // namespace ws
