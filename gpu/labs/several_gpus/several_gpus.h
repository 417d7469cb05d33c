#pragma once
// The image filters over several GPUs, a strip of the picture on each, with halos that come from the
// neighbours or are computed twice: against one GPU, and against the ideal.

#include "gpu/core/experiment.h"

namespace ws::several_gpus {

[[nodiscard]] const Experiment& experiment();

}  // namespace ws::several_gpus
