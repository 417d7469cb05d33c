#pragma once
// When something was so, in spans that follow each other in time. Times are in clocks.

#include <algorithm>
#include <vector>

namespace ws {

class ClockSpans {
  public:
    // Behind all that was added before.
    void add(double from, double until) {
        if (until > from) spans_.push_back({from, until});
    }
    // Clocks of them from then until now.
    [[nodiscard]] double within(double from, double now) const {
        double clocks = 0;
        for (auto span = spans_.rbegin(); span != spans_.rend() && span->until > from; ++span)
            clocks += std::max(0.0, std::min(span->until, now) - std::max(span->from, from));
        return clocks;
    }

  private:
    struct Span {
        double from, until;
    };
    std::vector<Span> spans_;
};

}  // namespace ws
