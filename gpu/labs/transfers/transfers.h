#pragma once
// Bytes between the host and a GPU, and between two GPUs: by kind of memory, by size, against the limit of
// the link.

#include "gpu/core/experiment.h"

namespace ws::transfers {

[[nodiscard]] const Experiment& experiment();

}  // namespace ws::transfers
