#pragma once
// What a kernel asks of a GPU: from which compute capability on its instructions exist.

#include <optional>
#include <string>

#include "gpu/core/gpu_profile.h"
#include "gpu/simt/program.h"

namespace ws::simt {

struct MissingFeature {
    std::string feature;  // "warp shuffles"
    std::string opcode;   // "shfl.sync.down.b32"
    int line = 0;         // of the kernel's source
    ComputeCapability needs;
};

// The first instruction that a GPU of this capability does not have. Looks at what the program asks for by
// its nature alone: what the compiler chose for its own target (prmt, fma, ...) older GPUs do in other
// instructions.
[[nodiscard]] std::optional<MissingFeature> missing_feature(const Program& program,
                                                            ComputeCapability capability);

}  // namespace ws::simt
