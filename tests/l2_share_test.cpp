// What of the sectors that a multiprocessor lacks comes from device memory, what the launch before has left,
// and what is on its way to others.

#include "gpu/analysis/l2_share.h"

#include <gtest/gtest.h>

#include "gpu/analysis/shared_loads.h"
#include "gpu/analysis/warp_clock.h"

namespace ws {
namespace {

constexpr std::uint64_t kShare = 64 << 10;
constexpr double kL2 = 1e6;
constexpr std::uint32_t kWhole = 0b1111;

struct Request {
    MachineKind kind = MachineKind::load;
    std::vector<LineSectors> lines{};
    bool whole = true;  // of what is stored, all bytes of its sectors
};

WarpTrace warp_of(std::uint64_t block, const std::vector<Request>& requests) {
    WarpTrace made;
    made.thread_block = block;
    for (const Request& request : requests) {
        TracedAccess access;
        access.kind = request.kind;
        access.lanes = 32;
        access.by_l1 = request.kind == MachineKind::load;
        access.lines = std::uint16_t(request.lines.size());
        access.asked_lines = std::uint8_t(request.lines.size());
        access.first_asked = int(made.asked.size());
        for (const LineSectors line : request.lines) access.sectors += std::uint16_t(line.count());
        if (!request.whole) access.parts = access.sectors;
        made.accesses.push_back(access);
        made.asked.insert(made.asked.end(), request.lines.begin(), request.lines.end());
    }
    return made;
}

Request load(std::vector<LineSectors> lines) {
    return {MachineKind::load, std::move(lines)};
}
Request store(std::vector<LineSectors> lines) {
    return {MachineKind::store, std::move(lines)};
}

// Of blocks of one warp each, `times` as many, that touch so many bytes: none of them is there before.
L2Misses misses_of(const std::vector<std::vector<Request>>& blocks, double bytes, double times = 1) {
    KernelTrace trace;
    for (std::size_t i = 0; i < blocks.size(); ++i) trace.warps.push_back(warp_of(132 * i, blocks[i]));
    return l2_misses(trace, kShare, {times, bytes, bytes, 0, bytes});
}

double bytes_of(double sectors) {
    return double(kSectorBytes) * sectors;
}

TEST(L2Misses, WhatNobodyElseWantsComesFromDeviceMemory) {
    const L2Misses copies = misses_of({{load({{10, kWhole}}), store({{90, kWhole}})}}, bytes_of(8));
    EXPECT_EQ(copies.past.loads, 1);
    EXPECT_EQ(copies.past.stores, 1);
    EXPECT_EQ(copies.past.alone, 1);
    EXPECT_EQ(copies.moved, 1);
}

TEST(L2Misses, BordersOfTilesAreBroughtOnceAndWhatIsStoredIsWrittenAllTheSame) {
    // Each row of the tile with a sector of each neighbour: four sectors that nobody else brings.
    const std::vector<Request> rows{load({{9, 0b1000}, {10, kWhole}, {11, 0b0001}}), store({{90, kWhole}})};
    const L2Misses tiles = misses_of({rows}, bytes_of(8));
    // Of the eight that come by pairs.
    EXPECT_NEAR(tiles.past.loads, 0.5, 1e-9);
    EXPECT_EQ(tiles.past.stores, 1) << "its own";
}

TEST(L2Misses, TheOtherHalfOf64BytesComesWithWhatNobodyElseBrings) {
    const L2Misses strided = misses_of({{load({{10, 0b0001}, {11, 0b0001}})}}, bytes_of(2));
    EXPECT_EQ(strided.past.loads, 1) << "all four sectors, though two are wanted";
}

TEST(L2Misses, SectorsThatSeveralStoreToInPartAreWrittenOnce) {
    const Request part{MachineKind::store, {{90, kWhole}}, false};
    const L2Misses halves = misses_of({{part}}, bytes_of(4), 2);
    EXPECT_NEAR(halves.past.stores, 0.5, 1e-9);
    EXPECT_EQ(halves.past.alone, 0);
}

TEST(L2Misses, WhatTheBlockBeforeHasLeftIsNotLacking) {
    const std::vector<Request> table{load({{10, kWhole}})};
    const L2Misses again = misses_of({table, table}, bytes_of(4));
    EXPECT_EQ(again.past.loads, 1) << "of what is lacking";
    EXPECT_TRUE(again.of_last_block.empty());
    const L2Misses once = misses_of({table}, bytes_of(4));
    ASSERT_EQ(once.of_last_block.size(), 1u);
    EXPECT_EQ(once.of_last_block.front(), LineSectors(10, kWhole));
}

TEST(L2Misses, WhatFitsHasBeenLeftByTheLaunchBefore) {
    KernelTrace trace;
    trace.warps.push_back(warp_of(0, {load({{10, kWhole}}), store({{90, kWhole}})}));
    const auto of = [&](double bytes) {
        return l2_misses(trace, kShare, {bytes / bytes_of(8), bytes, bytes, 0, kL2});
    };
    const L2Misses small = of(0.3 * kL2);
    EXPECT_TRUE(small.past.is_none());
    EXPECT_EQ(small.moved, 0);
    const L2Misses some = of(0.67 * kL2);
    EXPECT_NEAR(some.moved, 0.3, 0.01);
    EXPECT_NEAR(some.past.loads, some.moved, 1e-9);
    EXPECT_NEAR(some.past.stores, some.moved, 1e-9);
    EXPECT_EQ(of(kL2).moved, 1);
    // What many multiprocessors load takes the room of both partitions.
    KernelTrace borders;
    borders.warps.push_back(
        warp_of(0, {load({{9, kWhole}, {10, kWhole}, {11, kWhole}, {12, kWhole}}), store({{90, kWhole}})}));
    const double bytes = 0.6 * kL2;
    EXPECT_GT(l2_misses(borders, kShare, {bytes / bytes_of(8), bytes, bytes, 0, kL2}).moved, of(bytes).moved);
}

TEST(L2Misses, WhatOtherLaunchesTouchInBetweenTakesRoomToo) {
    KernelTrace trace;
    trace.warps.push_back(warp_of(0, {load({{10, kWhole}}), store({{90, kWhole}})}));
    constexpr double kBytes = 0.3 * kL2;
    const auto moved = [&](double between) {
        return l2_misses(trace, kShare, {kBytes / bytes_of(8), kBytes, kBytes, between * kL2, kL2}).moved;
    };
    EXPECT_EQ(moved(0), 0);
    EXPECT_NEAR(moved(0.37), 0.3, 0.01);
    EXPECT_EQ(moved(0.7), 1);
}

TEST(L2Misses, ThePartThatMovesGrowsWithWhatIsTouched) {
    double before = 0;
    for (double size = 0.1; size < 2; size *= 1.02) {
        const double part = moved_part(size);
        EXPECT_GE(part, before) << size;
        EXPECT_LE(part - before, 0.15) << size << ": no jump";
        before = part;
    }
    EXPECT_EQ(moved_part(0.4), 0);
    EXPECT_EQ(before, 1);
}

// ---- blocks near each other

TEST(SharedLoads, NearBlocksAreTheNextOneAndThoseOfTheNextRows) {
    const std::vector<NearBlock> wide = near_blocks(1000, 132, 100000, 132);
    ASSERT_EQ(wide.size(), 3u);
    EXPECT_EQ(wide[0].block, 1001u);
    EXPECT_EQ(wide[0].blocks_apart, 0);
    EXPECT_EQ(wide[1].block, 1132u);
    EXPECT_EQ(wide[1].blocks_apart, 1);
    EXPECT_EQ(wide[2].block, 1264u);
    const std::vector<NearBlock> narrow = near_blocks(1000, 33, 100000, 132);
    ASSERT_EQ(narrow.size(), 5u) << "rows 1, 2, 4 and 8";
    EXPECT_EQ(narrow.back().block, 1000u + 8 * 33);
    EXPECT_EQ(narrow.back().blocks_apart, 2);
    EXPECT_EQ(near_blocks(1000, 264, 100000, 132).size(), 2u) << "the next row is long after it";
    EXPECT_EQ(near_blocks(5, 1, 1000, 132).size(), 1u) << "no rows";
    for (const std::uint64_t blocks : {2, 3, 5, 64, 100})
        for (std::uint64_t block = 0; block < blocks; ++block)
            for (const std::uint64_t row : {1, 2, 5, 64})
                for (const NearBlock& near : near_blocks(block, row, blocks, 4)) {
                    EXPECT_LT(near.block, blocks) << block << " of " << blocks << " by " << row;
                    EXPECT_NE(near.block, block) << block << " of " << blocks << " by " << row;
                }
}

TEST(SharedLoads, AreThoseOfTheBlockBesideOfTheNextRowAndNotOfAll) {
    const std::vector<NearBlock> near = near_blocks(1000, 132, 100000, 132);
    KernelTrace trace;
    // Line 5 is everybody's, 6 and 7 of the one beside, 7 and half of 8 of the next row.
    trace.warps.push_back(warp_of(near[0].block, {load({{6, kWhole}}), load({{7, kWhole}})}));
    trace.warps.push_back(warp_of(near[1].block, {load({{5, kWhole}, {7, kWhole}, {8, 0b0001}})}));
    trace.warps.push_back(warp_of(near[2].block, {load({{5, kWhole}}), store({{8, kWhole}})}));
    const std::vector<LineSectors> lines{{5, kWhole}, {6, kWhole}, {7, kWhole}, {8, kWhole}, {9, kWhole}};
    const std::vector<SharedLoads> shared = shared_loads(lines, near, trace);
    ASSERT_EQ(shared.size(), 2u);
    EXPECT_NEAR(shared[0].part, 8.0 / 20, 1e-9);
    EXPECT_EQ(shared[0].blocks_before, 0);
    EXPECT_NEAR(shared[1].part, 2.0 / 20, 1e-9) << "with the other half of its 64 bytes";
    EXPECT_EQ(shared[1].blocks_before, 1);
    EXPECT_TRUE(shared_loads({}, near, trace).empty());
}

TEST(SharedLoads, OfAGridOfFewRowsAllAreNear) {
    const std::vector<NearBlock> near = near_blocks(0, 100, 200, 132);
    ASSERT_EQ(near.size(), 2u);
    KernelTrace trace;
    trace.warps.push_back(warp_of(near[1].block, {load({{5, kWhole}})}));
    const std::vector<LineSectors> lines{{5, kWhole}, {6, kWhole}};
    const std::vector<SharedLoads> shared = shared_loads(lines, near, trace);
    ASSERT_EQ(shared.size(), 1u);
    EXPECT_NEAR(shared[0].part, 0.5, 1e-9);
    EXPECT_NEAR(shared[0].blocks_before, 100.0 / 132, 1e-9);
}

// Of blocks one after the other, each a warp that loads a line of a KiB of its own and waits for it: clocks
// of one.
double clocks_of_a_load(const PastL2& past, std::vector<SharedLoads> shared) {
    constexpr int kBlocks = 200;
    MachineInstruction first;
    first.control.stall = 1;
    first.control.write_barrier = 0;
    first.kind = MachineKind::load;
    first.pipe = MachinePipe::lsu;
    first.space = MemorySpace::global;
    MachineInstruction last;
    last.control.stall = 1;
    last.control.waits = 1;
    last.kind = MachineKind::exit;
    last.pipe = MachinePipe::cbu;
    MachineCode code;
    code.instructions = {first, last};
    MachinePath path;
    path.steps = {{0, 0, 32}, {1, -1, 32}};
    std::vector<WarpTrace> warps;
    for (std::uint64_t i = 0; i < kBlocks; ++i) warps.push_back(warp_of(i, {load({{10 + 8 * i, kWhole}})}));
    ClockLoad all;
    all.code = &code;
    for (const WarpTrace& warp : warps) all.blocks.push_back({{&path, &warp}});
    all.l2_share_bytes = kShare;
    all.l2_bytes = kL2;
    all.past_l2 = past;
    all.shared_loads = std::move(shared);
    ClockRates rates;
    rates.code.take_no_time();
    return double(run_clock(all, rates).clocks) / kBlocks;
}

TEST(SharedLoads, WhatAnotherOneHasJustAskedForComesAsLateAsFromDeviceMemory) {
    constexpr PastL2 kNone{0, 0, 0, 1, 0};
    const double there = clocks_of_a_load(kNone, {});
    const double on_its_way = clocks_of_a_load(kNone, {{1, 0}});
    const double asked_for = clocks_of_a_load({}, {});
    EXPECT_GT(asked_for, 1.5 * there);
    EXPECT_NEAR(on_its_way, asked_for, 0.1 * asked_for);
    EXPECT_NEAR(clocks_of_a_load(kNone, {{0.5, 0}}), (there + on_its_way) / 2, 0.1 * asked_for);
    EXPECT_NEAR(clocks_of_a_load(kNone, {{1, 3}}), there, 0.02 * there) << "long ago";
}

TEST(L2Misses, AtomicsGoToDeviceMemoryAsOftenAsTheBytesSay) {
    KernelTrace trace;
    WarpTrace warp = warp_of(0, {});
    TracedAccess access;
    access.kind = MachineKind::atomic;
    access.lanes = 32;
    access.sectors = access.past_l1 = 8;
    warp.accesses.push_back(access);
    trace.warps.push_back(warp);
    const double bytes = bytes_of(2);
    const L2Misses misses = l2_misses(trace, kShare, {1, bytes, bytes, 0, bytes});
    EXPECT_NEAR(misses.past.atomics, 0.25, 1e-9) << "there are no loads";
}

TEST(L2Misses, WhatASampleSaysTooMuchLeavesLoadsAlone) {
    // All multiprocessors load the same line, and each stores one of its own.
    const std::vector<Request> both{load({{10, kWhole}}), store({{90, kWhole}})};
    const double bytes = bytes_of(4 * 1000 + 4);
    EXPECT_LT(misses_of({both}, bytes, 1000).past.loads, 0.01);
    EXPECT_LT(misses_of({both}, bytes, 1010).past.loads, 0.01) << "a hundredth more blocks than there are";
}

}  // namespace
}  // namespace ws
