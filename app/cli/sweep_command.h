#pragma once
// Sweeps over a lab's axes: a table of times, written as records while it grows.

#include "app/cli/options.h"

namespace ws {

// `warpscope sweep`, and `lab ID --sweep AXIS`. Returns the exit code: 1 if a result is wrong. Throws Error.
int sweep_command(const Options& options);

}  // namespace ws
