#pragma once
// When a unit works. What comes takes the first time that is long enough, also before what was asked for
// earlier and comes later. Times are in clocks.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ws {

class Calendar {
  public:
    // From when on it works so long, at `from` at the earliest.
    double take(double from, double clocks) {
        auto next = std::find_if(spans_.rbegin(), spans_.rend(), [from](const Span& one) {
                        return one.end <= from;
                    }).base();
        double begin = from;
        for (; next != spans_.end() && next->begin < begin + clocks; ++next) begin = next->end;
        put(std::size_t(next - spans_.begin()), begin, begin + clocks);
        return begin;
    }
    // Nobody will ask for a time before this one.
    void forget(double until) {
        const auto kept =
            std::find_if(spans_.begin(), spans_.end(), [until](const Span& one) { return one.end > until; });
        if (kept - spans_.begin() >= kForgottenTogether) spans_.erase(spans_.begin(), kept);
    }

  private:
    struct Span {
        double begin, end;
    };
    static constexpr std::ptrdiff_t kForgottenTogether = 32;

    // Spans that touch are one.
    void put(std::size_t at, double begin, double end) {
        const bool behind = at > 0 && spans_[at - 1].end == begin;
        const bool before = at < spans_.size() && spans_[at].begin == end;
        const auto here = spans_.begin() + std::ptrdiff_t(at);
        if (behind && before) {
            spans_[at - 1].end = here->end;
            spans_.erase(here);
        } else if (behind) {
            spans_[at - 1].end = end;
        } else if (before) {
            here->begin = begin;
        } else {
            spans_.insert(here, {begin, end});
        }
    }

    std::vector<Span> spans_;  // in the order of time
};

}  // namespace ws
