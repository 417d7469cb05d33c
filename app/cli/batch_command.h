#pragma once
// warpscope run VERSION --image 'DIR/*.jpg' --output DIR2: many pictures through one version.

#include "app/cli/options.h"

namespace ws {

// Whether --image means several files: a folder, or a pattern with * or ?.
[[nodiscard]] bool names_many(const std::string& image);

// Writes a result for every picture; one that cannot be read is reported and skipped. Returns the exit code:
// 1 if any was skipped.
[[nodiscard]] int batch_command(const Options& options);

}  // namespace ws
