#pragma once
// Registers that hold a constant: written once in their function, by a move, which every way to an
// instruction passes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gpu/simt/liveness.h"
#include "gpu/simt/program.h"

namespace ws::simt {

class KnownConstants {
  public:
    KnownConstants(const Program& program, const Liveness& liveness, const Function& function);

    // Of a slot with the function's constants, or of such a register before that instruction of the block.
    [[nodiscard]] std::optional<std::uint64_t> at(int block, int instruction, std::int32_t slot) const;

  private:
    struct Move {
        std::uint64_t bits = 0;
        int instruction = 0;
        int block = 0;
        std::size_t index = 0;  // among the moves
    };
    void find_moves(const Liveness& liveness);
    void follow_flow();

    const Program& program_;
    const Function& function_;
    std::unordered_map<std::int32_t, std::uint64_t> constants_;  // by slot
    std::unordered_map<std::int32_t, Move> moves_;               // by slot that they write
    std::vector<std::vector<bool>> passed_;                      // before each block, by move
};

}  // namespace ws::simt
