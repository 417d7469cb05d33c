#include "gpu/core/cache_level.h"

#include <bit>

namespace ws {

CacheLevel::CacheLevel(std::uint64_t bytes, int ways)
    : ways_(ways),
      sets_(std::bit_floor(bytes / kLineBytes / std::uint64_t(ways))),
      set_bits_(sets_ > 0 ? std::countr_zero(sets_) : 0),
      lines_(sets_ * std::uint64_t(ways)) {}

CacheLevel CacheLevel::with_all_of(std::uint64_t bytes, int least_ways) {
    const std::uint64_t lines = bytes / kLineBytes;
    const std::uint64_t sets = std::bit_floor(lines / std::uint64_t(least_ways));
    return sets == 0 ? CacheLevel(0, least_ways) : CacheLevel(bytes, int(lines / sets));
}

CacheLevel::Taken CacheLevel::take(LineSectors wanted) {
    const std::uint32_t sectors = wanted.sectors();
    if (sets_ == 0) return {0, sectors};
    const std::uint64_t tag = wanted.line();
    const std::size_t first = ((tag ^ tag >> set_bits_) & (sets_ - 1)) * std::uint64_t(ways_);
    std::size_t oldest = first;
    for (std::size_t at = first; at < first + std::size_t(ways_); ++at) {
        Line& line = lines_[at];
        if (line.tag == tag) {
            const std::uint32_t missing = sectors & ~line.sectors;
            line.sectors |= sectors;
            line.used = ++clock_;
            return {at, missing};
        }
        if (line.used < lines_[oldest].used) oldest = at;
    }
    lines_[oldest] = {tag, sectors, ++clock_};
    return {oldest, sectors};
}

}  // namespace ws
