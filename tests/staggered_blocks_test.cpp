// One round of blocks that begin as in the middle of a launch, against many rounds.

#include "gpu/analysis/staggered_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "clock_programs.h"

namespace ws {
namespace {

using testing::arithmetic;
using testing::last;
using testing::waiting;

// Warps that first wait for one load after the other, and then keep a pipe busy.
struct TwoPhases {
    static constexpr int kLoads = 30, kSums = 6000;
    int warps = 4, resident = 8;

    MachineCode code;
    MachinePath path;
    WarpTrace trace;
    ClockLoad load;

    explicit TwoPhases(int rounds) {
        code.instructions = {testing::load(0), waiting(arithmetic(4), 1), arithmetic(4), last()};
        for (std::size_t i = 0; i < code.instructions.size(); ++i) code.instructions[i].address = int(16 * i);
        for (int i = 0; i < kLoads; ++i) {
            path.steps.push_back({0, i, 32});
            path.steps.push_back({1, -1, 32});
            trace.accesses.push_back(testing::line_of_memory());
        }
        for (int i = 0; i < kSums; ++i) path.steps.push_back({2, -1, 32});
        path.steps.push_back({3, -1, 32});
        load.code = &code;
        load.blocks.assign(std::size_t(rounds * resident),
                           std::vector<ClockWarp>(std::size_t(warps), ClockWarp{&path, &trace}));
        load.resident_blocks = resident;
    }
    TwoPhases(const TwoPhases&) = delete;
    TwoPhases& operator=(const TwoPhases&) = delete;
    [[nodiscard]] ClockRun run() const { return run_clock(load, testing::rates()); }
};

double waiting_share(const StateClocks& states) {
    double all = 0;
    for (const std::int64_t clocks : states) all += double(clocks);
    return double(states[std::size_t(WarpState::memory)]) / all;
}

TEST(StaggeredBlocks, EveryStepIsRunOnce) {
    for (const int rounds : {1, 2}) {
        TwoPhases launch(rounds);
        const ClockRun whole = launch.run();
        const std::size_t before = launch.load.blocks.size();
        const auto resident = std::size_t(launch.resident);
        const double parts = stagger(launch.load.blocks, launch.code, resident);
        EXPECT_DOUBLE_EQ(parts, double(before + resident) / double(before));
        ASSERT_EQ(launch.load.blocks.size(), before + resident);
        std::set<std::size_t> places;
        for (std::size_t i = 0; i < resident; ++i) {
            const ClockWarp& begun = launch.load.blocks[i].front();
            const ClockWarp& rest = launch.load.blocks[before + i].front();
            EXPECT_EQ(rest.first, 0u);
            EXPECT_EQ(rest.end(), begun.first);
            EXPECT_EQ(begun.end(), launch.path.steps.size());
            places.insert(begun.first);
            if (i > 0) {
                EXPECT_LT(begun.first, launch.load.blocks[i - 1].front().first) << "the older is further";
            }
        }
        EXPECT_EQ(places.size(), resident);
        const ClockRun run = launch.run();
        EXPECT_EQ(run.issued, whole.issued);
        EXPECT_EQ(run.block_ends.size(), launch.load.blocks.size());
    }
}

TEST(StaggeredBlocks, OneRoundIsLikeTheMiddleOfMany) {
    const ClockRun many = TwoPhases(24).run();
    TwoPhases one(1);
    const ClockRun at_once = one.run();
    const double parts = stagger(one.load.blocks, one.code, std::size_t(one.resident));
    const ClockRun run = one.run();
    const auto of_a_block = [](const ClockRun& made, double blocks) {
        return double(made.full_clocks) / double(made.full_issued) * double(made.issued) / blocks;
    };
    const double expected = of_a_block(many, double(many.block_ends.size()));
    EXPECT_NEAR(of_a_block(run, double(run.block_ends.size()) / parts), expected, 0.05 * expected);
    const double share = waiting_share(many.full_states);
    EXPECT_NEAR(waiting_share(run.full_states), share, 0.05);
    EXPECT_GT(std::abs(waiting_share(at_once.full_states) - share), 0.1) << "otherwise this shows nothing";
}

// Of warps that have more to do between the same barriers, and one that ends before the last.
TEST(StaggeredBlocks, WarpsOfABlockBeginBehindTheSameBarrier) {
    TwoPhases launch(1);
    launch.code.instructions.push_back(testing::barrier());
    launch.code.instructions.back().address = int(16 * launch.code.instructions.size());
    const auto path_of = [](int barriers, int between) {
        MachinePath made;
        for (int i = 0; i < barriers; ++i) {
            made.steps.insert(made.steps.end(), std::size_t(between), {2, -1, 32});
            made.steps.push_back({4, -1, 32});
        }
        made.steps.push_back({3, -1, 32});
        return made;
    };
    const std::vector<MachinePath> paths{path_of(20, 5), path_of(20, 400), path_of(20, 1), path_of(9, 50)};
    for (auto& block : launch.load.blocks)
        for (std::size_t warp = 0; warp < block.size(); ++warp) block[warp].path = &paths[warp];
    const auto barriers = [](const ClockWarp& warp) {
        return std::count_if(warp.path->steps.begin(), warp.path->steps.begin() + std::ptrdiff_t(warp.first),
                             [](const MachineStep& step) { return step.instruction == 4; });
    };
    const std::int64_t issued = launch.run().issued;
    stagger(launch.load.blocks, launch.code, std::size_t(launch.resident));
    for (int i = 0; i < launch.resident; ++i) {
        const std::vector<ClockWarp>& block = launch.load.blocks[std::size_t(i)];
        const auto first = barriers(block[0]);
        EXPECT_EQ(barriers(block[1]), first);
        EXPECT_EQ(barriers(block[2]), first);
        EXPECT_EQ(barriers(block[3]), std::min<std::ptrdiff_t>(first, 9));
    }
    EXPECT_EQ(launch.run().issued, issued);
}

TEST(StaggeredBlocks, WhatIsLeftOutOfAWayStaysOut) {
    TwoPhases launch(1);
    for (auto& block : launch.load.blocks)
        for (ClockWarp& warp : block) warp.left_out = 1001;
    const std::int64_t issued = launch.run().issued;
    stagger(launch.load.blocks, launch.code, std::size_t(launch.resident));
    EXPECT_EQ(launch.run().issued, issued);
    EXPECT_EQ(launch.load.blocks.front().front().left_out, 1001u);
}

// A way without steps in one of its parts.
TEST(StaggeredBlocks, ShortWaysEnd) {
    TwoPhases launch(1);
    launch.path.steps.assign(1, {3, -1, 32});
    EXPECT_EQ(stagger(launch.load.blocks, launch.code, std::size_t(launch.resident)), 2);
    const ClockRun run = launch.run();
    EXPECT_EQ(run.issued, launch.resident * launch.warps);
    EXPECT_EQ(run.block_ends.size(), std::size_t(2 * launch.resident));
}

}  // namespace
}  // namespace ws
