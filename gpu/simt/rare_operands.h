#pragma once
// Operands of divisions and roots that the assembler's short sequence cannot compute: zeros, infinities, what
// is no number, subnormal ones, results out of range. The machine code checks for them and calls a function.

#include <cstdint>
#include <vector>

#include "gpu/core/warp_trace.h"
#include "gpu/simt/instruction.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

// What is checked. `flushed`: .ftz; the others keep subnormal numbers. All round to the nearest.
enum class RareCheck : std::uint8_t {
    none,
    quotient,
    flushed_quotient,
    reciprocal,
    flushed_reciprocal,
    root,
    flushed_root,
    double_quotient,
    double_reciprocal,
    double_root,
    double_reciprocal_root
};

// None where the machine code has no check, or none that is known.
[[nodiscard]] RareCheck rare_check(const Instruction& instruction);

struct RareLanes {
    std::uint32_t mask = 0;
    RareWay way = 0;
};
// Of the lanes that are about to execute the instruction, those with rare operands, by the way that these
// take.
void add_rare_lanes(RareCheck check, const Warp& warp, const Instruction& instruction,
                    std::vector<RareLanes>& made);

}  // namespace ws::simt
