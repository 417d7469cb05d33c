// Lowering of arithmetic with carries and of logic on three operands.

#include "gpu/simt/carry_operations.h"
#include "gpu/simt/lane_access.h"
#include "gpu/simt/lower.h"

namespace ws::simt {
namespace {

void any_logic(Warp& warp, const Instruction& i) {
    const u32 table = detail_of<LogicOfThree>(i).table;
    for_lanes(warp.mask, [&](int lane) {
        const u32 a = slot<u32>(warp, i.a)[lane];
        const u32 b = slot<u32>(warp, i.b)[lane];
        const u32 c = slot<u32>(warp, i.c)[lane];
        u32 made = 0;
        for (u32 row = 0; row < 8; ++row) {
            if ((table >> row & 1) == 0) continue;
            made |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
        }
        slot<u32>(warp, i.d)[lane] = made;
    });
}

// The n-th set bit from a base on: upwards (n > 0), downwards (n < 0), or the base itself.
u32 nth_set_bit(u32 mask, u32 base, s32 n) {
    constexpr u32 kNone = 0xFFFFFFFF;
    if (base > 31) return kNone;
    if (n == 0) return mask >> base & 1 ? base : kNone;
    const int step = n > 0 ? 1 : -1;
    s64 left = n > 0 ? s64(n) : -s64(n);
    for (int bit = int(base); bit >= 0 && bit < 32; bit += step) {
        if ((mask >> bit & 1) && --left == 0) return u32(bit);
    }
    return kNone;
}

void find_nth_set(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        slot<u32>(warp, i.d)[lane] =
            nth_set_bit(slot<u32>(warp, i.a)[lane], slot<u32>(warp, i.b)[lane], slot<s32>(warp, i.c)[lane]);
    });
}

}  // namespace

// True if the instruction takes or gives the carry.
bool Lowering::carry(const Opcode& opcode) {
    const std::string& name = opcode.name;
    const bool takes = name == "addc" || name == "subc" || name == "madc";
    if (!takes && name != "add" && name != "sub" && name != "mad") return false;
    const bool gives = opcode.has("cc");
    if (!takes && !gives) return false;
    if (opcode.types.size() != 1 || is_float(opcode.types[0]) || bits_of(opcode.types[0]) < 32)
        unknown("it takes integers of 32 or 64 bits");
    const Type type = opcode.types[0];
    CarryArithmetic how;
    how.takes_carry = takes;
    how.gives_carry = gives;
    how.subtracts = name.starts_with("sub");
    how.multiplies = name.starts_with("mad");
    how.is_signed = is_signed(type);
    how.wide = bits_of(type) == 64;
    how.high_half = how.multiplies && opcode.has("hi");
    if (how.multiplies && !how.high_half && !opcode.has("lo")) unknown("'.lo' or '.hi' is missing");
    if (carry_ < 0) carry_ = frame_.scratch('p');
    Instruction made = with(&carry_arithmetic, how.multiplies ? Pipe::fma : Pipe::alu);
    attach(made, how);
    made.e = carry_;
    const char width = register_width(type);
    made.d = destination(operand(0), width, 'u');
    made.a = source(operand(1), width, 'u');
    made.b = source(operand(2), width, 'u');
    if (how.multiplies) made.c = source(operand(3), width, 'u');
    emit(made);
    return true;
}

// "lop3.b32 d, a, b, c, 0xCA": bit 4a + 2b + c of the number is what the three bits become.
void Lowering::logic_of_three(const Opcode& opcode) {
    if (opcode.types.size() != 1 || opcode.last_type != "b32") unknown("its type is .b32");
    Instruction made = with(&any_logic, Pipe::alu);
    const PtxOperand& table = operand(4);
    if (table.kind != PtxOperand::Kind::number || table.number != PtxOperand::Number::integer ||
        table.bits > 255)
        unknown("its last operand is a number from 0 to 255");
    attach(made, LogicOfThree{{}, std::uint8_t(table.bits)});
    made.d = destination(operand(0), '4', 'b');
    made.a = source(operand(1), '4', 'b');
    made.b = source(operand(2), '4', 'b');
    made.c = source(operand(3), '4', 'b');
    emit(made);
}

void Lowering::nth_set(const Opcode& opcode) {
    if (opcode.types.size() != 1 || opcode.last_type != "b32") unknown("its type is .b32");
    Instruction made = with(&find_nth_set, Pipe::alu);
    made.d = destination(operand(0), '4', 'b');
    made.a = source(operand(1), '4', 'b');
    made.b = source(operand(2), '4', 'b');
    made.c = source(operand(3), '4', 'b');
    emit(made);
}

}  // namespace ws::simt
