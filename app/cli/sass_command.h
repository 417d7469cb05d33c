#pragma once
// "warpscope sass": a kernel's machine code by source line.

#include "app/cli/options.h"

namespace ws {

// Throws Error.
void sass_command(const Options& options);

}  // namespace ws
