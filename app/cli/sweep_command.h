#pragma once
// Sweeps over a lab's axes: a table of times, written as records while it grows.

#include "app/cli/options.h"

namespace ws {

// `warpscope sweep`, and `lab ID --sweep AXIS`. Returns the exit code: 1 if a result is wrong. Throws Error.
int sweep_command(const Options& options);

// A field of a CSV file: what has a comma or a quote stands in quotes.
[[nodiscard]] std::string csv_field(const std::string& text);

}  // namespace ws
