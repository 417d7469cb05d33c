#pragma once
// One level of a cache: set-associative, lines of 128 bytes filled by 32-byte sectors.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/core/line_sectors.h"

namespace ws {

// Which line of a full set goes for another one: the least recently used one, or any that has not been used
// lately, as if thrown but the same in every run. Once all have been used, none but the last one has lately.
enum class Replaced : std::uint8_t { oldest, not_lately };

class CacheLevel {
  public:
    // Sets are a power of two; a cache of 0 bytes never has anything.
    CacheLevel(std::uint64_t bytes, int ways, Replaced which = Replaced::oldest);
    // With as many sets as that, and with all the ways that there is room for: what a part of the memory is
    // taken away from loses ways.
    [[nodiscard]] static CacheLevel with_all_of(std::uint64_t bytes, int least_ways,
                                                Replaced which = Replaced::oldest);

    struct Taken {
        std::size_t place = 0;      // of the line, below places()
        std::uint32_t missing = 0;  // of the sectors, those that were not there
        bool replaced = false;      // another line was in the place
    };
    // The sectors are there afterwards.
    Taken take(LineSectors wanted);
    // Whether the sector was there; it is afterwards.
    bool access(std::uint64_t sector) { return take(LineSectors::of_sector(sector)).missing == 0; }

    [[nodiscard]] std::size_t places() const { return tags_.size(); }

  private:
    static constexpr std::uint64_t kNoTag = ~0ull;
    struct Line {
        std::uint64_t used = 0;
        std::uint32_t sectors = 0;
        bool lately = false;
    };
    // Where the line's set begins. Of its number count as many bits as eight times a set's (from 128 sets on
    // all of an address), so that lines a power of two apart lie in different ones.
    [[nodiscard]] std::size_t set_of(std::uint64_t tag) const;
    // Of the set that begins there; past its end: none.
    [[nodiscard]] std::size_t place_of(std::uint64_t tag, std::size_t first) const;
    [[nodiscard]] std::size_t oldest(std::size_t first) const;
    [[nodiscard]] std::size_t not_lately_used(std::size_t first);
    void use(std::size_t place, std::size_t first);

    int ways_;
    Replaced which_;
    std::uint64_t sets_;
    int set_bits_;
    std::uint64_t clock_ = 0;
    std::uint64_t thrown_ = 0;
    // Each line's beside the next one's: most questions are answered by them.
    std::vector<std::uint64_t> tags_;
    std::vector<Line> lines_;
    std::vector<int> taken_;   // places of each set, the first ones
    std::vector<int> lately_;  // lines of each set that have been used lately
};

}  // namespace ws
