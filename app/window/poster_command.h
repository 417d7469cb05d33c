#pragma once
// The ladder of a lab's versions as a sheet of paper, for handouts.

#include "app/cli/options.h"

namespace ws {

// Draws the poster into options.output, a .pdf or a .png. Throws Error.
void poster_command(const Options& options);

}  // namespace ws
