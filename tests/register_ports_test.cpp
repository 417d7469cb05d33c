// The register file's two banks, on instructions whose registers are chosen: what each takes is what
// tools/register-ports measured on an H200 (2026-11-25), to a tenth of a clock.

#include "gpu/analysis/register_ports.h"

#include <gtest/gtest.h>

#include <cctype>
#include <vector>

namespace ws {
namespace {

// By the banks of its operands: "eoe" reads an even, an odd and another even register, "e.." one; the same
// letter is another register each time, and "1" is always the same even one.
MachineInstruction reads(std::string_view banks, int number = 0, int reuse = 0) {
    MachineInstruction made;
    for (std::size_t i = 0; i < banks.size(); ++i) {
        const auto place = std::uint8_t(8 + 6 * (number % 8) + 2 * int(i));
        if (banks[i] == '.') continue;
        made.reads[i] = {banks[i] == '1' ? std::uint8_t(4) : std::uint8_t(place + (banks[i] == 'o')), 1};
    }
    made.control.reuse = std::uint8_t(reuse);
    return made;
}

// Clocks of a round of these, one after the other of one warp.
double clocks_of(const std::vector<MachineInstruction>& round) {
    constexpr int kRounds = 200;
    RegisterPorts ports;
    double now = 0;
    for (int i = 0; i < kRounds; ++i)
        for (const MachineInstruction& one : round)
            now = ports.issue(one, RegisterPorts::reads_of(one), 0, now) + 1;
    return now / kRounds;
}

TEST(RegisterPorts, AnInstructionTakesTheClocksOfItsWorstBank) {
    EXPECT_NEAR(clocks_of({reads("111")}), 1, 0.1) << "one register is read once";
    EXPECT_NEAR(clocks_of({reads("eo.")}), 1, 0.1);
    EXPECT_NEAR(clocks_of({reads("ee.")}), 2, 0.1);
    EXPECT_NEAR(clocks_of({reads("eoe")}), 2, 0.1);
    EXPECT_NEAR(clocks_of({reads("oee")}), 2, 0.1);
    EXPECT_NEAR(clocks_of({reads("eee")}), 3, 0.1);
    EXPECT_NEAR(clocks_of({reads("...")}), 1, 0.1);
}

TEST(RegisterPorts, NeighboursReadFromTheOtherBankMeanwhile) {
    EXPECT_NEAR(clocks_of({reads("eee", 0), reads("ooo", 1)}), 3, 0.1);
    EXPECT_NEAR(clocks_of({reads("eoe", 0), reads("oeo", 1)}), 3, 0.1);
    EXPECT_NEAR(clocks_of({reads("eee", 0), reads("o..", 1)}), 3, 0.1);
    EXPECT_NEAR(clocks_of({reads("eee", 0), reads("e..", 1)}), 4, 0.1);
    EXPECT_NEAR(clocks_of({reads("eoe", 0), reads("eoe", 1)}), 4, 0.1);
}

// Four of these and four of those take an H200 11.02 clocks, three and three 8.01, two and two 5.01.
TEST(RegisterPorts, WhatReadsTwoOfABankHoldsTheNextOne) {
    for (const int count : {2, 3, 4}) {
        std::vector<MachineInstruction> code;
        for (int i = 0; i < count; ++i) code.push_back(reads("ee.", i));
        for (int i = 0; i < count; ++i) code.push_back(reads("...", i));
        EXPECT_NEAR(clocks_of(code), 3 * count - 1, 0.1) << count;
    }
}

TEST(RegisterPorts, PairsAreOfBothBanks) {
    MachineInstruction doubles;
    doubles.reads = {{{8, 2}, {10, 2}, {12, 2}}};
    EXPECT_NEAR(clocks_of({doubles}), 3, 0.1);
    doubles.reads = {{{8, 2}, {8, 2}, {8, 2}}};
    EXPECT_NEAR(clocks_of({doubles}), 1, 0.1);
}

TEST(RegisterPorts, RequestsReadInTheirTurnBetweenOthers) {
    MachineInstruction request;
    request.reads = {{{20, 2}, {30, 1}, {}}};  // an even one, an odd one, an even one
    const auto issued = [&](std::string_view banks, double from) {
        RegisterPorts ports;
        ports.read_later(request, 0, from, 2);
        const MachineInstruction one = reads(banks);
        return ports.issue(one, RegisterPorts::reads_of(one), 0, 10);
    };
    EXPECT_EQ(issued("eee", 5), 10) << "at 5 and 9";
    EXPECT_EQ(issued("eee", 6), 11) << "at 6 and 10";
    EXPECT_EQ(issued("ee.", 6), 11) << "it has two clocks for two";
    EXPECT_EQ(issued("e..", 6), 10) << "and for one";
    EXPECT_EQ(issued("ooo", 8), 11) << "at 10";
    EXPECT_EQ(issued("ooo", 9), 10) << "its turn comes behind this one";
    RegisterPorts ports;
    const MachineInstruction three = reads("eee");
    EXPECT_EQ(ports.issue(three, RegisterPorts::reads_of(three), 0, 10), 10);
    ports.read_later(request, 0, 11, 1);
    EXPECT_EQ(ports.issue(three, RegisterPorts::reads_of(three), 0, 11), 15) << "behind both of the request";
}

TEST(RegisterPorts, WhatIsMarkedForReuseIsNotReadAgainInItsPlace) {
    EXPECT_NEAR(clocks_of({reads("1ee", 0, 1), reads("1ee", 1, 1)}), 4, 0.1) << "2 each";
    EXPECT_NEAR(clocks_of({reads("1ee", 0, 1), reads("1ee", 1)}), 5, 0.1) << "for the next one only";
    EXPECT_NEAR(clocks_of({reads("1ee", 0), reads("1ee", 1)}), 6, 0.1) << "not marked";
    EXPECT_NEAR(clocks_of({reads("1ee", 0, 1), reads("e1e", 1)}), 6, 0.1) << "another place";
    EXPECT_NEAR(clocks_of({reads("1ee", 0, 1), reads("o..", 1)}), 2, 0.1) << "of the other bank";
    EXPECT_NEAR(clocks_of({reads("1ee", 0, 1), reads("...", 1)}), 2, 0.1) << "over what reads nothing";
}

TEST(RegisterPorts, AnotherWarpOrAYieldEndsReuse) {
    const MachineInstruction one = reads("1ee", 0, 1);
    RegisterPorts ports;
    double now = 0;
    for (int i = 0; i < 200; ++i) now = ports.issue(one, RegisterPorts::reads_of(one), i % 2, now) + 1;
    EXPECT_NEAR(now / 200, 3, 0.1);
    MachineInstruction yields = one;
    yields.control.yield = true;
    EXPECT_NEAR(clocks_of({yields}), 3, 0.1);
    // A request of another warp does, too.
    const MachineInstruction request;
    for (const int warp : {0, 1}) {
        RegisterPorts others;
        double clock = 0;
        for (int i = 0; i < 200; ++i) {
            clock = others.issue(one, RegisterPorts::reads_of(one), 0, clock) + 1;
            others.read_later(request, warp, clock, 2);
        }
        EXPECT_NEAR(clock / 200, warp == 0 ? 2 : 3, 0.1);
    }
}

TEST(RegisterPorts, AProductOf64BitsReadsAtOnce) {
    MachineInstruction wide;
    wide.reads = {{{8, 1}, {}, {10, 2}}};
    wide.passes = 2;
    const auto wait_behind = [&](const MachineInstruction& before) {
        RegisterPorts ports;
        const double now = ports.issue(before, RegisterPorts::reads_of(before), 0, 10) + 1;
        return ports.issue(wide, RegisterPorts::reads_of(wide), 0, now) - now;
    };
    EXPECT_EQ(wait_behind(reads("e..")), 1) << "two registers of a bank that has just given one";
    EXPECT_EQ(wait_behind(reads("o..")), 0);
    EXPECT_EQ(wait_behind(reads("...")), 0);
}

}  // namespace
}  // namespace ws
