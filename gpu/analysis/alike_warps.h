#pragma once
// Warps that went the same way with the same lanes and made requests of the same kinds: what follows from
// their traces for the machine code is the same, wherever they asked the memory.

#include <cstdint>

#include "gpu/core/warp_trace.h"

namespace ws {

// The same of warps that are alike.
[[nodiscard]] std::uint64_t alike_key(const WarpTrace& warp);
[[nodiscard]] bool are_alike(const WarpTrace& a, const WarpTrace& b);
// Whether a request counts by itself: one that does not is counted with another one.
[[nodiscard]] inline bool counts(const TracedAccess& access) {
    return access.wavefronts + access.sectors != 0;
}

}  // namespace ws
