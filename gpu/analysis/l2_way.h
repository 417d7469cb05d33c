#pragma once
// The way of a multiprocessor's requests to the second level. What is stored travels with its data, for which
// there is so much room, in the order in which it came: until the second level takes it, behind an atomic
// until the slice that has its words does. A load passes as long as little of that waits, since each slice
// has a queue of its own; more holds loads to all slices. Times are in clocks.
//
// Measured on an H200 (bench/atomic_ways): loads from other slices are as fast as ever behind 8 adds to the
// words of a line and behind 30 to one word, and wait behind 4 to 32 sectors, as if 90 sectors let them pass.

#include <algorithm>
#include <deque>

namespace ws {

class L2Way {
  public:
    // Sectors of data that are on it at most.
    explicit L2Way(double sectors) : sectors_(sectors) {}

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
    // When a load goes that comes now.
    double pass_load(double now) {
        if (endless) return now;
        leave(now);
        double from = now;
        double waiting = on_it_;
        for (const Sent& one : sent_) {
            if (waiting <= kLoadsPass) break;
            from = one.left;
            waiting -= one.sectors;
        }
        return from;
    }
    // When a request goes that comes now with so many sectors of data, and is taken at `taken` at the
    // earliest.
    double pass(double now, double taken, double sectors) {
        if (endless) return now;
        leave(now);
        last_ = std::max({last_, now, taken});
        if (sectors > 0 && last_ > now) {
            sent_.push_back({last_, sectors});
            on_it_ += sectors;
        }
        return last_;
    }
    // When the last one goes.
    [[nodiscard]] double last() const { return last_; }

    bool endless = false;  // nothing waits on it

  private:
    static constexpr double kLoadsPass = 90;  // sectors

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
    double on_it_ = 0;  // sectors that have not left, as far as is known
    double last_ = 0;
};

}  // namespace ws
