#pragma once
// The code of instructions that touch no memory, from the registers of their sources to those of their
// results.

#include <asmjit/x86.h>

#include <cstdint>
#include <optional>

#include "gpu/simt/known_constants.h"
#include "gpu/simt/x86_frame.h"
#include "gpu/simt/x86_operations.h"

namespace ws::simt {

class InstructionCode {
  public:
    InstructionCode(asmjit::x86::Assembler& code, ConstantPool& constants, FrameCode& frame)
        : code_(code), constants_(constants), frame_(frame) {}

    // Before each instruction: what is known of its block's slots.
    void begin_instruction(const KnownConstants& known, int block, int instruction) {
        known_ = &known;
        block_ = block;
        instruction_ = instruction;
    }
    [[nodiscard]] std::optional<std::uint32_t> constant_at(std::int32_t slot) const {
        const auto found = known_->at(block_, instruction_, slot);
        return found ? std::optional(std::uint32_t(*found)) : std::nullopt;
    }

    void lanes(const Instruction& i, const LaneCode& how);
    // False where nothing is known that makes the code shorter.
    [[nodiscard]] bool with_constants(const Instruction& i);
    void floats(const Instruction& i, const FloatCode& how);
    void predicate(const Instruction& i, const PredicateCode& how);
    void halve(const Instruction& i);
    void shuffle(const Instruction& i);

  private:
    void flush_subnormal(const asmjit::x86::Zmm& d, const asmjit::x86::Zmm& a);

    asmjit::x86::Assembler& code_;
    ConstantPool& constants_;
    FrameCode& frame_;
    const KnownConstants* known_ = nullptr;
    int block_ = 0;
    int instruction_ = 0;
};

}  // namespace ws::simt
