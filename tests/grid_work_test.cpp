// What an average block of a launch does over a traced one, on made grids: the ratios follow by hand.

#include "gpu/analysis/grid_work.h"

#include <gtest/gtest.h>

namespace ws {
namespace {

// PTX: a block of two instructions on lines 1 and 2, and a loop of one on line 3. Machine code: three
// instructions of the first, four of the loop.
struct Grid {
    KernelTrace trace;
    MachineCode code;
    std::vector<std::shared_ptr<const MachinePath>> paths;
    KernelCounters counted;

    Grid() {
        trace.ptx_lines = {{1, 2}, {3}};
        trace.counted = {2, 1};
        for (const int ptx_line : {1, 1, 2, 3, 3, 3, 3}) {
            MachineInstruction made;
            made.ptx_line = ptx_line;
            code.instructions.push_back(made);
        }
    }

    // A block of one warp that goes round so often.
    void trace_block(int rounds) {
        WarpTrace& warp = trace.warps.emplace_back();
        warp.path.push_back({0, ~0u, 0});
        const auto path = std::make_shared<MachinePath>();
        paths.push_back(path);
        const auto execute = [&](int first, int end) {
            for (int i = first; i < end; ++i) path->steps.push_back({i, -1, 32});
        };
        execute(0, 3);
        for (int i = 0; i < rounds; ++i) {
            warp.path.push_back({1, ~0u, 0});
            execute(3, 7);
        }
    }
    // The same of blocks of the launch.
    void count(std::uint64_t blocks, std::uint64_t rounds) {
        counted.blocks_total += blocks;
        counted.block_executions.resize(2);
        counted.block_executions[0] += blocks;
        counted.block_executions[1] += blocks * rounds;
        counted.total.instructions += blocks * (2 + rounds);
    }
    // After that: a PTX block of one instruction that no traced warp comes to.
    void add_block(int line, std::uint64_t executions) {
        trace.ptx_lines.push_back({line});
        trace.counted.push_back(1);
        counted.block_executions.push_back(executions);
        counted.total.instructions += executions;
    }
    [[nodiscard]] double ratio() const { return work_of_a_block(trace, paths, code, counted); }
};

TEST(GridWork, IsOneWhereAllBlocksAreAlike) {
    Grid grid;
    grid.trace_block(10);
    grid.trace_block(10);
    grid.count(100, 10);
    EXPECT_DOUBLE_EQ(grid.ratio(), 1);
}

TEST(GridWork, BlocksOfTheBorderHaveLessToDo) {
    Grid grid;
    grid.trace_block(10);
    grid.count(50, 10);
    grid.count(50, 5);
    // Of the machine code: the PTX alone would say (2 + 7.5) / (2 + 10).
    EXPECT_DOUBLE_EQ(grid.ratio(), (3 + 4 * 7.5) / (3 + 4 * 10));
}

// Loads that the assembler joins are executed one by one and counted once.
TEST(GridWork, JoinedLoadsAreCountedAlikeOnBothSides) {
    Grid grid;
    grid.trace.ptx_lines[1] = {3, 4, 5, 6};
    grid.trace_block(10);
    grid.count(50, 10);
    EXPECT_DOUBLE_EQ(grid.ratio(), 1);
    grid.counted.block_executions.clear();
    EXPECT_DOUBLE_EQ(grid.ratio(), 1) << "counts of other PTX say how many instructions there are";
    grid.counted.total.instructions /= 2;
    EXPECT_DOUBLE_EQ(grid.ratio(), 0.5);
}

TEST(GridWork, WhatNoTracedBlockComesToIsThere) {
    Grid grid;
    grid.trace_block(0);
    grid.count(1, 0);
    grid.count(1, 4);
    // Two rounds of the average block, each as much machine code for an instruction as the traced ones have.
    EXPECT_DOUBLE_EQ(grid.ratio(), (3 + 2 * 1.5) / 3);
}

// A block of nothing but a branch has the line of the one before it, and no machine code of its own.
TEST(GridWork, MachineCodeBelongsToTheBlockThatIsExecuted) {
    Grid grid;
    grid.trace_block(10);
    grid.count(10, 10);
    grid.add_block(3, 0);
    EXPECT_DOUBLE_EQ(grid.ratio(), 1);
}

TEST(GridWork, MachineCodeOfNoLineGoesWithTheRest) {
    Grid grid;
    grid.code.instructions[0].ptx_line = 0;
    grid.trace_block(10);
    grid.count(10, 5);
    EXPECT_DOUBLE_EQ(grid.ratio(), (2 + 4 * 5) / (2 + 4 * 10.0));
}

TEST(GridWork, ATraceOfTheFirstRoundsHasTheMixOfAll) {
    Grid grid;
    grid.trace_block(10);
    grid.count(100, 30);
    const TracedMix mix = traced_mix(grid.trace, grid.counted);
    EXPECT_DOUBLE_EQ(mix.whole, 32.0 / 12);
    // 2 of 12 instructions are before the loop, where 2 of 32 are.
    EXPECT_NEAR(mix.elsewhere, 2.0 / 12 - 2.0 / 32, 1e-12);
}

TEST(GridWork, ATraceThatCameToAPartOnlyHasNot) {
    Grid grid;
    grid.trace_block(10);
    grid.count(100, 10);
    grid.add_block(4, 100 * 12);  // a second loop
    EXPECT_NEAR(traced_mix(grid.trace, grid.counted).elsewhere, 0.5, 1e-12);
    grid.counted.block_executions.clear();
    EXPECT_EQ(traced_mix(grid.trace, grid.counted).elsewhere, 1) << "counts of other PTX say nothing";
}

}  // namespace
}  // namespace ws
