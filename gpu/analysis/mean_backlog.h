#pragma once
// What waits in a queue on average, in clocks until it is empty: since something first had to wait, also over
// the clocks in which nothing does.

#include <algorithm>

namespace ws {

class MeanBacklog {
  public:
    // Until `last` something waits that came now. Calls may come out of order: what has been noted beyond
    // counts, too.
    void add(double now, double last) {
        note(now);
        if (first_ < 0) first_ = noted_ = now;
        last_ = last;
    }
    // It is now so late.
    void note(double now) {
        if (first_ < 0 || now <= noted_) return;
        const double end = std::clamp(last_, noted_, now);
        clocks_ += (end - noted_) * (last_ - 0.5 * (noted_ + end));
        noted_ = now;
    }
    // Until what was noted last.
    [[nodiscard]] double mean() const { return noted_ > first_ ? clocks_ / (noted_ - first_) : 0; }

  private:
    double first_ = -1, noted_ = -1;  // since when, and until when is noted
    double last_ = 0;
    double clocks_ = 0;  // of backlog, by each clock
};

}  // namespace ws
