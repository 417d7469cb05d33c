#include "gpu/core/cache_level.h"

#include <algorithm>
#include <bit>
#include <span>

namespace ws {
namespace {

constexpr int kMostProtected = 2;  // of a segmented set, what was asked for again

}  // namespace

CacheLevel::CacheLevel(const CacheShape& shape)
    : ways_(shape.ways),
      which_(shape.which),
      sets_(shape.sets),
      set_bits_(sets_ > 0 ? std::countr_zero(sets_) : 0),
      room_(shape.room),
      set_of_(shape.set_of),
      tags_(sets_ * std::uint64_t(ways_), kNoTag),
      lines_(tags_.size()),
      spared_(sets_, 0) {}

CacheLevel::CacheLevel(std::uint64_t bytes, int ways, Replaced which)
    : CacheLevel(CacheShape{std::bit_floor(bytes / kLineBytes / std::uint64_t(ways)), ways, which}) {}

CacheLevel CacheLevel::with_all_of(std::uint64_t bytes, int least_ways, Replaced which) {
    const std::uint64_t lines = bytes / kLineBytes;
    const std::uint64_t sets = std::bit_floor(lines / std::uint64_t(least_ways));
    return sets == 0 ? CacheLevel(0, least_ways, which) : CacheLevel(bytes, int(lines / sets), which);
}

void CacheLevel::use(std::size_t place, std::size_t first, bool again) {
    lines_[place].used = ++clock_;
    if (which_ == Replaced::not_lately) use_lately(place, first);
    if (which_ == Replaced::segmented && again) use_again(place, first);
}

void CacheLevel::use_lately(std::size_t place, std::size_t first) {
    Line& line = lines_[place];
    if (line.spared) return;
    line.spared = true;
    int& spared = spared_of(first);
    if (++spared < ways_) return;
    for (Line& one : std::span(lines_).subspan(first, std::size_t(ways_))) one.spared = &one == &line;
    spared = 1;
}

// The one that is spared no more goes after all that were used once.
void CacheLevel::use_again(std::size_t place, std::size_t first) {
    if (lines_[place].spared) return;
    lines_[place].spared = true;
    int& spared = spared_of(first);
    if (++spared <= kMostProtected) return;
    Line& line = lines_[oldest(first, Preferred::spared)];
    line.spared = false;
    line.used = ++clock_;
    --spared;
}

std::size_t CacheLevel::set_of(std::uint64_t tag) const {
    if (set_of_) return (set_of_(tag) & (sets_ - 1)) * std::uint64_t(ways_);
    tag &= (std::uint64_t(1) << 56) - 1;
    for (int parts = 1; parts <= 4; parts *= 2) tag ^= tag >> std::min(parts * set_bits_, 63);
    return (tag & (sets_ - 1)) * std::uint64_t(ways_);
}

std::size_t CacheLevel::place_of(std::uint64_t tag, std::size_t first) const {
    const std::size_t end = first + std::size_t(ways_);
    std::size_t at = first;
    while (at < end && tags_[at] != tag) ++at;
    return at;
}

// The least of numbers that have the place in their lowest bits, without branches: which of them that is is
// as if thrown.
std::size_t CacheLevel::oldest(std::size_t first, Preferred preferred, std::size_t but) const {
    constexpr int kBitsOfPlace = 16;
    constexpr std::uint64_t kNone = ~std::uint64_t(0);
    const auto ways = std::size_t(ways_);
    std::uint64_t least = kNone;
    for (std::size_t way = 0; way < ways; ++way) {
        const std::size_t at = first + way;
        const auto other = std::uint64_t(lines_[at].spared != (preferred == Preferred::spared));
        const auto none = std::uint64_t(at == but) | std::uint64_t(tags_[at] == kNoTag);
        least = std::min(least, other << 63 | lines_[at].used << kBitsOfPlace | way | (0 - none));
    }
    return first + (least == kNone ? ways : std::size_t(least & ((1U << kBitsOfPlace) - 1)));
}

std::uint64_t CacheLevel::thrown() {
    thrown_ = thrown_ * 6364136223846793005U + 1442695040888963407U;
    return thrown_ >> 33;
}

// One of them, as if thrown.
std::size_t CacheLevel::not_lately_used(std::size_t first) {
    const auto ways = std::size_t(ways_);
    std::size_t at = std::size_t(thrown() % ways);
    for (std::size_t tries = 1; tries < ways && lines_[first + at].spared; ++tries) at = (at + 1) % ways;
    return first + at;
}

std::size_t CacheLevel::next_to_go(std::size_t first) {
    if (which_ == Replaced::not_lately) return not_lately_used(first);
    return oldest(first, Preferred::others);
}

void CacheLevel::leave(std::size_t place, std::size_t first) {
    if (lines_[place].spared) --spared_of(first);
    tags_[place] = kNoTag;
    lines_[place] = {};
    --held_;
}

std::size_t CacheLevel::make_room(std::size_t but) {
    for (;;) {
        const std::size_t first = std::size_t(thrown() & (sets_ - 1)) * std::size_t(ways_);
        const std::size_t end = first + std::size_t(ways_);
        const std::size_t place = oldest(first, Preferred::others, but);
        if (place == end) continue;
        leave(place, first);
        return place;
    }
}

CacheLevel::Taken CacheLevel::take(LineSectors wanted) {
    const std::uint32_t sectors = wanted.sectors();
    if (sets_ == 0) return {0, sectors};
    const std::uint64_t tag = wanted.line();
    const std::size_t first = set_of(tag);
    const std::size_t end = first + std::size_t(ways_);
    if (const std::size_t at = place_of(tag, first); at < end) {
        const std::uint32_t missing = sectors & ~lines_[at].sectors;
        lines_[at].sectors |= sectors;
        use(at, first, true);
        return {at, missing, true};
    }
    Taken made{place_of(kNoTag, first), sectors};
    if (made.place == end) {
        made.place = made.evicted = next_to_go(first);
        leave(made.place, first);
    }
    ++held_;
    tags_[made.place] = tag;
    lines_[made.place] = {0, sectors, false};
    use(made.place, first, false);
    if (held_ > std::max(room_, std::uint64_t(1))) made.evicted = make_room(made.place);
    return made;
}

}  // namespace ws
