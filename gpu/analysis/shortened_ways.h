#pragma once
// Warps whose ways are longer than the clock is to run: the last part of each is left out, where what is left
// out is like what is run. What that takes stands for the whole, as in sampled simulation (Wunderlich,
// Wenisch, Falsafi, Hoe: SMARTS, ISCA 2003).

#include "gpu/analysis/warp_clock.h"

namespace ws {

// What the clock would have to do for whole ways, in instructions: a request takes longer than one, and its
// lines beside.
[[nodiscard]] double work_of(const ClockBlocks& blocks);

// Leaves out the same part of every warp's way, so that the clock has no more than `most` to do, or as little
// more as makes what is run like the rest: instructions of each pipe, and requests, their wavefronts and
// sectors, are as large a part of it, to a 25th of all. Returns how many times what is run the whole is.
double shorten(ClockBlocks& blocks, const MachineCode& code, double most);

}  // namespace ws
