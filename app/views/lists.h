#pragma once
// The lists that the top bar opens below itself, by a click or a key: labs and versions, GPUs, a block's
// kernels and knobs, baselines, sizes. Arrows move in them, Enter takes a row, Left and Right turn its
// slider.

#include "app/views/views.h"

namespace ws {

// Draws the list below a place of the bar while it is open; a click on the place opens or closes it.
void draw_list(const Stage& stage, List list, const Touch& touch, const Box& below);

}  // namespace ws
