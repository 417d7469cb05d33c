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
        if (clocks <= 0) return from;
        std::size_t next = after(from);
        double begin = from;
        for (; next < spans_.size() && spans_[next].begin < begin + clocks; ++next) begin = spans_[next].end;
        put(next, next, {begin, begin + clocks});
        return begin;
    }
    // When it has worked so long in whatever time is left from then on, with breaks for what was asked for
    // before.
    double fill(double from, double clocks) {
        if (clocks <= 0) return from;
        const std::size_t first = after(from);
        std::size_t next = first;
        double begin = from, end = from;
        if (next < spans_.size() && spans_[next].begin <= from) {
            begin = spans_[next].begin;
            end = spans_[next++].end;
        }
        for (; next < spans_.size() && spans_[next].begin < end + clocks; ++next) {
            clocks -= spans_[next].begin - end;
            end = spans_[next].end;
        }
        end += clocks;
        put(first, next, {begin, end});
        return end;
    }
    // How long it works from then on without a break.
    [[nodiscard]] double busy_from(double from) const {
        const std::size_t next = after(from);
        return next < spans_.size() && spans_[next].begin <= from ? spans_[next].end - from : 0;
    }
    // Nobody will ask for a time before this one.
    void forget(double until) {
        if (spans_.size() < kForgottenTogether || spans_[kForgottenTogether - 1].end > until) return;
        const auto kept = std::find_if(spans_.begin() + kForgottenTogether, spans_.end(),
                                       [until](const Span& one) { return one.end > until; });
        spans_.erase(spans_.begin(), kept);
    }

  private:
    struct Span {
        double begin, end;
    };
    static constexpr std::size_t kForgottenTogether = 32;

    // The first span that ends later.
    [[nodiscard]] std::size_t after(double time) const {
        const auto behind =
            std::find_if(spans_.rbegin(), spans_.rend(), [time](const Span& one) { return one.end <= time; });
        return std::size_t(behind.base() - spans_.begin());
    }
    // One for those from `first` to before `last`, which it covers. Spans that touch are one.
    void put(std::size_t first, std::size_t last, Span span) {
        if (last < spans_.size() && spans_[last].begin == span.end) span.end = spans_[last++].end;
        if (first > 0 && spans_[first - 1].end == span.begin) span.begin = spans_[--first].begin;
        const auto at = spans_.begin() + std::ptrdiff_t(first);
        if (first == last) {
            spans_.insert(at, span);
        } else {
            *at = span;
            spans_.erase(at + 1, spans_.begin() + std::ptrdiff_t(last));
        }
    }

    std::vector<Span> spans_;  // in the order of time
};

}  // namespace ws
