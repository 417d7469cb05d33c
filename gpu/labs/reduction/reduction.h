#pragma once
// Many values to one, and to 256: the tree of a sum from divergent threads to shuffles, and a histogram with
// atomics. To add a version: its .cu file here and a row in reduction.cpp.

#include "gpu/core/lab.h"

namespace ws::reduction {

// Places in the lab's lists. A version has kernels for two of the steps: the sums of runs and their total, or
// the bins emptied and counted.
namespace step {
enum Step : int { sums, total, clear, count };
}
namespace buffer {
enum Buffer : int { values, sums, total, bins };
}

// Values that a block sums up.
inline constexpr std::size_t kRun = 2048;
inline constexpr std::size_t kBins = 256;

[[nodiscard]] const Lab& lab();

}  // namespace ws::reduction
