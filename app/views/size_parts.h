#pragma once
// The parts of the page over the sizes of a lab.

#include "app/views/views.h"

namespace ws {

// What a version makes of a size: GB/s of a lab that is about them, else elements a nanosecond; 0 where it
// has no time.
[[nodiscard]] double value_of(const Lab& lab, const SweepCell& cell);

// What a warp of the heaviest kernel reads and writes: its input, shared memory, its output.
void draw_ways(const Stage& stage, Box card);
// Every version as a curve; published figures as points.
void draw_size_curves(const Stage& stage, Box card);

}  // namespace ws
