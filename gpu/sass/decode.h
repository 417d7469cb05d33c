#pragma once
// One instruction of 16 bytes, as values.

#include <cstdint>

#include "gpu/core/machine_code.h"

namespace ws {

// 128 bits, as they lie in memory.
struct InstructionWord {
    std::uint64_t low = 0, high = 0;
    // Bits from `first` on, at most 64.
    [[nodiscard]] std::uint64_t bits(int first, int count) const;
};

// Without its lines and its block. An opcode that is not known keeps its number, its guard and its control
// bits.
[[nodiscard]] MachineInstruction decode_instruction(const InstructionWord& word, int address,
                                                    int architecture);

// Whether what stands behind the instruction may be executed after it, by a thread or by its neighbours.
[[nodiscard]] bool may_fall_through(const InstructionWord& word, const MachineInstruction& instruction);

}  // namespace ws
