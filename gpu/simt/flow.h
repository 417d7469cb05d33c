#pragma once
// The flow of control: what ends a basic block, where divergent lanes meet, who calls whom.

#include <optional>
#include <set>
#include <vector>

#include "gpu/simt/program.h"
#include "gpu/simt/ptx.h"

namespace ws::simt {

// None for an instruction that runs on into the next one.
[[nodiscard]] std::optional<Flow> flow_of(const PtxInstruction& instruction);

// `successors[i]` are the blocks that may follow block i; block `exit` has none and is reached from all.
// Returns for each block its immediate post-dominator, `exit` where no other is.
[[nodiscard]] std::vector<int> immediate_post_dominators(const std::vector<std::vector<int>>& successors,
                                                         int exit);

// Finds where the lanes of each divergent branch meet; `code` is the program's.
void find_reconvergence_points(const std::vector<Instruction>& code, Function& function);

// Throws DecodeError for one of these functions (by index, those that keep arrays) that calls itself: it
// would need its local memory once for each call.
void refuse_recursion(const Program& program, const std::set<int>& with_arrays);

}  // namespace ws::simt
