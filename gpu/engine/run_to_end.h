#pragma once
// Runs an engine until there is nothing to wait for, where no frames are drawn.

#include <optional>

#include "gpu/engine/engine.h"

namespace ws {

// Runs the work until every time has so many samples, the result is checked and, where it is simulated,
// counted. Throws Error: a kernel does not compile or cannot be launched, no sample is believed.
void run_to_end(Engine& engine, const Work& work, int samples, FrameTarget& target);
// Throws Error if a kernel that the result needs does not compile.
void require_kernels(const Snapshot& snapshot);
// Of a lab whose figure it is: the least bytes of what runs over its time, measured or estimated.
[[nodiscard]] std::optional<double> bandwidth_gb_s(const Snapshot& snapshot);
// The same of floating-point operations.
struct ArithmeticRate {
    double gflop_s = 0;
    double percent_of_peak = 0;  // the GPU's float32 peak; 0 where it is not known
};
[[nodiscard]] std::optional<ArithmeticRate> arithmetic_rate(const Snapshot& snapshot);
// Of a lab whose figure they are: operations of what runs for each clock and multiprocessor.
[[nodiscard]] std::optional<double> operations_per_clock(const Snapshot& snapshot);

}  // namespace ws
