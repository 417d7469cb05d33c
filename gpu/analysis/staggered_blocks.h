#pragma once
// Blocks as they stand in the middle of a launch. Of one with many rounds of blocks the clock runs a few, or
// one. If all blocks of the first began at once, at the same place of their ways, that would weigh as much as
// what follows; on a GPU only those of the launch's first round do. Later each is at another place, the older
// the further.

#include <cstddef>

#include "gpu/analysis/warp_clock.h"

namespace ws {

// Lets each of the first `resident` blocks begin somewhere on its way, the first one nearly at its end, and
// what they leave out be run as blocks behind all others, as their places become free: everything is run
// once. Returns how many blocks there are then for one that there was. At least `resident` blocks, and one.
double stagger(ClockBlocks& blocks, std::size_t resident);

}  // namespace ws
