#pragma once
// The parts of the page on which all versions are curves.

#include "app/views/views.h"

namespace ws {

// What a version makes of a place: GB/s of a lab that is about them, else elements a nanosecond; 0 where it
// has no time.
[[nodiscard]] double value_of(const Lab& lab, const SweepCell& cell);

// Why there is nothing to go over.
[[nodiscard]] std::string_view no_axis(const Stage& stage);

// What a warp of the heaviest kernel reads and writes: its input, shared memory, its output.
void draw_ways(const Stage& stage, Box card);
// Every version as a curve; published figures as points.
void draw_version_curves(const Stage& stage, Box card);

}  // namespace ws
