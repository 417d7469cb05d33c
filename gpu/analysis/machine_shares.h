#pragma once
// What of the PTX's basic blocks is in which block of the machine code.
//
// The assembler says of each instruction which line of the PTX it comes from. It moves, joins, drops and
// repeats instructions, so a PTX block may have its instructions in several machine blocks, and a machine
// block several copies of a PTX block's.

#include <vector>

#include "gpu/analysis/machine_flow.h"
#include "gpu/core/machine_code.h"
#include "gpu/core/warp_trace.h"

namespace ws {

// Costs of a path: an instruction that nothing explains is worth one unit.
inline constexpr int kCostUnit = 32;

// What of a PTX block is in a machine block.
struct MachineShare {
    int block = 0;
    int ptx_block = 0;
    int copies = 1;                  // executions of the PTX block that one of the machine block stands for
    int cost = 0;                    // of its instructions
    std::vector<int> pieces;         // lines with opcodes
    std::vector<int> lines;          // of the PTX
    std::vector<int> lines_with_it;  // and those that are executed before or behind it in any case
    bool branches = false;           // has the branch that ends the PTX block
    bool stays = false;              // has what is not moved ahead of a branch: stores, barriers, shuffles
    bool is_part = false;            // of an execution that another machine block stands for
    bool is_sure = false;            // and is executed with it in any case
};

class MachineShares {
  public:
    // The lines of the trace are those that the code was assembled from.
    MachineShares(const MachineCode& code, const KernelTrace& trace, const MachineFlow& flow);

    [[nodiscard]] const std::vector<MachineShare>& of_block(int block) const {
        return shares_[std::size_t(block)];
    }
    // Those that stand for an execution of the PTX block: most of what there is of it is in them.
    [[nodiscard]] const std::vector<const MachineShare*>& homes(int ptx_block) const {
        return homes_[std::size_t(ptx_block)];
    }
    // What a share covers of an execution. Copies in a loop that was unrolled lack what they have in common.
    [[nodiscard]] int covered(const MachineShare& share) const;
    // Of a machine block's instructions, but for parts of which there is no doubt.
    [[nodiscard]] int cost(int block) const { return costs_[std::size_t(block)]; }
    // The PTX block that a line is in; -1: none.
    [[nodiscard]] int ptx_block_of(int line) const;
    [[nodiscard]] int last_line(int ptx_block) const { return last_lines_[std::size_t(ptx_block)]; }

  private:
    void find_pieces(const MachineCode& code);
    void find_shares(const MachineCode& code, const std::vector<std::vector<int>>& unbranched);
    [[nodiscard]] std::vector<std::vector<int>> unbranched(const MachineCode& code,
                                                           const KernelTrace& trace) const;
    void find_parts(const MachineFlow& flow);
    void find_homes();

    std::vector<int> ptx_blocks_;  // by line
    std::vector<int> last_lines_;  // by PTX block
    std::vector<bool> branches_;   // by PTX block: whether it ends in a choice
    std::vector<int> piece_of_;    // by instruction; -1: of none
    std::vector<std::vector<MachineShare>> shares_;
    std::vector<int> costs_;
    std::vector<int> lines_;  // of each PTX block, so many have code
    std::vector<std::vector<const MachineShare*>> homes_;
};

}  // namespace ws
