// How instructions come: loops and jumps of so many bytes of code.

#include <gtest/gtest.h>

#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

// A loop's body of so many bytes, of which every so many lines the first ones are executed: 1 is straight
// through.
ClockRun run_loop(int bytes, int rounds, int every = 1, int warps = 1, int first = 1) {
    constexpr int kLine = 128;
    MachineCode code;
    for (int address = 0; address < bytes; address += kMachineInstructionBytes) {
        code.instructions.push_back(arithmetic(1));
        code.instructions.back().address = address;
    }
    MachinePath path;
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i < int(code.instructions.size()); ++i)
            if (code.instructions[std::size_t(i)].address / kLine % every < first)
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
    const int executed = (bytes / 128 + every - 1) / every;
    const auto lines = double(executed);
    const auto clocks = [&](int rounds) { return double(run_loop(bytes, rounds, every, warps).clocks); };
    return (clocks(4) - clocks(2)) / 2 / lines;
}

// Of a jump past 17 lines, of which the first ones are executed; so many jumps are a round.
double clocks_of_jump(int jumps, int first, int warps = 1) {
    const auto clocks = [&](int rounds) {
        return double(run_loop(jumps * 17 * 128, rounds, 17, warps, first).clocks);
    };
    return (clocks(4) - clocks(2)) / 2 / jumps;
}

TEST(CodeFetch, ALoopTakesWhatTheCacheThatHoldsItGives) {
    constexpr int kKiB = 1024;
    EXPECT_NEAR(clocks_of_line(16 * kKiB), 8, 0.1) << "eight instructions";
    EXPECT_NEAR(clocks_of_line(32 * kKiB), 8, 0.1);
    EXPECT_NEAR(clocks_of_line(32 * kKiB + 256), 10, 1)
        << "two sets have more than their ways: 9.4 on an H200";
    EXPECT_NEAR(clocks_of_line(40 * kKiB), 16, 0.5) << "all have";
    EXPECT_NEAR(clocks_of_line(64 * kKiB), 16, 0.5) << "from L1.5: an H200 takes 16.3";
    EXPECT_NEAR(clocks_of_line(256 * kKiB), 49.7, 1) << "from L2, four lines ahead: an H200 takes 44.4";
    EXPECT_NEAR(clocks_of_line(64 * kKiB, 1, 8), 16, 1) << "two warps of a scheduler share what one fetches";
    EXPECT_EQ(at(run_loop(16 * kKiB, 4), WarpState::fetch), at(run_loop(16 * kKiB, 1), WarpState::fetch));
    EXPECT_GT(at(run_loop(64 * kKiB, 4), WarpState::fetch),
              at(run_loop(64 * kKiB, 4), WarpState::issuing) / 2);
}

TEST(CodeFetch, AJumpPastWhatIsFetchedAheadWaitsForItsLine) {
    constexpr int kBytes = 17 * 128;
    // A jump brings five lines, so 64 of them take more than the 256 that L0 has.
    EXPECT_NEAR(clocks_of_line(30 * kBytes, 17), 8, 0.1);
    EXPECT_NEAR(clocks_of_line(64 * kBytes, 17), 5 * 16, 1) << "an H200 takes 79";
    EXPECT_NEAR(clocks_of_line(400 * kBytes, 17), 8 + 270, 8) << "an H200 takes 272 longer than from L0";
    EXPECT_NEAR(clocks_of_line(300 * 3 * 128, 3), 3 * 16, 1) << "what is passed comes, too: 48 on an H200";
}

// An H200's jumps past 17 lines behind 0 to 6 and 8 lines of code take 295, 306, 319, 347, 378, 483, 566 and
// 612 clocks from L2, of which 23 to 95 are no fetching.
TEST(CodeFetch, LinesBehindAJumpComeTogetherAsFarAsTheyAreFetchedAhead) {
    const double one = clocks_of_jump(160, 1);
    EXPECT_NEAR(clocks_of_jump(160, 2), one + 16, 2);
    EXPECT_NEAR(clocks_of_jump(160, 5), one + 4 * 16, 2);
    EXPECT_NEAR(clocks_of_jump(160, 7), one + 6 * 16 + 202, 10) << "the last two were asked for late";
    const double six = clocks_of_jump(160, 6);
    EXPECT_GT(six, one + 5 * 16 + 70) << "of two lines that come together it is the second one half the time";
    EXPECT_LT(six, one + 5 * 16 + 130);
}

TEST(CodeFetch, LinesOfABlockHaveTheirPlaceTogether) {
    // 96 jumps to five lines and more of each 17: fewer than the 1024 that L1.5 has, but not of its blocks.
    EXPECT_NEAR(clocks_of_jump(96, 1), 5 * 16, 2);
    EXPECT_GT(clocks_of_jump(96, 6), 250) << "an H200 takes 374";
    EXPECT_NEAR(clocks_of_jump(48, 6), 10 * 16, 2);
}

}  // namespace
}  // namespace ws
