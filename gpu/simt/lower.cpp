#include "gpu/simt/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gpu/simt/machine_cost.h"
#include "gpu/simt/special_operations.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

void Lowering::unknown(const std::string& why) const {
    if (why.empty())
        throw DecodeError(fmt::format("the simulated GPU does not know the instruction '{}'", from_->opcode));
    throw DecodeError(fmt::format("the simulated GPU refuses the instruction '{}': {}", from_->opcode, why));
}

void Lowering::guard(const PtxInstruction& from, Instruction& made) const {
    if (from.guard.empty()) return;
    made.guard = frame_.reg(from.guard, 'p');
    made.guard_negated = from.guard_negated;
}

void Lowering::emit(Instruction made) {
    if (!made.full) made.full = made.partial;
    made.line = from_->line;
    if (made.weight > 0) {
        const MachineCost cost = machine_cost(from_->opcode);
        made.slow = cost.slow;
        made.further = std::uint8_t(cost.further);
        made.further_special = std::uint8_t(cost.special);
    }
    guard(*from_, made);
    out_->push_back(made);
}

Instruction Lowering::with(Handler handler, Pipe pipe) const {
    Instruction made;
    made.partial = handler;
    made.pipe = pipe;
    return made;
}

Instruction Lowering::with(const Observed& observed, Pipe pipe) const {
    Instruction made;
    made.observed = &observed;
    made.pipe = pipe;
    return made;
}

Instruction Lowering::of(const Operation& operation) const {
    Instruction made;
    made.full = operation.full;
    made.partial = operation.partial;
    made.pipe = operation.pipe;
    made.float_operations = std::uint8_t(operation.float_operations);
    made.observed = operation.observed;
    made.operation = &operation;
    return made;
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
    if (opcode.types.empty()) return packed_integers(opcode);
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
    if (!operation) unknown("not with these suffixes and types");
    opcode.take_all();  // they are in the key
    plain(*operation, modifiers, opcode.last_type[0]);
}

// Two integers of 16 bits in a register: "add.u16x2".
void Lowering::packed_integers(const Opcode& opcode) {
    const std::string relu = opcode.has("relu") ? ".relu" : "";  // before the type or behind it
    const Operation* operation = find_scalar_operation(opcode.name + relu + opcode.left());
    if (!operation) unknown();
    opcode.take_all();
    plain(*operation, {}, 'b');
}

// "vabsdiff4.u32.u32.u32.add", which __vsadu4 becomes: of the bytes or halves of a and b.
void Lowering::differences(const Opcode& opcode) {
    const Operation* operation = find_scalar_operation(opcode.name + opcode.left());
    const bool is_unsigned = std::count(opcode.types.begin(), opcode.types.end(), Type::u32) == 3;
    if (!operation || !is_unsigned || opcode.types.size() != 3) unknown("not with these suffixes and types");
    opcode.take_all();
    plain(*operation, {}, 'u');
}

void Lowering::plain(const Operation& operation, const Modifiers& modifiers, char kind) {
    Instruction made = of(operation);
    made.modifiers = modifiers;
    std::int32_t* const slots[] = {&made.d, &made.a, &made.b, &made.c, &made.e};
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
        const std::int32_t inverted = frame_.scratch('p');
        helper("not.pred", inverted, *slots[i]);
        *slots[i] = inverted;
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
    if (name == "call") return call_built_in(opcode);
    if (name == "lop3") return logic_of_three(opcode);
    if (name == "fns") return nth_set(opcode);
    if (name == "vabsdiff2" || name == "vabsdiff4") return differences(opcode);
    if (name == "testp") return test_float(opcode);
    if (name == "slct") return select_by_sign(opcode);
    if (name == "activemask") {
        Instruction made = with(&active_mask, Pipe::alu);
        made.d = destination(operand(0), '4');
        return emit(made);
    }
    if ((name == "bar" || name == "barrier") && opcode.has("warp")) {
        opcode.has("sync");
        Instruction made = with(kOrderWarp, Pipe::control);
        made.b = source(operand(0), '4');
        return emit(made);
    }
    if (name == "mad" && !opcode.types.empty() && is_float(opcode.types.back())) opcode.name = "fma";
    if ((name == "min" || name == "max") && from_->operands.size() == 4) opcode.name += '3';
    if (orders_memory(name)) return order_memory(opcode);
    if (half(opcode) || carry(opcode)) return;
    plain_operation(opcode);
}

// Instructions that order memory among threads, which the checks follow, or advise, which changes nothing
// here.
bool Lowering::orders_memory(const std::string& name) {
    return name == "membar" || name == "fence" || name == "prefetch" || name == "prefetchu" ||
           name == "discard" || name == "applypriority" || name == "nanosleep" || name == "pmevent" ||
           name == "griddepcontrol";
}

void Lowering::order_memory(const Opcode& opcode) {
    const std::string& name = opcode.name;
    bool orders = name == "membar" || name == "fence";
    const bool beyond_block = orders && !opcode.has("cta");
    if (name == "membar") {
        opcode.ignore({"gl", "sys"});
    } else if (name == "fence") {
        orders = !opcode.has("proxy") && !opcode.has("mbarrier_init");
        opcode.ignore({"sc", "acq_rel", "acquire", "release", "cluster", "gpu", "sys", "alias", "async",
                       "async::generic", "sync_restrict::shared::cta", "sync_restrict::shared::cluster",
                       "global", "shared::cta"});
    } else if (name == "griddepcontrol") {
        opcode.ignore({"launch_dependents", "wait"});
    } else if (name == "nanosleep") {
        (void)source(operand(0), '4', 'u');
    } else if (name == "pmevent") {
        opcode.has("mask");
        if (operand(0).kind != PtxOperand::Kind::number) unknown("a number was expected");
    } else {  // prefetch, prefetchu, discard, applypriority
        opcode.ignore({"tensormap", "L1", "L2", "L2::evict_last", "L2::evict_normal"});
        (void)address(operand(0), space_in(opcode));
        if (name == "discard" || name == "applypriority") (void)source(operand(1), '4', 'u');
    }
    Instruction made =
        orders ? with(kFence, Pipe::control) : with([](Warp&, const Instruction&) {}, Pipe::control);
    if (orders) attach(made, FenceScope{{}, beyond_block});
    emit(made);
}

}  // namespace ws::simt
