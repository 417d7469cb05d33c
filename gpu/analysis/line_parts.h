#pragma once
// Lines of which a launch touches only a part, and such that lie apart: the second level has places for whole
// lines, and device memory takes longer for what is written of them than for as many sectors side by side.

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/core/warp_trace.h"

namespace ws {

// Compared with whole lines side by side, for each sector: of all that the launch loads and stores, and of
// all that it stores.
struct LineParts {
    double room = 1;      // in the second level
    double write = 1;     // clocks of device memory, to write it
    double complete = 1;  // and to read what lacks bytes before it is written
};

// One in each direction of the grid, of so many blocks each way: the next one, that of the next row and of
// the next plane, and that of the next column where the kernel goes down these.
[[nodiscard]] std::vector<std::uint64_t> blocks_around(std::uint64_t block,
                                                       const std::array<std::uint64_t, 3>& grid);

// Of the lines of a block. `around`: blocks in each direction, as far from it as all others are from those
// beside them; together they complete each other's lines. Atomics and textures count as loads. What a warp
// asks for anywhere is left out: others come to the same lines.
[[nodiscard]] LineParts line_parts(std::uint64_t block, const KernelTrace& trace, const KernelTrace& around);

}  // namespace ws
