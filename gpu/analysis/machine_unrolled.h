#pragma once
// How loops are entered that the assembler has unrolled in several sizes, the largest first: it asks how
// often the loop is still to go round before each of them.

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gpu/analysis/machine_flow.h"
#include "gpu/analysis/machine_shares.h"

namespace ws {

class MachineUnrolled {
  public:
    // Both live as long as this.
    MachineUnrolled(const MachineFlow& flow, const MachineShares& shares) : flow_(flow), shares_(shares) {}

    using Edges = std::set<std::pair<int, int>>;
    // Branches that lead to a home past the question whether one with more copies of its PTX block is to be
    // entered. They are for a loop that goes round less than once, which none does.
    [[nodiscard]] const Edges& shortcuts(const MachineShare& to);

    // Whether there is a way without a branch back.
    [[nodiscard]] bool reaches(int from, int to);

  private:
    void add_shortcuts(Edges& made, int to, int larger);
    [[nodiscard]] bool asks_for(int block, int home) const;

    const MachineFlow& flow_;
    const MachineShares& shares_;
    std::vector<std::vector<bool>> reached_;  // from each block, without a branch back
    std::map<const MachineShare*, Edges> shortcuts_;
};

}  // namespace ws
