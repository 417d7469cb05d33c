#pragma once
// Instructions as x86-64 code with AVX-512: what the tables of plain operations say, to the bit.
//
// A register of 32 bits and 32 lanes is two vectors, one of 64 bits four. An instruction is emitted part by
// part, each part as many lanes as fit into a vector of its widest operand.

#include <asmjit/x86.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "gpu/simt/instruction.h"

namespace ws::simt {

// Constants in the code, each in every lane.
class ConstantPool {
  public:
    explicit ConstantPool(asmjit::x86::Assembler& code) : code_(code) {}
    // An operand of lanes of 32 or 64 bits.
    [[nodiscard]] asmjit::x86::Mem word(std::uint32_t bits);
    [[nodiscard]] asmjit::x86::Mem wide(std::uint64_t bits);
    // 4 and 16 bytes once.
    [[nodiscard]] asmjit::x86::Mem one_word(std::uint32_t bits);
    [[nodiscard]] asmjit::x86::Mem bytes(std::uint64_t low, std::uint64_t high);
    // A vector of 16 of the lanes.
    [[nodiscard]] asmjit::x86::Mem lanes(const std::array<std::uint32_t, kLanes>& of, int part);
    // Behind the code.
    void emit();

  private:
    using Bits = std::pair<std::uint64_t, std::uint64_t>;
    [[nodiscard]] const asmjit::Label& label(Bits bits);
    asmjit::x86::Assembler& code_;
    std::map<Bits, asmjit::Label> labels_;
    std::map<std::array<std::uint32_t, kLanes>, asmjit::Label> lanes_;
};

// One part of an instruction.
struct Part {
    asmjit::x86::Assembler& code;
    ConstantPool& constants;
    asmjit::x86::Zmm d, a, b, c;  // d may be one of the sources
    asmjit::x86::Zmm t, u;        // free
    asmjit::x86::KReg k;          // of a choice: the lanes that take a; of a comparison: its answer
    Modifiers modifiers{};
};

struct LaneCode {
    std::string_view key;  // of the operation
    void (*emit)(const Part& part);
    bool extends_sign = false;  // of sources narrower than the widest operand; else they are zero-extended
};
// 32 bits whose second or third source is a constant, which the code knows.
struct ConstantCode {
    using Known = std::optional<std::uint32_t>;
    std::string_view key;
    bool (*suits)(Known b, Known c);
    bool (*reads_b)(Known b);  // all the same
    bool (*reads_c)(Known c);
    void (*emit)(const Part& part, Known b, Known c);
};
// 32-bit floats with modifiers: what computes, between flushing the sources and finishing the result. Here d
// is none of the sources.
struct FloatCode {
    std::string_view key;
    void (*emit)(const Part& part);
};
struct PredicateCode {
    std::string_view key;
    void (*emit)(asmjit::x86::Assembler& code, const asmjit::x86::KReg& d, const asmjit::x86::KReg& a,
                 const asmjit::x86::KReg& b);
};

// Null where there is none: the instruction is left to the interpreter.
[[nodiscard]] const LaneCode* find_lane_code(const Operation& operation);
[[nodiscard]] const ConstantCode* find_constant_code(const Operation& operation);
[[nodiscard]] const FloatCode* find_float_code(const Operation& operation);
[[nodiscard]] const PredicateCode* find_predicate_code(const Operation& operation);

}  // namespace ws::simt
