#pragma once
// Occupancy and latency: how many warps, how many words under way in each, how many independent instructions
// keep the memory or a pipe busy. To add a version: its .cu file here and a row in latency.cpp.

#include "gpu/core/lab.h"

namespace ws::latency {

// Places in the lab's lists. A version has a kernel for one of the steps: it copies words, or takes each
// through a chain of multiply-adds.
namespace step {
enum Step : int { copy, chain };
}
namespace buffer {
enum Buffer : int { source, copied, chained };
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::latency
