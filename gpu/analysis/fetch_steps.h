#pragma once
// Whether the multiprocessors of a GPC fetch their code in step: while the warps of each are all at one
// place, since who leads waits for the line and the others catch up. They are at several places when lines
// lately were wanted that lie far from the one before.

#include <array>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <utility>

namespace ws {

class FetchSteps {
  public:
    FetchSteps() { went_far_.fill(-std::numeric_limits<double>::infinity()); }

    // A line is wanted, in clocks; true: they are in step.
    bool fetch(int line, double now) {
        if (std::abs(line - std::exchange(last_, line)) > kFar) went_far_[next_++ % kTimes] = now;
        return now - went_far_[next_ % kTimes] > kLately;
    }

  private:
    static constexpr std::size_t kTimes = 8;
    static constexpr int kFar = 64;  // lines
    static constexpr double kLately = 4000;

    int last_ = 0;
    std::array<double, kTimes> went_far_;  // the last times, round and round
    std::size_t next_ = 0;
};

}  // namespace ws
