#pragma once
// Warps that go through memory by small parts: of 256 bytes side by side they want a few sectors now and
// others later.

#include "gpu/core/warp_trace.h"

namespace ws {

// Sets TracedAccess::walks of loads and stores whose places are mostly such. Device memory opens a row for
// each of these parts, as for lines that lie anywhere; of others what is beside comes at the same time.
void mark_walks(WarpTrace& warp);

// How long device memory is at a line of such a request, compared with one that lies anywhere: neighbours so
// many bytes apart find rows that are open. Of 64 bytes that are loaded, and of a sector that is stored.
[[nodiscard]] double walk_load_cost(double bytes_apart);
inline constexpr double kWalkStoreCost = 1.8;

}  // namespace ws
