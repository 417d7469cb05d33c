#pragma once
// Arithmetic on one or two floats of 16 bits in a register; HalfArithmetic, HalfComparison and HalfPair say
// which.

#include "gpu/simt/details.h"

namespace ws::simt {

void half_arithmetic(Warp& warp, const Instruction& instruction);
void half_comparison(Warp& warp, const Instruction& instruction);
void half_pair(Warp& warp, const Instruction& instruction);

}  // namespace ws::simt
