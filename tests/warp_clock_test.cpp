// Rules of issue, of units and of blocks, on code written for each: the clocks follow by hand.

#include <numeric>

#include <gtest/gtest.h>

#include "gpu/analysis/scheduler_pipes.h"
#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

TEST(WarpClock, AStallCountHoldsItsWarpAlone) {
    const std::vector<MachineInstruction> code{arithmetic(4), arithmetic(4), arithmetic(4), last()};
    const ClockRun one = run({.code = code});
    EXPECT_EQ(one.clocks, 3 * 4 + 1);
    EXPECT_EQ(one.issued, 4);
    EXPECT_EQ(at(one, WarpState::dependency), 3 * 3);
    // Four warps have a scheduler each; sixteen share theirs with three others, which fill the gaps.
    EXPECT_EQ(run({.code = code, .warps = 4}).clocks, one.clocks);
    const ClockRun many = run({.code = code, .warps = 16});
    EXPECT_EQ(many.clocks, 16);
    EXPECT_EQ(many.issued, 64);
    EXPECT_NEAR(many.timeline.issue_percent, 100, 0.1);
}

TEST(WarpClock, TheSameLaunchTakesTheSameTime) {
    const Program program{.code = {load(0), waiting(arithmetic(1), 1), last()}, .warps = 8, .blocks = 4};
    EXPECT_EQ(run(program).clocks, run(program).clocks) << "what is thrown is thrown alike";
}

// ATOMS.POPC.INC: lanes that add 1 to the same word are one.
TEST(WarpClock, LanesThatCountInOneWordAreOne) {
    TracedAccess counted;
    counted.kind = MachineKind::atomic;
    counted.space = MemorySpace::shared;
    counted.lanes = 32;
    counted.ways = 32;
    counted.wavefronts = 1;
    MachineInstruction atomic = load(0);
    atomic.kind = MachineKind::atomic;
    atomic.space = MemorySpace::shared;
    const auto clocks = [&](int opcode) {
        atomic.opcode = opcode;
        return run({.code = {atomic, atomic, waiting(arithmetic(1), 1), last()},
                    .access = counted,
                    .warps = 32})
            .clocks;
    };
    EXPECT_GE(clocks(0x38c), 2 * 32 * 32);
    EXPECT_LT(clocks(0xf8c), 2 * 32 * 4);
}

TEST(WarpClock, APipeTakesOneWarpAfterTheOther) {
    ClockRates with = rates();
    with.pipe_clocks[std::size_t(MachinePipe::xu)] = 8;
    const MachineInstruction special = arithmetic(1, MachinePipe::xu);
    const ClockRun made = run({.code = {special, special, special, last()}, .warps = 16}, with);
    EXPECT_GE(made.clocks, 12 * 8 - 12);
    EXPECT_LE(made.clocks, 12 * 8 + 8);
    EXPECT_GT(at(made, WarpState::pipe), at(made, WarpState::dependency));
    // A pipe that takes one in every clock holds nobody: others are chosen.
    const ClockRun full = run({.code = {arithmetic(1), arithmetic(1), last()}, .warps = 16});
    EXPECT_EQ(at(full, WarpState::pipe), 0);
    EXPECT_GT(at(full, WarpState::not_selected), 0);
}

TEST(WarpClock, OneWaitsBeforeTheUnitOfSpecialFunctions) {
    ClockRates with = rates();
    with.pipe_clocks[std::size_t(MachinePipe::xu)] = 8;
    with.latency.special = 20;
    MachineInstruction special = arithmetic(1, MachinePipe::xu);
    SchedulerPipes pipes(with);
    EXPECT_EQ(pipes.take(MachinePipe::xu, 1, 0), 0);
    EXPECT_EQ(pipes.ready(MachinePipe::xu), 4) << "it has begun with the first";
    EXPECT_EQ(pipes.take(MachinePipe::xu, 1, 4), 4) << "clocks until it has done so";
    EXPECT_EQ(pipes.ready(MachinePipe::xu), 12);
    EXPECT_EQ(pipes.take(MachinePipe::xu, 1, 40), 0);
    EXPECT_EQ(pipes.take(MachinePipe::fma, 1, 50), 0);
    EXPECT_EQ(pipes.ready(MachinePipe::fma), 51) << "no other pipe has such a place";
    // Two warps of each scheduler: the second one's result comes later by what it waited there.
    special.control.write_barrier = 0;
    const ClockRun made = run({.code = {special, waiting(arithmetic(1), 1), last()}, .warps = 8}, with);
    EXPECT_EQ(at(made, WarpState::dependency), 4 * (19 + 19 + 4));
    EXPECT_EQ(at(made, WarpState::pipe) + at(made, WarpState::not_selected), 4 * 4);
}

// Sums of floating-point numbers go to both halves of FMA by turns, products of integers to one of them.
TEST(WarpClock, SumsInTheHeavyHalfCountForProductsOfIntegers) {
    ClockRates with = rates();
    with.pipe_clocks[std::size_t(MachinePipe::fma_heavy)] = 2;
    SchedulerPipes pipes(with);
    for (int i = 0; i < 4; ++i) (void)pipes.take(MachinePipe::fma, 1, i);
    EXPECT_EQ(pipes.taken_since(MachinePipe::fma, 0), 4);
    EXPECT_EQ(pipes.taken_since(MachinePipe::fma_heavy, 0), 2);
    (void)pipes.take(MachinePipe::fma_heavy, 1, 4);
    EXPECT_EQ(pipes.taken_since(MachinePipe::fma_heavy, 0), 3);
    EXPECT_EQ(pipes.taken_since(MachinePipe::fma, 0), 4) << "products do not count for sums";
}

TEST(WarpClock, ABarrierWaitsForTheSlowestWarpOfItsBlock) {
    // The first warp of the block has everything in its cache, the others wait for memory.
    const std::vector<MachineInstruction> code{load(0), waiting(arithmetic(1), 1), barrier(), arithmetic(1),
                                               last()};
    const ClockRun made = run({.code = code, .warps = 8});
    EXPECT_GT(at(made, WarpState::barrier), 0);
    EXPECT_GT(made.clocks, 482) << "seven tenths of the latency are the same for all";
    EXPECT_EQ(made.issued, 8 * 5);
}

TEST(WarpClock, ArithmeticBehindABarrierIsIssuedBeforeAllHaveCome) {
    // The first warp of the block comes to the barrier some hundred clocks before the others.
    constexpr int kSteps = 10;
    const auto behind = [](const MachineInstruction& first) {
        std::vector<MachineInstruction> code{load(0), waiting(arithmetic(1), 1), barrier(), first};
        for (int i = 0; i < kSteps; ++i) code.push_back(arithmetic(4));
        code.push_back(last());
        return run({.code = code, .warps = 8});
    };
    const ClockRun arithmetic_first = behind(arithmetic(4));
    const ClockRun branch_first = behind(instruction("BRA", MachinePipe::cbu, MachineKind::branch, 4));
    const ClockRun uniform_move_first =
        behind(instruction("UMOV", MachinePipe::uniform, MachineKind::arithmetic, 4));
    EXPECT_EQ(at(uniform_move_first, WarpState::barrier), at(branch_first, WarpState::barrier));
    // Seven warps have done all of it before the last one comes.
    EXPECT_LE(at(arithmetic_first, WarpState::barrier),
              at(branch_first, WarpState::barrier) - 7 * 4 * kSteps);
    EXPECT_LE(arithmetic_first.clocks, branch_first.clocks);
    // What is left of it counts for the barrier.
    std::int64_t at_others = 0;
    for (std::size_t i = 0; i < arithmetic_first.by_instruction.size(); ++i)
        if (i != 2) at_others += arithmetic_first.by_instruction[i][std::size_t(WarpState::barrier)];
    EXPECT_EQ(at_others, 0);
}

TEST(WarpClock, ABarrierBehindABarrierWaitsForIt) {
    constexpr int kWarps = 8;
    const std::vector<MachineInstruction> code{
        load(0), waiting(arithmetic(1), 1), barrier(), arithmetic(4), barrier(), arithmetic(4), barrier(),
        last()};
    const ClockRun made = run({.code = code, .warps = kWarps});
    EXPECT_EQ(made.issued, std::int64_t(kWarps * code.size()));
    // At the first one seven warps wait for the slowest, at the others all come together.
    const auto waited = [&](std::size_t at) {
        return made.by_instruction[at][std::size_t(WarpState::barrier)];
    };
    EXPECT_GT(waited(2), 2 * waited(4));
    EXPECT_GT(waited(4), 0) << "until it has let them go";
}

TEST(WarpClock, ABlockBeginsWhereOneHasEnded) {
    const std::vector<MachineInstruction> code{arithmetic(10), arithmetic(10), last()};
    ClockRates with = rates();
    EXPECT_EQ(run({.code = code, .blocks = 3, .resident = 3}, with).clocks, 21);
    const ClockRun made = run({.code = code, .blocks = 3, .resident = 1}, with);
    EXPECT_GE(made.clocks, 3 * 21);
    ASSERT_EQ(made.block_ends.size(), 3u);
    EXPECT_LT(made.block_ends[0], made.block_ends[1]);
}

TEST(WarpClock, BlocksBeginAsFastAsTheGpuGivesThemOut) {
    const std::vector<MachineInstruction> code{arithmetic(10), arithmetic(10), last()};
    ClockRates with = rates();
    with.first_block = 50;
    with.first_warp = 5;
    EXPECT_EQ(run({.code = code, .blocks = 3, .resident = 3}, with).clocks, 2 * 55 + 21);
    // Those for which there is no room at first have a rate that all multiprocessors share: what one has not
    // used comes back.
    with.first_block = with.first_warp = 0;
    with.block_turn = 0;
    with.block_launch = 1000;
    EXPECT_NEAR(double(run({.code = code, .blocks = 4, .resident = 2}, with).clocks), 2 * 1000 + 21, 1);
    std::vector<MachineInstruction> slow(200, arithmetic(10));
    slow.push_back(last());
    const double one = double(run({.code = slow}, with).clocks);
    EXPECT_NEAR(double(run({.code = slow, .blocks = 4, .resident = 2}, with).clocks), 2 * one, 2)
        << "both come when the first two end";
}

// The next block's warps begin at another scheduler, so that what the first warp of each does is not always
// done by the same one.
TEST(WarpClock, BlocksBeginAtOneSchedulerAfterTheOther) {
    std::vector<MachineInstruction> code(100, arithmetic(1));
    code.push_back(last());
    const auto clocks = [&](int warps, int blocks) {
        MachineCode all;
        all.instructions = code;
        MachinePath path, none;
        for (std::size_t i = 0; i < code.size(); ++i) path.steps.push_back({int(i), -1, 32});
        none.steps.push_back(path.steps.back());
        const WarpTrace trace;
        ClockLoad load;
        load.code = &all;
        load.blocks.resize(std::size_t(blocks));
        load.resident_blocks = blocks;
        for (std::vector<ClockWarp>& block : load.blocks)
            for (int i = 0; i < warps; ++i) block.push_back({i == 0 ? &path : &none, &trace});
        return double(run_clock(load, rates()).clocks);
    };
    for (const int warps : {1, 3, 4, 5, 8})
        EXPECT_NEAR(clocks(warps, 4), 101, 8) << warps << " warps: each scheduler has one that is long";
    for (const int warps : {2, 6}) EXPECT_NEAR(clocks(warps, 4), 202, 8) << warps << ": two schedulers have";
}

TEST(WarpClock, TheWarpsOfABlockBeginAfterEachOther) {
    const std::vector<MachineInstruction> code{arithmetic(10), arithmetic(10), last()};
    ClockRates with = rates();
    const auto clocks = [&](int warps, int blocks) {
        return run({.code = code, .warps = warps, .blocks = blocks, .resident = 1}, with).clocks;
    };
    EXPECT_EQ(clocks(8, 1), 22) << "two of a scheduler";
    with.warp_launch = 3;
    EXPECT_EQ(clocks(8, 1), 21 + 7 * 3);
    // And a block of many is longer in coming.
    with.warp_launch = 0;
    const auto turn = [&](int warps) { return clocks(warps, 2) - 2 * clocks(warps, 1); };
    const std::int64_t of_one = turn(1);
    EXPECT_EQ(turn(4), of_one);
    with.warp_turn = 4;
    EXPECT_EQ(turn(1), of_one);
    EXPECT_EQ(turn(4), of_one + 3 * 4);
}

TEST(WarpClock, AWarpWaitsUntilItIsKnownWhereItGoesOn) {
    // Of one clock each, beyond which they take what is measured.
    const auto clocks = [](const char* name, MachineKind kind, bool elsewhere) {
        const MachineInstruction turn = instruction(name, MachinePipe::cbu, kind);
        MachineCode code;
        code.instructions = {turn, arithmetic(1), arithmetic(1), last()};
        MachinePath path;
        for (const int at : {0, elsewhere ? 2 : 1, 3}) path.steps.push_back({at, -1, 32});
        const WarpTrace trace;
        ClockLoad load;
        load.code = &code;
        load.blocks = {{{&path, &trace}}};
        return double(run_clock(load, rates()).clocks);
    };
    const double plain = clocks("NOP", MachineKind::arithmetic, false);
    const ClockRates with = rates();
    EXPECT_EQ(clocks("BRA", MachineKind::branch, false), plain);
    EXPECT_EQ(clocks("BRA", MachineKind::branch, true), plain + with.taken_branch);
    EXPECT_EQ(clocks("CALL", MachineKind::call, true), plain + with.taken_branch);
    EXPECT_EQ(clocks("RET", MachineKind::exit, true), plain + with.function_return);
    EXPECT_NEAR(clocks("BSYNC", MachineKind::converge, false), plain + with.meeting, 1);
    EXPECT_EQ(clocks("BSSY", MachineKind::converge, false), plain);
}

// From when every place is taken until the first one stays empty: among many blocks one takes as long as the
// pipe needs for it.
TEST(WarpClock, ABlockAmongManyTakesItsShareOfThePipe) {
    std::vector<MachineInstruction> code(40, arithmetic(4));
    code.push_back(last());
    ClockRates slow = rates();
    slow.first_block = 30;
    slow.block_turn = 0;
    const ClockRun made = run({.code = code, .warps = 4, .blocks = 24, .resident = 8}, slow);
    ASSERT_GT(made.full_issued, made.issued / 2);
    const double block = double(made.issued) / 24;
    const double each = double(made.full_clocks) * block / double(made.full_issued);
    EXPECT_NEAR(each, 41, 6) << "a warp of each scheduler with 41 instructions";
}

// Of one round of blocks what counts ends with the first warp: then fewer are there to hide latencies.
TEST(WarpClock, ARoundOfBlocksCountsUntilItsFirstWarpEnds) {
    std::vector<MachineInstruction> code(40, arithmetic(1));
    code.push_back(last());
    const ClockRun made = run({.code = code, .warps = 8, .blocks = 4, .resident = 4});
    ASSERT_GT(made.full_clocks, 0);
    EXPECT_LT(made.full_clocks, made.clocks);
    EXPECT_NEAR(double(made.full_issued) / double(made.full_clocks), 4, 0.1) << "schedulers are never idle";
    const auto all = [](const StateClocks& states) {
        return std::accumulate(states.begin(), states.end(), std::int64_t(0));
    };
    EXPECT_NEAR(double(all(made.full_states)) / double(made.full_clocks), 32, 0.5) << "warps, at every clock";
    StateClocks sum{};
    for (const StateClocks& one : made.full_by_instruction)
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
    EXPECT_EQ(sum, made.full_states);
}

// What warps wait for once they are no longer in step stands for what is not run, also where fewer blocks are
// there than have places.
TEST(WarpClock, WhatGoesOnInStepDoesNotCountForTheRest) {
    constexpr int kFirst = 100, kThen = 200;
    std::vector<MachineInstruction> code(kFirst, arithmetic(1));
    code.insert(code.end(), kThen, arithmetic(8));
    code.push_back(last());
    Program program{.code = code, .warps = 4, .blocks = 2, .resident = 6};
    const ClockRun whole = run(program);
    EXPECT_LT(whole.begin_issued, 2 * 4) << "all are there at once";
    EXPECT_GT(whole.full_issued, 2 * 4 * (kFirst + kThen / 2));
    program.in_step = std::int64_t(2) * 4 * (kFirst + 20);
    const ClockRun rest = run(program);
    EXPECT_EQ(rest.clocks, whole.clocks);
    EXPECT_EQ(rest.states, whole.states);
    EXPECT_EQ(rest.begin_issued, whole.begin_issued);
    ASSERT_GT(rest.full_issued, 0);
    EXPECT_NEAR(double(rest.full_clocks) / double(rest.full_issued), 1, 0.05)
        << "eight warps, each eighth clock";
    EXPECT_LT(double(whole.full_clocks) / double(whole.full_issued), 0.9);
    for (int i = 0; i < kFirst; ++i) EXPECT_EQ(rest.full_by_instruction[std::size_t(i)], StateClocks{}) << i;
    // Where a warp ends before, there is nothing that stands for the others.
    MachineCode machine;
    machine.instructions = code;
    MachinePath path, ends_soon;
    for (int i = 0; i < int(code.size()); ++i) path.steps.push_back({i, -1, 32});
    ends_soon.steps = {path.steps.front(), path.steps.back()};
    const WarpTrace trace;
    ClockLoad load;
    load.code = &machine;
    load.blocks = {{{&path, &trace}, {&ends_soon, &trace}, {&path, &trace}}};
    const auto counts = [&](std::int64_t in_step) {
        load.in_step = in_step;
        return run_clock(load, rates()).full_issued;
    };
    EXPECT_EQ(counts(2 * kFirst), 0);
    EXPECT_GT(counts(1), 0);
    program.in_step = 1 << 20;
    EXPECT_EQ(run(program).full_clocks, 0) << "more than there is";
}

// 128 lanes of FMA are two halves; what follows goes to the half that did not take the last one.
TEST(WarpClock, TheHalvesOfTheFmaPipeTakeTurns) {
    ClockRates halves = rates();
    halves.pipe_clocks[std::size_t(MachinePipe::fma)] = 1;
    halves.pipe_clocks[std::size_t(MachinePipe::fma_heavy)] = 2;
    const auto clocks_of = [&](const std::vector<MachineInstruction>& round) {
        std::vector<MachineInstruction> code;
        for (int i = 0; i < 50; ++i) code.insert(code.end(), round.begin(), round.end());
        code.push_back(last());
        return double(run({.code = code, .warps = 32}, halves).clocks) / (50 * 8);
    };
    const MachineInstruction product = arithmetic(1, MachinePipe::fma_heavy);
    const MachineInstruction fma = arithmetic(1);
    MachineInstruction wide = product;
    wide.passes = 2;
    MachineInstruction nothing = arithmetic(1, MachinePipe::dispatch);
    // Measured on an H200: tools/register-ports, without what its loop adds.
    EXPECT_NEAR(clocks_of({fma}), 1, 0.1);
    EXPECT_NEAR(clocks_of({product}), 2, 0.1);
    EXPECT_NEAR(clocks_of({product, fma}), 2, 0.1);
    EXPECT_NEAR(clocks_of({product, fma, fma}), 4, 0.2);
    EXPECT_NEAR(clocks_of({product, fma, fma, fma}), 4, 0.2);
    EXPECT_NEAR(clocks_of({wide}), 4, 0.2);
    EXPECT_NEAR(clocks_of({wide, fma, fma}), 6, 0.3);
    EXPECT_NEAR(clocks_of({wide, nothing, nothing}), 5, 0.2) << "three places of issue, and two";
    EXPECT_NEAR(clocks_of({wide, nothing, nothing, nothing, nothing}), 7, 0.3);
}

TEST(WarpClock, CopiesThatAreStillOnTheWayHoldNobody) {
    MachineInstruction copy = load(-1);
    copy.name = "LDGSTS";
    copy.kind = MachineKind::copy;
    MachineInstruction group = last();
    group.name = "LDGDEPBAR";
    group.kind = MachineKind::wait;
    group.control.write_barrier = 0;
    const auto until = [](int may_remain) {
        MachineInstruction made = arithmetic(1);
        made.name = "DEPBAR";
        made.kind = MachineKind::wait;
        made.awaited = {0, may_remain};
        return made;
    };
    // The copies have no access here; what they wait for is told by the groups alone.
    const ClockRun none = run({.code = {copy, group, copy, group, until(2), arithmetic(1), last()}});
    EXPECT_EQ(at(none, WarpState::memory), 0);
}

TEST(WarpClock, ATimelineEndsWhereBlocksRunOut) {
    const std::vector<MachineInstruction> code{load(0), waiting(arithmetic(1), 1), last()};
    const ClockRun made = run({.code = code, .warps = 4, .blocks = 6, .resident = 2});
    EXPECT_GT(made.timeline.clocks, 0);
    EXPECT_LT(made.timeline.clocks, made.clocks) << "the last blocks are fewer than may be resident";
    EXPECT_EQ(made.timeline.rows.size(), 2u);
}

TEST(WarpClock, AWarpThatEndsWithAStoreIsGoneOnceItHasLeft) {
    ClockRates with = rates();
    with.drain = 0;
    const std::vector<MachineInstruction> code{store(), last()};
    const std::int64_t at_once = at(run({.code = code}, with), WarpState::drain);
    with.drain = 20;
    EXPECT_NEAR(double(at(run({.code = code}, with), WarpState::drain) - at_once), 20, 1);
    const std::vector<MachineInstruction> no_store{arithmetic(1), last()};
    EXPECT_EQ(at(run({.code = no_store}, with), WarpState::drain), 0);
    std::vector<MachineInstruction> long_ago{store(), arithmetic(50), last()};
    EXPECT_EQ(at(run({.code = long_ago}, with), WarpState::drain), 0);
}

// Where a multiprocessor has places for 32 blocks of two warps, these stay when they have ended.
TEST(WarpClock, ShortBlocksOfTwoWarpsStay) {
    const auto drains = [](int warps, int resident, int work) {
        std::vector<MachineInstruction> code(std::size_t(work), arithmetic(50));
        code.push_back(last());
        const ClockRun made = run({.code = code, .warps = warps, .blocks = resident, .resident = resident});
        return double(at(made, WarpState::drain)) / (warps * resident);
    };
    EXPECT_NEAR(drains(2, 32, 4), 440 - 0.39 * 4 * 50, 30);
    EXPECT_NEAR(drains(2, 32, 16), 440 - 0.39 * 16 * 50, 30);
    EXPECT_LT(drains(2, 32, 30), 5) << "long ones do not";
    EXPECT_LT(drains(2, 31, 4), 5);
    EXPECT_LT(drains(1, 32, 4), 5);
    EXPECT_LT(drains(3, 32, 4), 5);
}

}  // namespace
}  // namespace ws
