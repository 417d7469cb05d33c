#pragma once
// Integer arithmetic with the carry bit that one instruction leaves for the next: add.cc, addc, sub.cc, subc,
// mad.cc, madc; CarryArithmetic says which.

#include "gpu/simt/details.h"

namespace ws::simt {

void carry_arithmetic(Warp& warp, const Instruction& instruction);

}  // namespace ws::simt
