// How instructions come: loops and jumps of so many bytes of code.

#include <gtest/gtest.h>

#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

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
    const int executed = (bytes / 128 + every - 1) / every;
    const auto lines = double(executed);
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

}  // namespace
}  // namespace ws
