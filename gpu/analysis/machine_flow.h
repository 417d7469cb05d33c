#pragma once
// Where one thread may go in machine code, and which blocks it cannot avoid on its way.

#include <vector>

#include "gpu/core/machine_code.h"

namespace ws {

// A function that is called is part of the way to the block behind the call, where it returns.
struct MachineFlow {
    explicit MachineFlow(const MachineCode& code);

    // Whether every way from the begin to a block leads through the other one, which may be itself.
    [[nodiscard]] bool always_before(int block, int later) const { return within(dominator, block, later); }
    // Whether every way from a block to the end leads through the other one.
    [[nodiscard]] bool always_behind(int block, int earlier) const {
        return within(post_dominator, block, earlier);
    }
    [[nodiscard]] bool goes_back(int from, int to) const {
        return place[std::size_t(to)] <= place[std::size_t(from)];
    }

    std::vector<std::vector<int>> next;    // by block
    std::vector<std::vector<int>> called;  // blocks of the shortest way through the function that it calls
    std::vector<bool> avoidable;           // a branch leads past the block
    std::vector<int> order;                // of the blocks, with as few branches back as can be
    std::vector<int> place;                // of each block in it
    std::vector<int> dominator, post_dominator;  // the nearest; -1: none

  private:
    void find_edges(const MachineCode& code);
    void find_order();
    [[nodiscard]] static bool within(const std::vector<int>& tree, int block, int from) {
        while (from >= 0 && from != block) from = tree[std::size_t(from)];
        return from == block;
    }
};

// Blocks from a function's first, or from one inside, to where it returns, the fewest; empty where it does
// not.
[[nodiscard]] std::vector<int> way_through(const MachineCode& code, int first);

}  // namespace ws
