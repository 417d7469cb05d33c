#pragma once
// Every version of every lab under the roofline of a GPU, with its effective bandwidth and FLOPS.

#include "gpu/core/experiment.h"

namespace ws::roofline {

[[nodiscard]] const Experiment& experiment();

}  // namespace ws::roofline
