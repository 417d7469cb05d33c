#pragma once
// Turns PTX instructions into decoded ones.

#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
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

// A .param variable of a device function: its place in each lane's bytes.
struct LaneParameter {
    std::int32_t at = 0;
    std::uint64_t bytes = 0;
};
using LaneParameters = std::map<std::string, LaneParameter>;

// Lowers the plain instructions of one function. Throws DecodeError: for an instruction that is not known,
// and for a known one of which nobody has taken every suffix (see Opcode) and asked for every operand.
class Lowering {
  public:
    Lowering(const PtxFunction& function, const Symbols& symbols, FrameLayout& frame,
             const std::map<std::string, KernelParameter>& parameters, const LaneParameters& lane_params,
             DetailPools& details)
        : function_(function),
          symbols_(symbols),
          frame_(frame),
          parameters_(parameters),
          lane_params_(lane_params),
          details_(details) {}

    // Appends what the instruction becomes: itself, perhaps with helpers of weight 0.
    void lower(const PtxInstruction& from, std::vector<Instruction>& out);
    // Of an instruction that ends a basic block and is no barrier: that its suffixes and operands are those
    // of its kind.
    void check_control(const PtxInstruction& from, Flow flow);
    // A predicate register as a guard.
    void guard(const PtxInstruction& from, Instruction& made) const;
    // A register, number, special register or symbol of the width ('1', '2', '4', '8' bytes or 'p'). `kind`
    // is what the instruction wants: 'f' a float, 's' or 'u' an integer, 'b' any.
    [[nodiscard]] std::int32_t source(const PtxOperand& operand, char width, char kind = 'b');
    // The operands of a barrier of the block, and its BarrierUse.
    void barrier(const PtxInstruction& from, Instruction& made);

  private:
    [[nodiscard]] std::int32_t destination(const PtxOperand& operand, char width, char kind = 'b');
    [[nodiscard]] std::int32_t number(const PtxOperand& operand, char width, char kind);
    // A register's width; of anything else that of the type.
    [[nodiscard]] char width_of(const PtxOperand& operand, Type type) const;
    // A value of a load, a store or a conversion: its register may be wider than an integer type.
    [[nodiscard]] char wider(const PtxOperand& operand, Type type) const;
    void check_kind(const PtxOperand& operand, char kind) const;
    void check_all_used(const Opcode& opcode) const;
    // The elements of "{%r1, %r2}" or the operand alone, as ".v2", ".v4" or neither says.
    [[nodiscard]] std::vector<PtxOperand> elements(const Opcode& opcode, const PtxOperand& value) const;
    void dispatch(Opcode& opcode);
    [[nodiscard]] static bool orders_memory(const std::string& name);
    void order_memory(const Opcode& opcode);
    // A predicate register, whether negated or not.
    [[nodiscard]] std::int32_t predicate(const PtxOperand& operand) const;
    void emit(Instruction made);
    [[nodiscard]] Instruction with(Handler handler, Pipe pipe) const;
    [[nodiscard]] Instruction with(const Observed& observed, Pipe pipe) const;
    [[nodiscard]] Instruction of(const Operation& operation) const;
    // Puts it into the program's pools; what is returned may still be changed.
    template <class T>
    T& attach(Instruction& made, T detail) const {
        T& kept = details_.add(std::move(detail));
        made.detail = &kept;
        return kept;
    }
    void plain(const Operation& operation, const Modifiers& modifiers, char kind);
    [[nodiscard]] const Operation* find(const Modifiers& modifiers, Type type, const std::string& key) const;
    [[nodiscard]] static std::string key_of(const Opcode& opcode);
    void plain_operation(const Opcode& opcode);
    void packed_integers(const Opcode& opcode);
    void differences(const Opcode& opcode);
    [[noreturn]] void unknown(const std::string& why = {}) const;
    const PtxOperand& operand(std::size_t index) const;

    void move(const Opcode& opcode);
    void move_vector(Type type);
    bool move_clock(Type type);
    void set_predicate(const Opcode& opcode, bool to_register);
    [[nodiscard]] Instruction comparison(const Opcode& opcode);
    void combine(const Opcode& opcode, std::int32_t answer, std::int32_t other);
    void helper(const char* key, std::int32_t d, std::int32_t a, std::int32_t b = -1);
    void convert_type(const Opcode& opcode);
    [[nodiscard]] static const Operation* plain_conversion(Type to, Type from, const std::string& rounding);
    [[nodiscard]] std::string rounding_of_conversion(const Opcode& opcode, Type to, Type from) const;
    // Floats of 16 bits, alone or two in a register; false for an instruction that is not about them.
    [[nodiscard]] bool half(const Opcode& opcode);
    void compare_halves(const Opcode& opcode, Comparison comparison, bool to_register);
    void convert_pair(const Opcode& opcode);
    // False for an instruction that neither takes nor gives the carry.
    [[nodiscard]] bool carry(const Opcode& opcode);
    void logic_of_three(const Opcode& opcode);
    void nth_set(const Opcode& opcode);
    void test_float(const Opcode& opcode);
    void select_by_sign(const Opcode& opcode);
    void call_built_in(const Opcode& opcode);
    void change_space(const Opcode& opcode);
    void access(const Opcode& opcode, bool store);
    void access_param(const Opcode& opcode, const std::vector<PtxOperand>& values, bool store);
    void ignore_hints(const Opcode& opcode, bool store) const;
    [[nodiscard]] char width_of_all(const std::vector<PtxOperand>& values, Type type) const;
    [[nodiscard]] Elements place_values(const std::vector<PtxOperand>& values, char width,
                                        const Opcode& opcode, bool store);
    void trim(std::int32_t place, char width, Type type);
    [[nodiscard]] std::int32_t bytes_to_copy(const PtxOperand& from, std::uint8_t bytes);
    // Where an access goes: the slot of the base, and what is added to it.
    struct Address {
        std::int32_t base = -1;
        bool wide = true;
        std::int64_t offset = 0;
        bool known = false;  // it stands in the code
    };
    [[nodiscard]] Address address(const PtxOperand& from, Space space);
    void atomic_access(const Opcode& opcode, bool with_result);
    void copy_to_shared(const Opcode& opcode);
    // The operation on numbers of that type, if there is one.
    [[nodiscard]] static std::optional<Reduction> reduction_in(const Opcode& opcode, Type type);
    template <class Mode>
    [[nodiscard]] Mode mode_in(const Opcode& opcode,
                               std::initializer_list<std::pair<const char*, Mode>> modes) const;
    [[nodiscard]] std::int32_t members_in(const Opcode& opcode, std::size_t index);
    void shuffle_lanes(const Opcode& opcode);
    void vote_lanes(const Opcode& opcode);
    void match_lanes(const Opcode& opcode);
    void reduce_lanes(const Opcode& opcode);
    void sample_texture(const Opcode& opcode);
    void is_space(const Opcode& opcode);

    const PtxFunction& function_;
    const Symbols& symbols_;
    FrameLayout& frame_;
    const std::map<std::string, KernelParameter>& parameters_;  // of the kernel
    const LaneParameters& lane_params_;
    DetailPools& details_;
    std::int32_t carry_ = -1;  // the predicate that holds the carry, once there is one
    const PtxInstruction* from_ = nullptr;
    mutable std::vector<bool> asked_;  // for which of its operands
    std::vector<Instruction>* out_ = nullptr;
};

}  // namespace ws::simt
