#pragma once
// The lists that open below a place, by a click or a key: of the top bar labs and versions, GPUs, a block's
// kernels and knobs, baselines, sizes; of the view controls what A may be. Arrows move in them, Enter takes a
// row, Left and Right turn its slider.

#include "app/views/views.h"

namespace ws {

// Draws the list below a place while it is open; a click on the place opens or closes it.
void draw_list(const Stage& stage, List list, const Touch& touch, const Box& below);

}  // namespace ws
