// Lines of which a launch touches a part, and such that lie apart: what the second level and device memory
// take for them, from the requests of one block and of those around it.

#include "gpu/analysis/line_parts.h"

#include <gtest/gtest.h>

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

// Of block 50 of 100, in rows of so many.
LineParts parts_of(const std::vector<Access>& accesses, std::uint64_t row = 100) {
    constexpr std::uint64_t kBlock = 50, kBlocks = 100;
    return line_parts(kBlock, trace_of({kBlock}, accesses),
                      trace_of(blocks_around(kBlock, row, kBlocks), accesses));
}

// A word of every `step` bytes, block by block.
Access strided(std::uint64_t step, std::uint64_t bytes = 4) {
    return {[=](std::uint64_t block, std::uint64_t lane) { return (32 * block + lane) * step; }, bytes};
}

TEST(LineParts, OfWholeLinesSideBySideAreNone) {
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

TEST(LineParts, WhatOtherBlocksGoOnWithIsWhole) {
    // Rows of 16 KiB, of which a block has 64 bytes of four: the next ones have the rest.
    const Access tile{[](std::uint64_t block, std::uint64_t lane) {
                          return block * 64 + lane / 8 * 16 * kKiB + lane % 8 * 8;
                      },
                      8};
    EXPECT_NEAR(parts_of({tile}).write, 1, 1e-9);
    EXPECT_NEAR(parts_of({tile}).room, 1, 1e-9);
    // In the order of columns: a row of the grid is ten blocks, and the one beside is as many further on.
    const Access down{[](std::uint64_t block, std::uint64_t lane) {
                          const std::uint64_t across = block / 10, below = block % 10;
                          return across * 64 + below * 64 * kKiB + lane / 8 * 16 * kKiB + lane % 8 * 8;
                      },
                      8};
    EXPECT_NEAR(parts_of({down}, 10).write, 1, 1e-9);
    // Eight bytes of a block are a part of a sector, and those beside it fill it.
    const Access little{[](std::uint64_t block, std::uint64_t lane) { return block * 8 + lane; }, 1,
                        MachineKind::store, 8};
    EXPECT_NEAR(parts_of({little}).write, 1, 1e-9);
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
    const Access anywhere{[](std::uint64_t block, std::uint64_t lane) {
        return (block * 32 + lane) * 7919 % 1009 * 64 * kKiB;
    }};
    EXPECT_EQ(parts_of({anywhere}).write, 1);
    EXPECT_EQ(parts_of({anywhere}).room, 1);
}

TEST(LineParts, BlocksAroundAreOneInEachDirection) {
    using Blocks = std::vector<std::uint64_t>;
    EXPECT_EQ(blocks_around(50, 10, 80), (Blocks{51, 60, 58})) << "eight blocks are a column";
    EXPECT_EQ(blocks_around(50, 10, 100), (Blocks{51, 60}));
    EXPECT_EQ(blocks_around(99, 100, 100), (Blocks{98})) << "the last one of a line";
    EXPECT_EQ(blocks_around(0, 1, 1), Blocks{});
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
