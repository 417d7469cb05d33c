#pragma once
// The reconvergence point of a divergent branch: its immediate post-dominator.

#include <vector>

namespace ws::simt {

// `successors[i]` are the blocks that may follow block i; block `exit` has none and is reached from all.
// Returns for each block its immediate post-dominator, `exit` where no other is.
[[nodiscard]] std::vector<int> immediate_post_dominators(const std::vector<std::vector<int>>& successors,
                                                         int exit);

}  // namespace ws::simt
