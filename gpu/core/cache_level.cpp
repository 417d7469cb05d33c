#include "gpu/core/cache_level.h"

#include <algorithm>
#include <bit>
#include <span>

namespace ws {

CacheLevel::CacheLevel(std::uint64_t bytes, int ways, Replaced which)
    : ways_(ways),
      which_(which),
      sets_(std::bit_floor(bytes / kLineBytes / std::uint64_t(ways))),
      set_bits_(sets_ > 0 ? std::countr_zero(sets_) : 0),
      tags_(sets_ * std::uint64_t(ways), kNoTag),
      lines_(tags_.size()),
      taken_(sets_, 0),
      lately_(sets_, 0) {}

CacheLevel CacheLevel::with_all_of(std::uint64_t bytes, int least_ways, Replaced which) {
    const std::uint64_t lines = bytes / kLineBytes;
    const std::uint64_t sets = std::bit_floor(lines / std::uint64_t(least_ways));
    return sets == 0 ? CacheLevel(0, least_ways, which) : CacheLevel(bytes, int(lines / sets), which);
}

void CacheLevel::use(std::size_t place, std::size_t first) {
    Line& line = lines_[place];
    line.used = ++clock_;
    if (which_ == Replaced::oldest || line.lately) return;
    line.lately = true;
    int& lately = lately_[first / std::size_t(ways_)];
    if (++lately < ways_) return;
    for (Line& one : std::span(lines_).subspan(first, std::size_t(ways_))) one.lately = &one == &line;
    lately = 1;
}

// The exclusive or of eight parts of its number.
std::size_t CacheLevel::set_of(std::uint64_t tag) const {
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

std::size_t CacheLevel::oldest(std::size_t first) const {
    const auto set = lines_.begin() + std::ptrdiff_t(first);
    return std::size_t(
        std::min_element(set, set + ways_, [](const Line& a, const Line& b) { return a.used < b.used; }) -
        lines_.begin());
}

// One of them, as if thrown.
std::size_t CacheLevel::not_lately_used(std::size_t first) {
    const auto ways = std::size_t(ways_);
    thrown_ = thrown_ * 6364136223846793005U + 1442695040888963407U;
    std::size_t at = std::size_t((thrown_ >> 33) % ways);
    for (std::size_t tries = 1; tries < ways && lines_[first + at].lately; ++tries) at = (at + 1) % ways;
    return first + at;
}

CacheLevel::Taken CacheLevel::take(LineSectors wanted) {
    const std::uint32_t sectors = wanted.sectors();
    if (sets_ == 0) return {0, sectors, false};
    const std::uint64_t tag = wanted.line();
    const std::size_t first = set_of(tag);
    if (const std::size_t at = place_of(tag, first); at < first + std::size_t(ways_)) {
        const std::uint32_t missing = sectors & ~lines_[at].sectors;
        lines_[at].sectors |= sectors;
        use(at, first);
        return {at, missing, false};
    }
    int& taken = taken_[first / std::size_t(ways_)];
    const bool replaced = taken == ways_;
    const std::size_t place = !replaced                        ? first + std::size_t(taken++)
                              : which_ == Replaced::not_lately ? not_lately_used(first)
                                                               : oldest(first);
    if (lines_[place].lately) --lately_[first / std::size_t(ways_)];
    tags_[place] = tag;
    lines_[place] = {0, sectors, false};
    use(place, first);
    return {place, sectors, replaced};
}

}  // namespace ws
