#pragma once
// Samples of the plan that runs, and the times of work by key.

#include <optional>

#include "gpu/core/snapshot.h"
#include "gpu/engine/plan_samples.h"

namespace ws {

class TimeBook {
  public:
    // Of the plan that runs.
    [[nodiscard]] PlanSamples& samples() { return samples_; }
    [[nodiscard]] const PlanSamples& samples() const { return samples_; }
    [[nodiscard]] bool full() const { return samples_.total().full(); }

    // Into the snapshot: the statistics, and, of a device that measures time, the times of `key`. A median
    // below `floor_ms` is none.
    void publish(Snapshot& snapshot, const WorkKey& key, bool runs, double floor_ms);
    // Of all kernels together; none where they were not measured.
    [[nodiscard]] std::optional<Statistics> total_of(const WorkKey& key) const;
    // What was measured of other work.
    void put(const WorkKey& key, const Statistics& total_ms) { board_.put(key, total_ms); }

  private:
    PlanSamples samples_;
    Board<WorkKey, Statistics> board_;
};

}  // namespace ws
