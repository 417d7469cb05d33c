#pragma once
// Amdahl's law: what the part that does not run in parallel leaves of a speedup.

#include "gpu/core/experiment.h"

namespace ws::amdahl {

// S = 1 / ((1 - P) + P / N), of a share P of the time on N processors.
[[nodiscard]] double speedup(double parallel, double processors);

[[nodiscard]] const Experiment& experiment();

}  // namespace ws::amdahl
