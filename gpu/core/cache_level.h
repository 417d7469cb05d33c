#pragma once
// One level of a cache: set-associative, lines of 128 bytes filled by 32-byte sectors.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/core/line_sectors.h"

namespace ws {

// Which line of a full set goes for another one:
enum class Replaced : std::uint8_t {
    oldest,      // the least recently used one
    not_lately,  // any not used lately, as if thrown but the same in every run; once all have been used, none
                 // but the last one has lately
    segmented,   // the least recently used of those that were used once; of those used again the set spares
                 // two, the last ones
};

struct CacheShape {
    std::uint64_t sets = 0;  // a power of two; 0: it never has anything
    int ways = 1;
    Replaced which = Replaced::oldest;
    // Of lines, in all sets. For one more the oldest one of another set goes, any, as if thrown; those that
    // are spared last.
    std::uint64_t room = ~std::uint64_t(0);
    // A line's set by its number; of the set the lowest bits count. None: the exclusive or of eight parts of
    // the number (from 128 sets on all of an address), so that lines a power of two apart lie in different
    // sets.
    std::uint64_t (*set_of)(std::uint64_t line) = nullptr;
};

class CacheLevel {
  public:
    explicit CacheLevel(const CacheShape& shape);
    // Of 0 bytes: it never has anything.
    CacheLevel(std::uint64_t bytes, int ways, Replaced which = Replaced::oldest);
    // With as many sets as that, and with all the ways that there is room for: what a part of the memory is
    // taken away from loses ways.
    [[nodiscard]] static CacheLevel with_all_of(std::uint64_t bytes, int least_ways,
                                                Replaced which = Replaced::oldest);

    static constexpr std::size_t kNowhere = ~std::size_t(0);
    struct Taken {
        std::size_t place = 0;           // of the line, below places()
        std::uint32_t missing = 0;       // of the sectors, those that were not there
        bool known = false;              // the line was there, if not all of these sectors
        std::size_t evicted = kNowhere;  // the place whose line went: this one or another
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
        bool spared = false;  // used lately, or again
    };
    // Where the line's set begins.
    [[nodiscard]] std::size_t set_of(std::uint64_t tag) const;
    // Of the set that begins there; past its end: none.
    [[nodiscard]] std::size_t place_of(std::uint64_t tag, std::size_t first) const;
    // The place whose line goes next, of a full set.
    [[nodiscard]] std::size_t next_to_go(std::size_t first);
    enum class Preferred : std::uint8_t { spared, others };
    // Of those lines that are spared, or that are not, if there are such, else of all, but this one; past the
    // end of the set: there is none.
    [[nodiscard]] std::size_t oldest(std::size_t first, Preferred preferred,
                                     std::size_t but = kNowhere) const;
    [[nodiscard]] std::size_t not_lately_used(std::size_t first);
    void use(std::size_t place, std::size_t first, bool again);
    void use_lately(std::size_t place, std::size_t first);
    void use_again(std::size_t place, std::size_t first);
    // A line goes, but this one; its place.
    std::size_t make_room(std::size_t but);
    void leave(std::size_t place, std::size_t first);
    [[nodiscard]] std::uint64_t thrown();
    [[nodiscard]] int& spared_of(std::size_t first) { return spared_[first / std::size_t(ways_)]; }

    int ways_;
    Replaced which_;
    std::uint64_t sets_;
    int set_bits_;
    std::uint64_t room_;
    std::uint64_t (*set_of_)(std::uint64_t line);
    std::uint64_t clock_ = 0;
    std::uint64_t thrown_ = 0;
    std::uint64_t held_ = 0;
    // Each line's beside the next one's: most questions are answered by them.
    std::vector<std::uint64_t> tags_;
    std::vector<Line> lines_;
    std::vector<int> spared_;  // of each set
};

}  // namespace ws
