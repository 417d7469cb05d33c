#pragma once
// A person's .cu file over the values of one of its knobs.

#include "app/cli/options.h"
#include "gpu/compile/nvrtc.h"

namespace ws {

// Prints a row for each value, or JSON, and writes the table that --csv asks for. The exit code: that of the
// worst run. Throws UsageError where the file has no such knob.
int sweep_file(const Options& options, const Nvrtc& nvrtc);

}  // namespace ws
