#pragma once
// A cache as the requests of all warps come to it, one after the other. What it lacks is on its way from then
// on; who asks for it meanwhile gets it when it arrives.

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "gpu/core/cache_level.h"

namespace ws {

// What is brought with a sector: nothing else, or the other half of its 64 bytes.
enum class Grain : std::uint8_t { sector, pair };
// Where a line has its place: in the cache, or in one of its two partitions. Of these who loads from the
// other one keeps what he gets in his own one as well, so that half of what is loaded has two places.
enum class Home : std::uint8_t { cache, partition };

class FillingCache {
  public:
    FillingCache(CacheLevel cache, Grain grain, Home home)
        : cache_(std::move(cache)),
          grain_(grain),
          home_(home),
          arrives_(cache_.places()),
          asked_(cache_.places(), 0) {}

    // What has to be brought is behind missing(), until the next question; returns when the rest is there,
    // which may have been long ago. `first_line`: added to each. `now`: what comes later is late.
    double ask(std::span<const LineSectors> wanted, std::uint64_t first_line = 0, double now = 0);
    [[nodiscard]] std::span<const LineSectors> missing() const { return missing_; }
    // Of the lines of the last question, those of which something is late.
    [[nodiscard]] int late() const { return late_; }
    // Of these, those that were not there at all, not even on their way.
    [[nodiscard]] int new_lines() const { return new_lines_; }
    // It has these from now on, without bringing anything.
    CacheLevel::Taken put(LineSectors line);
    // Places whose line went for the last question, or for what was put.
    [[nodiscard]] std::span<const std::size_t> replaced() const { return replaced_; }
    // Of the lines of the last question, those of which it had not been asked for some sector before, whether
    // it was there or not.
    [[nodiscard]] int first_asked() const { return first_asked_; }
    // The sectors that had to be brought for it, and those of it that came with what was asked for before.
    [[nodiscard]] int first_asked_sectors() const { return first_asked_sectors_; }
    [[nodiscard]] std::size_t places() const { return cache_.places(); }
    // What was missing comes then.
    void bring(double when);

  private:
    CacheLevel::Taken take(LineSectors line);
    [[nodiscard]] LineSectors at_home(LineSectors line) const;
    void replace(const CacheLevel::Taken& taken);
    std::uint32_t note_asked(std::size_t place, std::uint32_t sectors);

    using Arrivals = std::array<double, kLineSectors>;

    CacheLevel cache_;
    Grain grain_;
    Home home_;
    std::vector<Arrivals> arrives_;  // each sector of each place, in clocks
    std::vector<LineSectors> missing_;
    std::vector<std::size_t> places_;  // of these
    std::vector<std::size_t> replaced_;
    std::vector<std::uint8_t> asked_;  // sectors of each place
    int first_asked_ = 0, first_asked_sectors_ = 0, late_ = 0, new_lines_ = 0;
};

}  // namespace ws
