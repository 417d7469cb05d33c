#include "gpu/simt/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpu/simt/special_operations.h"
#include "gpu/simt/warp.h"

namespace ws::simt {
namespace {

std::optional<Special> special_named(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Special>, 24> kNames{{
        {"%tid.x", Special::tid_x},
        {"%tid.y", Special::tid_y},
        {"%tid.z", Special::tid_z},
        {"%ntid.x", Special::ntid_x},
        {"%ntid.y", Special::ntid_y},
        {"%ntid.z", Special::ntid_z},
        {"%ctaid.x", Special::ctaid_x},
        {"%ctaid.y", Special::ctaid_y},
        {"%ctaid.z", Special::ctaid_z},
        {"%nctaid.x", Special::nctaid_x},
        {"%nctaid.y", Special::nctaid_y},
        {"%nctaid.z", Special::nctaid_z},
        {"%laneid", Special::laneid},
        {"%warpid", Special::warpid},
        {"%nwarpid", Special::nwarpid},
        {"%smid", Special::smid},
        {"%nsmid", Special::nsmid},
        {"%lanemask_eq", Special::lanemask_eq},
        {"%lanemask_le", Special::lanemask_le},
        {"%lanemask_lt", Special::lanemask_lt},
        {"%lanemask_ge", Special::lanemask_ge},
        {"%lanemask_gt", Special::lanemask_gt},
        {"%dynamic_smem_size", Special::dynamic_smem},
        {"%total_smem_size", Special::total_smem},
    }};
    for (const auto& [known, special] : kNames) {
        if (known == name) return special;
    }
    // Every block is a cluster of its own; counters that only a profiler sets read 0.
    for (const auto& [prefix, first] :
         {std::pair{"%clusterid.", Special::ctaid_x}, {"%nclusterid.", Special::nctaid_x}}) {
        if (name.rfind(prefix, 0) == 0 && name.size() == std::string_view(prefix).size() + 1)
            return Special(int(first) + (name.back() - 'x'));
    }
    for (const char* prefix : {"%gridid", "%cluster_ctaid.", "%cluster_ctarank", "%envreg", "%pm"}) {
        if (name.rfind(prefix, 0) == 0) return Special::zero;
    }
    return std::nullopt;
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

// Hints, and what has nothing to do here.
bool does_nothing(const Opcode& opcode) {
    const std::string& name = opcode.name;
    return name == "prefetch" || name == "prefetchu" || name == "discard" || name == "applypriority" ||
           name == "nanosleep" || name == "pmevent" || name == "griddepcontrol" ||
           (name == "fence" && (opcode.has("proxy") || opcode.has("mbarrier_init")));
}

}  // namespace

void Lowering::unknown(const std::string& why) const {
    throw DecodeError(fmt::format("the simulated GPU does not know the instruction '{}'{}{}", from_->opcode,
                                  why.empty() ? "" : ": ", why));
}

const PtxOperand& Lowering::operand(std::size_t index) const {
    if (index >= from_->operands.size()) unknown("an operand is missing");
    return from_->operands[index];
}

void Lowering::guard(const PtxInstruction& from, Instruction& made) const {
    if (from.guard.empty()) return;
    made.guard = frame_.reg(from.guard, 'p');
    made.guard_negated = from.guard_negated;
}

void Lowering::emit(Instruction made) {
    if (!made.full) made.full = made.partial;
    made.line = from_->line;
    guard(*from_, made);
    out_->push_back(made);
}

Instruction Lowering::with(Handler handler, Pipe pipe) const {
    Instruction made;
    made.partial = handler;
    made.pipe = pipe;
    return made;
}

Instruction Lowering::of(const Operation& operation) const {
    Instruction made;
    made.full = operation.full;
    made.partial = operation.partial;
    made.pipe = operation.pipe;
    made.float_operations = std::uint8_t(operation.float_operations);
    return made;
}

std::int32_t Lowering::source(const PtxOperand& operand, char width, int bits) {
    switch (operand.kind) {
        case PtxOperand::Kind::number: {
            std::uint64_t value = operand.bits;
            // Every lane of the constant is the mask of all lanes or of none.
            if (width == 'p') return frame_.constant(value != 0 ? kAllLanes : 0, false);
            if (bits < 32) value &= (1ull << bits) - 1;
            return frame_.constant(value, width == '8');
        }
        case PtxOperand::Kind::name:
            break;
        default:
            unknown("an operand of another kind was expected");
    }
    if (frame_.is_register(operand.name)) return frame_.reg(operand.name, width);
    if (const std::optional<Special> special = special_named(operand.name)) {
        if (width != '4') unknown(fmt::format("{} has 32 bits", operand.name));
        return offset_of(*special);
    }
    if (operand.name.rfind("%cluster_ncta", 0) == 0) return frame_.constant(1, width == '8');
    if (operand.name == "%is_explicit_cluster") return frame_.constant(0, false);
    if (operand.name == "WARP_SZ") return frame_.constant(kLanes, width == '8');
    if (const auto symbol = symbols_.find(operand.name); symbol != symbols_.end())
        return frame_.constant(symbol->second.address + std::uint64_t(operand.offset), width == '8');
    unknown(fmt::format("'{}' is not known", operand.name));
}

std::int32_t Lowering::destination(const PtxOperand& operand, char width) {
    if (operand.name == "_") return frame_.scratch(width);
    return frame_.reg(operand.name, width);
}

// ---- plain operations

std::string Lowering::key_of(const Opcode& opcode) const {
    static const std::set<std::string> kKept{"lo", "hi",     "wide", "wrap", "clamp",   "l",
                                             "r",  "approx", "full", "NaN",  "shiftamt"};
    // Two's complement does not ask for the sign.
    static const std::set<std::string> kAnySign{"add",  "sub", "and",  "or",  "xor",  "not", "shl", "cnot",
                                                "popc", "clz", "brev", "bfi", "prmt", "shf", "selp"};
    std::string key = opcode.name;
    for (const std::string& part : opcode.parts) {
        if (kKept.count(part)) key += "." + part;
    }
    if (opcode.types.empty()) return key;
    const Type type = opcode.types.back();
    if (opcode.name == "dp2a")
        return fmt::format("dp2a.{}.{}.{}", opcode.parts[0], opcode.parts[1], opcode.parts[2]);
    if (opcode.name == "dp4a") return fmt::format("dp4a.{}.{}", opcode.parts[0], opcode.parts[1]);
    if (type == Type::pred) return key + ".pred";
    const bool saturated = opcode.modifiers.saturate && !is_float(type);
    const bool any_sign = kAnySign.count(opcode.name) || opcode.has("lo");
    if (saturated) return key + ".sat." + opcode.last_type;
    if (any_sign && (!is_float(type) || opcode.name == "selp") &&
        opcode.name.find("24") == std::string::npos) {
        // These leave the upper half of a 16-bit register's lane empty if it was.
        static const std::set<std::string> kWholeLane{"and", "or", "xor", "selp"};
        return fmt::format("{}.{}", key,
                           kWholeLane.count(opcode.name) ? std::max(32, bits_of(type)) : bits_of(type));
    }
    std::string type_text = opcode.last_type;
    if (type_text[0] == 'b') type_text[0] = 'u';
    return key + "." + type_text;
}

const Operation* Lowering::find(const Opcode& opcode, const std::string& key) const {
    const Modifiers& m = opcode.modifiers;
    const bool of_integers = !opcode.types.empty() && !is_float(opcode.types.back());
    if (of_integers || (!m.flush && !m.saturate && m.rounding == 0)) {
        if (const Operation* found = find_vector_operation(key)) return found;
    }
    if (const Operation* found = find_float_operation(key)) return found;
    return find_scalar_operation(key);
}

void Lowering::plain(const Operation& operation, const Opcode& opcode, int bits) {
    Instruction made = of(operation);
    made.modifiers = opcode.modifiers;
    std::int32_t* const slots[] = {&made.d, &made.a, &made.b, &made.c, &made.v[0]};
    if (from_->operands.size() != operation.layout.size()) unknown("the number of operands is another");
    for (std::size_t i = 0; i < operation.layout.size(); ++i) {
        const char width = operation.layout[i];
        *slots[i] = i == 0 ? destination(from_->operands[0], width) : source(from_->operands[i], width, bits);
        if (i > 0 && from_->operands[i].negated) {  // "!%p1" among the operands of a predicate operation
            Instruction inverted = of(*find_vector_operation("not.pred"));
            inverted.weight = 0;
            inverted.a = *slots[i];
            inverted.d = frame_.scratch('p');
            emit(inverted);
            *slots[i] = inverted.d;
        }
    }
    emit(made);
}

void Lowering::lower(const PtxInstruction& from, std::vector<Instruction>& out) {
    from_ = &from;
    out_ = &out;
    Opcode opcode = take_apart(from.opcode);
    const std::string& name = opcode.name;
    if (name == "mov") return move(opcode);
    if (name == "setp") return set_predicate(opcode, false);
    if (name == "set") return set_predicate(opcode, true);
    if (name == "cvt") return convert_type(opcode);
    if (name == "cvta") return change_space(opcode);
    if (name == "ld" || name == "ldu") return access(opcode, false);
    if (name == "st") return access(opcode, true);
    if (name == "atom") return atomic_access(opcode, true);
    if (name == "red") return atomic_access(opcode, false);
    if (name == "cp") return copy_to_shared(opcode);
    if (name == "shfl") return shuffle_lanes(opcode);
    if (name == "vote") return vote_lanes(opcode);
    if (name == "match") return match_lanes(opcode);
    if (name == "redux") return reduce_lanes(opcode);
    if (name == "tex") return sample_texture(opcode);
    if (name == "isspacep") return is_space(opcode);
    if (name == "bfi") return insert_bits(opcode);
    if (name == "activemask") {
        Instruction made = with(&active_mask, Pipe::integer);
        made.d = destination(operand(0), '4');
        return emit(made);
    }
    if (does_nothing(opcode)) return emit(with([](Warp&, const Instruction&) {}, Pipe::control));
    if (name == "membar" || name == "fence") {
        Instruction made = with(&fence, Pipe::control);
        made.beyond_block = !opcode.has("cta");
        return emit(made);
    }
    if ((name == "bar" || name == "barrier") && opcode.has("warp")) {
        Instruction made = with(&order_warp, Pipe::control);
        made.b = source(operand(0), '4');
        return emit(made);
    }
    if (name == "mad" && !opcode.types.empty() && is_float(opcode.types.back())) opcode.name = "fma";
    if (name == "prmt" && opcode.parts.size() > 1) unknown();
    if (opcode.types.empty()) unknown();
    const Operation* operation = find(opcode, key_of(opcode));
    if (!operation) unknown();
    plain(*operation, opcode, std::max(16, bits_of(opcode.types.back())));
}

// ---- moves and conversions

void Lowering::move(const Opcode& opcode) {
    const PtxOperand& to = operand(0);
    const PtxOperand& from = operand(1);
    const Type type = opcode.types.empty() ? Type::u32 : opcode.types.back();
    if (from.kind == PtxOperand::Kind::vector || to.kind == PtxOperand::Kind::vector) {
        const bool packs = from.kind == PtxOperand::Kind::vector;
        const std::vector<PtxOperand>& parts = packs ? from.parts : to.parts;
        Instruction made = with(packs ? &pack_vector : &unpack_vector, Pipe::integer);
        if (parts.size() > 4) unknown();
        made.count = std::uint8_t(parts.size());
        made.bytes = std::uint8_t(bits_of(type) / 8 / int(parts.size()));
        if (made.bytes > 4) unknown();
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].name == "_" && !packs) continue;
            made.v[i] = packs ? source(parts[i], '4') : destination(parts[i], '4');
        }
        if (packs)
            made.d = destination(to, register_width(type));
        else
            made.a = source(from, register_width(type));
        return emit(made);
    }
    if (from.name == "%clock" || from.name == "%clock64" || from.name.rfind("%globaltimer", 0) == 0 ||
        from.name == "%clock_hi") {
        Instruction made = with(&clock, Pipe::special);
        made.bytes = std::uint8_t(bits_of(type) / 8);
        made.d = destination(to, register_width(type));
        return emit(made);
    }
    const char width = register_width(type);
    Instruction made = of(*find_vector_operation(width == 'p'   ? "mov.pred"
                                                 : width == '8' ? "mov.64"
                                                                : "mov.32"));
    made.d = destination(to, width);
    made.a = source(from, width, std::max(16, bits_of(type)));
    emit(made);
}

void Lowering::set_predicate(const Opcode& opcode, bool to_register) {
    if (opcode.types.empty() || opcode.parts.empty()) unknown();
    const Type type = opcode.types.back();
    const std::optional<Comparison> comparison = comparison_named(opcode.parts[0]);
    if (!comparison) unknown();
    std::string suffix = opcode.last_type;
    if (suffix[0] == 'b') suffix[0] = 'u';
    static constexpr std::array<const char*, 14> kTexts{"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    const Operation* operation =
        bits_of(type) < 32
            ? nullptr
            : find(opcode, fmt::format("setp.{}.{}", kTexts[std::size_t(*comparison)], suffix));
    Instruction made =
        operation ? of(*operation) : with(&compare, type == Type::f64 ? Pipe::dbl : Pipe::integer);
    made.modifiers = opcode.modifiers;
    if (!operation) {
        made.v[0] = std::int32_t(type);
        made.modifiers.variant = std::uint8_t(*comparison);
    }
    const char width = register_width(type);
    made.a = source(operand(1), width, std::max(16, bits_of(type)));
    made.b = source(operand(2), width, std::max(16, bits_of(type)));
    const bool combined = from_->operands.size() == 4;
    const PtxOperand& to = operand(0);
    const bool simple = !to_register && !combined && to.pair.empty();
    const std::int32_t answer = simple ? destination(to, 'p') : frame_.scratch('p');
    made.d = answer;
    emit(made);
    if (simple) return;
    // Helpers: combine with the third predicate, then the opposite or a register.
    const auto helper = [&](const char* key, std::int32_t d, std::int32_t a, std::int32_t b) {
        Instruction step = of(*find_vector_operation(key));
        step.weight = 0;
        step.d = d;
        step.a = a;
        step.b = b;
        emit(step);
    };
    const std::int32_t opposite = frame_.scratch('p');
    helper("not.pred", opposite, answer, -1);
    if (combined) {
        std::int32_t with_predicate = frame_.reg(operand(3).name, 'p');
        if (operand(3).negated) {
            const std::int32_t inverted = frame_.scratch('p');
            helper("not.pred", inverted, with_predicate, -1);
            with_predicate = inverted;
        }
        const char* key = opcode.has("and") ? "and.pred" : opcode.has("or") ? "or.pred" : "xor.pred";
        helper(key, answer, answer, with_predicate);
        helper(key, opposite, opposite, with_predicate);
    }
    if (to_register) {
        Instruction choose = of(*find_vector_operation("selp.32"));
        choose.weight = 0;
        choose.d = destination(to, '4');
        choose.a = frame_.constant(opcode.types.front() == Type::f32 ? 0x3F800000u : 0xFFFFFFFFu, false);
        choose.b = frame_.constant(0, false);
        choose.c = answer;
        return emit(choose);
    }
    if (to.name != "_") helper("mov.pred", frame_.reg(to.name, 'p'), answer, -1);
    if (!to.pair.empty() && to.pair != "_") helper("mov.pred", frame_.reg(to.pair, 'p'), opposite, -1);
}

void Lowering::convert_type(const Opcode& opcode) {
    if (opcode.types.size() != 2 || from_->operands.size() != 2) unknown();
    const Type to = opcode.types[0];
    const Type from = opcode.types[1];
    const char to_width = frame_.type_of(operand(0).name).find("64") != std::string::npos ? '8' : '4';
    const bool narrow = frame_.type_of(operand(0).name).find("16") != std::string::npos;
    const bool from_number = operand(1).kind == PtxOperand::Kind::number;
    const char from_width = from_number ? register_width(from)
                            : frame_.type_of(operand(1).name).find("64") != std::string::npos ? '8'
                                                                                              : '4';
    // The frequent ones: between types as wide as their registers.
    std::string rounding;
    for (const std::string& part : opcode.parts) {
        if (part == "rn" || part == "rzi") rounding = part + ".";
    }
    const Operation* operation = nullptr;
    const bool usual = to_width == register_width(to) && from_width == register_width(from);
    if (usual && !opcode.modifiers.saturate && !opcode.modifiers.flush) {
        const auto text = [&](std::size_t i) {
            std::string made = opcode.parts[opcode.parts.size() - 2 + i];
            if (made[0] == 'b') made[0] = 'u';
            return made;
        };
        operation = find_vector_operation(fmt::format("cvt.{}{}.{}", rounding, text(0), text(1)));
        // Of equal or larger size without a change of sign bits: a copy.
        if (!operation && !is_float(to) && !is_float(from) && bits_of(to) == bits_of(from) &&
            bits_of(to) >= 32)
            operation = find_vector_operation(bits_of(to) == 64 ? "mov.64" : "mov.32");
        if (!operation && !is_float(to) && !is_float(from) && bits_of(to) == 32 && bits_of(from) == 64)
            operation = find_vector_operation("cvt.u32.u64");
        if (!operation && to == Type::s64 && from == Type::u32)
            operation = find_vector_operation("cvt.u64.u32");
        if (!operation && to == Type::u64 && from == Type::s32)
            operation = find_vector_operation("cvt.s64.s32");
        if (!operation && to == Type::s32 && (from == Type::u16 || from == Type::u8))
            operation = find_vector_operation(from == Type::u16 ? "cvt.u32.u16" : "cvt.u32.u8");
        if (!operation && bits_of(to) == 16 && !is_float(to) && !is_float(from) && bits_of(from) == 32)
            operation = find_vector_operation("cvt.u16.u32");
    }
    Instruction made = operation ? of(*operation) : with(&convert, Pipe::conversion);
    made.modifiers = opcode.modifiers;
    if (!operation) {
        made.v[0] = std::int32_t(to);
        made.v[1] = std::int32_t(from);
        made.v[2] = opcode.has("rni") || opcode.has("rzi") || opcode.has("rmi") || opcode.has("rpi");
        made.v[3] = to_width == '8' ? 64 : narrow ? 16 : 32;
    }
    made.d = destination(operand(0), to_width);
    made.a = source(operand(1), from_width, bits_of(from));
    emit(made);
}

void Lowering::change_space(const Opcode& opcode) {
    const Space space = space_in(opcode);
    if (space == Space::param) unknown("a pointer to a parameter");
    const std::uint64_t window = space == Space::shared  ? kSharedWindow
                                 : space == Space::local ? kLocalWindow
                                                         : 0;
    const bool back = opcode.has("to");
    const PtxOperand& to = operand(0);
    if (window == 0) {
        Instruction made = of(*find_vector_operation("mov.64"));
        made.d = destination(to, '8');
        made.a = source(operand(1), '8');
        return emit(made);
    }
    Instruction made = of(*find_vector_operation(back ? "sub.64" : "add.64"));
    made.d = destination(to, '8');
    made.a = source(operand(1), '8');
    made.b = frame_.constant(window, true);
    emit(made);
}

void Lowering::is_space(const Opcode& opcode) {
    const Space space = space_in(opcode);
    Instruction made;
    made.partial = [](Warp& warp, const Instruction& i) {
        std::uint32_t bits = 0;
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t address = slot<std::uint64_t>(warp, i.a)[lane];
            const Space found = address - kSharedWindow < kWindowSize  ? Space::shared
                                : address - kLocalWindow < kWindowSize ? Space::local
                                : address >= kConstantBase             ? Space::constant
                                                                       : Space::global;
            bits |= std::uint32_t(found == i.space) << lane;
        }
        std::uint32_t& d = *slot<std::uint32_t>(warp, i.d);
        d = (d & ~warp.mask) | (bits & warp.mask);
    };
    made.space = space;
    made.d = destination(operand(0), 'p');
    made.a = source(operand(1), '8');
    emit(made);
}

void Lowering::insert_bits(const Opcode& opcode) {
    const Operation* operation =
        find_scalar_operation(bits_of(opcode.types.back()) == 64 ? "bfi.64" : "bfi.32");
    plain(*operation, opcode, 32);
}

}  // namespace ws::simt
