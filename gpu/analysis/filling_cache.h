#pragma once
// A cache as the requests of all warps come to it, one after the other. What it lacks is on its way from then
// on; who asks for it meanwhile gets it when it arrives.

#include <array>
#include <span>
#include <vector>

#include "gpu/core/cache_level.h"

namespace ws {

// What is brought with a sector: nothing else, or the other half of its 64 bytes.
enum class Grain : std::uint8_t { sector, pair };

class FillingCache {
  public:
    FillingCache(std::uint64_t bytes, int least_ways, Grain grain)
        : cache_(CacheLevel::with_all_of(bytes, least_ways)), grain_(grain), arrives_(cache_.places()) {}

    // What has to be brought is behind missing(), until the next question; returns when the rest is there,
    // which may have been long ago. `first_line`: added to each.
    double ask(std::span<const LineSectors> wanted, std::uint64_t first_line = 0);
    [[nodiscard]] std::span<const LineSectors> missing() const { return missing_; }
    // It has these from now on, without bringing anything.
    void put(LineSectors line);
    // What was missing comes then.
    void bring(double when);

  private:
    using Arrivals = std::array<double, kLineSectors>;

    CacheLevel cache_;
    Grain grain_;
    std::vector<Arrivals> arrives_;  // each sector of each place, in clocks
    std::vector<LineSectors> missing_;
    std::vector<std::size_t> places_;  // of these
};

}  // namespace ws
