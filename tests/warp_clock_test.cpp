// The clock of a multiprocessor on code written for it: each case is one rule, and the clocks follow by hand.

#include "gpu/analysis/warp_clock.h"

#include <gtest/gtest.h>

#include <numeric>

#include "gpu/analysis/clock_units.h"
#include "gpu/analysis/memory_path.h"
#include "gpu/analysis/scattered.h"
#include "gpu/core/cache_level.h"

namespace ws {
namespace {

MachineInstruction arithmetic(int stall, MachinePipe pipe = MachinePipe::fma) {
    MachineInstruction made;
    made.name = "FFMA";
    made.pipe = pipe;
    made.kind = MachineKind::arithmetic;
    made.control.stall = stall;
    return made;
}

MachineInstruction load(int scoreboard) {
    MachineInstruction made;
    made.name = "LDG";
    made.pipe = MachinePipe::lsu;
    made.kind = MachineKind::load;
    made.space = MemorySpace::global;
    made.bytes = 4;
    made.control.stall = 1;
    made.control.write_barrier = scoreboard;
    return made;
}

MachineInstruction waiting(MachineInstruction instruction, int scoreboards) {
    instruction.control.waits = std::uint8_t(scoreboards);
    return instruction;
}

MachineInstruction barrier() {
    MachineInstruction made;
    made.name = "BAR";
    made.pipe = MachinePipe::adu;
    made.kind = MachineKind::barrier;
    made.control.stall = 1;
    return made;
}

MachineInstruction last() {
    MachineInstruction made;
    made.name = "EXIT";
    made.pipe = MachinePipe::cbu;
    made.kind = MachineKind::exit;
    made.control.stall = 1;
    return made;
}

TracedAccess line_of_memory(int sectors = 4) {
    TracedAccess made;
    made.lanes = 32;
    made.sectors = made.past_l1 = std::uint16_t(sectors);
    made.lines = 1;
    made.bytes = std::uint16_t(32 * sectors);
    return made;
}

// Every warp executes all of the code once; its loads are of `access`, in order, or of these lines one by
// one, so many further on in each warp of a block.
struct Program {
    std::vector<MachineInstruction> code;
    TracedAccess access = line_of_memory();
    std::vector<LineSectors> lines{};
    std::uint64_t lines_of_warp = 0;
    int warps = 1;  // of a block
    int blocks = 1;
    int resident = 1;
    std::uint64_t l1_bytes = 0, l2_share_bytes = 0;
    std::vector<LineSectors> before{};
    double past_l2 = 1;
    bool accesses = true;  // else no lane is let through
    double slice_clocks = 0;
    double spill_stores_past_l2 = 0;
};

ClockRates rates() {
    ClockRates made;
    made.pipe_clocks.fill(1);
    made.block_launch = 0;
    made.code.line = made.code.l15_latency = 0;  // code is where it is wanted
    return made;
}

ClockRun run(const Program& program, const ClockRates& with = rates()) {
    MachineCode code;
    code.instructions = program.code;
    MachinePath path;
    std::vector<WarpTrace> traces(std::size_t(program.warps));
    WarpTrace& trace = traces.front();
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const MachineKind kind = program.code[i].kind;
        const bool accesses = program.accesses && program.code[i].space != MemorySpace::local &&
                              (kind == MachineKind::load || kind == MachineKind::store ||
                               kind == MachineKind::atomic || kind == MachineKind::constant_load);
        path.steps.push_back({int(i), accesses ? int(trace.accesses.size()) : -1, 32});
        if (!accesses) continue;
        trace.accesses.push_back(program.access);
        if (kind == MachineKind::store || kind == MachineKind::atomic) trace.accesses.back().kind = kind;
        if (program.lines.empty()) continue;
        const LineSectors line = program.lines[(trace.accesses.size() - 1) % program.lines.size()];
        TracedAccess& access = trace.accesses.back();
        access.sectors = std::uint16_t(line.count());
        access.by_l1 = kind == MachineKind::load;
        access.past_l1 = access.by_l1 ? 0 : access.sectors;
        access.asked_lines = 1;
        access.first_asked = int(trace.asked.size());
        trace.asked.push_back(line);
    }
    for (std::size_t warp = 1; warp < traces.size(); ++warp) {
        traces[warp] = trace;
        for (LineSectors& one : traces[warp].asked)
            one = {one.line() + warp * program.lines_of_warp, one.sectors()};
    }
    ClockLoad load;
    load.code = &code;
    load.blocks.resize(std::size_t(program.blocks));
    for (std::vector<ClockWarp>& block : load.blocks)
        for (const WarpTrace& one : traces) block.push_back({&path, &one});
    load.l1_bytes = program.l1_bytes;
    load.l2_share_bytes = program.l2_share_bytes;
    load.before = program.before;
    load.resident_blocks = program.resident;
    load.past_l2 = program.past_l2;
    load.slice_clocks = program.slice_clocks;
    load.spill_stores_past_l2 = program.spill_stores_past_l2;
    load.timeline_clocks = 1 << 20;
    return run_clock(load, with);
}

std::int64_t at(const ClockRun& made, WarpState state) {
    return made.states[std::size_t(state)];
}

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

// Clocks that a warp waits for memory, on average.
double memory_wait(const ClockRun& made, int warps) {
    return double(at(made, WarpState::memory)) / warps;
}

TEST(WarpClock, AScoreboardHoldsUntilTheDataIsThere) {
    constexpr int kWarps = 64;  // a block each: those of one block get theirs together
    ClockRates with = rates();
    with.latency.memory = 500;
    with.memory.read_sector = 0.1;  // nobody waits for the channels
    const std::vector<MachineInstruction> code{load(0), waiting(arithmetic(1), 1), last()};
    const ClockRun one = run({.code = code, .blocks = kWarps, .resident = kWarps}, with);
    EXPECT_NEAR(memory_wait(one, kWarps), 500, 60) << "the mean; some lines take longer than others";
    // Past L1 but not past L2 it is sooner.
    const ClockRun near = run({.code = code, .past_l2 = 0}, with);
    EXPECT_NEAR(memory_wait(near, 1), with.latency.l2, 12);
    // Loads on the way at a time wait but once, for the slowest of them; one after the other as often as they
    // are.
    const ClockRun together = run(
        {.code = {load(0), load(0), waiting(arithmetic(1), 1), last()}, .blocks = kWarps, .resident = kWarps},
        with);
    const ClockRun apart =
        run({.code = {load(0), waiting(arithmetic(1), 1), load(0), waiting(arithmetic(1), 1), last()},
             .blocks = kWarps,
             .resident = kWarps},
            with);
    EXPECT_GT(memory_wait(together, kWarps), memory_wait(one, kWarps) + 20);
    EXPECT_LT(memory_wait(together, kWarps), 700);
    EXPECT_NEAR(memory_wait(apart, kWarps), 1000, 100);
}

// Of what L1 lacks only so many sectors may be on their way: the next load waits in L1 until the oldest are
// there, and once as many loads as there is room for wait behind it, warps wait for a pipe.
TEST(WarpClock, LoadsWaitForAPlaceForWhatTheyLack) {
    ClockRates with = rates();
    const auto loads = [&](int places, int count, int sectors) {
        with.sectors_on_their_way = places;
        std::vector<MachineInstruction> code(std::size_t(count), load(0));
        code.push_back(waiting(arithmetic(1), 1));
        code.push_back(last());
        return run({.code = code, .access = line_of_memory(sectors), .past_l2 = 0}, with);
    };
    const double l2 = with.latency.l2;
    EXPECT_NEAR(double(loads(12, 3, 4).clocks), l2, 30);
    EXPECT_NEAR(double(loads(8, 3, 4).clocks), 2 * l2, 30) << "two lines are on their way";
    EXPECT_NEAR(double(loads(8, 5, 4).clocks), 3 * l2, 30);
    EXPECT_NEAR(double(loads(8, 8, 1).clocks), l2, 30) << "eight sectors are";
    EXPECT_NEAR(double(loads(2, 1, 4).clocks), l2, 30) << "more than ever: once it is empty";
    EXPECT_LT(at(loads(8, 60, 4), WarpState::pipe), 100) << "they wait in L1";
    EXPECT_GT(at(loads(8, 130, 4), WarpState::pipe), 5 * l2) << "which has room for 64";
}

TEST(WarpClock, TheSameLaunchTakesTheSameTime) {
    const Program program{.code = {load(0), waiting(arithmetic(1), 1), last()}, .warps = 8, .blocks = 4};
    EXPECT_EQ(run(program).clocks, run(program).clocks) << "what is thrown is thrown alike";
}

TEST(WarpClock, ManyWarpsAreHeldByTheBandwidthNotByTheLatency) {
    const std::vector<MachineInstruction> code{load(0), waiting(arithmetic(1), 1), last()};
    ClockRates with = rates();
    with.memory.read_sector = 5;
    const ClockRun few = run({.code = code, .warps = 4}, with);
    std::vector<MachineInstruction> loads(8, load(0));
    loads.push_back(waiting(arithmetic(1), 1));
    loads.push_back(last());
    const ClockRun many = run({.code = loads, .warps = 32, .blocks = 32, .resident = 2}, with);
    // Every sector takes its share; some channels have nothing to do while others have too much.
    constexpr double kAll = 32 * 32 * 8 * 4 * 5;
    EXPECT_GT(double(many.clocks), kAll);
    EXPECT_LT(double(many.clocks), 1.2 * kAll);
    EXPECT_GT(many.clocks, few.clocks);
    EXPECT_NEAR(many.busy[std::size_t(Part::memory)], kAll, 1);
    // How busy it is, is told of its theoretical bandwidth, where that is known.
    with.memory_peak = 4;
    const ClockRun of_peak = run({.code = loads, .warps = 32, .blocks = 32, .resident = 2}, with);
    EXPECT_NEAR(of_peak.busy[std::size_t(Part::memory)], kAll * 4 / 5, 1);
    EXPECT_EQ(of_peak.clocks, many.clocks);
}

// Lines side by side come together, so that nobody waits long for the slowest warp of a block.
TEST(WarpClock, WhatABlockWantsSideBySideComesTogether) {
    ClockRates with = rates();
    with.latency.memory = 600;
    with.memory.read_sector = 0.1;
    const std::vector<MachineInstruction> code{load(0), waiting(arithmetic(1), 1), barrier(), last()};
    const auto at_barrier = [&](int sectors) {
        TracedAccess access = line_of_memory();
        access.sectors = access.past_l1 = std::uint16_t(sectors);
        return at(run({.code = code, .access = access, .warps = 16, .blocks = 16}, with), WarpState::barrier);
    };
    EXPECT_GT(at_barrier(1), 2 * at_barrier(4)) << "one sector of a line: each comes when it comes";
}

MachineInstruction store(MemorySpace space = MemorySpace::global) {
    MachineInstruction made = load(-1);
    made.name = "STG";
    made.kind = MachineKind::store;
    made.space = space;
    return made;
}

TEST(WarpClock, AtomicsWaitForTheSliceThatAllGoTo) {
    MachineInstruction atomic = load(0);
    atomic.kind = MachineKind::atomic;
    Program program{.code = {atomic, waiting(arithmetic(1), 1), last()}, .warps = 16};
    const ClockRun alone = run(program);
    program.slice_clocks = 500;
    const ClockRun all = run(program);
    EXPECT_GE(all.clocks, 16 * 500);
    EXPECT_LT(alone.clocks, all.clocks);
    EXPECT_GT(at(all, WarpState::memory), 16 * 500 * 16 / 3) << "they wait for it as for memory";
    EXPECT_EQ(all.busy[std::size_t(Part::l2)], alone.busy[std::size_t(Part::l2)])
        << "one slice of many: the others have nothing to do";
}

MachineInstruction sum() {
    MachineInstruction made = load(-1);
    made.name = "REDG";
    made.kind = MachineKind::atomic;
    return made;
}

TEST(WarpClock, LoadsGoBehindTheAtomicsOfTheirMultiprocessorWhereManyWait) {
    const auto wait_behind = [](std::size_t atomics, bool in_l1) {
        Program program{.code = std::vector<MachineInstruction>(atomics, sum()),
                        .lines = {{7, 0b1111}},
                        .l1_bytes = 4096,
                        .past_l2 = 0,
                        .slice_clocks = 5000};
        program.code.insert(program.code.end(), {load(0), waiting(arithmetic(1), 1), last()});
        if (in_l1) program.before = program.lines;
        return memory_wait(run(program), 1);
    };
    const double alone = wait_behind(0, false);
    EXPECT_NEAR(wait_behind(1, false), alone, 60) << "it passes four sectors";
    EXPECT_NEAR(wait_behind(24, false), alone + 10000, 100) << "until two of 24 have gone";
    EXPECT_LT(wait_behind(24, true), 60) << "what L1 has does not go that way";
}

TEST(WarpClock, LoadsTakeTimeOfTheSliceThatAtomicsQueueAt) {
    constexpr int kBlocks = 64;
    Program program{.code = {sum(), last()}, .blocks = kBlocks, .resident = 8, .past_l2 = 0};
    program.access = line_of_memory(32);
    program.slice_clocks = 500;
    EXPECT_NEAR(double(run(program).clocks), kBlocks * 500, 400);
    program.code = {sum(), load(0), load(0), load(0), load(0), waiting(arithmetic(1), 1), last()};
    const double each = SecondLevelUse::clocks_of_slice(32, rates().l2.read_sector);
    EXPECT_GT(each, 20);
    // The last block's loads come behind all atomics.
    EXPECT_NEAR(double(run(program).clocks), kBlocks * (500 + 4 * each), 1000);
    // What comes from device memory takes more of it.
    program.past_l2 = 1;
    EXPECT_GT(double(run(program).clocks), kBlocks * (500 + 1.6 * 4 * each));
}

TEST(WarpClock, AtomicsHoldTheLoadStoreUnitOnceTheirWayIsFull) {
    const int room = rates().loads_in_l1;  // each has a line's data
    const auto drains = [](int atomics) {
        std::vector<MachineInstruction> code(std::size_t(atomics), sum());
        code.push_back(last());
        return double(at(run({.code = code, .slice_clocks = 5000}), WarpState::drain));
    };
    EXPECT_LT(drains(room), 100) << "they have left, if not arrived";
    EXPECT_NEAR(drains(room + 10), 10 * 5000, 300);
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

TEST(WarpClock, OperandsOfAStoreThatHasToWaitAreAWaitForMemory) {
    ClockRates with = rates();
    with.latency.operands = 200;
    MachineInstruction reads = store();
    reads.control.read_barrier = 1;
    const auto waits = [&](MachineInstruction one) {
        return run({.code = {one, waiting(arithmetic(1), 2), last()}}, with);
    };
    EXPECT_GT(at(waits(reads), WarpState::memory), 150);
    reads.space = MemorySpace::shared;
    EXPECT_EQ(at(waits(reads), WarpState::memory), 0) << "shared memory's is a dependency";
}

// A word that does not fit the registers: L1 keeps it for the load while it has room for those of all warps,
// and passes on the store.
TEST(WarpClock, SpilledWordsAreWrittenThrough) {
    constexpr std::uint64_t kWarps = 8;
    MachineInstruction spilled = store(MemorySpace::local);
    spilled.bytes = 4;
    MachineInstruction reload = load(0);
    reload.space = MemorySpace::local;
    Program program{.code = {spilled, last()}, .warps = kWarps, .l1_bytes = kWarps * kLineBytes};
    const ClockRun kept = run(program);
    const double stored = kept.busy[std::size_t(Part::l2)];
    program.code = {spilled, barrier(), reload, waiting(arithmetic(1), 1), last()};
    EXPECT_EQ(run(program).busy[std::size_t(Part::l2)], stored) << "none of the loads";
    program.l1_bytes /= 2;
    EXPECT_GT(run(program).busy[std::size_t(Part::l2)], stored);
    // Another word lies elsewhere.
    program.l1_bytes *= 2;
    program.code[2].offset = 4;
    EXPECT_GT(run(program).busy[std::size_t(Part::l2)], 1.2 * stored);
    program.code = {spilled, last()};
    EXPECT_GT(kept.busy[std::size_t(Part::l2)], 0);
    EXPECT_EQ(kept.busy[std::size_t(Part::memory)], 0);
    program.spill_stores_past_l2 = 1;
    EXPECT_NEAR(run(program).busy[std::size_t(Part::memory)], 8 * 4 * rates().memory.write_sector, 1e-6);
}

// Each warp goes through its lines twice. One finds in L1 what it had; together they have evicted it.
TEST(WarpClock, WarpsEvictWhatOthersHadInL1) {
    constexpr std::uint64_t kLines = 16;
    Program program;
    program.l1_bytes = 2 * kLines * kLineBytes;
    program.past_l2 = 0;
    for (std::uint64_t line = 0; line < kLines; ++line) program.lines.emplace_back(line, 0b1111);
    program.lines_of_warp = kLines;
    for (std::uint64_t i = 0; i < 2 * kLines; ++i) {
        program.code.push_back(load(0));
        program.code.push_back(waiting(arithmetic(1), 1));
    }
    program.code.push_back(last());
    const auto sectors_of_l2 = [&](int warps) {
        program.warps = warps;
        return run(program).busy[std::size_t(Part::l2)];
    };
    const double alone = sectors_of_l2(1);
    EXPECT_EQ(alone, 4 * kLines) << "each sector once";
    EXPECT_EQ(sectors_of_l2(2), 2 * alone);
    EXPECT_EQ(sectors_of_l2(8), 8 * 2 * alone) << "nothing is there the second time";
    // What the blocks before have left is there at once.
    program.before = program.lines;
    EXPECT_EQ(sectors_of_l2(1), 0);
}

TEST(WarpClock, WhatIsOnItsWayIsWaitedFor) {
    ClockRates with = rates();
    with.latency.l1 = 30;
    with.latency.l2 = 300;
    Program program{.code = {load(0), waiting(arithmetic(1), 1), load(0), waiting(arithmetic(1), 1), last()},
                    .l1_bytes = 4096,
                    .past_l2 = 0};
    program.lines = {{7, 0b0001}};
    const ClockRun one = run(program, with);
    EXPECT_NEAR(memory_wait(one, 1), 300 + 30, 6) << "then it is there";
    // The second warp asks while it is on its way: both wait, then both hit.
    program.warps = 2;
    const ClockRun both = run(program, with);
    EXPECT_NEAR(memory_wait(both, 2), 300 + 30, 6);
    EXPECT_EQ(both.busy[std::size_t(Part::l2)], one.busy[std::size_t(Part::l2)]) << "it is asked for once";
}

// Device memory gives 64 bytes at least, of which the second level keeps what nobody asked for.
TEST(WarpClock, ASectorComesWithTheOtherHalfOf64Bytes) {
    Program program{.code = {load(0), waiting(arithmetic(1), 1), load(0), waiting(arithmetic(1), 1), last()},
                    .l1_bytes = 4096,
                    .l2_share_bytes = 16384};
    const auto from_memory = [&](std::uint32_t first, std::uint32_t second) {
        program.lines = {{7, first}, {7, second}};
        return run(program).busy[std::size_t(Part::memory)];
    };
    EXPECT_EQ(from_memory(0b0001, 0b0010), 2);
    EXPECT_EQ(from_memory(0b0001, 0b0100), 4);
    EXPECT_EQ(from_memory(0b1111, 0b1111), 4);
}

// A sector that was loaded is written all the same, but once.
TEST(WarpClock, WhatIsStoredOverWhatWasLoadedIsWritten) {
    Program program{
        .code = {load(0), waiting(store(), 1), store(), last()}, .l1_bytes = 4096, .l2_share_bytes = 16384};
    program.lines = {{7, 0b1111}};
    EXPECT_EQ(run(program).busy[std::size_t(Part::memory)], 4 + 4);
}

std::vector<LineSectors> every(std::uint64_t distance, std::uint64_t count) {
    std::vector<LineSectors> lines;
    for (std::uint64_t i = 0; i < count; ++i) lines.emplace_back(i * distance, 1);
    return lines;
}

TEST(WarpClock, ScatteredIsWhatLiesApartAndUnevenly) {
    EXPECT_EQ(scattered_over(every(1, 32)), 0);
    EXPECT_EQ(scattered_over(every(1000, 32)), 0) << "a column: the next warp has the next one";
    const std::vector<LineSectors> anywhere{{5, 1}, {900, 1}, {1000, 1}, {4000, 1}, {9005, 1}};
    EXPECT_EQ(scattered_over(anywhere), 9000.0 * kLineBytes);
    const std::vector<LineSectors> rows{{5, 1}, {6, 1}, {900, 1}, {901, 1}, {9000, 1}, {9001, 1}};
    EXPECT_EQ(scattered_over(rows), 0) << "two and two";
    EXPECT_EQ(scattered_over(std::span(anywhere).first(3)), 0) << "too few to tell";
}

TEST(WarpClock, WhatLiesAnywhereComesAtARateOfItsOwnUnlessTheSecondLevelKeepsIt) {
    ClockRates with = rates();
    with.memory.read_scattered = 50;
    const std::vector<LineSectors> anywhere{{5, 1}, {900, 1}, {1000, 1}, {4000, 1}, {9005, 1}};
    MachineCode code;
    code.instructions = {load(0), waiting(arithmetic(1), 1), last()};
    MachinePath path;
    path.steps = {{0, 0, 32}, {1, -1, 32}, {2, -1, 32}};
    WarpTrace trace;
    trace.asked = anywhere;
    trace.accesses.push_back({.lanes = 32, .sectors = 5, .lines = 5, .by_l1 = true, .asked_lines = 5});
    ClockLoad load;
    load.code = &code;
    load.blocks.assign(1, {{&path, &trace}});
    load.scattered_past_l2 = 0;
    const auto memory = [&] { return run_clock(load, with).busy[std::size_t(Part::memory)]; };
    EXPECT_EQ(memory(), 5 * 50);
    load.l2_bytes = 9000.0 * kLineBytes;
    EXPECT_EQ(memory(), 0);
}

TEST(Caches, WhatIsLeftOfAPartLosesWays) {
    // 62 lines of 64 in 16 sets of 4 are 8 sets of 7.
    CacheLevel most = CacheLevel::with_all_of(62 * kLineBytes, 4);
    EXPECT_EQ(most.places(), 56u);
    EXPECT_EQ(CacheLevel::with_all_of(64 * kLineBytes, 4).places(), 64u);
    EXPECT_EQ(CacheLevel::with_all_of(3 * kLineBytes, 4).places(), 0u);
    for (std::uint64_t line = 0; line < 56; ++line) EXPECT_EQ(most.take({line, 0b0110}).missing, 0b0110u);
    for (std::uint64_t line = 0; line < 56; ++line) EXPECT_EQ(most.take({line, 0b1100}).missing, 0b1000u);
    CacheLevel none = CacheLevel::with_all_of(0, 4);
    EXPECT_FALSE(none.access(1));
    EXPECT_FALSE(none.access(1));
}

TEST(ClockUnits, WhatComesTakesTheFirstTimeThatIsLongEnough) {
    Calendar calendar;
    EXPECT_EQ(calendar.take(0, 2), 0);
    EXPECT_EQ(calendar.take(10, 2), 10);
    EXPECT_EQ(calendar.take(1, 9), 12) << "before 10 is room for 8";
    EXPECT_EQ(calendar.take(1, 8), 2);
    EXPECT_EQ(calendar.take(0, 1), 21);
    calendar.forget(30);
    EXPECT_EQ(calendar.take(30, 1), 30);
}

TEST(ClockUnits, WhatIsAskedForEarlierMayComeLater) {
    SharedUnit unit(2, 12, 18);
    double done = 0;
    for (int i = 0; i < 10; ++i) done = unit.take(0, 0, 1, 0, 4);
    EXPECT_EQ(done, 9 * 4 + 1);
    EXPECT_EQ(unit.reads(0), 9 * 4);
    EXPECT_EQ(unit.take(1, 5, 1, 0, 4), 6) << "of another scheduler, between them";
}

TEST(ClockUnits, AChannelWritesWhileItHasNothingToRead) {
    constexpr double kLine = 120;
    // One channel, so that nothing is left to chance.
    const auto read_after = [&](double gap) {
        Channels channels(kLine);
        Dice dice;
        double now = 0;
        for (int i = 0; i < 7; ++i) channels.take(now, kLine, true, dice);
        now += gap;
        const double first = channels.take(now, kLine, false, dice) - now;
        channels.take(now, kLine, true, dice);  // the eighth, if the others still wait
        return first + channels.take(now, kLine, false, dice) - now;
    };
    EXPECT_NEAR(read_after(0), kLine + (1 + 8 + 1) * kLine, 1)
        << "reads go first, then eight lines are written";
    EXPECT_NEAR(read_after(10 * kLine), kLine + 2 * kLine, 1) << "what waited has been written meanwhile";
    EXPECT_NEAR(read_after(kLine), read_after(0), 1) << "turning round takes as long as a line";
}

TEST(ClockUnits, TheSecondLevelIsAsBusyAsItsBusiestPart) {
    SecondLevelUse use;
    use.add(4, 1, 10, true);
    EXPECT_EQ(use.busy(1), 10);
    use.add(4, 1, 8, false);
    EXPECT_EQ(use.busy(1), 10) << "one network each way";
    use.add(4, 1, 8, false);
    EXPECT_EQ(use.busy(1), 16);
    SecondLevelUse looked_up;
    looked_up.add(32, 8, 0, false);
    const double whole_lines = looked_up.busy(1);
    EXPECT_GT(whole_lines, 0);
    SecondLevelUse apart;
    apart.add(32, 32, 0, false);
    EXPECT_NEAR(apart.busy(1), 2 * whole_lines, 1e-9) << "a lookup for each line, of two sectors at most";
    looked_up.add_moved(32);
    EXPECT_GT(looked_up.busy(1), 1.5 * whole_lines);
}

// A loop's body of so many bytes, of which every so many lines one is executed: 1 is straight through.
ClockRun run_loop(int bytes, int rounds, int every = 1, int warps = 1) {
    constexpr int kLine = 128;
    MachineCode code;
    for (int address = 0; address < bytes; address += kMachineInstructionBytes) {
        code.instructions.push_back(arithmetic(1));
        code.instructions.back().address = address;
    }
    MachinePath path;
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < int(code.instructions.size()); ++i)
            if (code.instructions[std::size_t(i)].address / kLine % every == 0)
                path.steps.push_back({i, -1, 32});
    const WarpTrace trace;
    ClockLoad load;
    load.code = &code;
    load.blocks.assign(1, std::vector<ClockWarp>(std::size_t(warps), ClockWarp{&path, &trace}));
    ClockRates with = rates();
    with.code = CodeRates{};
    return run_clock(load, with);
}
// Clocks of a round beyond the first ones, for each line that is executed.
double clocks_of_line(int bytes, int every = 1, int warps = 1) {
    const auto lines = double((bytes / 128 + every - 1) / every);
    const auto clocks = [&](int rounds) { return double(run_loop(bytes, rounds, every, warps).clocks); };
    return (clocks(4) - clocks(2)) / 2 / lines;
}

TEST(CodeFetch, ALoopTakesWhatTheCacheThatHoldsItGives) {
    constexpr int kKiB = 1024;
    EXPECT_NEAR(clocks_of_line(16 * kKiB), 8, 0.1) << "eight instructions";
    EXPECT_NEAR(clocks_of_line(32 * kKiB), 8, 0.1);
    EXPECT_NEAR(clocks_of_line(64 * kKiB), 16, 0.5) << "from L1.5: an H200 takes 17.8";
    EXPECT_NEAR(clocks_of_line(256 * kKiB), 47, 1) << "from L2, four lines ahead: an H200 takes 45.0";
    EXPECT_NEAR(clocks_of_line(64 * kKiB, 1, 8), 16, 1) << "two warps of a scheduler share what one fetches";
    EXPECT_EQ(at(run_loop(16 * kKiB, 4), WarpState::fetch), at(run_loop(16 * kKiB, 1), WarpState::fetch));
    EXPECT_GT(at(run_loop(64 * kKiB, 4), WarpState::fetch),
              at(run_loop(64 * kKiB, 4), WarpState::issuing) / 2);
}

TEST(CodeFetch, AJumpPastWhatIsFetchedAheadWaitsForItsLine) {
    constexpr int kBytes = 17 * 128;
    // A jump brings five lines, so 60 of them take more than the 256 that L0 has.
    EXPECT_NEAR(clocks_of_line(30 * kBytes, 17), 8, 0.1);
    EXPECT_NEAR(clocks_of_line(60 * kBytes, 17), 5 * 16, 1) << "an H200 takes 82";
    EXPECT_NEAR(clocks_of_line(400 * kBytes, 17), 8 + 222, 6) << "an H200 takes 222 longer than from L0";
    EXPECT_NEAR(clocks_of_line(300 * 3 * 128, 3), 3 * 16, 1) << "what is passed comes, too: 48.5 on an H200";
}

TEST(WarpClock, AFullQueueHoldsWarpsByTheNumberOfTheirRequests) {
    // A request of 32 wavefronts waits in the queue as one of a single one does.
    TracedAccess conflict;
    conflict.space = MemorySpace::shared;
    conflict.lanes = 32;
    conflict.wavefronts = 32;
    MachineInstruction shared = load(0);
    shared.space = MemorySpace::shared;
    const std::vector<MachineInstruction> code{shared, waiting(arithmetic(1), 1), last()};
    ClockRates with = rates();
    with.lsu_queue = {8, 8};
    const ClockRun roomy = run({.code = code, .access = conflict, .warps = 32}, with);
    EXPECT_GE(roomy.clocks, 32 * 32);
    EXPECT_EQ(at(roomy, WarpState::pipe), 0) << "all are in the queue, and wait for their words";
    with.lsu_queue = {1, 1};
    const ClockRun full = run({.code = code, .access = conflict, .warps = 32}, with);
    EXPECT_GT(at(full, WarpState::pipe), at(full, WarpState::dependency));
    EXPECT_NEAR(double(full.clocks), double(roomy.clocks), 40) << "the work is the same";
}

// 15 loads of 32 wavefronts: looked up in 120 clocks, their data are there in 480.
TEST(WarpClock, SharedMemoryTakesTurnsWithLoadsThatWaitInL1) {
    const MachineCode code;
    ClockLoad load;
    load.code = &code;
    const ClockRates with = rates();
    MemoryPath path(load, with);
    const WarpTrace trace;
    TracedAccess apart;
    apart.lanes = 32;
    apart.lines = apart.sectors = apart.wavefronts = 32;
    double last = 0;
    for (int i = 0; i < 15; ++i) last = path.request(trace, apart, {}, 0).done;
    EXPECT_NEAR(last, 15 * 32 + with.latency.l1, 10);
    TracedAccess word = apart;
    word.space = MemorySpace::shared;
    word.wavefronts = 20;
    EXPECT_NEAR(path.request(trace, word, {}, 130).done, 130 + 2 * 20 + with.latency.shared, 1);
    EXPECT_NEAR(path.request(trace, apart, {}, 200).done, last + 20 + 32, 1)
        << "the banks have worked for it";
}

// Its address, and what it stores, go to the unit a register after the other.
TEST(WarpClock, OperandsOfRequestsTakeTheWayOfTheirScheduler) {
    TracedAccess word;
    word.space = MemorySpace::shared;
    word.lanes = 32;
    word.wavefronts = 1;
    const auto clocks = [&](int registers, int warps) {
        MachineInstruction one = load(-1);
        one.reads[0] = {2, std::uint8_t(registers)};
        Program program{.code = std::vector<MachineInstruction>(200, one), .access = word, .warps = warps};
        program.code.push_back(last());
        return double(run(program).clocks);
    };
    const double queued = 16;  // what still waits holds nobody
    EXPECT_NEAR(clocks(2, 1), (200 - queued) * 4, 20);
    EXPECT_NEAR(clocks(1, 1), (200 - queued) * 2, 20);
    EXPECT_NEAR(clocks(2, 4), clocks(2, 1), 30) << "each scheduler has one";
    EXPECT_NEAR(clocks(1, 4), 4 * 200 - 66, 30) << "but the unit takes one a clock";
}

TEST(WarpClock, ALoadOfNoLaneTakesTheLoadStoreUnitAClock) {
    TracedAccess none;
    MachineInstruction shared = load(-1);
    shared.space = MemorySpace::shared;
    Program program{.code = std::vector<MachineInstruction>(64, shared), .warps = 16};
    program.code.push_back(last());
    program.accesses = false;
    EXPECT_GE(run(program).clocks, 64 * 16 - 66) << "what is still in the queue holds nobody";
    program.code.assign(64, arithmetic(1));
    program.code.push_back(last());
    EXPECT_LT(run(program).clocks, 64 * 16 / 2);
}

TEST(WarpClock, ConstantsByAddressAndSpecialRegistersShareAUnit) {
    MachineInstruction special = arithmetic(1, MachinePipe::adu);
    special.name = "S2UR";
    special.control.write_barrier = 0;
    const ClockRun registers =
        run({.code = {special, special, waiting(arithmetic(1), 1), last()}, .warps = 32});
    EXPECT_GE(registers.clocks, 2 * 32 * 2) << "2 clocks each, on all schedulers together";
    TracedAccess constant;
    constant.space = MemorySpace::constant;
    constant.wavefronts = 8;  // different addresses
    MachineInstruction indexed = load(0);
    indexed.name = "LDC";
    indexed.kind = MachineKind::constant_load;
    indexed.pipe = MachinePipe::adu;
    indexed.space = MemorySpace::constant;
    const ClockRun addresses =
        run({.code = {indexed, waiting(arithmetic(1), 1), last()}, .access = constant, .warps = 32});
    EXPECT_GE(addresses.clocks, 8 * 2 * 32);
    EXPECT_NEAR(addresses.busy[std::size_t(Part::constant)], 8 * 2 * 32, 1);
    EXPECT_EQ(addresses.busy[std::size_t(Part::adu)], 0);
    EXPECT_NEAR(registers.busy[std::size_t(Part::adu)], 2 * 2 * 32, 1);
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
    EXPECT_GE(made.clocks, 12 * 8 - 7);
    EXPECT_LE(made.clocks, 12 * 8 + 8);
    EXPECT_GT(at(made, WarpState::pipe), at(made, WarpState::dependency));
    // A pipe that takes one in every clock holds nobody: others are chosen.
    const ClockRun full = run({.code = {arithmetic(1), arithmetic(1), last()}, .warps = 16});
    EXPECT_EQ(at(full, WarpState::pipe), 0);
    EXPECT_GT(at(full, WarpState::not_selected), 0);
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

TEST(WarpClock, ABlockBeginsWhereOneHasEnded) {
    const std::vector<MachineInstruction> code{arithmetic(10), arithmetic(10), last()};
    ClockRates with = rates();
    EXPECT_EQ(run({.code = code, .blocks = 3, .resident = 3}, with).clocks, 21);
    const ClockRun made = run({.code = code, .blocks = 3, .resident = 1}, with);
    EXPECT_GE(made.clocks, 3 * 21);
    ASSERT_EQ(made.block_ends.size(), 3u);
    EXPECT_LT(made.block_ends[0], made.block_ends[1]);
    // Small blocks wait for the next one's launch.
    with.block_launch = 160;
    EXPECT_GE(run({.code = code, .blocks = 3, .resident = 3}, with).clocks, 2 * 160 + 21);
}

// From when every place is taken until the first one stays empty: among many blocks one takes as long as the
// pipe needs for it.
TEST(WarpClock, ABlockAmongManyTakesItsShareOfThePipe) {
    std::vector<MachineInstruction> code(40, arithmetic(4));
    code.push_back(last());
    ClockRates slow = rates();
    slow.block_launch = 30;
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

}  // namespace
}  // namespace ws
