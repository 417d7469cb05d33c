// Lowering of what touches memory.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpu/simt/lower.h"
#include "gpu/simt/special_operations.h"

namespace ws::simt {

std::optional<Reduction> Lowering::reduction_in(const Opcode& opcode, Type type) {
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
        if (!opcode.has(name)) continue;
        const bool swaps = reduction == Reduction::exch || reduction == Reduction::cas;
        const bool counts = reduction == Reduction::inc || reduction == Reduction::dec;
        if (is_small_float(type))
            return reduction == Reduction::add && opcode.has("noftz") ? std::optional(reduction)
                                                                      : std::nullopt;
        if (bits_of(type) < 32 && (type != Type::u16 || reduction != Reduction::cas)) return std::nullopt;
        if (is_float(type) && reduction != Reduction::add && !swaps) return std::nullopt;
        if (counts && type != Type::u32) return std::nullopt;
        return reduction;
    }
    return std::nullopt;
}

Lowering::Address Lowering::address(const PtxOperand& from, Space space) {
    if (from.kind != PtxOperand::Kind::address || !from.parts.empty()) unknown("an address was expected");
    if (from.name.empty()) return {frame_.constant(0, true), true, from.offset, true};
    if (frame_.is_register(from.name)) {
        check_kind(from, 'u');
        const bool wide = frame_.width_of(from.name) == '8';
        return {frame_.reg(from.name, wide ? '8' : '4'), wide, from.offset};
    }
    const auto symbol = symbols_.find(from.name);
    if (symbol == symbols_.end()) unknown(fmt::format("'{}' is not known", from.name));
    const Space of_symbol = symbol->second.space;
    const bool is_generic =
        space == Space::generic && (of_symbol == Space::global || of_symbol == Space::constant);
    if (of_symbol != space && !is_generic) unknown(fmt::format("'{}' lies in another space", from.name));
    return {frame_.constant(symbol->second.address, true), true, from.offset, true};
}

// Takes what says as of whom and through which cache an access goes: each is done at once here. Of the caches
// only .cg is counted otherwise.
void Lowering::ignore_hints(const Opcode& opcode, bool store) const {
    opcode.ignore({"weak", "cluster", "gpu", "sys", "mmio", "cg", "cs"});
    if (store)
        opcode.ignore({"wb", "wt"});
    else
        opcode.ignore({"ca", "lu", "cv", "unified"});
    const bool with_policy = opcode.has("L2::cache_hint");
    for (const char* prefix : {"L1::", "L2::evict_", "L2::64B", "L2::128B", "L2::256B"})
        opcode.ignore_beginning(prefix);
    if (with_policy && !frame_.is_register(operand(2).name)) unknown("a cache policy was expected");
}

void Lowering::access(const Opcode& opcode, bool store) {
    const Space space = space_in(opcode);
    if (opcode.types.empty() || opcode.types.back() == Type::pred || opcode.types.back() == Type::f16)
        unknown("it has no type of an access");
    if (store && space == Space::constant) unknown("constant memory is not written");
    const Type type = opcode.types.back();
    const bool releases = store && opcode.has("release");
    const bool is_strong = releases || (!store && opcode.has("acquire")) || opcode.has("relaxed");
    const Strength strength = opcode.has("volatile") ? Strength::is_volatile
                              : is_strong            ? Strength::strong
                                                     : Strength::plain;
    const bool beyond_block = !opcode.has("cta");
    const bool past_l1 = !store && opcode.has("cg");
    ignore_hints(opcode, store);
    const bool read_only = !store && (space == Space::global || space == Space::generic) && opcode.has("nc");
    const std::vector<PtxOperand> values = elements(opcode, operand(store ? 1 : 0));
    if (int(values.size()) * bits_of(type) > 128) unknown("an access has at most 16 bytes");
    if (space == Space::param) return access_param(opcode, values, store);
    const char width = width_of_all(values, type);
    const bool extends = is_signed(type) && bits_of(type) < (width == '8' ? 64 : 32);
    const std::string key = std::string(store ? "store" : "load") + (width == '8' ? ".wide" : "") +
                            (extends && !store ? ".signed" : "");
    Instruction made = of(*find_memory_operation(key));
    const Address at = address(operand(store ? 0 : 1), space);
    made.a = at.base;
    made.kind = store ? AccessKind::write : AccessKind::read;
    const MemoryAccess& access = attach(made, MemoryAccess{{},
                                                           at.offset,
                                                           place_values(values, width, opcode, store),
                                                           space,
                                                           std::uint8_t(bits_of(type) / 8),
                                                           std::uint8_t(values.size()),
                                                           at.wide,
                                                           strength,
                                                           releases,
                                                           beyond_block,
                                                           -1,
                                                           {},
                                                           past_l1,
                                                           at.known,
                                                           read_only});
    emit(made);
    for (std::size_t i = 0; !store && i < values.size(); ++i) trim(access.elements[i], width, type);
}

// Narrow registers are kept zero-extended: takes the sign away that a load has put above them.
void Lowering::trim(std::int32_t place, char width, Type type) {
    if (!is_signed(type) || width == '4' || width == '8') return;
    Instruction made = of(*find_vector_operation("and.32"));
    made.weight = 0;
    made.d = made.a = place;
    made.b = frame_.constant(width == '2' ? 0xFFFF : 0xFF, false);
    emit(made);
}

// The width of the registers of an access: one for all of them.
char Lowering::width_of_all(const std::vector<PtxOperand>& values, Type type) const {
    char width = 0;
    for (const PtxOperand& value : values) {
        const bool any = value.kind == PtxOperand::Kind::number || value.name == "_";
        if (!any && width == 0) width = wider(value, type);
    }
    return width == 0 ? register_width(type) : width;
}

Elements Lowering::place_values(const std::vector<PtxOperand>& values, char width, const Opcode& opcode,
                                bool store) {
    const char kind = opcode.last_type[0];
    Elements made = kNoElements;
    for (std::size_t i = 0; i < values.size(); ++i)
        made[i] = store ? source(values[i], width, kind) : destination(values[i], width, kind);
    return made;
}

void Lowering::access_param(const Opcode& opcode, const std::vector<PtxOperand>& values, bool store) {
    const Type type = opcode.types.back();
    const PtxOperand& place = operand(store ? 0 : 1);
    if (place.kind != PtxOperand::Kind::address || !place.parts.empty()) unknown("an address was expected");
    const char width = width_of_all(values, type);
    const int bytes = bits_of(type) / 8;
    const auto inside = [&](std::uint64_t size) {
        if (place.offset < 0 || std::uint64_t(place.offset) + values.size() * std::size_t(bytes) > size)
            unknown(fmt::format("'{}' has {} bytes", place.name, size));
    };
    if (const auto kernel = parameters_.find(place.name); kernel != parameters_.end() && !store) {
        inside(kernel->second.bytes);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto at =
                std::uint32_t(kernel->second.at + std::uint64_t(place.offset) + i * std::size_t(bytes));
            Instruction made = of(*find_vector_operation(width == '8' ? "mov.64" : "mov.32"));
            made.weight = i == 0;
            made.d = destination(values[i], width, opcode.last_type[0]);
            made.a = frame_.parameter(at, std::uint8_t(bytes), is_signed(type), width == '8');
            emit(made);
            trim(made.d, width, type);
        }
        return;
    }
    const auto lane = lane_params_.find(place.name);
    if (lane == lane_params_.end()) unknown(fmt::format("the parameter '{}' is not known", place.name));
    inside(lane->second.bytes);
    Instruction made = with(store ? &store_param : &load_param, Pipe::alu);
    LaneParameterAccess detail;  // whose area is set once the frame is laid out
    detail.bytes = std::uint8_t(bytes);
    detail.count = std::uint8_t(values.size());
    detail.wide = width == '8';
    detail.is_signed = is_signed(type);
    detail.offset = lane->second.at + place.offset;
    detail.elements = place_values(values, width, opcode, store);
    attach(made, detail);
    emit(made);
    for (std::size_t i = 0; !store && i < values.size(); ++i) trim(detail.elements[i], width, type);
}

void Lowering::atomic_access(const Opcode& opcode, bool with_result) {
    if (opcode.types.empty()) unknown("it has no type");
    const Type type = opcode.types.back();
    const std::optional<Reduction> reduction = reduction_in(opcode, type);
    if (!reduction) unknown(fmt::format("no operation on .{}", opcode.last_type));
    const Space space = space_in(opcode);
    if (space == Space::constant || space == Space::local || space == Space::param)
        unknown("it works on global and shared memory");
    Instruction made = with(kAtomic, Pipe::lsu);
    made.kind = AccessKind::atomic;
    AtomicAccess detail;
    detail.space = space;
    detail.bytes = std::uint8_t(bits_of(type) / 8);
    detail.strength = Strength::strong;
    detail.releases = opcode.has("release") || opcode.has("acq_rel");
    detail.beyond_block = !opcode.has("cta");
    detail.type = type;
    detail.reduction = *reduction;
    opcode.ignore({"relaxed", "acquire", "cluster", "gpu", "sys"});
    const char width = register_width(type);
    const char kind = opcode.last_type[0];
    std::size_t next = 0;
    if (with_result) {
        const PtxOperand& to = operand(next++);
        made.d = to.name == "_" ? -1 : destination(to, width, kind);
    }
    const Address at = address(operand(next++), space);
    made.a = at.base;
    detail.offset = at.offset;
    detail.wide_address = at.wide;
    made.b = source(operand(next++), width, kind);
    if (*reduction == Reduction::cas) made.c = source(operand(next), width, kind);
    attach(made, detail);
    emit(made);
}

// Asynchronous copies of 4, 8 or 16 bytes, and the waits for them.
void Lowering::copy_to_shared(const Opcode& opcode) {
    if (!opcode.has("async")) unknown();
    if (opcode.has("commit_group")) return emit(with(&commit_copies, Pipe::lsu));
    const bool waits_for_all = opcode.has("wait_all");
    if (waits_for_all || opcode.has("wait_group")) {
        Instruction made = with(kWaitForCopies, Pipe::lsu);
        CopyWait detail;
        if (!waits_for_all) {
            if (operand(0).kind != PtxOperand::Kind::number) unknown("a number of groups was expected");
            detail.groups = int(std::min<std::uint64_t>(operand(0).bits, 1 << 20));
        }
        attach(made, detail);
        return emit(made);
    }
    const bool past_l1 = opcode.has("cg");
    if (!past_l1 && !opcode.has("ca")) unknown("'.ca' or '.cg' is missing");
    if (space_in(opcode) != Space::global || space_in(opcode) != Space::shared)
        unknown("it copies from global to shared memory");
    const bool with_policy = opcode.has("L2::cache_hint");
    opcode.ignore({"L2::64B", "L2::128B", "L2::256B"});
    const PtxOperand& size = operand(2);
    const bool fits = size.bits == 16 || (!past_l1 && (size.bits == 4 || size.bits == 8));
    if (size.kind != PtxOperand::Kind::number || size.number != PtxOperand::Number::integer || !fits)
        unknown(past_l1 ? "it copies 16 bytes" : "it copies 4, 8 or 16 bytes");
    Instruction made = of(*find_memory_operation("copy"));
    made.kind = AccessKind::copy;
    const Address target = address(operand(0), Space::shared);
    if (target.offset != std::int32_t(target.offset)) unknown("its address is too far away");
    const Address from = address(operand(1), Space::global);
    if (!from.wide) unknown("the source has an address of 32 bits");
    made.a = from.base;
    made.b = target.base;
    AsyncCopy detail;
    detail.space = Space::global;
    detail.bytes = std::uint8_t(size.bits);
    detail.offset = from.offset;
    detail.target_offset = target.offset;
    detail.wide_target = target.wide;
    attach(made, detail);
    const std::size_t others = from_->operands.size() - (with_policy ? 1 : 0);
    if (others > 3) made.c = bytes_to_copy(operand(3), detail.bytes);
    if (with_policy) (void)source(operand(others), '8');
    emit(made);
}

// The bytes of a copy that are read, the rest becomes 0: a number of them, or a predicate that ignores all.
std::int32_t Lowering::bytes_to_copy(const PtxOperand& from, std::uint8_t bytes) {
    if (from.kind == PtxOperand::Kind::number && from.bits > bytes)
        unknown(fmt::format("it copies {} bytes and reads {}", bytes, from.bits));
    if (!frame_.is_register(from.name) || frame_.width_of(from.name) != 'p') return source(from, '4', 'u');
    Instruction choose = of(*find_vector_operation("selp.32"));
    choose.weight = 0;
    choose.d = frame_.scratch('4');
    choose.a = frame_.constant(from.negated ? bytes : 0, false);
    choose.b = frame_.constant(from.negated ? 0 : bytes, false);
    choose.c = predicate(from);
    emit(choose);
    return choose.d;
}

}  // namespace ws::simt
