// Lowering of arithmetic, comparisons and conversions of 16-bit floats, alone or two in a register.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpu/simt/half_operations.h"
#include "gpu/simt/lower.h"
#include "gpu/simt/special_operations.h"
#include "gpu/simt/warp.h"

namespace ws::simt {
namespace {

struct HalfRow {
    std::string_view name;
    HalfOperation operation;
    int sources;
    int float_operations;  // of each half
};
constexpr std::array<HalfRow, 10> kRows{{
    {"add", HalfOperation::add, 2, 1},
    {"sub", HalfOperation::sub, 2, 1},
    {"mul", HalfOperation::mul, 2, 1},
    {"fma", HalfOperation::fma, 3, 2},
    {"neg", HalfOperation::neg, 1, 0},
    {"abs", HalfOperation::abs, 1, 0},
    {"min", HalfOperation::min, 2, 0},
    {"max", HalfOperation::max, 2, 0},
    {"ex2", HalfOperation::ex2, 1, 1},
    {"tanh", HalfOperation::tanh, 1, 1},
}};

bool approximates(HalfOperation operation) {
    return operation == HalfOperation::ex2 || operation == HalfOperation::tanh;
}

bool rounds(HalfOperation operation) {
    return operation <= HalfOperation::fma;
}

}  // namespace

bool Lowering::half(const Opcode& opcode) {
    if (opcode.types.size() != 1 || !is_small_float(opcode.types[0])) return false;
    const auto row = std::find_if(kRows.begin(), kRows.end(),
                                  [&](const HalfRow& known) { return known.name == opcode.name; });
    if (row == kRows.end()) return false;
    const Type type = opcode.types[0];
    const bool is_bfloat = element_of(type) == Type::bf16;
    Instruction made = with(&half_arithmetic, approximates(row->operation) ? Pipe::xu : Pipe::fma);
    made.modifiers.flush = (!is_bfloat || row->operation == HalfOperation::ex2) && opcode.has("ftz");
    if (approximates(row->operation) && !opcode.has("approx")) unknown("'.approx' is missing");
    if (rounds(row->operation)) {
        opcode.ignore({"rn"});
        made.modifiers.saturate = !is_bfloat && opcode.has("sat");
    }
    HalfArithmetic how;
    how.operation = row->operation;
    how.format = element_of(type);
    how.count = std::uint8_t(bits_of(type) / 16);
    how.not_negative = row->operation == HalfOperation::fma && opcode.has("relu");
    if (row->operation == HalfOperation::min || row->operation == HalfOperation::max) {
        how.prefers_nan = opcode.has("NaN");
        how.xor_sign = opcode.has("xorsign") && opcode.has("abs");
    }
    attach(made, how);
    made.float_operations = std::uint8_t(row->float_operations * how.count);
    const char width = register_width(type);
    made.d = destination(operand(0), width, 'f');
    std::int32_t* const sources[] = {&made.a, &made.b, &made.c};
    for (int k = 0; k < row->sources; ++k) *sources[k] = source(operand(std::size_t(k) + 1), width, 'f');
    emit(made);
    return true;
}

// "setp.lt.f16x2 p|q, a, b" and "set.lt.f16x2.f16x2 d, a, b".
void Lowering::compare_halves(const Opcode& opcode, Comparison comparison, bool to_register) {
    const Type type = opcode.types.back();
    Instruction made = with(&half_comparison, Pipe::alu);
    made.modifiers.flush = type == Type::f16x2 && opcode.has("ftz");
    const Type result = opcode.types.front();
    const bool as_mask = to_register && (result == Type::u32 || result == Type::s32);
    if (to_register && result != type && !as_mask)
        unknown("its result has the type of its operands or masks");
    attach(made, HalfComparison{{}, comparison, element_of(type), to_register, as_mask});
    const PtxOperand& to = operand(0);
    if (to_register) {
        made.d = destination(to, '4', as_mask ? 'b' : 'f');
    } else {
        if (to.pair.empty()) unknown("it gives two predicates, p|q");
        made.d = to.name == "_" ? frame_.scratch('p') : frame_.reg(to.name, 'p');
        made.e = to.pair == "_" ? frame_.scratch('p') : frame_.reg(to.pair, 'p');
    }
    const bool combined = from_->operands.size() == 4;
    if (combined && to_register) unknown("it combines two results with a predicate");
    made.a = source(operand(1), '4', 'f');
    made.b = source(operand(2), '4', 'f');
    emit(made);
    if (combined) combine(opcode, made.d, made.e);
}

// "cvt.rn.f16x2.f32 d, a, b".
void Lowering::convert_pair(const Opcode& opcode) {
    const Type to = opcode.types[0];
    if (opcode.types[1] != Type::f32) unknown("two 32-bit floats become one register");
    Instruction made = with(&half_pair, Pipe::conversion);
    if (!opcode.has("rn")) {
        if (!opcode.has("rz")) unknown("it needs a rounding");
        made.modifiers.rounding = 1;
    }
    attach(made, HalfPair{{}, element_of(to), opcode.has("relu")});
    made.d = destination(operand(0), '4', 'f');
    made.a = source(operand(1), '4', 'f');
    made.b = source(operand(2), '4', 'f');
    emit(made);
}

}  // namespace ws::simt
