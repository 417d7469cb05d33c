#pragma once
// The member masks of shuffles, votes, matches, reductions and __syncwarp.

#include "gpu/simt/instruction.h"

namespace ws::simt {

// The active lanes meet at an instruction; `masks` is the slot of their member masks, -1 where the
// instruction has none. Reports lanes that their own mask leaves out and members that are not there; orders
// what the lanes did before.
void meet(Warp& warp, const Instruction& instruction, std::int32_t masks);

// Reports a lane that reads from one that does not take part.
void report_absent_source(Warp& warp, const Instruction& instruction, int lane, int source);

}  // namespace ws::simt
