#pragma once
// Banks of shared memory: every pattern of a lecture, with all else the same. To add a version: its .cu file
// here and a row in banks.cpp.

#include "gpu/core/lab.h"

namespace ws::banks {

// Places in the lab's list.
namespace buffer {
enum Buffer : int { numbers, sums };
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::banks
