#pragma once
// How much of a basic block's arithmetic depends on each other: nothing can issue a link of a chain before
// the result of the link before it can be read.

#include <map>
#include <span>
#include <string_view>

#include "gpu/simt/program.h"

namespace ws::simt {

// Takes a block's instructions in their order.
class ChainFinder {
  public:
    // What one instruction of the PTX was decoded to. Moves cost nothing: machine code has none of them.
    void add(std::span<const Instruction> made, std::string_view opcode);
    [[nodiscard]] Chain longest() const { return longest_; }

  private:
    std::map<std::int32_t, std::uint32_t> links_;  // before and with the value that lies at an offset
    Chain longest_;
};

}  // namespace ws::simt
