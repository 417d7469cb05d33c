#pragma once
// What a warp executes of a kernel's machine code, from what it executed of the PTX.
//
// The assembler moves, joins, drops and repeats instructions, but says of each which line of the PTX it comes
// from. A warp's path through the PTX is followed in the machine code: a basic block there stands for those
// executions of PTX blocks whose lines it has, as often as it has them; a branch goes where the next ones
// are.

#include <cstdint>
#include <vector>

#include "gpu/core/machine_code.h"
#include "gpu/core/warp_trace.h"

namespace ws {

struct MachineStep {
    int instruction = 0;     // index into the machine code
    int access = -1;         // index among the warp's accesses; -1: none, or no lane made one
    std::uint8_t lanes = 0;  // active
};

struct MachinePath {
    std::vector<MachineStep> steps;
    // Executions of PTX blocks that no machine block of the path stands for, though some has their lines.
    int missed = 0;
};

class PathFinder {
  public:
    // Both live as long as this. The lines of the trace are those that the code was assembled from.
    PathFinder(const MachineCode& code, const KernelTrace& trace);
    [[nodiscard]] MachinePath find(const WarpTrace& warp) const;

  private:
    friend class PathWalk;
    // What an instruction of the PTX became: all machine instructions of one opcode and one line.
    struct Piece {
        int ptx_block = 0;
        bool accesses = false;  // memory
    };
    // What of a PTX block is in a machine block.
    struct Share {
        int ptx_block = 0;
        int copies = 1;  // executions of the PTX block that one of the machine block stands for
        std::vector<int> pieces;
        std::vector<int> unguarded;  // of these
    };
    [[nodiscard]] std::vector<int> find_pieces();
    void find_shares(const std::vector<int>& piece_of);
    void find_distances();
    [[nodiscard]] const Share* share(int block, int ptx_block) const;

    const MachineCode& code_;
    const KernelTrace& trace_;
    std::vector<int> ptx_block_of_;           // by line of the PTX; -1: none
    std::vector<std::vector<Share>> shares_;  // by machine block
    std::vector<std::vector<int>> distance_;  // by PTX block, then machine block: branches until its lines
    std::vector<int> to_exit_;                // by machine block
    std::vector<Piece> pieces_;
    std::vector<std::vector<int>> pieces_of_;  // by PTX block
};

}  // namespace ws
