#pragma once
// The still life: what stands where.

#include <vector>

#include "tools/scene/world.h"

namespace still_life {

// In groups that stand together.
[[nodiscard]] std::vector<std::vector<Thing>> arrangement();

}  // namespace still_life
