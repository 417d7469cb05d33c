// How instructions come: loops and jumps of so many bytes of code.

#include <gtest/gtest.h>

#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

// A loop's body of so many bytes, of which every so many lines the first ones are executed: 1 is straight
// through.
struct Loop {
    int bytes = 0;
    int every = 1, first = 1;  // lines
    int warps = 1;
    int places = 1;         // warps by turns have bodies of their own, this many
    double busy_share = 0;  // of the GPU's other multiprocessors
};

ClockRun run_loop(const Loop& loop, int rounds) {
    constexpr int kLine = 128;
    MachineCode code;
    for (int address = 0; address < loop.places * loop.bytes; address += kMachineInstructionBytes) {
        code.instructions.push_back(arithmetic(1));
        code.instructions.back().address = address;
    }
    const int each = loop.bytes / kMachineInstructionBytes;
    std::vector<MachinePath> paths(std::size_t(loop.places));
    for (int place = 0; place < loop.places; ++place)
        for (int i = 0; i < rounds * each; ++i)
            if (i % each * kMachineInstructionBytes / kLine % loop.every < loop.first)
                paths[std::size_t(place)].steps.push_back({place * each + i % each, -1, 32});
    const WarpTrace trace;
    ClockLoad load;
    load.code = &code;
    load.busy_share = loop.busy_share;
    load.blocks.resize(1);
    for (int warp = 0; warp < loop.warps; ++warp)
        load.blocks.front().push_back({&paths[std::size_t(warp % loop.places)], &trace});
    ClockRates with = rates();
    with.code = CodeRates{};
    return run_clock(load, with);
}

// Clocks of a round beyond the first ones, for each time that lines are executed.
double clocks_of(const Loop& loop) {
    const int times = (loop.bytes / 128 + loop.every - 1) / loop.every;
    const auto clocks = [&](int rounds) { return double(run_loop(loop, rounds).clocks); };
    return (clocks(5) - clocks(2)) / 3 / times;
}

// Of a jump past 17 lines, of which the first ones are executed; so many jumps are a round.
Loop jumps(int number, int first = 1) {
    return {.bytes = number * 17 * 128, .every = 17, .first = first};
}

constexpr int kKiB = 1024;

TEST(CodeFetch, ALoopTakesWhatTheCacheThatHoldsItGives) {
    EXPECT_NEAR(clocks_of({.bytes = 16 * kKiB}), 8, 0.1) << "eight instructions";
    EXPECT_NEAR(clocks_of({.bytes = 32 * kKiB}), 8, 0.1);
    EXPECT_NEAR(clocks_of({.bytes = 32 * kKiB + 256}), 9, 1)
        << "two sets have more than their ways: 9.4 on an H200";
    EXPECT_NEAR(clocks_of({.bytes = 40 * kKiB}), 14.5, 0.5) << "L1 lacks all";
    EXPECT_NEAR(clocks_of({.bytes = 64 * kKiB}), 14.5, 0.5) << "from L1.5: an H200 takes 16.3";
    EXPECT_NEAR(clocks_of({.bytes = 256 * kKiB}), 49, 1) << "from L2, four lines ahead: an H200 takes 44.4";
    EXPECT_NEAR(clocks_of({.bytes = 64 * kKiB, .warps = 8}), 16, 1)
        << "two warps of a scheduler share what one fetches";
    const auto fetching = [](int bytes, int rounds) {
        return double(at(run_loop({.bytes = bytes}, rounds), WarpState::fetch));
    };
    EXPECT_LT(fetching(16 * kKiB, 5) - fetching(16 * kKiB, 1), 4 * 12) << "the jump back alone";
    EXPECT_NEAR(fetching(64 * kKiB, 5) - fetching(64 * kKiB, 2), 3 * 512 * 6.5, 512);
}

// Its jump back takes longer then: an H200's loop of 44 lines and a few instructions 39 clocks more than
// eight for each line, of 46 and more 51.
TEST(CodeFetch, ALoopOfMoreLinesThanL0HasWaitsForItsFirstOne) {
    const auto back = [](int lines) { return lines * (clocks_of({.bytes = lines * 128}) - 8); };
    EXPECT_NEAR(back(30), 0, 0.1);
    EXPECT_NEAR(back(46), 0, 0.1) << "and two lines that are fetched ahead";
    EXPECT_NEAR(back(50), 10, 1.5) << "what follows comes in time";
    EXPECT_NEAR(back(200), 10, 1.5);
}

TEST(CodeFetch, AJumpPastWhatIsFetchedAheadWaitsForItsLine) {
    // A jump brings L0 three lines, and L1 five.
    const double kept = clocks_of(jumps(12));
    EXPECT_NEAR(kept, 8, 0.1) << "in L0";
    EXPECT_NEAR(clocks_of(jumps(20)), kept + 10, 1) << "in L1: an H200 takes 9 to 10 longer";
    EXPECT_NEAR(clocks_of(jumps(11, 2)), 16, 0.1) << "four lines each; an H200 keeps 10, or 11";
    EXPECT_NEAR(clocks_of(jumps(13, 2)), 26, 1);
    EXPECT_NEAR(clocks_of(jumps(9, 3)), 24, 0.1) << "five; it keeps 8, or 9";
    EXPECT_NEAR(clocks_of(jumps(10, 3)), 34, 1);
    EXPECT_NEAR(clocks_of(jumps(48)), kept + 10, 1);
    EXPECT_NEAR(clocks_of(jumps(64)), kept + 62, 4) << "in L1.5: an H200 takes 61 longer than from L0";
    EXPECT_NEAR(clocks_of(jumps(400)), kept + 280, 6) << "in L2: an H200 takes 282 longer";
    EXPECT_NEAR(clocks_of({.bytes = 300 * 3 * 128, .every = 3}), 37, 2)
        << "what is passed comes, too: 44 on an H200, and a jump from L1.5 takes 72";
}

// An H200's jumps past 17 lines behind 0 to 6 and 8 lines of code take 295, 306, 319, 347, 378, 483, 566 and
// 612 clocks from L2.
TEST(CodeFetch, LinesBehindAJumpComeTogetherAsFarAsTheyAreFetchedAhead) {
    const double one = clocks_of(jumps(160));
    EXPECT_NEAR(clocks_of(jumps(160, 2)), one + 8, 2);
    EXPECT_NEAR(clocks_of(jumps(160, 5)), one + 4 * 8, 4);
    EXPECT_NEAR(clocks_of(jumps(160, 7)), one + 6 * 8 + 244, 10) << "the last two were asked for late";
    const double six = clocks_of(jumps(160, 6));
    EXPECT_GT(six, one + 5 * 8 + 90) << "of two lines that come together it is the second one half the time";
    EXPECT_LT(six, one + 5 * 8 + 160);
}

TEST(CodeFetch, LinesOfABlockHaveTheirPlaceTogether) {
    // 96 jumps to five lines and more of each 17: fewer than the 1024 that L1.5 has, but not of its blocks.
    EXPECT_NEAR(clocks_of(jumps(96)), clocks_of(jumps(64)), 2);
    EXPECT_GT(clocks_of(jumps(96, 6)), 250) << "an H200 takes 374";
    EXPECT_NEAR(clocks_of(jumps(48, 6)), 144, 3);
}

TEST(CodeFetch, SchedulersShareTheCacheOfTheirMultiprocessor) {
    const auto own = [](int kib, int warps) {
        return clocks_of({.bytes = kib * kKiB, .warps = warps, .places = warps});
    };
    EXPECT_LT(own(8, 4), own(8, 1) + 1.2) << "32 KB together";
    EXPECT_LT(own(16, 2), own(16, 1) + 1.2);
    EXPECT_GT(own(16, 4), own(16, 1) + 4) << "64 KB: 25 clocks on an H200, and 12 alone";
}

TEST(CodeFetch, MultiprocessorsShareWhatL15GivesUnlessTheyAreInStep) {
    Loop loop{.bytes = 96 * kKiB};
    const double alone = clocks_of(loop);
    loop.busy_share = 1;
    EXPECT_NEAR(clocks_of(loop), 17.6, 0.5) << "eight pairs that are in step, 2.2 clocks each";
    Loop places{.bytes = 48 * kKiB, .warps = 2, .places = 2};
    EXPECT_NEAR(clocks_of(places), alone, 0.5);
    places.busy_share = 1;
    EXPECT_NEAR(clocks_of(places), 2 * 16 * 2.2, 1) << "two lines for each of sixteen";
}

TEST(CodeFetch, WarpsGoOnToAnotherLineOneAfterTheOther) {
    // One instruction of each line, so that the scheduler could issue those of all warps meanwhile.
    MachineCode code;
    for (int i = 0; i < 64; ++i) {
        code.instructions.push_back(arithmetic(1));
        code.instructions.back().address = i * kMachineInstructionBytes;
    }
    const auto clocks = [&](int warps) {
        MachinePath path;
        for (int i = 0; i < 400; ++i) path.steps.push_back({i % 8 * 8, -1, 32});
        const WarpTrace trace;
        ClockLoad load;
        load.code = &code;
        load.schedulers = 1;
        load.blocks.assign(1, std::vector<ClockWarp>(std::size_t(warps), ClockWarp{&path, &trace}));
        ClockRates with = rates();
        with.code = CodeRates{};
        return double(run_clock(load, with).clocks);
    };
    EXPECT_NEAR((clocks(8) - clocks(4)) / 400, 4 * 1.5, 0.3)
        << "and not one clock for an instruction of each";
}

}  // namespace
}  // namespace ws
