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
      lines_(sets_ * std::uint64_t(ways)) {}

CacheLevel CacheLevel::with_all_of(std::uint64_t bytes, int least_ways, Replaced which) {
    const std::uint64_t lines = bytes / kLineBytes;
    const std::uint64_t sets = std::bit_floor(lines / std::uint64_t(least_ways));
    return sets == 0 ? CacheLevel(0, least_ways, which) : CacheLevel(bytes, int(lines / sets), which);
}

void CacheLevel::use(Line& line, std::size_t first) {
    line.used = ++clock_;
    if (which_ == Replaced::oldest || line.lately) return;
    line.lately = true;
    const std::span<Line> set = std::span(lines_).subspan(first, std::size_t(ways_));
    if (!std::all_of(set.begin(), set.end(), [](const Line& one) { return one.lately; })) return;
    for (Line& one : set) one.lately = &one == &line;
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
    const std::size_t first = ((tag ^ tag >> set_bits_) & (sets_ - 1)) * std::uint64_t(ways_);
    std::size_t oldest = first;
    for (std::size_t at = first; at < first + std::size_t(ways_); ++at) {
        Line& line = lines_[at];
        if (line.tag == tag) {
            const std::uint32_t missing = sectors & ~line.sectors;
            line.sectors |= sectors;
            use(line, first);
            return {at, missing, false};
        }
        if (line.used < lines_[oldest].used) oldest = at;
    }
    const bool replaced = lines_[oldest].used > 0;
    if (replaced && which_ == Replaced::not_lately) oldest = not_lately_used(first);
    lines_[oldest] = {tag, sectors};
    use(lines_[oldest], first);
    return {oldest, sectors, replaced};
}

}  // namespace ws
