#pragma once
// warpscope lab ID for an experiment: runs it on this machine's GPUs or on modelled ones.

#include "app/cli/options.h"

namespace ws {

// The exit code: 1 where a check found something wrong. Throws Error.
[[nodiscard]] int experiment_command(const Options& options);

}  // namespace ws
