#pragma once
// Little's law: what is in flight on a multiprocessor, and how fast that is, for kernels of the lab on
// latency.

#include "gpu/core/experiment.h"

namespace ws::littles_law {

[[nodiscard]] const Experiment& experiment();

}  // namespace ws::littles_law
