#pragma once
// Whether the lines of a request lie anywhere, as those of a gather do.

#include <span>

#include "gpu/core/line_sectors.h"

namespace ws {

// Over how many bytes; 0 where they lie side by side, in pairs, or in equal distances, where the warps beside
// this one ask for what is between. `lines`: in ascending order.
[[nodiscard]] double scattered_over(std::span<const LineSectors> lines);

}  // namespace ws
