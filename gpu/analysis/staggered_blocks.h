#pragma once
// Blocks as they stand in the middle of a launch. There each is at another place of its way, the older the
// further; only those of the first round all begin at once. Where the clock runs one or two rounds of many,
// such a beginning would have too large a part in what it sees.

#include <cstddef>

#include "gpu/analysis/warp_clock.h"

namespace ws {

// Lets each of the first `resident` blocks, of which there must be so many, begin somewhere on its way, the
// first one nearly at its end, all warps of a block behind as many of its barriers. What they leave out comes
// as blocks behind all others, so that everything is run once. Returns how many blocks there are then for one
// that there was.
double stagger(ClockBlocks& blocks, const MachineCode& code, std::size_t resident);

}  // namespace ws
