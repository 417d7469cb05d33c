// The second level as the clock of a multiprocessor has it: its two partitions, what leaves it in part, and
// how device memory gets and gives what it lacks. Each case is one rule.

#include <gtest/gtest.h>

#include <bit>

#include "gpu/analysis/filling_cache.h"
#include "gpu/analysis/l2_share.h"
#include "gpu/analysis/walks.h"
#include "gpu/analysis/warp_clock.h"
#include "gpu/analysis/written_sectors.h"
#include "past_l2.h"

namespace ws {
namespace {

constexpr StoredBytes kNothing{};

// Of the first sector so many bytes, from this one on.
StoredBytes bytes_of_first(unsigned first, unsigned count) {
    StoredBytes made = kNothing;
    made[0] = std::uint32_t(((std::uint64_t(1) << count) - 1) << first);
    return made;
}

// Warps that execute the same accesses one after the other, as loads or as stores.
struct Accesses {
    MachineKind kind = MachineKind::load;
    std::vector<std::vector<LineSectors>> lines{};
    std::vector<StoredBytes> stored{};  // of each line of each access; none: whole sectors
    bool walks = false;
    bool meet = false;  // every second store meets the one before it on the way
    std::uint64_t l2_share_bytes = 1 << 20;
    double past_l2 = 1;
    double l2_bytes = 1 << 20;
    LineParts line_parts{};
};

WarpTrace trace_of(const Accesses& all) {
    WarpTrace made;
    for (const std::vector<LineSectors>& lines : all.lines) {
        TracedAccess access;
        access.kind = all.kind;
        access.lanes = 32;
        access.walks = all.walks;
        access.by_l1 = all.kind == MachineKind::load;
        access.lines = std::uint16_t(lines.size());
        access.asked_lines = std::uint8_t(lines.size());
        access.first_asked = int(made.asked.size());
        for (const LineSectors line : lines) access.sectors += std::uint16_t(line.count());
        const bool met = all.meet && made.accesses.size() % 2 != 0;
        if (!access.by_l1 && !met) access.past_l1 = access.sectors;
        if (!all.stored.empty()) {
            access.first_stored = access.first_asked;
            access.parts = access.sectors;
            access.lines_of_parts = access.lines;
        }
        made.accesses.push_back(access);
        made.asked.insert(made.asked.end(), lines.begin(), lines.end());
    }
    made.stored = all.stored;
    return made;
}

// Every unit but L2 and device memory has time.
ClockRates rates() {
    ClockRates made;
    made.pipe_clocks.fill(1);
    made.first_block = made.first_warp = made.block_launch = 0;
    made.code.take_no_time();
    return made;
}

ClockRun run(const Accesses& all, const ClockRates& with = rates()) {
    KernelTrace trace;
    trace.warps.push_back(trace_of(all));
    MachineCode code;
    MachinePath path;
    for (std::size_t i = 0; i <= all.lines.size(); ++i) {
        MachineInstruction one;
        one.control.stall = 1;
        const bool ends = i == all.lines.size();
        one.kind = ends ? MachineKind::exit : all.kind;
        one.pipe = ends ? MachinePipe::cbu : MachinePipe::lsu;
        one.space = MemorySpace::global;
        code.instructions.push_back(one);
        path.steps.push_back({int(i), ends ? -1 : int(i), 32});
    }
    const NeverWhole lacking = never_whole(trace);
    ClockLoad load;
    load.code = &code;
    load.blocks.assign(1, {{&path, &trace.warps.front()}});
    load.never_whole = &lacking;
    load.l2_share_bytes = all.l2_share_bytes;
    load.l2_bytes = all.l2_bytes;
    load.past_l2 = testing::past_l2(all.past_l2);
    load.line_parts = all.line_parts;
    return run_clock(load, with);
}

double l2_clocks(const Accesses& all, const ClockRates& with) {
    return run(all, with).busy[std::size_t(Part::l2)];
}

// ---- which bytes have been stored

TEST(WrittenSectors, OneThatIsStoredByAndByIsWrittenOnce) {
    WrittenSectors all(4, nullptr);
    const StoredBytes first = bytes_of_first(0, 16);
    const StoredBytes second = bytes_of_first(16, 16);
    EXPECT_EQ(all.store(2, {7, 1}, 0, &first, false).fresh, 1u);
    EXPECT_EQ(all.store(2, {7, 1}, 0, &second, false).fresh, 0u);
    EXPECT_EQ(all.leave(2).lacking, 0) << "it is whole";
    EXPECT_EQ(all.store(2, {7, 1}, 0, &first, true).fresh, 1u) << "it has been written meanwhile";
    const WrittenSectors::Left left = all.leave(2);
    EXPECT_EQ(left.lacking, 1);
    EXPECT_TRUE(left.apart);
    EXPECT_EQ(all.leave(2).lacking, 0) << "nothing is there any more";
}

TEST(WrittenSectors, WhatNobodyCompletesIsReadAtOnceAndNotAgain) {
    NeverWhole never;
    never[7] = 0b01;
    WrittenSectors all(4, &never);
    const StoredBytes first = bytes_of_first(0, 16);
    EXPECT_EQ(all.store(1, {7, 0b01}, 0, &first, false).lacking, 1);
    EXPECT_EQ(all.store(1, {7, 0b01}, 0, &first, false).lacking, 0);
    EXPECT_EQ(all.leave(1).lacking, 0);
    EXPECT_EQ(all.store(1, {8, 0b01}, 0, &first, false).lacking, 0) << "of another line";
}

TEST(WrittenSectors, WhatHasBeenLoadedIsWhole) {
    NeverWhole never;
    never[7] = 0b11;
    WrittenSectors all(4, &never);
    const StoredBytes first = bytes_of_first(0, 16);
    EXPECT_EQ(all.store(1, {7, 0b01}, 0b01, &first, false).lacking, 0) << "the rest of it is there";
    EXPECT_EQ(all.leave(1).lacking, 0);
    EXPECT_EQ(all.store(2, {9, 0b01}, 0, &first, false).fresh, 1u);
    EXPECT_EQ(all.store(2, {9, 0b01}, 0b01, &first, false).fresh, 0u);
    EXPECT_EQ(all.leave(2).lacking, 1) << "it was there for it had been stored in part";
}

TEST(WrittenSectors, NeverWholeIsWhatIsLeftOfAllStores) {
    KernelTrace trace;
    const Accesses halves{.kind = MachineKind::store,
                          .lines = {{{7, 1}}, {{7, 1}}, {{9, 1}}},
                          .stored = {bytes_of_first(0, 16), bytes_of_first(16, 16), bytes_of_first(4, 28)}};
    trace.warps.push_back(trace_of(halves));
    const NeverWhole never = never_whole(trace);
    EXPECT_EQ(never.size(), 1u);
    ASSERT_NE(never.find(9), nullptr);
    EXPECT_EQ(*never.find(9), 1u);
    // Another warp stores all of it.
    trace.warps.push_back(trace_of({.kind = MachineKind::store, .lines = {{{9, 0b11}}}}));
    EXPECT_EQ(never_whole(trace).size(), 0u);
}

// ---- what device memory moves

TEST(SecondLevel, ASectorThatLeavesInPartIsReadAsWellAsWritten) {
    Accesses all{.kind = MachineKind::store, .lines = {{{7, 1}}, {{9, 1}}}};
    const MovedSectors whole = run(all).moved;
    EXPECT_EQ(whole.from_memory, 0);
    EXPECT_EQ(whole.to_memory, 2);
    all.stored = {bytes_of_first(0, 16), bytes_of_first(0, 16)};
    const MovedSectors parts = run(all).moved;
    EXPECT_EQ(parts.from_memory, 2);
    EXPECT_EQ(parts.to_memory, 2);
    // The other half comes before it has left.
    all.lines = {{{7, 1}}, {{7, 1}}};
    all.stored = {bytes_of_first(0, 16), bytes_of_first(16, 16)};
    EXPECT_EQ(run(all).moved.from_memory, 0);
    EXPECT_EQ(run(all).moved.to_memory, 1);
    // Every sector is stored to by two multiprocessors: the other one has the rest.
    all.lines = {{{7, 1}}, {{9, 1}}};
    all.stored = {bytes_of_first(0, 16), bytes_of_first(0, 16)};
    all.past_l2 = 0.5;
    EXPECT_EQ(run(all).moved.from_memory, 0);
}

TEST(SecondLevel, PartsOfLinesTakeDeviceMemoryLongerAndMoveNoMore) {
    constexpr std::uint64_t kLines = 4096;
    Accesses all{.kind = MachineKind::store};
    for (std::uint64_t line = 0; line < kLines; ++line) all.lines.push_back({{line, 1}});
    const ClockRun before = run(all);
    all.line_parts.write = 2.8;
    const ClockRun parts = run(all);
    EXPECT_GT(double(parts.clocks), 1.8 * double(before.clocks));
    EXPECT_LT(double(parts.clocks), 2.9 * double(before.clocks));
    EXPECT_EQ(parts.moved.to_memory, before.moved.to_memory);
    // What stores leave in part is read as well.
    all.stored.assign(kLines, bytes_of_first(0, 16));
    const std::int64_t clocks = run(all).clocks;
    all.line_parts.complete = 2.3;
    EXPECT_GT(double(run(all).clocks), 1.2 * double(clocks));
}

// The first halves of many lines, then the second ones: a share that does not hold them has them leave in
// between.
TEST(SecondLevel, ASectorThatHasToLeaveBeforeItIsWholeIsReadAndWrittenTwice) {
    constexpr int kLines = 256;
    Accesses all{.kind = MachineKind::store};
    for (const unsigned first : {0U, 16U}) {
        for (std::uint64_t line = 0; line < kLines; ++line) {
            all.lines.push_back({{line, 1}});
            all.stored.push_back(bytes_of_first(first, 16));
        }
    }
    EXPECT_EQ(run(all).moved.from_memory, 0);
    EXPECT_EQ(run(all).moved.to_memory, kLines);
    all.l2_share_bytes = kLines / 2 * kLineBytes;
    const MovedSectors moved = run(all).moved;
    EXPECT_GT(moved.from_memory, kLines / 2);
    EXPECT_GT(moved.to_memory, 1.5 * kLines);
}

TEST(SecondLevel, StoresThatMeetOnTheWayCompleteASectorAsWell) {
    constexpr int kLines = 256;
    Accesses all{.kind = MachineKind::store, .meet = true, .l2_share_bytes = kLines / 4 * kLineBytes};
    for (std::uint64_t line = 0; line < kLines; ++line) {
        for (const unsigned first : {0U, 16U}) {
            all.lines.push_back({{line, 1}});
            all.stored.push_back(bytes_of_first(first, 16));
        }
    }
    EXPECT_EQ(run(all).moved.from_memory, 0);
    EXPECT_EQ(run(all).moved.to_memory, kLines);
}

TEST(SecondLevel, SomeOfWhatDoesNotFitIsStillThere) {
    constexpr int kLines = 512;
    constexpr int kRounds = 4;
    Accesses all{.l2_share_bytes = kLines * 9 / 10 * kLineBytes};
    for (int round = 0; round < kRounds; ++round)
        for (std::uint64_t line = 0; line < kLines; ++line) all.lines.push_back({{line, 0b1111}});
    const double all_of_it = 4.0 * kLines * kRounds;
    EXPECT_LT(run(all).moved.from_memory, 0.97 * all_of_it) << "the oldest would always be gone";
    EXPECT_GT(run(all).moved.from_memory, 0.5 * all_of_it);
}

TEST(SecondLevel, LoadsAndStoresShareItsPlaces) {
    constexpr int kLines = 256;
    Accesses loads;
    for (int round = 0; round < 2; ++round)
        for (std::uint64_t line = 0; line < kLines; ++line) loads.lines.push_back({{line, 0b1111}});
    loads.l2_share_bytes = 2 * kLines * kLineBytes;
    EXPECT_LT(run(loads).moved.from_memory, 1.1 * 4 * kLines) << "the second time they are there";
    loads.l2_share_bytes = kLines * kLineBytes;
    EXPECT_GT(run(loads).moved.from_memory, 1.2 * 4 * kLines) << "half of them take two places";
}

TEST(SecondLevel, DeviceMemoryOpensARowForEachLineOfAWalk) {
    ClockRates with = rates();
    with.memory.read_sector = 2;
    with.memory.write_sector = 3;
    with.memory.read_scattered = 20;
    const auto memory = [&](MachineKind kind, bool walks, std::uint32_t sectors) {
        const Accesses all{.kind = kind, .lines = {{{7, sectors}, {9, sectors}}}, .walks = walks};
        return run(all, with).busy[std::size_t(Part::memory)];
    };
    EXPECT_EQ(memory(MachineKind::load, false, 0b0011), 2 * 2 * 2);
    EXPECT_NEAR(memory(MachineKind::load, true, 0b0011), 2 * 20 * walk_load_cost(256), 1e-9);
    EXPECT_NEAR(memory(MachineKind::store, true, 0b0001), 2 * 20 * kWalkStoreCost * 3 / 2, 1e-9);
    with.memory.read_scattered = 5;
    EXPECT_EQ(memory(MachineKind::load, true, 0b1111), 2 * 4 * 2) << "what takes longer than the row";
    // Profilers count what is moved.
    with.memory_peak = 1;
    with.memory.read_scattered = 20;
    EXPECT_EQ(memory(MachineKind::load, true, 0b0011), 4);
}

// ---- what L2's slices look up

TEST(SecondLevel, HalfOfWhatIsNotNearIsLookedUpInTheOtherPartitionToo) {
    ClockRates with = rates();
    with.l2.read_line = 10;
    with.l2.write_line = 40;
    Accesses all{.lines = {{{7, 1}}, {{9, 1}}, {{7, 1}}}};
    EXPECT_EQ(l2_clocks(all, with), 2 * 15 + 10) << "the third one is near";
    all.past_l2 = 0;
    EXPECT_EQ(l2_clocks(all, with), 3 * 10);
    all.kind = MachineKind::store;
    EXPECT_EQ(l2_clocks(all, with), 3 * 15) << "stores go where the line belongs";
    all.stored.assign(3, bytes_of_first(0, 16));
    EXPECT_EQ(l2_clocks(all, with), 3 * 40) << "parts have a rate of their own";
    // More sectors of a line take longer than to look it up.
    with.l2.read_sector = 5;
    all = {.lines = {{{7, 0b1111}}}, .past_l2 = 0};
    EXPECT_EQ(l2_clocks(all, with), 4 * 5);
}

// ---- what goes for something else

// Of lines that come again and again, and are a fourth more than there is room for.
double there_again(Replaced which) {
    CacheLevel cache(64 * 16 * kLineBytes, 16, which);
    constexpr std::uint64_t kLines = 64 * 20;
    int had = 0;
    for (int round = 0; round < 8; ++round)
        for (std::uint64_t line = 0; line < kLines; ++line) had += cache.take({line, 1}).missing == 0;
    return double(had) / (7.0 * kLines);
}

TEST(CacheLevel, WhatWasNotUsedLatelyGoesAndNotAlwaysTheOldest) {
    EXPECT_EQ(there_again(Replaced::oldest), 0);
    EXPECT_GT(there_again(Replaced::not_lately), 0.3);
    EXPECT_LT(there_again(Replaced::not_lately), 0.8) << "it has no room for all";
    // What is used between others stays.
    CacheLevel cache(16 * kLineBytes, 16, Replaced::not_lately);
    int lost = 0;
    for (std::uint64_t line = 1; line < 400; ++line) {
        (void)cache.take({line, 1});
        lost += line > 1 && cache.take({0, 1}).missing != 0;
    }
    EXPECT_LE(lost, 1);
}

// Rows of a matrix whose width is a power of two.
TEST(CacheLevel, LinesThatAreAPowerOfTwoApartLieInDifferentSets) {
    for (int apart = 0; apart < 30; ++apart) {
        CacheLevel cache(128 * 16 * kLineBytes, 16);
        constexpr std::uint64_t kLines = 128 * 8;  // half of it
        int lost = 0;
        for (int round = 0; round < 2; ++round)
            for (std::uint64_t i = 0; i < kLines; ++i)
                lost += cache.take({i << apart, 1}).missing != 0 && round > 0;
        EXPECT_EQ(lost, 0) << apart;
    }
}

TEST(FillingCache, HalfOfWhatIsLoadedHasAPlaceInEachPartition) {
    constexpr std::uint64_t kPlaces = 4096;
    const auto lost_of = [](std::uint64_t lines, bool stores) {
        FillingCache cache(CacheLevel(kPlaces * kLineBytes, 16), Grain::pair, Home::partition);
        int lost = 0;
        for (int round = 0; round < 2; ++round) {
            for (std::uint64_t line = 0; line < lines; ++line) {
                const LineSectors one(line, 0b1111);
                if (stores)
                    (void)cache.put(one);
                else
                    (void)cache.ask(std::span(&one, 1));
                if (round > 0) lost += stores ? !cache.replaced().empty() : !cache.missing().empty();
            }
        }
        return double(lost) / double(lines);
    };
    EXPECT_LT(lost_of(kPlaces / 2, false), 0.05);
    EXPECT_GT(lost_of(kPlaces * 9 / 10, false), 0.4);
    EXPECT_LT(lost_of(kPlaces * 9 / 10, true), 0.05) << "what is stored has one";
}

TEST(FillingCache, CountsLinesThatWereNotAskedForBefore) {
    FillingCache cache(CacheLevel(kLineBytes * 64, 16), Grain::pair, Home::cache);
    const auto ask = [&](std::uint32_t sectors) {
        const LineSectors one(3, sectors);
        (void)cache.ask(std::span(&one, 1));
        return cache.first_asked();
    };
    EXPECT_EQ(ask(0b0001), 1);
    EXPECT_EQ(ask(0b0001), 0);
    EXPECT_EQ(ask(0b0010), 1) << "it was brought, but nobody near has asked for it";
}

// ---- who walks

// 32 threads, each through bytes of its own: `distance` from one thread's to the next, `step` in a request.
WarpTrace walk(std::uint64_t distance, std::uint64_t step, int times, MachineKind kind = MachineKind::load) {
    Accesses all{.kind = kind};
    for (int time = 0; time < times; ++time) {
        std::vector<LineSectors> lines;
        for (std::uint64_t lane = 0; lane < 32; ++lane) {
            const LineSectors one =
                LineSectors::of_sector((lane * distance + std::uint64_t(time) * step) / kSectorBytes);
            if (!lines.empty() && lines.back().line() == one.line())
                lines.back().add(one);
            else
                lines.push_back(one);
        }
        all.lines.push_back(lines);
    }
    WarpTrace made = trace_of(all);
    mark_walks(made);
    return made;
}

int walking(const WarpTrace& warp) {
    int made = 0;
    for (const TracedAccess& access : warp.accesses) made += access.walks;
    return made;
}

// As bench/row_walks measured it: 51.3 loads a nanosecond of threads 256 bytes apart, 37 of those 4 KiB
// apart.
TEST(Walks, NeighboursThatAreCloserFindMoreRowsOpen) {
    EXPECT_NEAR(walk_load_cost(256), 37.0 / 51.3, 1e-9);
    EXPECT_EQ(walk_load_cost(1 << 20), 1);
    double last = walk_load_cost(32);
    EXPECT_NEAR(last, 37.0 / 61.9, 1e-9) << "no closer than was measured";
    for (double bytes = 128; bytes <= 4096; bytes *= 1.25) {
        EXPECT_GE(walk_load_cost(bytes), last);
        last = walk_load_cost(bytes);
    }
}

TEST(Walks, AreThoseOfThreadsThatGoThroughRowsOfTheirOwn) {
    EXPECT_EQ(walking(walk(256, 16, 16)), 16);
    EXPECT_EQ(walking(walk(256, 16, 16, MachineKind::store)), 16);
    EXPECT_EQ(walking(walk(4096, 4, 64)), 64);
    EXPECT_EQ(walking(walk(4, 4096, 16)), 0) << "side by side";
    EXPECT_EQ(walking(walk(64, 16, 4)), 0) << "all sectors, by and by";
    EXPECT_EQ(walking(walk(256, 16, 4)), 0) << "64 of the 256 bytes come together";
    EXPECT_EQ(walking(walk(256, 64, 2)), 0) << "the rest is somebody else's";
}

}  // namespace
}  // namespace ws
