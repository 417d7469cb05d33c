// Lines of which a launch touches a part, and such that lie apart: what the second level and device memory
// take for them, from the requests of one block and of those around it.

#include "gpu/analysis/line_parts.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "gpu/analysis/l2_share.h"

namespace ws {
namespace {

constexpr std::uint64_t kSector = 32, kKiB = 1024;
constexpr double kSectors = 4;  // of a line

// Addresses and bytes of each of a warp's lanes, or of the first ones.
using OfLane = std::function<std::uint64_t(std::uint64_t block, std::uint64_t lane)>;
struct Access {
    OfLane at;
    std::uint64_t bytes = 4;
    MachineKind kind = MachineKind::store;
    int lanes = 32;
};

void add(WarpTrace& warp, std::uint64_t block, const Access& one, int line) {
    TracedAccess access;
    access.ptx_line = line;
    access.kind = one.kind;
    access.lanes = std::uint8_t(one.lanes);
    access.first_asked = int(warp.asked.size());
    for (int lane = 0; lane < one.lanes; ++lane) {
        const std::uint64_t at = one.at(block, std::uint64_t(lane));
        for (std::uint64_t sector = at / kSector; sector <= (at + one.bytes - 1) / kSector; ++sector) {
            const LineSectors asked = LineSectors::of_sector(sector);
            const bool again = warp.asked.size() > std::size_t(access.first_asked) &&
                               warp.asked.back().line() == asked.line();
            if (again)
                warp.asked.back().add(asked);
            else
                warp.asked.push_back(asked);
        }
    }
    access.asked_lines = std::uint8_t(warp.asked.size() - std::size_t(access.first_asked));
    warp.accesses.push_back(access);
}

KernelTrace trace_of(const std::vector<std::uint64_t>& blocks, const std::vector<Access>& accesses) {
    KernelTrace made;
    for (const std::uint64_t block : blocks) {
        WarpTrace warp;
        warp.thread_block = block;
        int line = 10;
        for (const Access& one : accesses) add(warp, block, one, line++);
        made.warps.push_back(warp);
    }
    return made;
}

using BlockGrid = std::array<std::uint64_t, 3>;

// Of block 50 of 100, or another one.
LineParts parts_of(const std::vector<Access>& accesses, const BlockGrid& grid = {100, 1, 1},
                   std::uint64_t block = 50) {
    return line_parts(block, trace_of({block}, accesses), trace_of(blocks_around(block, grid), accesses));
}
// As if nothing were known of other blocks.
LineParts parts_alone(const std::vector<Access>& accesses) {
    return line_parts(50, trace_of({50}, accesses), {});
}

// A word of every `step` bytes, block by block.
Access strided(std::uint64_t step, std::uint64_t bytes = 4) {
    return {[=](std::uint64_t block, std::uint64_t lane) { return (32 * block + lane) * step; }, bytes};
}

TEST(LineParts, WholeLinesSideBySideCostNothingMore) {
    for (const std::uint64_t bytes : {4, 16}) {
        const LineParts parts = parts_of({strided(bytes, bytes)});
        EXPECT_NEAR(parts.room, 1, 1e-9);
        EXPECT_NEAR(parts.write, 1, 1e-9);
        EXPECT_NEAR(parts.complete, 1, 1e-9);
    }
}

TEST(LineParts, ASectorOfEachLineTakesTheRoomOfTheLine) {
    const LineParts parts = parts_of({strided(128)});
    EXPECT_NEAR(parts.room, kSectors, 1e-9);
    EXPECT_NEAR(parts.write, 0.69 * kSectors, 1e-9) << "as measured: 82 us of 117";
    EXPECT_GT(parts.complete, 2) << "nobody stores the rest";
    EXPECT_NEAR(parts_of({strided(64)}).write, 0.69 * kSectors / 2, 1e-9) << "two sectors of each";
}

TEST(LineParts, LinesThatLieApartTakeLongerTheFurtherTheyAre) {
    double before = 1;
    for (const std::uint64_t step : {256, 512, 1024, 2048}) {
        const LineParts parts = parts_of({{[=](std::uint64_t block, std::uint64_t lane) {
                                               return (8 * block + lane / 4) * step + lane % 4 * 32;
                                           },
                                           32}});
        EXPECT_NEAR(parts.room, 1, 1e-9) << step;
        if (step <= kKiB)
            EXPECT_GT(parts.write, before) << step;
        else
            EXPECT_NEAR(parts.write, before, 1e-9) << "none is near either way";
        before = parts.write;
    }
    EXPECT_NEAR(before, 1.36, 1e-9);
}

// Rows of 512 bytes, of which a block has 64 bytes of four: the next ones have the rest. Without them those
// would be parts of lines that lie apart.
void expect_completed(const Access& access, const BlockGrid& grid, std::uint64_t block) {
    EXPECT_NEAR(parts_of({access}, grid, block).write, 1, 1e-9);
    EXPECT_NEAR(parts_of({access}, grid, block).room, 1, 1e-9);
    EXPECT_GT(parts_alone({access}).write, 1.5);
    EXPECT_GT(parts_alone({access}).room, 1.5);
}

TEST(LineParts, WhatOtherBlocksGoOnWithIsWhole) {
    const Access tile{[](std::uint64_t block, std::uint64_t lane) {
                          return 1024 * kKiB + block % 8 * 64 + block / 8 * 2 * kKiB + lane / 8 * 512 +
                                 lane % 8 * 8;
                      },
                      8};
    expect_completed(tile, {8, 12, 1}, 50);
    expect_completed(tile, {8, 12, 1}, 95);  // the last one, which has those beside it before it
    // In the order of columns: the one beside is as many further on as a column has.
    const Access down{[](std::uint64_t block, std::uint64_t lane) {
                          return 1024 * kKiB + block / 12 % 8 * 64 + block % 12 * 2 * kKiB + lane / 8 * 512 +
                                 lane % 8 * 8;
                      },
                      8};
    expect_completed(down, {8, 12, 1}, 50);
    // Eight bytes of a row are a part of a sector, and those of the blocks beside fill it.
    const Access little{[](std::uint64_t block, std::uint64_t lane) {
                            return 1024 * kKiB + block * 8 + lane / 8 * 512 + lane % 8;
                        },
                        1};
    expect_completed(little, {64, 1, 1}, 50);
}

TEST(LineParts, RowsThatLieFarApartSayNothing) {
    // Who has the rest of these lines is not seen; their rows are those of a matrix.
    const Access rows{
        [](std::uint64_t block, std::uint64_t lane) { return block * 1024 * kKiB + lane * 16 * kKiB; }, 32};
    EXPECT_NEAR(parts_of({rows}).write, 1, 1e-9);
    EXPECT_NEAR(parts_of({rows}).room, 1, 1e-9);
}

TEST(LineParts, InstructionsCompleteEachOther) {
    // Four words of a structure of 16 bytes, by instructions of their own.
    std::vector<Access> fields;
    for (std::uint64_t field = 0; field < 4; ++field)
        fields.push_back(
            {[=](std::uint64_t block, std::uint64_t lane) { return (32 * block + lane) * 16 + field * 4; }});
    EXPECT_NEAR(parts_of(fields).write, 1, 1e-9);
    // Of one of 128 bytes they are one sector.
    for (std::uint64_t field = 0; field < 4; ++field)
        fields[field].at = [=](std::uint64_t block, std::uint64_t lane) {
            return (32 * block + lane) * 128 + field * 4;
        };
    EXPECT_NEAR(parts_of(fields).write, 0.69 * kSectors, 1e-9);
}

TEST(LineParts, LoadsTakeRoomAndNothingOfWriting) {
    Access one = strided(256);
    one.kind = MachineKind::load;
    const LineParts parts = parts_of({one});
    EXPECT_NEAR(parts.room, kSectors, 1e-9);
    EXPECT_EQ(parts.write, 1);
    // Half of the sectors are loaded side by side.
    one = strided(32, 32);
    one.kind = MachineKind::load;
    EXPECT_NEAR(parts_of({one, strided(128)}).room, (kSectors + 1) / 2, 1e-9);
}

TEST(LineParts, WhatLiesAnywhereIsLeftOut) {
    // 5 KiB and 1 KiB apart by turns; by 3 KiB each they would be strided.
    Access lines{[](std::uint64_t block, std::uint64_t lane) {
        return block * 1024 * kKiB + lane * 3 * kKiB + lane % 2 * 2 * kKiB;
    }};
    EXPECT_EQ(parts_of({lines}).write, 1);
    EXPECT_EQ(parts_of({lines}).room, 1);
    lines.at = [](std::uint64_t block, std::uint64_t lane) { return block * 1024 * kKiB + lane * 3 * kKiB; };
    EXPECT_GT(parts_of({lines}).write, 2);
}

TEST(LineParts, ABlockThatTouchesNothingSaysNothing) {
    const LineParts parts = parts_of({});
    EXPECT_EQ(parts.room, 1);
    EXPECT_EQ(parts.write, 1);
    EXPECT_EQ(parts.complete, 1);
}

TEST(LineParts, OneBlockHasThoseOfItsOwn) {
    EXPECT_NEAR(parts_alone({strided(128)}).write, 0.69 * kSectors, 1e-9);
}

TEST(LineParts, BlocksAroundAreOneInEachDirection) {
    using Blocks = std::vector<std::uint64_t>;
    EXPECT_EQ(blocks_around(50, {10, 8, 1}), (Blocks{51, 60, 58})) << "eight blocks are a column";
    EXPECT_EQ(blocks_around(50, {10, 10, 1}), (Blocks{51, 60}));
    EXPECT_EQ(blocks_around(50, {5, 4, 6}), (Blocks{51, 55, 70, 54})) << "20 are a plane";
    EXPECT_EQ(blocks_around(99, {100, 1, 1}), (Blocks{98})) << "the last one of a line";
    EXPECT_EQ(blocks_around(0, {1, 1, 1}), Blocks{});
}

// ---- what follows from them

TEST(LineParts, LinesOfWhichLittleIsWantedLeaveTheSecondLevelEarlier) {
    const KernelTrace trace = trace_of({50}, {strided(128)});
    constexpr double kBytes = 20e6, kSecondLevel = 60e6;
    const auto moved = [&](double room) {
        return l2_misses(trace, 64 << 10, {1, kBytes, kBytes, 0, kSecondLevel, room}).moved;
    };
    EXPECT_NEAR(moved(1), 0, 1e-9) << "a third of it";
    EXPECT_NEAR(moved(kSectors), 1, 1e-9) << "in lines more than all of it";
}

}  // namespace
}  // namespace ws
