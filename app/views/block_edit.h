#pragma once
// The block of one step: what a slider steps through, what a kernel takes, and a field to type a side.

#include <array>
#include <cstddef>
#include <iterator>
#include <string>

#include "app/canvas/canvas.h"
#include "gpu/core/kernel.h"

namespace ws {

// The slider's steps: those that the kernel takes. A typed side in between stands at the step below it.
struct SideSteps {
    std::array<int, std::size(kBlockSides)> sides{};
    int count = 0;
    int now = 0;
};
[[nodiscard]] SideSteps side_steps(const KernelSource& source, bool along_x, int side);

// Why the kernel refuses the block: "33 x 32 is 1056 threads; a block has at most 1024". Empty if it
// does not.
[[nodiscard]] std::string refusal(const KernelSource& source, Block block);

// The block with one side set, as far as the other one lets it grow.
[[nodiscard]] Block with_side(Block block, bool along_x, int side);

// A side as a number that can be typed; what does not fit is refused, and a tip says why. One side never
// changes the other.
void side_field(const char* id, Canvas& canvas, Box box, const KernelSource& source, bool along_x,
                Block& block);

}  // namespace ws
