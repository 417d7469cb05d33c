#pragma once
// The table of versions. To add one: its .cu file(s) in gpu/kernels and a row in versions.cpp.

#include <span>
#include <string>

#include "gpu/core/version.h"

namespace ws {

[[nodiscard]] std::span<const Version> versions();

// Throws UsageError with the range that exists.
[[nodiscard]] const Version& version_numbered(int number);

// Block sizes worth a button: those of the table of versions, and squares.
[[nodiscard]] std::span<const Block> block_presets();

}  // namespace ws
