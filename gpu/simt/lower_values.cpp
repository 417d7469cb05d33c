// Lowering of moves, comparisons and conversions.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "gpu/simt/lower.h"
#include "gpu/simt/places.h"
#include "gpu/simt/special_operations.h"
#include "gpu/simt/warp.h"

namespace ws::simt {
namespace {

// d = whether the generic address a lies in the space.
template <Space kSpace>
void lies_in(Warp& warp, const Instruction& i) {
    std::uint32_t bits = 0;
    for (int lane = 0; lane < kLanes; ++lane)
        bits |= std::uint32_t(space_of(slot<std::uint64_t>(warp, i.a)[lane]) == kSpace) << lane;
    std::uint32_t& d = *slot<std::uint32_t>(warp, i.d);
    d = (d & ~warp.mask) | (bits & warp.mask);
}

std::optional<Comparison> comparison_named(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Comparison>, 18> kNames{{
        {"eq", Comparison::eq},
        {"ne", Comparison::ne},
        {"lt", Comparison::lt},
        {"le", Comparison::le},
        {"gt", Comparison::gt},
        {"ge", Comparison::ge},
        {"lo", Comparison::lt},
        {"ls", Comparison::le},
        {"hi", Comparison::gt},
        {"hs", Comparison::ge},
        {"equ", Comparison::equ},
        {"neu", Comparison::neu},
        {"ltu", Comparison::ltu},
        {"leu", Comparison::leu},
        {"gtu", Comparison::gtu},
        {"geu", Comparison::geu},
        {"num", Comparison::num},
        {"nan", Comparison::nan},
    }};
    for (const auto& [known, comparison] : kNames) {
        if (known == name) return comparison;
    }
    return std::nullopt;
}

// What a comparison of whole numbers, signed or not, or of floats may ask.
bool compares(Comparison comparison, const std::string& text, Type type, const std::string& type_name) {
    const bool unsigned_only = text == "lo" || text == "ls" || text == "hi" || text == "hs";
    if (is_float(type)) return !unsigned_only;
    if (comparison >= Comparison::equ || (unsigned_only && is_signed(type))) return false;
    return type_name[0] != 'b' || comparison == Comparison::eq || comparison == Comparison::ne;
}

// What "set" writes where its comparison holds.
std::uint32_t truth_of(Type type) {
    return type == Type::f32     ? 0x3F800000u
           : type == Type::f16   ? 0x3C00u
           : type == Type::bf16  ? 0x3F80u
           : bits_of(type) == 16 ? 0xFFFFu
                                 : 0xFFFFFFFFu;
}

}  // namespace

void Lowering::move(const Opcode& opcode) {
    if (opcode.types.empty()) unknown("it has no type");
    const Type type = opcode.types.back();
    if (bits_of(type) == 8) unknown("registers of 8 bits are not moved");
    const PtxOperand& to = operand(0);
    const PtxOperand& from = operand(1);
    if (from.kind == PtxOperand::Kind::vector || to.kind == PtxOperand::Kind::vector)
        return move_vector(type);
    if (move_clock(type)) return;
    const char width = register_width(type);
    Instruction made = of(*find_vector_operation(width == 'p'   ? "mov.pred"
                                                 : width == '8' ? "mov.64"
                                                                : "mov.32"));
    made.d = destination(to, width, opcode.last_type[0]);
    made.a = source(from, width, opcode.last_type[0]);
    emit(made);
}

// "mov.b64 {%r1, %r2}, %rd1" and its reverse.
void Lowering::move_vector(Type type) {
    const PtxOperand& to = operand(0);
    const PtxOperand& from = operand(1);
    const bool packs = from.kind == PtxOperand::Kind::vector;
    const std::vector<PtxOperand>& parts = packs ? from.parts : to.parts;
    const std::size_t bytes = std::size_t(bits_of(type)) / 8 / parts.size();
    if (type == Type::pred || bytes * parts.size() * 8 != std::size_t(bits_of(type)) || bytes == 0 ||
        bytes > 4 || parts.size() > 4)
        unknown(fmt::format("{} elements in {} bits", parts.size(), bits_of(type)));
    Instruction made = with(packs ? &pack_vector : &unpack_vector, Pipe::alu);
    VectorMove& detail =
        attach(made, VectorMove{{}, kNoElements, std::uint8_t(bytes), std::uint8_t(parts.size())});
    const auto width = char('0' + bytes);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].name == "_" && !packs) continue;
        detail.elements[i] = packs ? source(parts[i], width) : destination(parts[i], width);
    }
    if (packs)
        made.d = destination(to, register_width(type));
    else
        made.a = source(from, register_width(type));
    emit(made);
}

bool Lowering::move_clock(Type type) {
    const std::string& name = operand(1).name;
    const bool wide = name == "%clock64" || name == "%globaltimer";
    if (!wide && name != "%clock" && name != "%clock_hi" && name != "%globaltimer_lo" &&
        name != "%globaltimer_hi")
        return false;
    if (bits_of(type) != (wide ? 64 : 32)) unknown(fmt::format("{} has {} bits", name, wide ? 64 : 32));
    Instruction made = with(wide ? &clock_64 : &clock_32, Pipe::xu);
    made.d = destination(operand(0), register_width(type), 'u');
    emit(made);
    return true;
}

// What compares the two sources; where the result goes is left open.
Instruction Lowering::comparison(const Opcode& opcode) {
    const Type type = opcode.types.back();
    if (bits_of(type) < 16) unknown(fmt::format("numbers of type .{} are not compared", opcode.last_type));
    const std::string text = opcode.take_first();
    const std::optional<Comparison> comparison = comparison_named(text);
    if (!comparison || !compares(*comparison, text, type, opcode.last_type))
        unknown(fmt::format("'.{}' does not compare .{}", text, opcode.last_type));
    const Modifiers modifiers =
        type == Type::f32 || type == Type::f16 ? opcode.modifiers({"ftz"}) : Modifiers();
    static constexpr std::array<const char*, 14> kTexts{"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    const char kind = opcode.last_type[0];
    const std::string key = fmt::format("setp.{}.{}{}", kTexts[std::size_t(*comparison)],
                                        kind == 'b' ? 'u' : kind, bits_of(type));
    const Operation* operation = bits_of(type) < 32 ? nullptr : find(modifiers, type, key);
    Instruction made =
        operation ? of(*operation) : with(&compare, type == Type::f64 ? Pipe::fp64 : Pipe::alu);
    made.modifiers = modifiers;
    if (!operation) attach(made, TypedComparison{{}, type, *comparison});
    made.a = source(operand(1), register_width(type), kind);
    made.b = source(operand(2), register_width(type), kind);
    return made;
}

// A plain operation that is not counted.
void Lowering::helper(const char* key, std::int32_t d, std::int32_t a, std::int32_t b) {
    Instruction step = of(*find_vector_operation(key));
    step.weight = 0;
    step.d = d;
    step.a = a;
    step.b = b;
    emit(step);
}

// Both answers of a comparison with the predicate that its last operand is.
void Lowering::combine(const Opcode& opcode, std::int32_t answer, std::int32_t other) {
    std::int32_t third = predicate(operand(3));
    if (operand(3).negated) {
        const std::int32_t inverted = frame_.scratch('p');
        helper("not.pred", inverted, third);
        third = inverted;
    }
    const char* key = opcode.has("and")   ? "and.pred"
                      : opcode.has("or")  ? "or.pred"
                      : opcode.has("xor") ? "xor.pred"
                                          : nullptr;
    if (!key) unknown("'.and', '.or' or '.xor' is missing");
    helper(key, answer, answer, third);
    helper(key, other, other, third);
}

void Lowering::set_predicate(const Opcode& opcode, bool to_register) {
    if (opcode.types.size() != (to_register ? 2 : 1)) unknown("the number of its types is another");
    if (opcode.types.back() >= Type::f16x2) {
        const std::optional<Comparison> asked = comparison_named(opcode.take_first());
        if (!asked) unknown("the comparison is not known");
        return compare_halves(opcode, *asked, to_register);
    }
    Instruction made = comparison(opcode);
    const bool combined = from_->operands.size() == 4;
    const PtxOperand& to = operand(0);
    const bool simple = !to_register && !combined && to.pair.empty();
    const std::int32_t answer = simple ? destination(to, 'p') : frame_.scratch('p');
    made.d = answer;
    emit(made);
    if (simple) return;
    // Combine with the third predicate, then the opposite or a register.
    const std::int32_t opposite = frame_.scratch('p');
    helper("not.pred", opposite, answer);
    if (combined) combine(opcode, answer, opposite);
    if (to_register) {
        const Type result = opcode.types.front();
        if (bits_of(result) != 32 && bits_of(result) != 16) unknown("its result has 16 or 32 bits");
        Instruction choose = of(*find_vector_operation("selp.32"));
        choose.weight = 0;
        choose.d = destination(to, register_width(result), is_float(result) ? 'f' : 'u');
        choose.a = frame_.constant(truth_of(result), false);
        choose.b = frame_.constant(0, false);
        choose.c = answer;
        return emit(choose);
    }
    helper("mov.pred", destination(to, 'p'), answer);
    if (!to.pair.empty() && to.pair != "_") helper("mov.pred", frame_.reg(to.pair, 'p'), opposite);
}

// The plain operation for the frequent conversions: between types as wide as their registers.
const Operation* Lowering::plain_conversion(Type to, Type from, const std::string& rounding) {
    if (to == Type::bf16 || from == Type::bf16) return nullptr;
    const auto text = [](Type type) {
        return fmt::format("{}{}", is_float(type) ? 'f' : is_signed(type) ? 's' : 'u', bits_of(type));
    };
    const Operation* found = find_vector_operation(
        fmt::format("cvt.{}{}.{}", rounding.empty() ? "" : rounding + ".", text(to), text(from)));
    if (found || is_float(to) || is_float(from)) return found;
    // Of equal or larger size without a change of sign bits: a copy.
    if (bits_of(to) == bits_of(from) && bits_of(to) >= 32)
        return find_vector_operation(bits_of(to) == 64 ? "mov.64" : "mov.32");
    if (bits_of(to) == 32 && bits_of(from) == 64) return find_vector_operation("cvt.u32.u64");
    if (to == Type::s64 && from == Type::u32) return find_vector_operation("cvt.u64.u32");
    if (to == Type::u64 && from == Type::s32) return find_vector_operation("cvt.s64.s32");
    if (to == Type::s32 && from == Type::u16) return find_vector_operation("cvt.u32.u16");
    if (to == Type::s32 && from == Type::u8) return find_vector_operation("cvt.u32.u8");
    if (bits_of(to) == 16 && bits_of(from) == 32) return find_vector_operation("cvt.u16.u32");
    return nullptr;
}

// Takes the rounding of a conversion: to whole numbers where something is lost by that, else to a float that
// holds fewer digits.
std::string Lowering::rounding_of_conversion(const Opcode& opcode, Type to, Type from) const {
    const bool to_whole = is_float(from) && (!is_float(to) || to == from);
    const bool other_half = is_small_float(to) && is_small_float(from) && to != from;
    const bool to_fewer = is_float(to) && (!is_float(from) || bits_of(to) < bits_of(from) || other_half);
    std::string taken;
    for (const char* mode : {"n", "z", "m", "p"}) {
        const std::string text = std::string("r") + mode + (to_whole ? "i" : "");
        if (taken.empty() && (to_whole || to_fewer) && opcode.has(text)) taken = text;
    }
    if (taken.empty() && (to_fewer || (to_whole && to != from))) unknown("it needs a rounding");
    return taken;
}

void Lowering::convert_type(const Opcode& opcode) {
    if (opcode.types.size() != 2) unknown("it has two types");
    if (opcode.types[0] >= Type::f16x2) return convert_pair(opcode);
    if (opcode.types[1] >= Type::f16x2) unknown("a pair of floats is not converted");
    const Type to = opcode.types[0];
    const Type from = opcode.types[1];
    if (to == Type::pred || from == Type::pred) unknown("predicates are not converted");
    const char to_width = wider(operand(0), to);
    const char from_width = wider(operand(1), from);
    const std::string rounding = rounding_of_conversion(opcode, to, from);
    Modifiers modifiers = opcode.modifiers({"sat"});
    modifiers.rounding = rounding.size() < 2 ? 0 : std::uint8_t(std::string_view("nzmp").find(rounding[1]));
    modifiers.flush = (to == Type::f32 || from == Type::f32) && opcode.has("ftz");
    const bool relu = is_small_float(to) && from == Type::f32 && opcode.has("relu");
    // Those from 8 bits look at no others.
    const bool usual = to_width == register_width(to) &&
                       (from_width == register_width(from) || (bits_of(from) == 8 && from_width != '8'));
    const Operation* operation = usual && !modifiers.saturate && !modifiers.flush && !relu
                                     ? plain_conversion(to, from, rounding)
                                     : nullptr;
    Instruction made = operation ? of(*operation) : with(&convert, Pipe::conversion);
    made.modifiers = modifiers;
    if (!operation)
        attach(made,
               Conversion{{}, to, from, rounding.size() == 3, relu, 8 * (to_width - '0'), from_width == '8'});
    const auto kind = [](Type type) { return is_float(type) ? 'f' : 'u'; };
    made.d = destination(operand(0), to_width, kind(to));
    made.a = source(operand(1), from_width, kind(from));
    emit(made);
}

void Lowering::change_space(const Opcode& opcode) {
    const Space space = space_in(opcode);
    if (space == Space::param) unknown("a pointer to a parameter");
    if (space == Space::generic || opcode.types.empty() || bits_of(opcode.types.back()) != 64)
        unknown("it names a space and has 64 bits");
    const std::uint64_t window = space == Space::shared  ? kSharedWindow
                                 : space == Space::local ? kLocalWindow
                                                         : 0;
    const bool back = opcode.has("to");
    const PtxOperand& to = operand(0);
    if (window == 0) {
        Instruction made = of(*find_vector_operation("mov.64"));
        made.d = destination(to, '8', 'u');
        made.a = source(operand(1), '8', 'u');
        return emit(made);
    }
    Instruction made = of(*find_vector_operation(back ? "sub.64" : "add.64"));
    made.d = destination(to, '8', 'u');
    made.a = source(operand(1), '8', 'u');
    made.b = frame_.constant(window, true);
    emit(made);
}

void Lowering::is_space(const Opcode& opcode) {
    const Space space = space_in(opcode);
    if (space == Space::generic || space == Space::param)
        unknown("it asks for .global, .shared, .local or .const");
    Instruction made = with(space == Space::shared     ? &lies_in<Space::shared>
                            : space == Space::local    ? &lies_in<Space::local>
                            : space == Space::constant ? &lies_in<Space::constant>
                                                       : &lies_in<Space::global>,
                            Pipe::alu);
    made.d = destination(operand(0), 'p');
    made.a = source(operand(1), '8');
    emit(made);
}

}  // namespace ws::simt
