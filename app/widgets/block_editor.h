#pragma once
// Sliders and direct input for the block of one stage.

#include <string>

#include "gpu/core/kernel.h"

namespace ws {

// Edits the block within what the kernel takes. One side never changes the other: a slider stops where the
// block would have too many threads, and a typed side that does not fit is refused; both say why. True if it
// changed.
bool block_editor(const char* id, const KernelSource& source, Block& block);

// Why the kernel refuses the block: "33 x 32 is 1056 threads; a block has at most 1024". Empty if it
// does.
[[nodiscard]] std::string refusal(const KernelSource& source, Block block);

// The block with one side set, as far as the other one lets it grow.
[[nodiscard]] Block with_side(Block block, bool along_x, int side);

}  // namespace ws
