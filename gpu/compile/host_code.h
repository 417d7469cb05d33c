#pragma once
// Host code in kernel files as people write them: what of a file a compiler for GPUs alone can take.

#include <string>
#include <string_view>
#include <vector>

#include "gpu/compile/declarations.h"

namespace ws {

// The text with blanks in place of functions and variables that only a CPU can reach: those without
// __device__,
// __global__ ... (`device`) that are not constant. Lines stay where they were, and the preprocessor's stay.
[[nodiscard]] std::string without_host_code(std::string_view text, const Words& device);

// The text without the declarations at these lines (from 1) that no kernel can contain: types and constants,
// or of a type with functions for a GPU those that are for none. The same text if there are none.
[[nodiscard]] std::string without_declarations_at(std::string_view text, const std::vector<int>& lines,
                                                  const Words& device);

}  // namespace ws
