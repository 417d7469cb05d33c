#pragma once
// What a GPU could do at most, and what a copy of its memory reaches by three clocks.

#include "gpu/core/experiment.h"

namespace ws::metrics {

[[nodiscard]] const Experiment& experiment();

}  // namespace ws::metrics
