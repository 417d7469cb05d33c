#pragma once
// The way of a multiprocessor's requests to the second level: they go in the order in which they came, so
// that those behind an atomic wait until the slice that has its words takes it. What is stored travels with
// its data, for which there is so much room. Times are in clocks.

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
    // When a request goes that comes now with so many sectors of data, and is taken at `taken` at the
    // earliest.
    double pass(double now, double taken, double sectors) {
        if (endless) return now;
        while (!sent_.empty() && sent_.front().left <= now) {
            on_it_ -= sent_.front().sectors;
            sent_.pop_front();
        }
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
    struct Sent {
        double left = 0, sectors = 0;
    };
    std::deque<Sent> sent_;
    double sectors_;
    double on_it_ = 0;  // sectors that have not left, as far as is known
    double last_ = 0;
};

}  // namespace ws
