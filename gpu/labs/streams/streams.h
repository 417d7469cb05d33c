#pragma once
// Copies and kernels at the same time: an array in pieces through streams, against what Amdahl's law and the
// slowest engine allow.

#include "gpu/core/experiment.h"

namespace ws::streams {

[[nodiscard]] const Experiment& experiment();

}  // namespace ws::streams
