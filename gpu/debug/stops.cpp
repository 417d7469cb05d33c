#include "gpu/debug/stops.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/debug/value_text.h"
#include "gpu/simt/addresses.h"

namespace ws::debug {
namespace {

constexpr std::uint64_t kMostWatchedBytes = 4096;

// What lay at an address once.
class FormerMemory : public Surroundings {
  public:
    FormerMemory(std::uint64_t address, std::span<const std::byte> bytes)
        : address_(address), bytes_(bytes) {}
    std::optional<Value> named(std::string_view) const override { return std::nullopt; }
    std::span<const std::byte> memory(std::uint64_t address, std::uint64_t bytes) const override {
        const std::uint64_t at = address - address_;
        return at <= bytes_.size() && bytes <= bytes_.size() - at ? bytes_.subspan(at, bytes)
                                                                  : std::span<const std::byte>();
    }

  private:
    std::uint64_t address_;
    std::span<const std::byte> bytes_;
};

std::uint64_t generic_address(const simt::LaneWrite& write) {
    if (write.space == simt::Space::shared) return simt::kSharedWindow + write.address;
    if (write.space == simt::Space::local) return simt::kLocalWindow + write.address;
    return write.address;
}

bool holds(const Breakpoint& one, Focus focus, const Stops::Here& here) {
    if (!one.when) return true;
    try {
        const LaneView lane = here.view(focus);
        TypeTable& types = here.text.info().types;
        return is_true(evaluate(*one.when, types, lane), types, lane);
    } catch (const DebugError&) {
        return false;  // what has no value does not hold
    }
}

// Empty where it has no value, or where the warp that takes the step cannot change it.
std::vector<std::byte> bytes_of_watch(const Watch& watch, int warp, const Stops::Here& here) {
    if (watch.address) {
        const auto bytes =
            here.block.bytes_at(watch.focus.warp, watch.focus.lane, *watch.address, watch.bytes);
        return {bytes.begin(), bytes.end()};
    }
    if (watch.focus.warp != warp) return {};
    try {
        const LaneView lane = here.view(watch.focus);
        TypeTable& types = here.text.info().types;
        const std::uint64_t bits = bits_of(evaluate(watch.expression, types, lane), types, lane);
        std::vector<std::byte> made(sizeof bits);
        std::memcpy(made.data(), &bits, sizeof bits);
        return made;
    } catch (const DebugError&) {
        return {};
    }
}

std::string text_of_bytes(const Watch& watch, const std::vector<std::byte>& bytes, const TypeTable& types) {
    const std::uint64_t address = watch.address.value_or(0);
    const FormerMemory memory(address, bytes);
    if (watch.address) return text_of({watch.type, 0, address, 0, 0}, types, memory);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data(), sizeof bits);
    return text_of({watch.type, bits, {}, 0, 0}, types, memory);
}

}  // namespace

bool wrote(const simt::LaneWrite& write, int warp, std::uint64_t address, std::uint64_t bytes, Focus owner) {
    const std::uint64_t at = generic_address(write);
    if (at + write.bytes <= address || address + bytes <= at) return false;
    return write.space != simt::Space::local || owner == Focus{warp, write.lane};
}

const Breakpoint& Stops::add(SourceLine line, const std::string& condition, bool temporary,
                             KernelText& text) {
    Breakpoint made;
    made.instructions = text.starts_of(line);
    if (made.instructions.empty())
        throw DebugError(fmt::format("no code at line {} of {} or behind it", line.line,
                                     text.files()[std::size_t(line.file)].name));
    made.line = line;
    if (!condition.empty()) made.when = parse_expression(condition, text.info().types);
    made.condition = condition;
    made.temporary = temporary;
    made.number = ++last_number_;
    breakpoints_.push_back(std::move(made));
    return breakpoints_.back();
}

const Watch& Stops::add(const std::string& expression, const Here& here) {
    Watch made;
    TypeTable& types = here.text.info().types;
    made.text = expression;
    made.expression = parse_expression(expression, types);
    made.focus = here.focus;
    const LaneView lane = here.view(here.focus);
    const Value value = evaluate(made.expression, types, lane);
    made.type = value.type;
    made.bytes = types[value.type].bytes;
    if (value.address) {
        made.address = value.address;
        if (made.bytes == 0 || made.bytes > kMostWatchedBytes)
            throw DebugError(fmt::format("{} has {} bytes: 1 to {} can be watched", expression, made.bytes,
                                         kMostWatchedBytes));
        if (lane.memory(*value.address, made.bytes).empty())
            throw DebugError(fmt::format("no memory at address {:#x}", *value.address));
    } else {
        made.bytes = 8;
        (void)bits_of(value, types, lane);
    }
    made.number = ++last_number_;
    watches_.push_back(std::move(made));
    return watches_.back();
}

bool Stops::remove(int number) {
    const auto is = [number](const auto& one) { return one.number == number; };
    return std::erase_if(breakpoints_, is) + std::erase_if(watches_, is) > 0;
}

void Stops::clear() {
    breakpoints_.clear();
    watches_.clear();
}

std::optional<Stops::Hit> Stops::hit(int warp, const Here& here) const {
    if (breakpoints_.empty()) return std::nullopt;
    const int instruction = here.block.next_instruction(warp);
    for (const Breakpoint& one : breakpoints_) {
        if (std::find(one.instructions.begin(), one.instructions.end(), instruction) ==
            one.instructions.end())
            continue;
        const simt::WarpState& state = here.block.state().warps[std::size_t(warp)];
        const std::uint32_t lanes = state.paths.back().mask & state.warp.live;
        // The lane in focus first, if it is among them.
        const bool of_focus = warp == here.focus.warp && (lanes >> here.focus.lane & 1u) != 0;
        const int first = of_focus ? here.focus.lane : std::countr_zero(lanes);
        for (int i = -1; i < simt::kLanes; ++i) {
            const int lane = i < 0 ? first : i;
            if ((lanes >> lane & 1u) != 0 && holds(one, {warp, lane}, here))
                return Hit{one.number, {warp, lane}};
        }
    }
    return std::nullopt;
}

void Stops::count_hit(int number) {
    const auto found = std::find_if(breakpoints_.begin(), breakpoints_.end(),
                                    [number](const Breakpoint& one) { return one.number == number; });
    ++found->hits;
    if (found->temporary) breakpoints_.erase(found);
}

Stops::Watched Stops::watched(int warp, const Here& here) const {
    Watched made;
    for (const Watch& watch : watches_) made.push_back(bytes_of_watch(watch, warp, here));
    return made;
}

std::optional<Stops::Change> Stops::change(const Watched& before, int warp, const Here& here) const {
    const TypeTable& types = here.text.info().types;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const Watch& watch = watches_[i];
        if (before[i].empty()) continue;
        const std::vector<std::byte> after = bytes_of_watch(watch, warp, here);
        if (after.empty() || after == before[i]) continue;
        Change made{watch.number, watch.address ? 0 : watch.focus.lane,
                    text_of_bytes(watch, before[i], types), text_of_bytes(watch, after, types)};
        for (const simt::LaneWrite& write : here.block.writes()) {
            if (watch.address && wrote(write, warp, *watch.address, watch.bytes, watch.focus))
                made.lane = write.lane;
        }
        return made;
    }
    return std::nullopt;
}

}  // namespace ws::debug
