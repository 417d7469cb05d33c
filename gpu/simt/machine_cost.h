#pragma once
// What a GPU needs for arithmetic of PTX beyond one instruction of its pipe. Nothing here is executed: the
// estimate reckons with it.

#include <string_view>

#include "gpu/core/counters.h"

namespace ws::simt {

struct MachineCost {
    SlowKind slow = SlowKind::none;
    // Machine instructions beyond the first, where PTX has one for what no GPU has: as NVRTC 13.0 makes them
    // for compute capability 9.0, on the way that ordinary numbers take.
    int further = 0;
    int special = 0;  // of them for the XU pipe
};
// Of an opcode with its suffixes: "rem.u32".
[[nodiscard]] MachineCost machine_cost(std::string_view opcode);

}  // namespace ws::simt
