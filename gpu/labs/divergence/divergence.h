#pragma once
// Divergence: the same work, with its branches laid out so and so. To add a version: its .cu file here and a
// row in divergence.cpp.

#include "gpu/core/lab.h"

namespace ws::divergence {

// Places in the lab's lists: what decides about the path. A version has a kernel for one of the steps.
namespace step {
enum Step : int { one, either, chain, warps, data };
}
namespace buffer {
enum Buffer : int { values, one, either, chain, warps, data };
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::divergence
