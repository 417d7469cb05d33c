// Device memory as the clock of a multiprocessor sees it: its channels, and how long loads take.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/analysis/channels.h"
#include "gpu/analysis/device_memory_share.h"
#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

// When it is done that is read now.
double read(Channels& channels, double now, double clocks, double place, Dice& dice) {
    return channels.read(now, clocks, place, channels.ahead(now), dice);
}

TEST(Channels, OneWritesWhileNothingComes) {
    constexpr double kLine = 120, kTurn = 2 * kLine;  // to writing and back
    constexpr int kAll = Channels::kWrittenTogether;
    // One channel, so that nothing is left to chance.
    const auto read_after = [&](double gap) {
        Channels channels(kLine, kTurn / kAll);
        Dice dice;
        double now = 0;
        for (int i = 0; i < kAll - 1; ++i) channels.write(now, kLine, dice);
        now += gap;
        const double first = read(channels, now, kLine, 0.5, dice) - now;
        channels.write(now, kLine, dice);  // the last, if the others still wait
        return first + read(channels, now, kLine, 0.5, dice) - now;
    };
    EXPECT_NEAR(read_after(0), kLine + (1 + kAll + 1) * kLine + kTurn, 1)
        << "reads go first, then all lines are written";
    EXPECT_NEAR(read_after(2 * kAll * kLine), kLine + 2 * kLine, 1)
        << "what waited has been written meanwhile";
    EXPECT_NEAR(read_after(kLine / 2), read_after(0), 1) << "it may be asked to read yet";
    EXPECT_NEAR(read_after(4 * kLine), 2 * (Channels::kIdle + (kAll - 1 - 4) * kLine) + 3 * kLine, 1)
        << "what it has begun to write it ends";
}

TEST(Channels, OneThatOnlyWritesDoesNotTurnRound) {
    constexpr double kLine = 120;
    constexpr int kAll = Channels::kWrittenTogether;
    Channels channels(kLine, 30);
    Dice dice;
    for (int i = 0; i < 2 * kAll; ++i) channels.write(0, kLine, dice);
    EXPECT_NEAR(channels.free(), 2 * kAll * kLine, 1e-9);
    channels.read_unasked(0, kLine, dice);
    for (int i = 0; i < 2 * kAll; ++i) channels.write(0, kLine, dice);
    EXPECT_NEAR(channels.free(), (4 * kAll + 1) * kLine + kAll * 30, 1e-9)
        << "once, for the one that was read";
}

// A share of 16 channels, as an H200's multiprocessor has it, before which so many lines lie.
struct Busy {
    explicit Busy(int lines) : channels(kLine / 16, 0) {
        for (int i = 0; i < lines; ++i) channels.read_unasked(0, kLine / 16, dice);
    }
    // Of one line more.
    [[nodiscard]] double waits(double place) const {
        Busy now = *this;
        return read(now.channels, 0, kLine / 16, place, now.dice) - kLine;
    }
    [[nodiscard]] double waits(std::uint64_t line) const { return waits(Channels::place_of(line)); }

    static constexpr double kLine = 120;
    Channels channels;
    Dice dice;
};

TEST(Channels, LinesOfAPieceWaitAlikeOfASliceOftenAndOthersByChance) {
    const Busy few(64);
    int slices_alike = 0, others_alike = 0;
    constexpr std::uint64_t kKibs = 400;
    for (std::uint64_t line = 0; line < 8 * kKibs; line += 8) {
        for (const std::uint64_t piece : {0, 2, 4, 6})
            EXPECT_EQ(few.waits(line + piece), few.waits(line + piece + 1)) << "of 256 bytes";
        slices_alike += Channels::place_of(line) == Channels::place_of(line + 4);
        others_alike += Channels::place_of(line) == Channels::place_of(line + 2);
    }
    // Half of the pieces are behind their slice, so that of a quarter of the pairs both are.
    EXPECT_NEAR(double(slices_alike) / double(kKibs), 0.25, 0.06);
    EXPECT_EQ(others_alike, 0);
    std::vector<double> waits;
    for (int channel = 0; channel < 16; ++channel) waits.push_back(few.waits((channel + 0.5) / 16));
    const auto [least, most] = std::minmax_element(waits.begin(), waits.end());
    EXPECT_GT(*most, *least + 3 * Busy::kLine) << "some have more before them";
}

TEST(Channels, MoreThanTheyHaveRoomForWaitsInOrder) {
    constexpr double kRoom = Channels::kLinesInChannel;
    const auto range_of = [](const Busy& busy) {
        double least = busy.waits(0.5), most = least, sum = 0;
        for (int channel = 0; channel < 16; ++channel) {
            const double one = busy.waits((channel + 0.5) / 16);
            least = std::min(least, one), most = std::max(most, one), sum += one;
        }
        EXPECT_NEAR(sum / 16, busy.channels.backlog(0), 1);
        return most - least;
    };
    const double full = range_of(Busy(int(16 * kRoom)));
    EXPECT_GT(full, 4 * Busy::kLine);
    EXPECT_LT(range_of(Busy(int(160 * kRoom))), full) << "what is beyond is the same for all";
    for (const double place : {0.1, 0.5, 0.9})
        EXPECT_GT(Busy(int(160 * kRoom)).waits(place), 9 * kRoom * Busy::kLine);
}

TEST(DeviceMemoryShare, LoadsTakeTheLatencyOnAverage) {
    ClockRates with = rates();
    with.latency.memory = 700;
    const DeviceMemoryShare share({}, {}, with);
    constexpr int kChances = 20000;
    double sum = 0, before = 0;
    int short_ones = 0;
    for (int i = 0; i < kChances; ++i) {
        const double one = share.latency((i + 0.5) / kChances);
        EXPECT_GT(one, before);
        before = one;
        sum += one;
        short_ones += one < 0.87 * 700;
    }
    EXPECT_NEAR(sum / kChances, 700, 0.1);
    EXPECT_NEAR(double(short_ones) / kChances, 0.41, 0.005) << "of the near partition";
    EXPECT_NEAR(share.latency(1e-9), 0.74 * 700, 0.1);
    EXPECT_NEAR(share.latency(1 - 1e-9), 2 * 700, 0.1);
}

TEST(DeviceMemoryShare, LinesOfAKibComeTogetherAndOfSeveralTheLastIsWaitedFor) {
    ClockRates with = rates();
    with.latency.memory = 700;
    DeviceMemoryShare share({}, {}, with);
    share.be_endless();
    Dice dice;
    const auto done = [&](std::vector<LineSectors> lines) {
        Passing load{MachineKind::load, 32};
        load.lines = double(lines.size());
        load.sectors = 4 * load.lines;
        return share.take(load, lines, 1000, dice);
    };
    int alike = 0;
    for (std::uint64_t kib = 0; kib < 100; ++kib) {
        const double first = done({{8 * kib, 0xF}}), next = done({{8 * kib + 8, 0xF}});
        EXPECT_EQ(done({{8 * kib + 7, 0xF}}), first);
        EXPECT_EQ(done({{8 * kib + 3, 0xF}, {8 * kib + 8, 0xF}}), std::max(first, next));
        alike += first == next;
    }
    EXPECT_EQ(alike, 0);
}

}  // namespace
}  // namespace ws
