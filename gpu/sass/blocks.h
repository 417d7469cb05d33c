#pragma once
// Basic blocks, and what is under way where.

#include <functional>

#include "gpu/core/machine_code.h"

namespace ws {

// Cuts the code into blocks: sets its blocks, and the block of each instruction. `falls_through`: by index.
// Returns follow every call; an indirect branch is followed by nothing.
void find_blocks(MachineCode& code, const std::function<bool(int)>& falls_through);

}  // namespace ws
