#pragma once
// The same part of everything that goes past the second level.

#include <algorithm>

#include "gpu/analysis/l2_share.h"

namespace ws::testing {

// What is scattered goes on as it is. Each sector that is stored to is touched by one or by two
// multiprocessors.
inline PastL2 past_l2(double part) {
    return {part, part, part, 1, std::max(0.0, 2 * part - 1)};
}

}  // namespace ws::testing
