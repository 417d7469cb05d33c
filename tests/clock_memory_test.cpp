// Rules of memory, its caches and its atomics in the clock, on code written for each.

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "gpu/analysis/clock_units.h"
#include "gpu/analysis/memory_path.h"
#include "gpu/analysis/scattered.h"
#include "gpu/core/cache_level.h"
#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

// Clocks that a warp waits for memory, on average.
double memory_wait(const ClockRun& made, int warps) {
    return double(at(made, WarpState::memory)) / warps;
}

TEST(WarpClock, AScoreboardHoldsUntilTheDataIsThere) {
    constexpr int kWarps = 64;  // a block each
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

// Lines of a KiB come together, so that nobody waits long for the slowest warp of a block.
TEST(WarpClock, WhatABlockWantsOfAKibComesTogether) {
    ClockRates with = rates();
    with.latency.memory = 600;
    with.memory.read_sector = 0.1;  // nobody waits for the channels
    const std::vector<MachineInstruction> code{load(0), waiting(arithmetic(1), 1), barrier(), last()};
    // Of blocks of four warps, each of which loads a line so far behind the one before.
    const auto at_barrier = [&](std::uint64_t apart) {
        double waits = 0;
        for (std::uint64_t first = 0; first < 64; ++first)
            waits += double(at(run({.code = code,
                                    .lines = {{64 * first, 0xF}},
                                    .lines_of_warp = apart,
                                    .warps = 4,
                                    .l2_share_bytes = 1 << 20},
                                   with),
                               WarpState::barrier));
        return waits / (64 * 4);
    };
    const double together = at_barrier(1);
    EXPECT_GT(at_barrier(8), together + 0.1 * with.latency.memory) << "each KiB comes when it comes";
    EXPECT_NEAR(at_barrier(16), at_barrier(8), 0.05 * with.latency.memory);
}

TEST(MemoryPath, WhatTheSecondLevelHasWaitsWhileMuchLiesBeforeDeviceMemory) {
    constexpr double kOfLine = 20;  // clocks
    ClockRates with = rates();
    with.memory.read_sector = with.memory.write_sector = kOfLine / 4;
    const MachineCode code;
    ClockLoad launch;
    launch.code = &code;
    launch.l2_share_bytes = 256 << 10;
    launch.past_l2 = {};
    constexpr std::uint64_t kThere = 7;
    constexpr double kNow = 10000;
    // Clocks of a load of what is there, behind so many of what is not, or stores.
    const auto clocks = [&](int others, MachineKind kind) {
        MemoryPath path(launch, with);
        const auto ask = [&](MachineKind what, std::uint64_t line, double now) {
            WarpTrace trace;
            trace.asked = {{line, 0b1111}};
            TracedAccess access = line_of_memory();
            access.kind = what;
            access.asked_lines = 1;
            return path.request(trace, access, {}, now).done;
        };
        (void)ask(MachineKind::load, kThere, 0);
        for (int i = 0; i < others; ++i) (void)ask(kind, 1000 + std::uint64_t(i), kNow);
        return ask(MachineKind::load, kThere, kNow + others) - kNow - others;
    };
    const double alone = clocks(0, MachineKind::load);
    EXPECT_NEAR(alone, with.latency.l2, 0.1 * with.latency.l2 + 10);
    // A fifth of the latency of 689 clocks are seven lines.
    EXPECT_NEAR(clocks(6, MachineKind::load), alone, 20);
    EXPECT_NEAR(clocks(20, MachineKind::load), alone + 20 * (kOfLine - 1) - 0.2 * with.latency.memory, 60);
    EXPECT_NEAR(clocks(100, MachineKind::load), alone + 100 * (kOfLine - 1) - 0.2 * with.latency.memory, 60);
    EXPECT_NEAR(clocks(20, MachineKind::store), alone, 10) << "which are collected first";
    EXPECT_GT(clocks(200, MachineKind::store), alone + 1000);
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

// Of two warps one loads a line of the slice that the atomics go to: the other one's load does not wait.
TEST(WarpClock, AmongAtomicsEachLoadWaitsForItself) {
    const auto place = [](std::uint64_t line) { return Dice::of(~slice_of(line * kLineBytes)); };
    const auto pair_with = [&](double least, double most) {  // of lines, the second one far from all atomics
        std::uint64_t line = 1;
        while (place(line) < least || place(line) > most || place(line + 2) < 0.5) ++line;
        return line;
    };
    const auto waits = [&](std::uint64_t line) {
        Program program{.code = std::vector<MachineInstruction>(8, sum()),
                        .lines = {{line, 0b1111}},
                        .lines_of_warp = 2,
                        .warps = 2,
                        .past_l2 = 0,
                        .slice_clocks = 5000};
        program.code.insert(program.code.end(), {load(0), waiting(arithmetic(1), 1), last()});
        return memory_wait(run(program), 1);
    };
    const double alone = waits(pair_with(0.5, 1));
    const double hot = waits(pair_with(0, L2Way::kLinesOfSlice)) - alone;
    EXPECT_GT(hot, 20000) << "16 atomics of 5000 clocks wait";
    EXPECT_LT(hot, 0.75 * L2Way::kInSlices * 16 * 5000) << "the other warp went on";
    EXPECT_GT(waits(pair_with(0.02, 0.15)) - alone, 5000) << "as near as 50 of 64 sectors";
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

TEST(WarpClock, AtomicsWaitOnceTheirWayIsFull) {
    const int room = rates().sectors_to_l2 / kLineSectors;  // each has a line's data
    const auto drains = [](int atomics) {
        std::vector<MachineInstruction> code(std::size_t(atomics), sum());
        code.push_back(last());
        return double(at(run({.code = code, .slice_clocks = 5000}), WarpState::drain));
    };
    EXPECT_LT(drains(room), 100) << "they have left, if not arrived";
    EXPECT_NEAR(drains(room + 10), 10 * 5000, 300);
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
    Program program{.code = {spilled, last()}, .warps = kWarps, .l1_bytes = l1_that_keeps(kWarps)};
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
    program.l1_bytes = l1_that_keeps(2 * kLines);
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
    EXPECT_NEAR(sectors_of_l2(8), 8 * 2 * alone, 8 * 2 * alone * 0.1) << "little is there the second time";
    // What the blocks before have left is there at once.
    program.before = program.lines;
    EXPECT_EQ(sectors_of_l2(1), 0);
}

// L1 passes it on, and keeps it as if it had been loaded.
TEST(WarpClock, WhatIsStoredHasItsPlaceInL1) {
    constexpr std::uint64_t kLines = 8;
    ClockRates with = rates();
    with.latency.l1 = 30;
    with.latency.l2 = 300;
    Program program{.code = {store(), load(0), waiting(arithmetic(1), 1), last()},
                    .l1_bytes = l1_that_keeps(kLines),
                    .past_l2 = 0};
    program.lines = {{7, 0b1111}, {7, 0b1111}};
    EXPECT_LT(memory_wait(run(program, with), 1), 60);
    program.lines = {{7, 0b0001}, {7, 0b0010}};
    EXPECT_GT(memory_wait(run(program, with), 1), 250) << "but no other sectors";
    // Others make room for it.
    const auto loaded_again = [&](std::uint64_t stores) {
        program.code = {load(0), waiting(arithmetic(1), 1)};
        program.lines = {{7, 0b1111}};
        for (std::uint64_t i = 0; i < stores; ++i) {
            program.code.push_back(store());
            program.lines.push_back({1000 + i, 0b1111});
        }
        program.code.insert(program.code.end(), {load(1), waiting(arithmetic(1), 2), last()});
        program.lines.push_back({7, 0b1111});
        return memory_wait(run(program, with), 1);
    };
    EXPECT_LT(loaded_again(kLines - 1), 300 + 30 + 60);
    EXPECT_GT(loaded_again(8 * kLines), 2 * 300);
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

// What a warp's loads lack in L1 comes in their order, whatever is nearer; what L1 has does not wait for it.
TEST(WarpClock, LoadsOfAWarpThatMissL1ComeInTheirOrder) {
    ClockRates with = rates();
    with.latency.l1 = 30;
    with.latency.l2 = 300;
    with.latency.memory = 900;
    Program program{.code = {load(0), load(1), waiting(arithmetic(1), 2), last()}, .l2_share_bytes = 16384};
    program.before = {{9, 0b1111}};
    const auto second_after = [&](LineSectors first) {
        program.lines = {first, {9, 0b1111}};
        return memory_wait(run(program, with), 1);
    };
    EXPECT_LT(second_after({9, 0b1111}), 400) << "both are near";
    EXPECT_GT(second_after({7, 0b1111}), 600) << "the first is far";
    program.l1_bytes = 4096;
    EXPECT_LT(second_after({7, 0b1111}), 100) << "L1 has the second";
    // Nobody waits for another warp's.
    program.l1_bytes = 0;
    program.code = {load(1), waiting(arithmetic(1), 2), last()};
    program.lines = {{8, 0b1111}};
    const double far = memory_wait(run(program, with), 1);
    program.warps = 2;
    program.lines_of_warp = 1;
    EXPECT_LT(memory_wait(run(program, with), 2), 0.85 * far) << "the second one's is near";
}

TEST(WarpClock, TheAddressOfAConstantIsReadWhenItsUnitTakesIt) {
    Program program{.code = std::vector<MachineInstruction>(20, indexed_constant()),
                    .access = different_constants(32)};
    program.code.back().control.read_barrier = 1;
    program.code.push_back(waiting(arithmetic(1), 2));
    program.code.push_back(last());
    ClockRates with = rates();
    const double each = 32 * with.adu;
    EXPECT_GT(at(run(program, with), WarpState::dependency), 2 * each) << "behind others";
    program.access.wavefronts = 1;
    EXPECT_LT(at(run(program, with), WarpState::dependency), each);
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
    load.past_l2.scattered = 0;
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

}  // namespace
}  // namespace ws
