#pragma once
// The samples of one plan: which are believed, and what they come to.

#include <chrono>
#include <string>

#include "gpu/core/clock_range.h"
#include "gpu/core/device.h"
#include "gpu/core/statistics.h"

namespace ws {

class PlanSamples {
  public:
    using Clock = std::chrono::steady_clock;

    // A plan begins: samples of the one before say nothing of it.
    void start();
    // Calls `run`, which runs the plan once; its times may come with a later one. The clocks come down
    // between runs, however long one takes.
    template <typename Run>
    auto around(const Run& run) {
        begin_run();
        auto result = run();
        last_run_ = Clock::now();
        return result;
    }
    // Throws samples away while the clocks ramp up, and refuses those of a GPU that is held back; false while
    // it is warming up.
    bool take(const FrameTimes& times, const ClockReading& clock);

    [[nodiscard]] Clock::time_point since() const { return since_; }
    [[nodiscard]] const SampleWindow& step(int step) const { return steps_[std::size_t(step)]; }
    [[nodiscard]] int launches(int step) const { return launches_[std::size_t(step)]; }
    [[nodiscard]] const SampleWindow& total() const { return total_; }
    [[nodiscard]] const SampleWindow& one_pass() const { return one_pass_; }
    [[nodiscard]] const SampleWindow& map() const { return map_; }
    [[nodiscard]] const SampleWindow& unmap() const { return unmap_; }
    [[nodiscard]] const ClockRange& clock() const { return clock_; }
    [[nodiscard]] int refused() const { return refused_; }
    [[nodiscard]] const std::string& why_refused() const { return why_refused_; }

  private:
    void begin_run();

    PerStep<SampleWindow> steps_;
    PerStep<int> launches_{};
    SampleWindow total_, one_pass_, map_, unmap_;
    ClockRange clock_;
    int refused_ = 0;
    std::string why_refused_;
    Clock::time_point since_{};
    Clock::time_point busy_since_{};  // the GPU has not rested since
    Clock::time_point last_run_{};    // its end
};

}  // namespace ws
