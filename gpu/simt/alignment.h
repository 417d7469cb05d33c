#pragma once
// How far the registers of a function are known to be aligned.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "gpu/simt/ptx.h"

namespace ws::simt {

class Alignment {
  public:
    // `addresses` holds the variables' where they are known.
    Alignment(const PtxFunction& function, const std::map<std::string, std::uint64_t>& addresses);

    // The lowest bits of a register or a variable's address that are 0 in every execution; 0 if that is not
    // known.
    [[nodiscard]] int zero_bits(const std::string& name) const;

  private:
    [[nodiscard]] int of(const PtxOperand& operand) const;
    // Of an instruction's result.
    [[nodiscard]] int made_by(const PtxInstruction& instruction) const;

    const std::map<std::string, std::uint64_t>& addresses_;
    std::unordered_map<std::string, int> bits_;  // of registers that have been written
};

}  // namespace ws::simt
