#pragma once
// Where one thread may go in machine code, and which blocks it cannot avoid on its way.

#include <vector>

#include "gpu/core/machine_code.h"

namespace ws {

// The nearest dominator of each block. Whether one lies above another is asked of every pair of blocks.
class DominatorTree {
  public:
    DominatorTree() = default;
    // -1: none.
    explicit DominatorTree(const std::vector<int>& nearest);
    // Whether a block is the other one or lies above it.
    [[nodiscard]] bool is_above(int block, int other) const {
        const auto b = std::size_t(block);
        return first_[b] <= first_[std::size_t(other)] && first_[std::size_t(other)] < end_[b];
    }

  private:
    std::vector<int> first_, end_;  // of each block and all below it, numbered one after the other
};

// A function that is called is part of the way to the block behind the call, where it returns.
struct MachineFlow {
    explicit MachineFlow(const MachineCode& code);

    // Whether every way from the begin to a block leads through the other one, which may be itself.
    [[nodiscard]] bool always_before(int block, int later) const { return before.is_above(block, later); }
    // Whether every way from a block to the end leads through the other one.
    [[nodiscard]] bool always_behind(int block, int earlier) const { return behind.is_above(block, earlier); }
    [[nodiscard]] bool goes_back(int from, int to) const {
        return place[std::size_t(to)] <= place[std::size_t(from)];
    }

    std::vector<std::vector<int>> next;    // by block
    std::vector<std::vector<int>> called;  // blocks of the shortest way through the function that it calls
    std::vector<bool> avoidable;           // a branch leads past the block
    std::vector<int> order;                // of the blocks, with as few branches back as can be
    std::vector<int> place;                // of each block in it
    DominatorTree before, behind;          // on the ways from the begin, and to the end

  private:
    void find_edges(const MachineCode& code);
    void find_order();
};

// Blocks from a function's first, or from one inside, to where it returns, the fewest; empty where it does
// not.
[[nodiscard]] std::vector<int> way_through(const MachineCode& code, int first);

}  // namespace ws
