#pragma once
// The way of a multiprocessor's requests to the second level. What is stored travels with its data, for which
// there is so much room, in the order in which it came: until the second level takes it, behind an atomic
// until the slice that has its words does. A load passes as long as little of that waits. More holds loads in
// their order where there are only stores; in a launch with atomics each waits for itself, by the slice of
// its line. Times are in clocks, data in sectors.

#include <algorithm>
#include <deque>

#include "gpu/analysis/mean_backlog.h"

namespace ws {

class L2Way {
  public:
    // Of all lines those that lie in one slice. Measured: 4 of 256, of 240 in two slices 8 to 11, in four 12
    // to 23.
    static constexpr double kLinesOfSlice = 1.0 / 64;
    // Of what waits on the ways of all multiprocessors, the part that waits in the slices.
    static constexpr double kInSlices = 0.6;

    // Room for so many sectors of data, and the slices that most of the launch's atomics go to; 0: it has
    // none.
    explicit L2Way(double sectors, int hot_slices = 0)
        : sectors_(sectors),
          hot_part_(std::min(1.0, kLinesOfSlice * hot_slices)),
          let_pass_(letting_pass(hot_slices)) {}

    // From when on there is room for so many sectors of data, which are there now; for more than it ever has,
    // once it is empty.
    [[nodiscard]] double room(double now, double sectors) const {
        double from = now;
        double taken = on_it_;
        for (const Sent& one : sent_) {
            if (one.left > now && taken + sectors <= sectors_) break;
            from = std::max(from, one.left);
            taken -= one.sectors;
        }
        return from;
    }
    // When a load goes that comes now: at once where it waits for itself.
    double pass_load(double now) {
        if (endless || has_atomics()) return now;
        leave(now);
        return once_left(now, kPassStores);
    }
    // How long a load waits for itself that comes now. `place`: of its slice among all, from 0 to 1, evenly.
    double wait_of_load(double now, double place) {
        if (endless || !has_atomics()) return 0;
        leave(now);
        atomics_.note(now);
        const bool is_near = place >= hot_part_ && place < hot_part_ + let_pass_.neighbours;
        const double waits = once_left(now, is_near ? let_pass_.near : let_pass_.far) - now;
        return place < hot_part_ ? waits + kInSlices * atomics_.mean() : waits;
    }
    // When a store or an atomic goes that comes now with so many sectors of data, and is taken at `taken` at
    // the earliest.
    double pass(double now, double taken, double sectors, bool atomic) {
        if (endless) return now;
        leave(now);
        atomics_.note(now);
        last_ = std::max({last_, now, taken});
        if (sectors > 0 && last_ > now) {
            sent_.push_back({last_, sectors});
            on_it_ += sectors;
        }
        if (atomic && last_ > now) atomics_.add(now, last_);
        return last_;
    }
    // When the last one goes.
    [[nodiscard]] double last() const { return last_; }

    bool endless = false;  // nothing waits on it

  private:
    // So many sectors that wait let a load pass where there are only stores, as if they were atomics of one
    // slice (an assumption).
    static constexpr double kPassStores = 90;

    // By the slices that atomics go to.
    struct LettingPass {
        int slices = 0;
        double neighbours = 0;  // of all lines: of slices that have a part of the way in common with these
        double near = 0;        // sectors that let these lines pass
        double far = 0;         // and all others
    };
    // Measured on an H200 (bench/atomic_ways, 2026-11-30): loads behind 8 to 48 adds of every multiprocessor
    // to words of lines in one, two, four and eight slices.
    [[nodiscard]] static LettingPass letting_pass(int slices) {
        constexpr LettingPass kMeasured[] = {
            {1, 0.15, 50, 90}, {2, 0.4, 82, 115}, {4, 0.21, 85, 135}, {8, 0.2, 92, 150}};
        LettingPass found;
        for (const LettingPass& one : kMeasured)
            if (one.slices <= slices) found = one;
        return found;
    }

    [[nodiscard]] bool has_atomics() const { return hot_part_ > 0; }
    // When no more than so many sectors are left of those that wait now.
    [[nodiscard]] double once_left(double now, double sectors) const {
        double from = now;
        double waiting = on_it_;
        for (const Sent& one : sent_) {
            if (waiting <= sectors) break;
            from = one.left;
            waiting -= one.sectors;
        }
        return from;
    }
    void leave(double now) {
        while (!sent_.empty() && sent_.front().left <= now) {
            on_it_ -= sent_.front().sectors;
            sent_.pop_front();
        }
    }

    struct Sent {
        double left = 0, sectors = 0;
    };
    std::deque<Sent> sent_;
    double sectors_;
    double hot_part_;
    LettingPass let_pass_;
    double on_it_ = 0;  // sectors that have not left, as far as is known
    double last_ = 0;
    // What the other multiprocessors have before the slices meanwhile: they do the same, but are out of step,
    // so that it is what this one has on average.
    MeanBacklog atomics_;
};

}  // namespace ws
