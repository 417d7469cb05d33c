#pragma once
// warpscope lab: lists the labs, the versions of one, runs one of them, or all over an axis.

#include "app/cli/options.h"

namespace ws {

// The exit code. Throws Error.
[[nodiscard]] int lab_command(const Options& options);

}  // namespace ws
