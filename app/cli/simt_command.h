#pragma once
// warpscope simt: a version's stage, or anyone's kernel, on the simulated GPU.

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/options.h"

namespace ws {

// Prints the report. Returns 1 if something was found or the kernel was stopped, else 0. Throws Error.
[[nodiscard]] int simt_command(const Options& options);

}  // namespace ws
