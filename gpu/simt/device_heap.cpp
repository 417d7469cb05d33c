#include "gpu/simt/device_heap.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gpu/simt/addresses.h"
#include "gpu/simt/fresh_memory.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kHeapAlign = 16;
constexpr std::uint64_t kHeader = 32;  // before each, so that running over an end meets nothing
constexpr std::uint64_t kNoRoom = ~0ull;

// With its header.
std::uint64_t footprint(std::uint64_t bytes) {
    return kHeader + (bytes + kHeapAlign - 1) / kHeapAlign * kHeapAlign;
}

}  // namespace

// The first place at `from` or behind it, as an offset of a header.
std::uint64_t DeviceHeap::find_room(std::uint64_t from, std::uint64_t bytes) const {
    const std::uint64_t wanted = footprint(bytes);
    auto next = live_.lower_bound(from);
    if (next != live_.begin()) {
        const auto& [at, before] = *std::prev(next);
        from = std::max(from, at + footprint(before.bytes));
    }
    for (; next != live_.end(); ++next) {
        if (next->first >= from + wanted) return from;
        from = next->first + footprint(next->second.bytes);
    }
    return from + wanted <= kBytes ? from : kNoRoom;
}

std::uint64_t DeviceHeap::allocate(std::uint64_t bytes, int line) {
    if (bytes == 0 || bytes > kBytes || taken_ + footprint(bytes) > kBytes) return 0;
    std::uint64_t at = find_room(next_, bytes);
    if (at == kNoRoom) at = find_room(0, bytes);
    if (at == kNoRoom) return 0;
    if (room_.empty()) room_.assign(kBytes, kFresh);
    next_ = at + footprint(bytes);
    end_ = std::max(end_, next_);
    taken_ += footprint(bytes);
    live_[at] = {bytes, line, 0};
    auto old = freed_.upper_bound(at);
    if (old != freed_.begin() && std::prev(old)->first + footprint(std::prev(old)->second.bytes) > at) --old;
    while (old != freed_.end() && old->first < next_) old = freed_.erase(old);
    std::fill_n(room_.begin() + std::ptrdiff_t(at + kHeader), bytes, kFresh);
    return kHeapBase + at + kHeader;
}

std::string DeviceHeap::release(std::uint64_t address, int line) {
    const std::uint64_t at = address - kHeapBase - kHeader;
    const auto found = live_.find(at);
    if (found == live_.end()) {
        const auto before = freed_.find(at);
        if (before == freed_.end()) return "free of an address that malloc did not give";
        return fmt::format("free of the {} bytes of malloc in line {} that were freed in line {}",
                           before->second.bytes, before->second.line, before->second.freed_at);
    }
    taken_ -= footprint(found->second.bytes);
    found->second.freed_at = line;
    freed_.insert(live_.extract(found));
    return "";
}

std::byte* DeviceHeap::at(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t offset = address - kHeapBase;
    auto found = live_.upper_bound(offset);
    if (address < kHeapBase || found == live_.begin()) return nullptr;
    --found;
    const std::uint64_t first = found->first + kHeader;
    const bool inside = offset >= first && offset + bytes <= first + found->second.bytes;
    return inside ? room_.data() + offset : nullptr;
}

std::string DeviceHeap::text_of(std::uint64_t address) const {
    const std::uint64_t offset = address - kHeapBase;
    // The one that begins there or before it: behind an end, and not in the next one's header.
    const auto before = [offset](const Allocations& all) {
        const auto behind = offset < kHeader ? all.begin() : all.upper_bound(offset - kHeader);
        return behind == all.begin() ? all.end() : std::prev(behind);
    };
    const auto within = [&](const Allocation& one, std::uint64_t at) {
        const auto from = std::int64_t(offset) - std::int64_t(at + kHeader);
        return fmt::format("offset {} of the {} bytes of malloc in line {}", from, one.bytes, one.line);
    };
    const auto live = before(live_);
    const auto freed = before(freed_);
    if (freed != freed_.end() && (live == live_.end() || freed->first > live->first) &&
        offset < freed->first + footprint(freed->second.bytes) + kHeader)
        return within(freed->second, freed->first) +
               fmt::format(", which were freed in line {}", freed->second.freed_at);
    if (live != live_.end()) return within(live->second, live->first);
    return "memory that malloc did not give";
}

std::vector<Finding> DeviceHeap::leaks() const {
    struct Sum {
        std::uint64_t count = 0, bytes = 0;
    };
    std::map<int, Sum> lines;
    for (const auto& [at, one] : live_) {
        Sum& sum = lines[one.line];
        ++sum.count;
        sum.bytes += one.bytes;
    }
    std::vector<Finding> made;
    made.reserve(lines.size());
    for (const auto& [line, sum] : lines) {
        made.push_back({Finding::Kind::leak, severity_of(Finding::Kind::leak),
                        fmt::format("{} bytes in {} {} of malloc are never freed, line {}", sum.bytes,
                                    sum.count, sum.count == 1 ? "piece" : "pieces", line),
                        line, sum.count});
    }
    return made;
}

}  // namespace ws::simt
