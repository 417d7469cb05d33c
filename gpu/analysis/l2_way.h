#pragma once
// The way of a multiprocessor's requests to the second level. What is stored travels with its data, for which
// there is so much room, in the order in which it came: until the second level takes it, behind an atomic
// until the slice that has its words does. A load passes as long as little of that waits; more holds loads to
// all slices. Times are in clocks, data in sectors.

#include <algorithm>
#include <deque>

namespace ws {

// How much may wait that loads still pass, by the slices that the launch's atomics go to.
struct LoadsPass {
    int slices = 0;
    double neighbours = 0;  // of all lines: those of slices that have a part of the way in common with these
    double near = 0;        // sectors: these lines pass
    double far = 0;         // and all others
};

class L2Way {
  public:
    // Of all lines those of one slice; what lies there waits in the slice, too.
    static constexpr double kLinesOfSlice = 1.0 / 64;
    // Of what waits on the ways of all multiprocessors, the part that waits in the slices.
    static constexpr double kInSlices = 0.6;

    // Room for so many sectors of data, and the slices that most atomics go to; none: loads wait in order
    // behind what is stored.
    explicit L2Way(double sectors, int hot_slices = 0)
        : sectors_(sectors), hot_lines_(kLinesOfSlice * hot_slices), pass_(loads_pass(hot_slices)) {}

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
    // When a load goes that comes now, where there are no atomics.
    double pass_load(double now) {
        if (endless || hot_lines_ > 0) return now;
        leave(now);
        return once_left(now, pass_.far);
    }
    // How long a load waits among atomics that comes now. `place`: of its line among those of all slices,
    // from 0 to 1, evenly.
    double wait_of_load(double now, double place) {
        if (endless || hot_lines_ == 0) return 0;
        leave(now);
        note(now);
        const bool is_near = place >= hot_lines_ && place < hot_lines_ + pass_.neighbours;
        const double waits = once_left(now, is_near ? pass_.near : pass_.far) - now;
        return place < hot_lines_ ? waits + kInSlices * mean_backlog(now) : waits;
    }
    // When a request goes that comes now with so many sectors of data, and is taken at `taken` at the
    // earliest.
    double pass(double now, double taken, double sectors) {
        if (endless) return now;
        leave(now);
        note(now);
        last_ = std::max({last_, now, taken});
        if (sectors > 0 && last_ > now) {
            sent_.push_back({last_, sectors});
            on_it_ += sectors;
            if (first_ < 0) first_ = noted_ = now;
        }
        return last_;
    }
    // When the last one goes.
    [[nodiscard]] double last() const { return last_; }

    bool endless = false;  // nothing waits on it

  private:
    // Measured on an H200 (bench/atomic_ways, 2026-11-30): loads behind 8 to 48 adds of every multiprocessor
    // to words of lines in one, two, four and eight slices.
    [[nodiscard]] static LoadsPass loads_pass(int slices) {
        constexpr LoadsPass kMeasured[] = {
            {0, 0, 0, 90}, {1, 0.15, 50, 90}, {2, 0.4, 82, 115}, {4, 0.21, 85, 135}, {8, 0.2, 92, 150}};
        LoadsPass found;
        for (const LoadsPass& one : kMeasured)
            if (one.slices <= slices) found = one;
        return found;
    }

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

    // What the other multiprocessors have before the slices meanwhile: they do the same, but are out of step,
    // so that it is what this one has had on average since its first atomic.
    void note(double now) {
        if (first_ < 0 || now <= noted_) return;
        const double until = std::clamp(last_, noted_, now);
        backlogs_ += (until - noted_) * (last_ - 0.5 * (noted_ + until));
        noted_ = now;
    }
    [[nodiscard]] double mean_backlog(double now) const {
        return first_ >= 0 && now > first_ ? backlogs_ / (now - first_) : 0;
    }

    struct Sent {
        double left = 0, sectors = 0;
    };
    std::deque<Sent> sent_;
    double sectors_;
    double hot_lines_;
    LoadsPass pass_;
    double on_it_ = 0;  // sectors that have not left, as far as is known
    double last_ = 0;
    double first_ = -1, noted_ = 0;  // since when one waits at times; until when is noted
    double backlogs_ = 0;            // clocks until the way was empty, by each clock
};

}  // namespace ws
