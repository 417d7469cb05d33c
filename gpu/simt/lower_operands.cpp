// What the operands of an instruction are, and that nothing of it is left over.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "gpu/simt/lower.h"

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

}  // namespace

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
    static const std::set<std::string> kOfTwoTypes{"cvt", "set", "tex", "dp4a", "dp2a", "slct"};
    const std::size_t most = opcode.name.starts_with("vabsdiff") ? 3 : kOfTwoTypes.count(opcode.name) ? 2 : 1;
    if (opcode.types.size() > most) unknown("it has too many types");
}

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
        unknown(fmt::format("'{}' is not a predicate", operand.name));
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

void Lowering::check_control(const PtxInstruction& from, Flow flow) {
    from_ = &from;
    asked_.assign(from.operands.size(), true);
    const Opcode opcode(from.opcode);
    std::size_t least = 0;
    std::size_t most = 0;
    if (flow != Flow::exit && flow != Flow::trap) {
        opcode.has("uni");
        if (flow == Flow::list && !opcode.has("idx")) unknown("'.idx' is missing");
        least = most = flow == Flow::list ? 2 : flow == Flow::branch ? 1 : 0;
    }
    if (!opcode.types.empty()) unknown("it has no type");
    if (from.operands.size() < least || from.operands.size() > most)
        unknown(fmt::format("it takes {} operands, not {}", least, from.operands.size()));
    check_all_used(opcode);
    if (flow != Flow::branch && flow != Flow::list) return;
    const PtxOperand& label = from.operands.back();
    if (label.kind != PtxOperand::Kind::name || label.negated || label.offset != 0)
        unknown("a label was expected");
}

}  // namespace ws::simt
