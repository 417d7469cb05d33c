#pragma once
// What all warps of a multiprocessor do, clock by clock, written down as the clock runs, and what a profiler
// that samples them would see of it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/core/warp_timeline.h"

namespace ws {

struct ClockRun;

class SpanLog {
  public:
    // A warp of this scheduler takes its place, and leaves it; in any order.
    void begins(int scheduler, std::int64_t clock) { changes_.push_back({clock, scheduler, 1}); }
    void ends(int scheduler, std::int64_t clock) { changes_.push_back({clock, scheduler, -1}); }
    // Of one that has its place.
    void add(int scheduler, const TimelineSpan& span) { spans_.push_back({span, scheduler}); }

    // The run that was written down, its states and those of its instructions as a sampler counts them, of
    // all clocks and of those in which every place is taken; the rest of it as it is. Nsight Compute's takes
    // a warp of one scheduler after the other, of those that have any, and of a scheduler's warps each in
    // turn. A clock with few warps so counts as much as one with many, each of its warps for more. Measured
    // on an H200 (docs/clock.md, "Stalls by line"). On average: not what is in step with the distance of the
    // samples. All 0 of a run in which nothing is counted (ClockLoad::only_latencies).
    [[nodiscard]] ClockRun as_sampled(const ClockRun& run) const;

    // A sample of each clock counts for so many.
    static constexpr std::int64_t kPerClock = 1'000'000;

    struct Change {
        std::int64_t clock = 0;
        int scheduler = 0;
        int more = 0;  // warps
    };

  private:
    struct Logged {
        TimelineSpan span;
        int scheduler = 0;
    };
    std::vector<Change> changes_;
    std::vector<Logged> spans_;
};

}  // namespace ws
