#pragma once
// Loads between their issue and the wait for what they bring.

#include <vector>

#include "gpu/core/machine_code.h"

namespace ws {

// A load and the first instruction in the order of the code, behind it or, in a loop, before it, that waits
// for its scoreboard. Indices of instructions.
struct LoadWait {
    int load = 0;
    int wait = -1;  // -1: nothing waits
    friend bool operator==(const LoadWait&, const LoadWait&) = default;
};

struct InFlight {
    std::vector<LoadWait> waits;   // one for each load with a scoreboard, in order
    std::vector<int> outstanding;  // by instruction: loads that may be under way once it is issued
    int most = 0;                  // of those
    int at = -1;                   // where
    // Scoreboards, as bits, that an instruction waits for although nothing that may be executed before it
    // sets them; by instruction.
    std::vector<std::uint8_t> unset;
};

// A load counts once, however often a loop executes it: an upper bound of what one warp has under way.
[[nodiscard]] InFlight loads_in_flight(const MachineCode& code);

// Whether it brings something from memory that is waited for.
[[nodiscard]] bool is_load(const MachineInstruction& instruction);

}  // namespace ws
