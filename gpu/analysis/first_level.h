#pragma once
// L1 of a multiprocessor as the requests of all its warps come to it, one after the other. What it lacks is
// on its way from then on; who asks for it meanwhile gets it when it arrives.

#include <array>
#include <span>
#include <vector>

#include "gpu/core/cache_level.h"

namespace ws {

class FirstLevel {
  public:
    explicit FirstLevel(std::uint64_t bytes) : cache_(CacheLevel::with_all_of(bytes, kLeastWays)) {
        arrives_.assign(cache_.places(), {});
    }

    // What it lacks of these is behind missing(), until the next question; returns when the rest is there,
    // which may have been long ago. `first_line`: added to each.
    double ask(std::span<const LineSectors> wanted, std::uint64_t first_line);
    [[nodiscard]] std::span<const LineSectors> missing() const { return missing_; }
    // What was missing comes then.
    void bring(double when);

  private:
    // L1 has 256 KiB with what of it is shared memory, which leaves fewer ways to the cache.
    static constexpr int kLeastWays = 4;
    using Arrivals = std::array<double, kLineSectors>;

    CacheLevel cache_;
    std::vector<Arrivals> arrives_;  // each sector of each place, in clocks
    std::vector<LineSectors> missing_;
    std::vector<std::size_t> places_;  // of these
};

}  // namespace ws
