#pragma once
// Lines of which a launch touches only a part, and such that lie apart: the second level has places for whole
// lines, and device memory takes longer for what is written of them than for as many sectors side by side.

#include <cstdint>
#include <vector>

#include "gpu/core/warp_trace.h"

namespace ws {

// Compared with whole lines side by side, for each sector.
struct LineParts {
    double room = 1;      // in the second level
    double write = 1;     // clocks of device memory, to write it
    double complete = 1;  // and to read what lacks bytes before it is written
};

// One in each direction of the grid: the next one, that of the next row, and that of the next column where
// the kernel goes down these. `row`: blocks beside each other; `blocks`: of the launch.
[[nodiscard]] std::vector<std::uint64_t> blocks_around(std::uint64_t block, std::uint64_t row,
                                                       std::uint64_t blocks);

// Of the lines of a block. `around`: blocks in each direction, as far from it as all others are from those
// beside them; together they complete each other's lines. What a warp asks for anywhere is left out: others
// come to the same lines.
[[nodiscard]] LineParts line_parts(std::uint64_t block, const KernelTrace& trace, const KernelTrace& around);

}  // namespace ws
