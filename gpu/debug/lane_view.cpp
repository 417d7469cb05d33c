#include "gpu/debug/lane_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "gpu/simt/addresses.h"

namespace ws::debug {
namespace {

constexpr int kLanes = simt::kLanes;

struct BuiltIn {
    std::string_view name;
    simt::Special special;
};
constexpr std::array<BuiltIn, 17> kBuiltIns{{{"threadIdx.x", simt::Special::tid_x},
                                             {"threadIdx.y", simt::Special::tid_y},
                                             {"threadIdx.z", simt::Special::tid_z},
                                             {"blockIdx.x", simt::Special::ctaid_x},
                                             {"blockIdx.y", simt::Special::ctaid_y},
                                             {"blockIdx.z", simt::Special::ctaid_z},
                                             {"blockDim.x", simt::Special::ntid_x},
                                             {"blockDim.y", simt::Special::ntid_y},
                                             {"blockDim.z", simt::Special::ntid_z},
                                             {"gridDim.x", simt::Special::nctaid_x},
                                             {"gridDim.y", simt::Special::nctaid_y},
                                             {"gridDim.z", simt::Special::nctaid_z},
                                             {"%laneid", simt::Special::laneid},
                                             {"%warpid", simt::Special::warpid},
                                             {"%smid", simt::Special::smid},
                                             {"%lanemask_lt", simt::Special::lanemask_lt},
                                             {"%lanemask_eq", simt::Special::lanemask_eq}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPtxNames{
    {{"%tid.", "threadIdx."}, {"%ctaid.", "blockIdx."}, {"%ntid.", "blockDim."}, {"%nctaid.", "gridDim."}}};

std::uint64_t window_of(simt::Space space) {
    if (space == simt::Space::shared) return simt::kSharedWindow;
    return space == simt::Space::local ? simt::kLocalWindow : 0;
}

}  // namespace

LaneView::LaneView(const simt::SteppedBlock& block, KernelText& text, Focus focus, int level)
    : block_(block), text_(text), focus_(focus) {
    const std::vector<simt::LanePlace> places = block.places(focus.warp);
    std::size_t at = 0;
    while (at < places.size() && (places[at].lanes >> focus.lane & 1u) == 0) ++at;
    if (at == places.size()) at = places.size() - 1;  // it has ended: the kernel's own function
    for (bool wanted = true; at < places.size(); ++at) {
        const simt::LanePlace& place = places[at];
        if (wanted) {
            const std::string& symbol = block.program().functions[std::size_t(place.function)].name;
            SourceLine source = text.source_of(place.instruction);
            const std::vector<const Scope*> functions = text.functions_at(place.instruction);
            for (const Scope* one : functions) {
                if (!one->inlined) break;
                stack_.push_back(
                    {one->function, place.function, place.instruction, source, place.frame, true});
                source = one->call_line > 0 ? SourceLine{source.file, one->call_line} : SourceLine{};
            }
            const std::string name = functions.empty() ? plain_symbol(symbol) : functions.back()->function;
            stack_.push_back({name, place.function, place.instruction, source, place.frame, false});
        }
        wanted = place.is_call;  // the next path is that of the caller
    }
    level_ = std::min(std::size_t(std::max(0, level)), stack_.size() - 1);
}

const simt::Function& LaneView::function() const {
    return block_.program().functions[std::size_t(here().function_index)];
}

const std::byte* LaneView::registers() const {
    const simt::WarpState& warp = block_.state().warps[std::size_t(focus_.warp)];
    return warp.warp.frame - warp.frame + here().frame;
}

std::span<const std::byte> LaneView::memory(std::uint64_t address, std::uint64_t bytes) const {
    return block_.bytes_at(focus_.warp, focus_.lane, address, bytes);
}

std::optional<std::uint64_t> LaneView::register_bits(std::string_view name) const {
    const auto found = function().names.registers.find(name);
    if (found == function().names.registers.end()) return std::nullopt;
    const std::byte* at = registers() + found->second.offset;
    const std::string& type = found->second.type;
    if (type == "pred") {
        std::uint32_t mask = 0;
        std::memcpy(&mask, at, sizeof mask);
        return mask >> focus_.lane & 1u;
    }
    const std::size_t bytes = type.ends_with("64") ? 8 : 4;
    std::uint64_t bits = 0;
    std::memcpy(&bits, at + std::size_t(focus_.lane) * bytes, bytes);
    return bits;
}

std::optional<Value> LaneView::built_in(std::string_view name) const {
    if (name == "warpSize") return Value{TypeTable::kInt, kLanes, {}, 0, 0};
    if (name == "$warp") return Value{TypeTable::kInt, std::uint64_t(focus_.warp), {}, 0, 0};
    if (name == "$lane") return Value{TypeTable::kInt, std::uint64_t(focus_.lane), {}, 0, 0};
    std::string plain(name);
    for (const auto& [ptx, cuda] : kPtxNames) {
        if (name.starts_with(ptx)) plain = std::string(cuda) + std::string(name.substr(ptx.size()));
    }
    for (const BuiltIn& one : kBuiltIns) {
        if (one.name != plain) continue;
        std::uint32_t bits = 0;
        std::memcpy(&bits, registers() + simt::offset_of(one.special) + focus_.lane * 4, sizeof bits);
        return Value{TypeTable::kUnsigned, bits, {}, 0, 0};
    }
    return std::nullopt;
}

Value LaneView::at_symbol(const Where& where, int type) const {
    const auto found = function().names.variables.find(where.name);
    if (found == function().names.variables.end())
        throw DebugError(fmt::format("the kernel does not use {}", plain_symbol(where.name)));
    const simt::NamedVariable& symbol = found->second;
    const Type& declared = text_.info().types[type];
    // An array whose size the launch gives.
    if (declared.kind == TypeKind::array && declared.count == 0 && symbol.space == simt::Space::shared) {
        const std::uint64_t element = std::max<std::uint64_t>(1, text_.info().types[declared.target].bytes);
        type = text_.info().types.array_of(declared.target, block_.launch().dynamic_shared_bytes / element);
    }
    return {type, 0, window_of(symbol.space) + symbol.address + std::uint64_t(where.offset), 0, 0};
}

Value LaneView::of_variable(const Variable& variable) const {
    const int line = text_.ptx_line_of(here().instruction);
    for (const Variable::Part& part : variable.parts) {
        if (!part.range.holds(line)) continue;
        if (part.where.kind == Where::Kind::at_symbol) return at_symbol(part.where, variable.type);
        if (part.where.kind != Where::Kind::in_register) break;
        const std::optional<std::uint64_t> bits = register_bits(part.where.name);
        if (!bits) break;
        return {variable.type, *bits, {}, 0, 0};
    }
    throw DebugError(
        fmt::format("{} has no value here: it is not set yet, or no longer kept", variable.name));
}

std::optional<Value> LaneView::shared_array(std::string_view name) const {
    for (const auto& [symbol, variable] : function().names.variables) {
        if (variable.space != simt::Space::shared || plain_symbol(symbol) != name) continue;
        const std::uint64_t bytes =
            variable.bytes > 0 ? variable.bytes : block_.launch().dynamic_shared_bytes;
        return Value{text_.shared_type(name, bytes), 0, simt::kSharedWindow + variable.address, 0, 0};
    }
    return std::nullopt;
}

std::vector<LaneView::Local> LaneView::locals() const {
    std::vector<Local> made;
    const auto add = [&](const Variable* variable, const std::string& name, bool is_parameter) {
        const bool known =
            std::any_of(made.begin(), made.end(), [&](const Local& one) { return one.name == name; });
        if (!known) made.push_back({variable, name, is_parameter});
    };
    // Of inlined functions that are further in than the level, nothing.
    std::size_t inner = 0;
    while (inner < level_ && stack_[level_ - 1 - inner].inlined) ++inner;
    for (const Scope* scope : text_.info().scopes_at(text_.ptx_line_of(here().instruction))) {
        if (inner == 0) {
            for (const Variable& variable : scope->variables)
                add(&variable, variable.name, variable.is_parameter);
            if (!scope->function.empty()) break;
        } else if (!scope->function.empty()) {
            --inner;
        }
    }
    for (const auto& [symbol, variable] : function().names.variables) {
        if (variable.space == simt::Space::shared) add(nullptr, plain_symbol(symbol), false);
    }
    return made;
}

Value LaneView::value_of(const Local& local) const {
    if (local.variable) return of_variable(*local.variable);
    const auto global = std::find_if(text_.info().globals.begin(), text_.info().globals.end(),
                                     [&](const Variable& one) { return one.name == local.name; });
    if (global != text_.info().globals.end()) return of_variable(*global);
    if (const std::optional<Value> found = shared_array(local.name)) return *found;
    throw DebugError(fmt::format("there is no \"{}\" here", local.name));
}

std::optional<Value> LaneView::named(std::string_view name) const {
    if (const std::optional<Value> found = built_in(name)) return found;
    if (name.starts_with('%')) {
        const std::optional<std::uint64_t> bits = register_bits(name);
        if (!bits) return std::nullopt;
        const std::string& type = function().names.registers.find(name)->second.type;
        const int known = type == "f32"          ? TypeTable::kFloat
                          : type == "f64"        ? TypeTable::kDouble
                          : type == "pred"       ? TypeTable::kBool
                          : type.ends_with("64") ? TypeTable::kLong
                                                 : TypeTable::kInt;
        return Value{known, *bits, {}, 0, 0};
    }
    for (const Local& local : locals()) {
        if (local.name == name) return value_of(local);
    }
    for (const Variable& variable : text_.info().globals) {
        if (variable.name == name) return of_variable(variable);
    }
    if (const std::optional<Value> found = shared_array(name)) return found;
    for (const auto& [symbol, variable] : function().names.variables) {
        if (plain_symbol(symbol) != name || variable.space == simt::Space::shared) continue;
        TypeTable& types = text_.info().types;
        return Value{types.array_of(*types.named("unsigned char"), variable.bytes), 0,
                     window_of(variable.space) + variable.address, 0, 0};
    }
    for (const Type& type : text_.info().types.all()) {
        if (type.kind != TypeKind::enumeration) continue;
        for (const auto& [text, number] : type.names) {
            if (text == name) return Value{TypeTable::kInt, std::uint64_t(number), {}, 0, 0};
        }
    }
    if (const std::optional<std::int64_t> constant = text_.constant(name)) {
        const bool small = *constant == std::int64_t(std::int32_t(*constant));
        return Value{small ? TypeTable::kInt : TypeTable::kLong, std::uint64_t(*constant), {}, 0, 0};
    }
    return std::nullopt;
}

bool is_active(const simt::SteppedBlock& block, Focus focus) {
    const simt::WarpState& warp = block.state().warps[std::size_t(focus.warp)];
    if (warp.state == simt::WarpState::State::done || warp.paths.empty()) return false;
    return (warp.paths.back().mask & warp.warp.live) >> focus.lane & 1u;
}

std::array<int, 3> thread_of(const simt::SteppedBlock& block, Focus focus) {
    const simt::Shape& shape = block.launch().block;
    const int thread = focus.warp * kLanes + focus.lane;
    return {thread % shape[0], thread / shape[0] % shape[1], thread / shape[0] / shape[1]};
}

std::optional<Focus> focus_of(const simt::SteppedBlock& block, const std::array<int, 3>& thread) {
    const simt::Shape& shape = block.launch().block;
    for (std::size_t i = 0; i < 3; ++i) {
        if (thread[i] < 0 || thread[i] >= shape[i]) return std::nullopt;
    }
    const int linear = (thread[2] * shape[1] + thread[1]) * shape[0] + thread[0];
    return Focus{linear / kLanes, linear % kLanes};
}

}  // namespace ws::debug
