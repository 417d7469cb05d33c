#include "gpu/simt/frame.h"

#include <fmt/format.h>

#include <optional>

#include "gpu/simt/opcode.h"
#include "gpu/simt/types.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kMostLaneBytes = 1 << 20;

// '?' if registers of the type are not supported.
char width_of_type(const std::string& type) {
    const std::optional<Type> known = type_named(type);
    return known ? register_width(*known) : '?';
}

}  // namespace

void check_size(std::uint64_t sum, std::uint64_t most, const PtxVariable& variable) {
    if (sum > most || variable.bytes > most)
        throw DecodeError(fmt::format("the variable '{}' does not fit into {} bytes", variable.name, most));
}

FrameLayout::FrameLayout(const PtxFunction& function) : end_(kSpecials * kSlot) {
    for (const auto& [name, type] : function.registers) {
        const char width = width_of_type(type);
        if (width == 'p') registers_[name] = {take(4, 4), width, type};
    }
    for (const auto& [name, type] : function.registers) {
        const char width = width_of_type(type);
        if (width == '?')
            throw DecodeError(fmt::format("'{}': registers of type .{} are not supported", name, type));
        if (width != 'p') registers_[name] = {take(width == '8' ? 2 * kSlot : kSlot, 64), width, type};
    }
}

std::int32_t FrameLayout::take(std::int32_t bytes, std::int32_t align) {
    end_ = (end_ + align - 1) / align * align;
    const std::int32_t at = end_;
    end_ += bytes;
    return at;
}

std::int32_t FrameLayout::reg(const std::string& name, char width) const {
    const Register& found = named(name);
    if (found.width != width)
        throw DecodeError(fmt::format("'{}' of type .{} has the wrong width here", name, found.type));
    return found.offset;
}

const FrameLayout::Register& FrameLayout::named(const std::string& name) const {
    const auto found = registers_.find(name);
    if (found == registers_.end()) throw DecodeError(fmt::format("'{}' is not a register", name));
    return found->second;
}

std::int32_t FrameLayout::constant(std::uint64_t bits, bool wide) {
    if (!wide) bits &= 0xFFFFFFFFu;
    const auto [entry, is_new] = constants_.try_emplace({bits, wide}, 0);
    if (is_new) {
        entry->second = take(wide ? 2 * kSlot : kSlot, 64);
        constant_list_.push_back({entry->second, bits, wide});
    }
    return entry->second;
}

std::int32_t FrameLayout::parameter(std::uint32_t at, std::uint8_t bytes, bool is_signed, bool wide) {
    for (const SlotParameter& known : parameters_) {
        if (known.at == at && known.bytes == bytes && known.is_signed == is_signed && known.wide == wide)
            return known.offset;
    }
    const std::int32_t offset = take(wide ? 2 * kSlot : kSlot, 64);
    parameters_.push_back({offset, at, bytes, is_signed, wide});
    return offset;
}

std::int32_t FrameLayout::scratch(char width) {
    return width == 'p' ? take(4, 4) : take(width == '8' ? 2 * kSlot : kSlot, 64);
}

std::int32_t FrameLayout::lane_bytes(const std::string& name, std::uint64_t bytes, std::uint64_t align) {
    const auto step = std::int32_t(align);
    if (bytes > kMostLaneBytes || std::uint64_t(lane_end_) + bytes > kMostLaneBytes)
        throw DecodeError(fmt::format("'{}': parameters of {} bytes are too large", name, bytes));
    lane_end_ = (lane_end_ + step - 1) / step * step;
    const std::int32_t at = lane_end_;
    lane_end_ += std::int32_t(bytes);
    return at;
}

void FrameLayout::finish(Function& function) const {
    constexpr std::int32_t kCacheLine = 64;
    for (const auto& [name, one] : registers_) function.names.registers[name] = {one.offset, one.type};
    function.constants = constant_list_;
    function.parameters = parameters_;
    function.lane_area = (end_ + kCacheLine - 1) / kCacheLine * kCacheLine;
    function.lane_stride = (lane_end_ + 15) / 16 * 16;
    function.frame_bytes =
        (function.lane_area + function.lane_stride * kLanes + kCacheLine - 1) / kCacheLine * kCacheLine;
}

}  // namespace ws::simt
