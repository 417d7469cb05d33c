// Device memory as the clock of a multiprocessor sees it: its channels, and how long loads take.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/analysis/channels.h"
#include "gpu/analysis/device_memory_share.h"
#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

// When it is done that is read now.
double read(Channels& channels, double now, double clocks, double place, Dice& dice) {
    const double begins = channels.begins(now, place, channels.ahead(now));
    return begins + channels.read(now, clocks, dice);
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
    channels.read(0, kLine, dice);
    for (int i = 0; i < 2 * kAll; ++i) channels.write(0, kLine, dice);
    EXPECT_NEAR(channels.free(), (4 * kAll + 1) * kLine + kAll * 30, 1e-9)
        << "once, for the one that was read";
}

// A share of 16 channels, as an H200's multiprocessor has it, before which so many lines lie.
struct Busy {
    explicit Busy(int lines) : channels(kLine / 16, 0) {
        for (int i = 0; i < lines; ++i) channels.read(0, kLine / 16, dice);
    }
    double waits(double place) { return channels.begins(0, place, channels.ahead(0)); }
    double waits(std::uint64_t line) { return waits(Channels::place_of(line)); }

    static constexpr double kLine = 120;
    Channels channels;
    Dice dice;
};

TEST(Channels, LinesOfASliceWaitAlikeAndOthersByChance) {
    Busy few(64);
    int others_alike = 0;
    constexpr std::uint64_t kKibs = 100;
    for (std::uint64_t kib = 0; kib < kKibs; ++kib) {
        const double one = few.waits(8 * kib);
        for (const std::uint64_t i : {1, 4, 5}) EXPECT_EQ(few.waits(8 * kib + i), one);
        const double other = few.waits(8 * kib + 2);
        for (const std::uint64_t i : {3, 6, 7}) EXPECT_EQ(few.waits(8 * kib + i), other);
        others_alike += one == other;
        others_alike += one == few.waits(8 * kib + 8);
    }
    EXPECT_LT(others_alike, int(kKibs)) << "of twice as many";
    std::vector<double> waits;
    for (int channel = 0; channel < 16; ++channel) waits.push_back(few.waits((channel + 0.5) / 16));
    const auto [least, most] = std::minmax_element(waits.begin(), waits.end());
    EXPECT_GT(*most, *least + 3 * Busy::kLine) << "some have more before them";
}

TEST(Channels, MoreThanTheyHaveRoomForWaitsInOrder) {
    constexpr double kRoom = Channels::kLinesInChannel;
    const auto range_of = [](Busy busy) {
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

DeviceMemoryShare idle_share(const ClockRates& with) {
    return {{}, {}, with};
}

TEST(DeviceMemoryShare, LoadsTakeTheLatencyOnAverageAndLinesOfAKibEquallyLong) {
    ClockRates with = rates();
    with.latency.memory = 700;
    const DeviceMemoryShare share = idle_share(with);
    Dice dice;
    constexpr int kKibs = 20000;
    double sum = 0, least = 1e9, most = 0;
    int short_ones = 0;
    for (std::uint64_t kib = 0; kib < kKibs; ++kib) {
        const auto of = [&](std::uint64_t line) {
            const LineSectors one{8 * kib + line, 0xF};
            return share.longest_latency(std::span(&one, 1), 1, dice);
        };
        const double first = of(0);
        EXPECT_EQ(of(5), first);
        sum += first, least = std::min(least, first), most = std::max(most, first);
        short_ones += first < 0.87 * 700;
    }
    EXPECT_NEAR(sum / kKibs, 700, 5);
    EXPECT_NEAR(double(short_ones) / kKibs, 0.41, 0.02) << "of the near partition";
    EXPECT_NEAR(least, 0.74 * 700, 5);
    EXPECT_GT(most, 1.9 * 700);
    EXPECT_LE(most, 2 * 700);
}

TEST(DeviceMemoryShare, TheLastOfSeveralLinesIsWaitedFor) {
    ClockRates with = rates();
    with.latency.memory = 700;
    const DeviceMemoryShare share = idle_share(with);
    Dice dice;
    const auto mean_of = [&](int lines) {
        double sum = 0;
        for (int i = 0; i < 4000; ++i) sum += share.longest_latency({}, lines, dice);
        return sum / 4000;
    };
    EXPECT_NEAR(mean_of(1), 700, 10);
    EXPECT_GT(mean_of(2), mean_of(1) + 50);
    EXPECT_GT(mean_of(8), mean_of(2) + 100);
}

}  // namespace
}  // namespace ws
