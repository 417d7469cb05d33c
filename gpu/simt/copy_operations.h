#pragma once
// cp.async where it is not plain.

#include "gpu/simt/instruction.h"

namespace ws::simt {

// Copies `bytes` bytes from global address a to shared address b; only the first c of them if c is not -1,
// then zeros. Where the worker follows copies, the data arrive with the wait.
template <class Observer>
void copy_async(Warp& warp, const Instruction& instruction);

}  // namespace ws::simt
