#pragma once
// Whether it makes a difference in which order a launch runs its blocks.

#include <span>

#include "gpu/simt/launch.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

// Whether no block reads what another one may write, as far as the program and the launch's pointers tell:
// from where each address comes, parameters or the code, to which buffers it leads. False where they do not
// tell: addresses that were loaded, atomics on memory that blocks share, calls.
[[nodiscard]] bool blocks_stand_alone(const KernelLaunch& launch, std::span<const Region> regions);

}  // namespace ws::simt
