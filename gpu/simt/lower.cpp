#include "gpu/simt/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "gpu/simt/special_operations.h"
#include "gpu/simt/warp.h"

namespace ws::simt {
namespace {

// "%tid.x" of the prefix "%tid.".
bool is_component(std::string_view name, std::string_view prefix) {
    return name.size() == prefix.size() + 1 && name.starts_with(prefix) && name.back() >= 'x' &&
           name.back() <= 'z';
}

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
    const auto numbered = [&](std::string_view prefix) {
        return name.starts_with(prefix) && name.size() > prefix.size() &&
               name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos;
    };
    for (const auto& [prefix, first] :
         {std::pair{"%clusterid.", Special::ctaid_x}, {"%nclusterid.", Special::nctaid_x}}) {
        if (is_component(name, prefix)) return Special(int(first) + (name.back() - 'x'));
    }
    if (name == "%gridid" || name == "%cluster_ctarank" || is_component(name, "%cluster_ctaid.") ||
        numbered("%envreg") || numbered("%pm"))
        return Special::zero;
    return std::nullopt;
}

// What is the same in every launch.
std::optional<std::uint64_t> constant_named(std::string_view name) {
    if (name == "WARP_SZ") return kLanes;
    if (name == "%cluster_nctarank" || is_component(name, "%cluster_nctaid.")) return 1;
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

// What a comparison of whole numbers, signed or not, or of floats may ask.
bool compares(Comparison comparison, const std::string& text, Type type, const std::string& type_name) {
    const bool unsigned_only = text == "lo" || text == "ls" || text == "hi" || text == "hs";
    if (is_float(type)) return !unsigned_only;
    if (comparison >= Comparison::equ || (unsigned_only && is_signed(type))) return false;
    return type_name[0] != 'b' || comparison == Comparison::eq || comparison == Comparison::ne;
}

}  // namespace

void Lowering::unknown(const std::string& why) const {
    throw DecodeError(fmt::format("the simulated GPU does not know the instruction '{}'{}{}", from_->opcode,
                                  why.empty() ? "" : ": ", why));
}

const PtxOperand& Lowering::operand(std::size_t index) const {
    if (index >= from_->operands.size()) unknown("an operand is missing");
    asked_[index] = true;
    return from_->operands[index];
}

void Lowering::check_all_used(const Opcode& opcode) const {
    if (const std::string left = opcode.left(); !left.empty())
        unknown(fmt::format("'{}' is not supported", left));
    const auto unused = std::find(asked_.begin(), asked_.end(), false);
    if (unused != asked_.end())
        unknown(fmt::format("it takes {} operands, not {}", unused - asked_.begin(), asked_.size()));
    const bool takes_pair = opcode.name == "setp" || opcode.name == "shfl" || opcode.name == "match";
    for (std::size_t i = 0; i < from_->operands.size(); ++i) {
        const std::string& pair = from_->operands[i].pair;
        if (!pair.empty() && (i > 0 || !takes_pair)) unknown(fmt::format("'|{}' has no use there", pair));
    }
    static const std::set<std::string> kOfTwoTypes{"cvt", "set", "tex", "dp4a", "dp2a"};
    if (opcode.types.size() > (kOfTwoTypes.count(opcode.name) ? 2u : 1u)) unknown("it has too many types");
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

// ---- operands

std::int32_t Lowering::number(const PtxOperand& operand, char width, char kind) {
    using Number = PtxOperand::Number;
    std::uint64_t value = operand.bits;
    // Every lane of the constant is the mask of all lanes or of none.
    if (width == 'p') return frame_.constant(value != 0 ? kAllLanes : 0, false);
    const bool is_integer = operand.number == Number::integer;
    if (kind == 'f' && is_integer) unknown("a float was expected, an integer found");
    if ((kind == 's' || kind == 'u') && !is_integer) unknown("an integer was expected, a float found");
    if (operand.number == Number::f64 && width == '4' && kind == 'f')
        value = std::bit_cast<std::uint32_t>(float(std::bit_cast<double>(value)));
    else if (operand.number == Number::f32 && width == '8' && kind == 'f')
        value = std::bit_cast<std::uint64_t>(double(std::bit_cast<float>(std::uint32_t(value))));
    else if (!is_integer && width != (operand.number == Number::f32 ? '4' : '8'))
        unknown("a float of another size was expected");
    const int bits = 8 * (width - '0');
    if (bits < 64) value &= (1ull << bits) - 1;
    return frame_.constant(value, width == '8');
}

std::int32_t Lowering::source(const PtxOperand& operand, char width, char kind) {
    if (operand.kind == PtxOperand::Kind::number) return number(operand, width, kind);
    if (operand.kind != PtxOperand::Kind::name) unknown("an operand of another kind was expected");
    if (operand.negated) unknown(fmt::format("'!{}' has no use there", operand.name));
    if (frame_.is_register(operand.name)) {
        if (operand.offset != 0) unknown(fmt::format("a number is added to the register '{}'", operand.name));
        check_kind(operand, kind);
        return frame_.reg(operand.name, width);
    }
    if (const std::optional<Special> special = special_named(operand.name)) {
        if (width != '4') unknown(fmt::format("{} has 32 bits", operand.name));
        return offset_of(*special);
    }
    if (width == 'p') {
        if (operand.name == "%is_explicit_cluster") return frame_.constant(0, false);
        unknown(fmt::format("'{}' is no predicate", operand.name));
    }
    if (const auto constant = constant_named(operand.name)) return frame_.constant(*constant, width == '8');
    if (const auto symbol = symbols_.find(operand.name); symbol != symbols_.end() && kind != 'f') {
        if (width != '4' && width != '8') unknown("an address has 32 or 64 bits");
        return frame_.constant(symbol->second.address + std::uint64_t(operand.offset), width == '8');
    }
    unknown(fmt::format("'{}' is not known", operand.name));
}

std::int32_t Lowering::destination(const PtxOperand& operand, char width, char kind) {
    if (operand.kind != PtxOperand::Kind::name || operand.negated || operand.offset != 0)
        unknown("a register was expected for its result");
    if (operand.name == "_") return frame_.scratch(width);
    check_kind(operand, kind);
    return frame_.reg(operand.name, width);
}

std::int32_t Lowering::predicate(const PtxOperand& operand) const {
    if (operand.kind != PtxOperand::Kind::name) unknown("a predicate was expected");
    return frame_.reg(operand.name, 'p');
}

// Floats and integers do not mix; registers of type .b take both.
void Lowering::check_kind(const PtxOperand& operand, char kind) const {
    if (!frame_.is_register(operand.name)) return;
    const char is = frame_.type_of(operand.name)[0];
    if (kind == 'b' || is == 'b' || is == 'p' || (kind == 'f') == (is == 'f')) return;
    unknown(fmt::format("'{}' of type .{} is {} float", operand.name, frame_.type_of(operand.name),
                        is == 'f' ? "a" : "no"));
}

char Lowering::width_of(const PtxOperand& operand, Type type) const {
    if (operand.kind != PtxOperand::Kind::name || operand.name == "_") return register_width(type);
    if (frame_.is_register(operand.name)) return frame_.width_of(operand.name);
    return special_named(operand.name) ? '4' : register_width(type);
}

char Lowering::wider(const PtxOperand& operand, Type type) const {
    const char width = width_of(operand, type);
    const char least = register_width(type);
    if (width == 'p' || width < least || (width > least && is_float(type)))
        unknown(fmt::format("'{}' has the wrong width", operand.name));
    return width;
}

std::vector<PtxOperand> Lowering::elements(const Opcode& opcode, const PtxOperand& value) const {
    const std::size_t count = opcode.has("v2") ? 2 : opcode.has("v4") ? 4 : 1;
    const bool is_vector = value.kind == PtxOperand::Kind::vector;
    if (is_vector ? value.parts.size() != count : count > 1)
        unknown(fmt::format("{} elements were expected", count));
    return is_vector ? value.parts : std::vector<PtxOperand>{value};
}

// ---- plain operations

// The name, every suffix that is left, and the type as far as it matters.
std::string Lowering::key_of(const Opcode& opcode) {
    // Two's complement does not ask for the sign.
    static const std::set<std::string> kAnySign{"add",  "sub", "and",  "or",  "xor",  "not", "shl", "cnot",
                                                "popc", "clz", "brev", "bfi", "prmt", "shf", "selp"};
    const std::string suffixes = opcode.left();
    const std::string key = opcode.name + suffixes;
    const Type type = opcode.types.back();
    if (opcode.types.size() == 2)
        return fmt::format("{}.{}{}.{}{}", key, is_signed(opcode.types[0]) ? 's' : 'u',
                           bits_of(opcode.types[0]), is_signed(type) ? 's' : 'u', bits_of(type));
    if (type == Type::pred) return key + ".pred";
    const bool any_sign =
        (kAnySign.count(opcode.name) && suffixes != ".sat") || (suffixes == ".lo" && opcode.name.size() == 3);
    if (any_sign && (!is_float(type) || opcode.name == "selp"))
        return fmt::format("{}.{}", key, bits_of(type));
    return fmt::format("{}.{}{}", key, opcode.last_type[0] == 'b' ? 'u' : opcode.last_type[0], bits_of(type));
}

const Operation* Lowering::find(const Modifiers& m, Type type, const std::string& key) const {
    if (!is_float(type) || (!m.flush && !m.saturate && m.rounding == 0)) {
        if (const Operation* found = find_vector_operation(key)) return found;
    }
    if (const Operation* found = find_float_operation(key)) return found;
    return find_scalar_operation(key);
}

void Lowering::plain_operation(const Opcode& opcode) {
    if (opcode.types.empty()) unknown();
    const Type type = opcode.types.back();
    Modifiers modifiers;
    // Only what computes rounds; approximations do it their own way.
    static const std::set<std::string> kRounding{"add", "sub", "mul", "fma", "div", "sqrt", "rcp"};
    static const std::set<std::string> kSaturating{"add", "sub", "mul", "fma"};
    if (type == Type::f32 || type == Type::f64) {
        if (type == Type::f32 && kSaturating.count(opcode.name)) modifiers = opcode.modifiers({"sat"});
        const bool flush = opcode.has("ftz");
        const bool approximates = from_->opcode.find(".approx") != std::string::npos ||
                                  from_->opcode.find(".full") != std::string::npos;
        if (kRounding.count(opcode.name) && !approximates)
            modifiers.rounding = opcode.modifiers({"rn", "rz", "rm", "rp"}).rounding;
        modifiers.flush = flush;
        if (flush && type == Type::f64 && !approximates) unknown("64-bit floats have no '.ftz'");
    }
    const std::string key = key_of(opcode);
    const Operation* operation = find(modifiers, type, key);
    if (!operation) unknown();
    opcode.take_all();  // they are in the key
    plain(*operation, modifiers, opcode.last_type[0]);
}

void Lowering::plain(const Operation& operation, const Modifiers& modifiers, char kind) {
    Instruction made = of(operation);
    made.modifiers = modifiers;
    std::int32_t* const slots[] = {&made.d, &made.a, &made.b, &made.c, &made.v[0]};
    for (std::size_t i = 0; i < operation.layout.size(); ++i) {
        const char width = operation.layout[i];
        PtxOperand one = operand(i);
        if (i == 0) {
            *slots[i] = destination(one, width, kind);
            continue;
        }
        const bool inverts = one.negated && width == 'p';  // "!%p1"
        if (inverts) one.negated = false;
        *slots[i] = source(one, width, kind);
        if (!inverts) continue;
        Instruction inverted = of(*find_vector_operation("not.pred"));
        inverted.weight = 0;
        inverted.a = *slots[i];
        inverted.d = frame_.scratch('p');
        emit(inverted);
        *slots[i] = inverted.d;
    }
    emit(made);
}

void Lowering::lower(const PtxInstruction& from, std::vector<Instruction>& out) {
    from_ = &from;
    out_ = &out;
    asked_.assign(from.operands.size(), false);
    Opcode opcode(from.opcode);
    dispatch(opcode);
    check_all_used(opcode);
}

void Lowering::dispatch(Opcode& opcode) {
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
    if (name == "activemask") {
        Instruction made = with(&active_mask, Pipe::integer);
        made.d = destination(operand(0), '4');
        return emit(made);
    }
    if ((name == "bar" || name == "barrier") && opcode.has("warp")) {
        opcode.has("sync");
        (void)source(operand(0), '4');
        return emit(with(&order_warp, Pipe::control));
    }
    if (name == "mad" && !opcode.types.empty() && is_float(opcode.types.back())) opcode.name = "fma";
    if (orders_memory(name)) return order_memory(opcode);
    plain_operation(opcode);
}

// Instructions that order memory among threads, or advise: nothing to do where every access is done at once.
bool Lowering::orders_memory(const std::string& name) {
    return name == "membar" || name == "fence" || name == "prefetch" || name == "prefetchu" ||
           name == "discard" || name == "applypriority" || name == "nanosleep" || name == "pmevent" ||
           name == "griddepcontrol";
}

void Lowering::order_memory(const Opcode& opcode) {
    const std::string& name = opcode.name;
    if (name == "membar") {
        opcode.ignore({"cta", "gl", "sys"});
    } else if (name == "fence") {
        opcode.ignore({"sc", "acq_rel", "acquire", "release", "cta", "cluster", "gpu", "sys", "proxy",
                       "alias", "async", "async::generic", "sync_restrict::shared::cta", "global",
                       "shared::cta"});
    } else if (name == "griddepcontrol") {
        opcode.ignore({"launch_dependents", "wait"});
    } else if (name == "nanosleep") {
        (void)source(operand(0), '4', 'u');
    } else if (name == "pmevent") {
        opcode.has("mask");
        if (operand(0).kind != PtxOperand::Kind::number) unknown("a number was expected");
    } else {  // prefetch, prefetchu, discard, applypriority
        Instruction unused;
        opcode.ignore({"tensormap", "L1", "L2", "L2::evict_last", "L2::evict_normal"});
        address(operand(0), space_in(opcode), unused);
        if (name == "discard" || name == "applypriority") (void)source(operand(1), '4', 'u');
    }
    emit(with([](Warp&, const Instruction&) {}, Pipe::control));
}

// ---- moves and conversions

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
    Instruction made = with(packs ? &pack_vector : &unpack_vector, Pipe::integer);
    made.count = std::uint8_t(parts.size());
    made.bytes = std::uint8_t(bytes);
    const auto width = char('0' + bytes);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].name == "_" && !packs) continue;
        made.v[i] = packs ? source(parts[i], width) : destination(parts[i], width);
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
    Instruction made = with(&clock, Pipe::special);
    made.bytes = wide ? 8 : 4;
    made.d = destination(operand(0), register_width(type), 'u');
    emit(made);
    return true;
}

void Lowering::set_predicate(const Opcode& opcode, bool to_register) {
    if (opcode.types.size() != (to_register ? 2 : 1)) unknown("the number of its types is another");
    const Type type = opcode.types.back();
    if (bits_of(type) < 16) unknown(fmt::format("numbers of type .{} are not compared", opcode.last_type));
    const std::string text = opcode.take_first();
    const std::optional<Comparison> comparison = comparison_named(text);
    if (!comparison || !compares(*comparison, text, type, opcode.last_type))
        unknown(fmt::format("'.{}' does not compare .{}", text, opcode.last_type));
    const Modifiers modifiers = type == Type::f32 ? opcode.modifiers({"ftz"}) : Modifiers();
    static constexpr std::array<const char*, 14> kTexts{"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    const char kind = opcode.last_type[0];
    const Operation* operation = bits_of(type) < 32
                                     ? nullptr
                                     : find(modifiers, type,
                                            fmt::format("setp.{}.{}{}", kTexts[std::size_t(*comparison)],
                                                        kind == 'b' ? 'u' : kind, bits_of(type)));
    Instruction made =
        operation ? of(*operation) : with(&compare, type == Type::f64 ? Pipe::dbl : Pipe::integer);
    made.modifiers = modifiers;
    if (!operation) {
        made.v[0] = std::int32_t(type);
        made.modifiers.variant = std::uint8_t(*comparison);
    }
    const char width = register_width(type);
    made.a = source(operand(1), width, kind);
    made.b = source(operand(2), width, kind);
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
        std::int32_t with_predicate = predicate(operand(3));
        if (operand(3).negated) {
            const std::int32_t inverted = frame_.scratch('p');
            helper("not.pred", inverted, with_predicate, -1);
            with_predicate = inverted;
        }
        const char* key = opcode.has("and")   ? "and.pred"
                          : opcode.has("or")  ? "or.pred"
                          : opcode.has("xor") ? "xor.pred"
                                              : nullptr;
        if (!key) unknown("'.and', '.or' or '.xor' is missing");
        helper(key, answer, answer, with_predicate);
        helper(key, opposite, opposite, with_predicate);
    }
    if (to_register) {
        Instruction choose = of(*find_vector_operation("selp.32"));
        choose.weight = 0;
        if (bits_of(opcode.types.front()) != 32) unknown("its result has 32 bits");
        choose.d = destination(to, '4', opcode.types.front() == Type::f32 ? 'f' : 'u');
        choose.a = frame_.constant(opcode.types.front() == Type::f32 ? 0x3F800000u : 0xFFFFFFFFu, false);
        choose.b = frame_.constant(0, false);
        choose.c = answer;
        return emit(choose);
    }
    helper("mov.pred", destination(to, 'p'), answer, -1);
    if (!to.pair.empty() && to.pair != "_") helper("mov.pred", frame_.reg(to.pair, 'p'), opposite, -1);
}

// The plain operation for the frequent conversions: between types as wide as their registers.
const Operation* Lowering::plain_conversion(Type to, Type from, const std::string& rounding) {
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
    const bool to_fewer = is_float(to) && (!is_float(from) || bits_of(to) < bits_of(from));
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
    const Type to = opcode.types[0];
    const Type from = opcode.types[1];
    if (to == Type::pred || from == Type::pred) unknown("predicates are not converted");
    const char to_width = wider(operand(0), to);
    const char from_width = wider(operand(1), from);
    const std::string rounding = rounding_of_conversion(opcode, to, from);
    Modifiers modifiers = opcode.modifiers({"sat"});
    modifiers.rounding = rounding.size() < 2 ? 0 : std::uint8_t(std::string_view("nzmp").find(rounding[1]));
    modifiers.flush = (to == Type::f32 || from == Type::f32) && opcode.has("ftz");
    const bool relu = to == Type::f16 && from == Type::f32 && opcode.has("relu");
    // Those from 8 bits look at no others.
    const bool usual = to_width == register_width(to) &&
                       (from_width == register_width(from) || (bits_of(from) == 8 && from_width != '8'));
    const Operation* operation = usual && !modifiers.saturate && !modifiers.flush && !relu
                                     ? plain_conversion(to, from, rounding)
                                     : nullptr;
    Instruction made = operation ? of(*operation) : with(&convert, Pipe::conversion);
    made.modifiers = modifiers;
    if (!operation) {
        made.v[0] = std::int32_t(to);
        made.v[1] = std::int32_t(from);
        made.v[2] = (rounding.size() == 3 ? kToWhole : 0) | (relu ? kNotNegative : 0);
        made.v[3] = 8 * (to_width - '0');
        made.bytes = from_width == '8' ? 8 : 4;
    }
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

}  // namespace ws::simt
