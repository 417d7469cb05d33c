#pragma once
// Turns PTX instructions into decoded ones.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gpu/simt/frame.h"
#include "gpu/simt/opcode.h"
#include "gpu/simt/types.h"

namespace ws::simt {

// The addresses of variables, by name; of shared and local ones the offsets.
struct Symbol {
    std::uint64_t address = 0;
    Space space = Space::global;
};
using Symbols = std::map<std::string, Symbol>;

// Lowers the plain instructions of one function. Throws DecodeError.
class Lowering {
  public:
    Lowering(const PtxFunction& function, const Symbols& symbols, FrameLayout& frame,
             const std::map<std::string, KernelParameter>& parameters,
             const std::map<std::string, std::int32_t>& lane_params)
        : function_(function),
          symbols_(symbols),
          frame_(frame),
          parameters_(parameters),
          lane_params_(lane_params) {}

    // Appends what the instruction becomes: itself, perhaps with helpers of weight 0.
    void lower(const PtxInstruction& from, std::vector<Instruction>& out);
    // A predicate register as a guard.
    void guard(const PtxInstruction& from, Instruction& made) const;
    [[nodiscard]] std::int32_t source(const PtxOperand& operand, char width, int bits = 32);
    // The operands of a barrier of the block: d = result, a = number, b = threads, c = predicate (immediate:
    // its opposite), each -1 if there is none; modifiers.variant is its BarrierKind.
    void barrier(const PtxInstruction& from, Instruction& made);

  private:
    [[nodiscard]] std::int32_t destination(const PtxOperand& operand, char width);
    void emit(Instruction made);
    [[nodiscard]] Instruction with(Handler handler, Pipe pipe) const;
    [[nodiscard]] Instruction of(const Operation& operation) const;
    void plain(const Operation& operation, const Opcode& opcode, int bits);
    [[nodiscard]] const Operation* find(const Opcode& opcode, const std::string& key) const;
    [[nodiscard]] std::string key_of(const Opcode& opcode) const;
    [[noreturn]] void unknown(const std::string& why = {}) const;
    const PtxOperand& operand(std::size_t index) const;

    void move(const Opcode& opcode);
    void set_predicate(const Opcode& opcode, bool to_register);
    void convert_type(const Opcode& opcode);
    void change_space(const Opcode& opcode);
    void access(const Opcode& opcode, bool store);
    void access_param(const Opcode& opcode, bool store);
    void address(const PtxOperand& from, Space space, Instruction& made);
    void atomic_access(const Opcode& opcode, bool with_result);
    void copy_to_shared(const Opcode& opcode);
    void shuffle_lanes(const Opcode& opcode);
    void vote_lanes(const Opcode& opcode);
    void match_lanes(const Opcode& opcode);
    void reduce_lanes(const Opcode& opcode);
    void sample_texture(const Opcode& opcode);
    void is_space(const Opcode& opcode);
    void insert_bits(const Opcode& opcode);

    const PtxFunction& function_;
    const Symbols& symbols_;
    FrameLayout& frame_;
    const std::map<std::string, KernelParameter>& parameters_;  // of the kernel
    const std::map<std::string, std::int32_t>& lane_params_;    // .param variables in the lanes' bytes
    const PtxInstruction* from_ = nullptr;
    std::vector<Instruction>* out_ = nullptr;
};

}  // namespace ws::simt
