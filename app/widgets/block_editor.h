#pragma once
// Sliders and direct input for the block of one stage.

#include "gpu/core/kernel.h"

namespace ws {

// Edits the block within what the kernel takes; a side that would make more than 1024 threads shortens the
// other one. True if it changed.
bool block_editor(const char* id, const KernelSource& source, Block& block);

// The block with one side set, the other shortened as far as it must be.
[[nodiscard]] Block with_side(Block block, bool along_x, int side);

}  // namespace ws
