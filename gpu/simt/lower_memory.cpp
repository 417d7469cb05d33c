// Lowering of what touches memory or other lanes.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "gpu/simt/barriers.h"
#include "gpu/simt/lower.h"
#include "gpu/simt/special_operations.h"

namespace ws::simt {
namespace {

std::optional<Reduction> reduction_named(const Opcode& opcode) {
    for (const auto& [name, reduction] : {std::pair{"add", Reduction::add},
                                          {"min", Reduction::min},
                                          {"max", Reduction::max},
                                          {"and", Reduction::bit_and},
                                          {"or", Reduction::bit_or},
                                          {"xor", Reduction::bit_xor},
                                          {"exch", Reduction::exch},
                                          {"cas", Reduction::cas},
                                          {"inc", Reduction::inc},
                                          {"dec", Reduction::dec}}) {
        if (opcode.has(name)) return reduction;
    }
    return std::nullopt;
}

}  // namespace

// ---- memory

void Lowering::address(const PtxOperand& from, Space space, Instruction& made) {
    if (from.kind != PtxOperand::Kind::address) unknown("an address was expected");
    made.space = space;
    made.immediate = from.offset;
    if (from.name.empty()) {
        made.a = frame_.constant(0, true);
    } else if (frame_.is_register(from.name)) {
        made.wide_address = frame_.type_of(from.name).find("64") != std::string::npos;
        made.a = frame_.reg(from.name, made.wide_address ? '8' : '4');
    } else {
        const auto symbol = symbols_.find(from.name);
        if (symbol == symbols_.end()) unknown(fmt::format("'{}' is not known", from.name));
        made.a = frame_.constant(symbol->second.address, true);
    }
}

void Lowering::access(const Opcode& opcode, bool store) {
    const Space space = space_in(opcode);
    if (opcode.types.empty()) unknown();
    if (space == Space::param) return access_param(opcode, store);
    const Type type = opcode.types.back();
    const PtxOperand& value = operand(store ? 1 : 0);
    const std::vector<PtxOperand> one{value};
    const std::vector<PtxOperand>& values = value.kind == PtxOperand::Kind::vector ? value.parts : one;
    if (values.size() > 4) unknown();
    const auto is_wide = [&](const PtxOperand& o) {
        return frame_.is_register(o.name) ? frame_.type_of(o.name).find("64") != std::string::npos
                                          : bits_of(type) == 64;
    };
    bool wide = bits_of(type) == 64;
    bool narrow = false;
    for (const PtxOperand& o : values) {
        wide = wide || is_wide(o);
        narrow =
            narrow || (frame_.is_register(o.name) && frame_.type_of(o.name).find("16") != std::string::npos);
    }
    const bool extends = is_signed(type) && bits_of(type) < (wide ? 64 : 32);
    const std::string key =
        std::string(store ? "store" : "load") + (wide ? ".wide" : "") + (extends && !store ? ".signed" : "");
    Instruction made = of(*find_memory_operation(key));
    address(operand(store ? 0 : 1), space, made);
    made.bytes = std::uint8_t(bits_of(type) / 8);
    made.count = std::uint8_t(values.size());
    made.modifiers.variant = store ? 1 : 0;
    made.strength = opcode.has("volatile") ? Strength::is_volatile
                    : opcode.has("relaxed") || opcode.has("acquire") || opcode.has("release")
                        ? Strength::strong
                        : Strength::plain;
    made.releases = opcode.has("release");
    made.beyond_block = !opcode.has("cta");
    for (std::size_t i = 0; i < values.size(); ++i) {
        const char width = wide ? '8' : '4';
        made.v[i] = store ? source(values[i], width) : destination(values[i], width);
    }
    made.d = made.v[0];
    emit(made);
    if (store || !narrow || !extends) return;
    for (std::size_t i = 0; i < values.size(); ++i) {  // 16-bit registers are kept zero-extended
        Instruction trim = of(*find_vector_operation("and.32"));
        trim.weight = 0;
        trim.d = trim.a = made.v[i];
        trim.b = frame_.constant(0xFFFF, false);
        emit(trim);
    }
}

void Lowering::access_param(const Opcode& opcode, bool store) {
    const Type type = opcode.types.back();
    const PtxOperand& place = operand(store ? 0 : 1);
    const PtxOperand& value = operand(store ? 1 : 0);
    const std::vector<PtxOperand> one{value};
    const std::vector<PtxOperand>& values = value.kind == PtxOperand::Kind::vector ? value.parts : one;
    const bool wide = values[0].kind == PtxOperand::Kind::number
                          ? bits_of(type) == 64
                          : frame_.type_of(values[0].name).find("64") != std::string::npos;
    const char width = wide ? '8' : '4';
    const int bytes = bits_of(type) / 8;
    if (const auto kernel = parameters_.find(place.name); kernel != parameters_.end() && !store) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto at =
                std::uint32_t(std::int64_t(kernel->second.at) + place.offset + std::int64_t(i) * bytes);
            Instruction made = of(*find_vector_operation(wide ? "mov.64" : "mov.32"));
            made.weight = i == 0;
            made.d = destination(values[i], width);
            made.a = frame_.parameter(at, std::uint8_t(bytes), is_signed(type), wide);
            emit(made);
        }
        return;
    }
    const auto lane = lane_params_.find(place.name);
    if (lane == lane_params_.end()) unknown(fmt::format("the parameter '{}' is not known", place.name));
    Instruction made = with(store ? &store_param : &load_param, Pipe::integer);
    made.v[0] = made.v[1] = -1;
    made.bytes = std::uint8_t(bytes);
    made.count = std::uint8_t(values.size());
    made.wide_address = wide;
    made.modifiers.variant = is_signed(type) ? 1 : 0;
    made.immediate = lane->second + place.offset;
    for (std::size_t i = 0; i < values.size(); ++i)
        made.v[i] = store ? source(values[i], width) : destination(values[i], width);
    made.space = Space::param;  // a and b are set once the frame is laid out
    emit(made);
}

void Lowering::atomic_access(const Opcode& opcode, bool with_result) {
    const std::optional<Reduction> reduction = reduction_named(opcode);
    if (!reduction || opcode.types.empty()) unknown();
    const Type type = opcode.types.back();
    if (type == Type::f16 || bits_of(type) < 16 || opcode.has("noftz")) unknown();
    Instruction made = with(&atomic, Pipe::memory);
    std::size_t next = 0;
    if (with_result)
        made.d = operand(next++).name == "_" ? -1 : destination(from_->operands[0], register_width(type));
    address(operand(next++), space_in(opcode), made);
    made.b = source(operand(next++), register_width(type), bits_of(type));
    if (*reduction == Reduction::cas) made.c = source(operand(next), register_width(type), bits_of(type));
    made.v[0] = std::int32_t(type);
    made.modifiers.variant = std::uint8_t(*reduction);
    made.bytes = std::uint8_t(bits_of(type) / 8);
    made.strength = Strength::strong;
    made.releases = opcode.has("release") || opcode.has("acq_rel");
    made.beyond_block = !opcode.has("cta");
    emit(made);
}

// Asynchronous copies of 4, 8 or 16 bytes, and the waits for them.
void Lowering::copy_to_shared(const Opcode& opcode) {
    if (!opcode.has("async") || opcode.has("bulk") || opcode.has("mbarrier")) unknown();
    if (opcode.has("commit_group")) return emit(with(&commit_copies, Pipe::memory));
    if (opcode.has("wait_group") || opcode.has("wait_all")) {
        Instruction made = with(&wait_for_copies, Pipe::memory);
        made.immediate = -1;
        if (opcode.has("wait_group")) {
            if (operand(0).kind != PtxOperand::Kind::number) unknown();
            made.immediate = std::int64_t(std::min<std::uint64_t>(operand(0).bits, 1 << 20));
        }
        return emit(made);
    }
    if (operand(2).kind != PtxOperand::Kind::number) unknown();
    Instruction made = of(*find_memory_operation("copy"));
    address(operand(0), Space::shared, made);
    if (made.immediate != std::int32_t(made.immediate)) unknown();
    made.b = made.a;
    made.v[0] = std::int32_t(made.immediate);
    const bool wide = made.wide_address;
    address(operand(1), Space::global, made);
    if (!made.wide_address) unknown("the source has an address of 32 bits");
    made.wide_address = wide;  // of the target
    made.bytes = std::uint8_t(operand(2).bits);
    if (from_->operands.size() > 3) made.c = source(operand(3), '4');
    emit(made);
}

// ---- lanes

void Lowering::shuffle_lanes(const Opcode& opcode) {
    Instruction made = with(&shuffle, Pipe::memory);
    const Shuffle mode = opcode.has("up")     ? Shuffle::up
                         : opcode.has("down") ? Shuffle::down
                         : opcode.has("bfly") ? Shuffle::bfly
                                              : Shuffle::idx;
    made.modifiers.variant = std::uint8_t(mode);
    made.d = destination(operand(0), '4');
    if (!operand(0).pair.empty()) made.v[1] = frame_.reg(operand(0).pair, 'p');
    made.a = source(operand(1), '4');
    made.b = source(operand(2), '4');
    made.c = source(operand(3), '4');
    if (from_->operands.size() > 4) made.v[0] = source(operand(4), '4');
    emit(made);
}

void Lowering::vote_lanes(const Opcode& opcode) {
    Instruction made = with(&vote, Pipe::integer);
    const Vote mode = opcode.has("ballot") ? Vote::ballot
                      : opcode.has("all")  ? Vote::all
                      : opcode.has("any")  ? Vote::any
                                           : Vote::uni;
    made.modifiers.variant = std::uint8_t(mode);
    made.d = destination(operand(0), mode == Vote::ballot ? '4' : 'p');
    made.a = frame_.reg(operand(1).name, 'p');
    made.immediate = operand(1).negated;
    made.b = from_->operands.size() > 2 ? source(operand(2), '4') : frame_.constant(kAllLanes, false);
    if (from_->operands.size() > 2) made.v[0] = made.b;
    emit(made);
}

void Lowering::match_lanes(const Opcode& opcode) {
    const bool all = opcode.has("all");
    Instruction made = with(all ? &match_all : &match_any, Pipe::integer);
    const Type type = opcode.types.empty() ? Type::u32 : opcode.types.back();
    made.bytes = std::uint8_t(bits_of(type) / 8);
    made.d = destination(operand(0), '4');
    if (!operand(0).pair.empty()) made.v[0] = frame_.reg(operand(0).pair, 'p');
    made.a = source(operand(1), register_width(type));
    made.b = source(operand(2), '4');
    emit(made);
}

void Lowering::reduce_lanes(const Opcode& opcode) {
    const std::optional<Reduction> reduction = reduction_named(opcode);
    if (!reduction || opcode.types.empty() || is_float(opcode.types.back())) unknown();
    Instruction made = with(&reduce_warp, Pipe::integer);
    made.modifiers.variant = std::uint8_t(*reduction);
    made.v[0] = std::int32_t(opcode.types.back());
    made.d = destination(operand(0), '4');
    made.a = source(operand(1), '4');
    made.b = source(operand(2), '4');
    emit(made);
}

void Lowering::barrier(const PtxInstruction& from, Instruction& made) {
    from_ = &from;
    const Opcode opcode = take_apart(from.opcode);
    static const std::set<std::string> kKnown{"cta", "sync", "arrive",  "red", "popc",
                                              "and", "or",   "aligned", "u32", "pred"};
    for (const std::string& part : opcode.parts) {
        if (!kKnown.count(part)) unknown();
    }
    const bool reduces = opcode.has("red");
    const BarrierKind kind = opcode.has("arrive") ? BarrierKind::arrive
                             : !reduces           ? BarrierKind::sync
                             : opcode.has("popc") ? BarrierKind::popc
                             : opcode.has("and")  ? BarrierKind::all
                                                  : BarrierKind::any;
    made.modifiers.variant = std::uint8_t(kind);
    std::size_t first = 0;
    std::size_t end = from.operands.size();
    if (reduces) {
        made.d = destination(operand(0), kind == BarrierKind::popc ? '4' : 'p');
        first = 1;
        --end;
        made.c = source(operand(end), 'p');
        made.immediate = operand(end).negated;
    }
    const std::size_t count = end - first;
    if (count < 1 || count > 2 || (kind == BarrierKind::arrive && count != 2))
        unknown("the number of operands is another");
    made.a = source(operand(first), '4');
    if (count > 1) made.b = source(operand(first + 1), '4');
}

void Lowering::sample_texture(const Opcode& opcode) {
    if (opcode.parts.empty() || opcode.parts[0] != "2d" || opcode.types.size() != 2) unknown();
    if (operand(0).kind != PtxOperand::Kind::vector || operand(1).parts.size() < 2) unknown();
    Instruction made = with(&texture_2d, Pipe::texture);
    made.modifiers.variant = opcode.types[0] == Type::f32 ? 0 : 1;
    made.bytes = opcode.types[1] == Type::f32 ? 4 : 1;
    for (std::size_t i = 0; i < 4; ++i) {
        if (operand(0).parts[i].name != "_") made.v[i] = destination(operand(0).parts[i], '4');
    }
    made.a = frame_.reg(operand(1).name, '8');
    made.b = source(operand(1).parts[0], '4');
    made.c = source(operand(1).parts[1], '4');
    emit(made);
}

}  // namespace ws::simt
