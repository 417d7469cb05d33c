#pragma once
// What the compiler gets for a kernel of the microbenchmarks.

#include <string_view>

#include "gpu/compile/nvrtc.h"
#include "gpu/engine/targets.h"

namespace ws {

[[nodiscard]] CompileRequest microbenchmark_request(std::string_view kernel, std::string_view entry,
                                                    const CodeTarget& target);

}  // namespace ws
