#pragma once
// A session of the debugger in a terminal: commands from standard input.

#include "app/cli/options.h"

namespace ws {

// The exit code: 1 where commands that do not come from a terminal could not be carried out.
[[nodiscard]] int debug_command(const Options& options);

}  // namespace ws
