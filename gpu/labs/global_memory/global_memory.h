#pragma once
// Global memory: the same words copied in every order that a lecture shows, and what each order costs. To add
// a version: its .cu file here and a row in global_memory.cpp.

#include "gpu/core/lab.h"

namespace ws::global_memory {

// Places in the lab's lists. A version has a kernel for one of the steps: most copy, two read what no copy
// can.
namespace step {
enum Step : int { copy, spread, gather };
}
namespace buffer {
enum Buffer : int { source, copied, spread, gathered };
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::global_memory
