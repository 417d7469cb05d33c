#pragma once
// Samples of the plan that runs, and the times of work by key.

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "gpu/core/snapshot.h"

namespace ws {

class TimeBook {
  public:
    using Clock = std::chrono::steady_clock;

    // A plan begins: samples of the one before say nothing of it.
    void start();
    // Throws samples away while the clocks ramp up, and refuses those of a GPU that is held back; false while
    // it is warming up.
    bool take(const FrameTimes& times, const ClockReading& clock);
    [[nodiscard]] bool full() const { return windows_.total.full(); }
    [[nodiscard]] Clock::time_point since() const { return since_; }

    // Into the snapshot: the statistics, and, of a device that measures time, the times of `key`, which are
    // those of `version` in its own blocks if that is what the key says. A median below `floor_ms` is none.
    void publish(Snapshot& snapshot, const WorkKey& key, int version, bool runs, double floor_ms);
    // Of all kernels together; none where they were not measured.
    [[nodiscard]] std::optional<Statistics> total_of(const WorkKey& key) const;
    // The keys of every version in its own blocks, for this device, input and view.
    void use_versions(std::map<int, WorkKey> keys, Snapshot& snapshot);

  private:
    struct Windows {
        PerStep<SampleWindow> steps;
        SampleWindow total, one_pass, map, unmap;
    };
    Windows windows_;
    PerStep<int> launches_{};
    Clock::time_point since_{};
    Clock::time_point busy_since_{};  // the GPU has not rested since
    Clock::time_point last_take_{};
    ClockRange clock_;
    int refused_ = 0;  // samples
    std::string why_refused_;
    Board<WorkKey, VersionTimes> board_;
    std::map<int, WorkKey> version_keys_;
};

}  // namespace ws
