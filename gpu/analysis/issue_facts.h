#pragma once
// What the clock asks of a machine instruction each time that it is to be issued, found out once.

#include <cstdint>

#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/ready_warps.h"
#include "gpu/analysis/register_ports.h"
#include "gpu/core/machine_code.h"

namespace ws {

// What decides where the warp goes on, for which it waits beyond the stall count.
enum class Turn : std::uint8_t { none, jump, back, meeting };
// `elsewhere`: not at the next instruction.
[[nodiscard]] double clocks_of(Turn turn, bool elsewhere, const ClockRates& rates);

struct IssueFacts {
    IssueGate gate;
    RegisterPorts::Reads reads;
    std::uint8_t passes = 1;  // through its pipe
    std::uint8_t places = 1;  // of issue, one after the other
    bool waits = false;       // for scoreboards
    bool plain = false;       // only its pipe works for it, and no scoreboard counts it
    bool narrow = false;      // it asks for words of fewer than four bytes
    Turn turn = Turn::none;
    double ResultLatencies::*latency = &ResultLatencies::special;  // of what asks no memory
    bool is_block_barrier = false;
    bool stops_at_barrier = true;  // behind one that not all of the block's warps have come to
    int stall = 1;                 // clocks until the warp's next instruction, at least
    int line = 0;                  // of code
    int registers = 0;             // of each lane, that it reads
};
[[nodiscard]] IssueFacts issue_facts(const MachineInstruction& instruction);

// Where the warps of a block wait for each other, not the lanes of a warp.
[[nodiscard]] bool is_block_barrier(const MachineInstruction& instruction);

}  // namespace ws
