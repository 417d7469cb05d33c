#pragma once
// Times of other work on the GPU that runs the work: of the baseline and of the other versions, one after the
// other, a few frames each, while the work itself rests. Nothing of it is shown.

#include <optional>
#include <span>

#include "gpu/engine/plan_samples.h"
#include "gpu/engine/ready_plan.h"
#include "gpu/engine/time_book.h"

namespace ws {

struct OtherTimesTools {
    const CompileService& compiler;
    const CountBook& counts;  // trials of edited kernels
    Device& device;           // one that measures time and computes at once
    TimeBook& book;
    std::uint64_t& generations;  // of plans that the device has run
};

class OtherTimes {
  public:
    // Called every frame while the work rests: runs the first of `wanted` that has neither a time in the book
    // nor a reason to have none and whose kernels are ready. A failure is returned only where it lost the
    // device; a launch that the GPU refuses leaves its work without a time.
    [[nodiscard]] std::optional<LaunchFailure> update(std::span<const PlannedWork* const> wanted,
                                                      OtherTimesTools tools);
    // The work does not rest: what was begun begins anew.
    void stop();
    // One was being measured in the last update, so that there may be more.
    [[nodiscard]] bool active() const { return active_; }

  private:
    void begin(const PlannedWork& work, Plan plan, std::uint64_t& generations);
    // Whether it is done, with or without a time.
    [[nodiscard]] bool take(const FrameTimes& times, const ClockReading& clock, TimeBook& book);

    struct Running {
        WorkKey key;
        Plan plan;
        double floor_ms = 0;  // a median below is not believed
    };
    std::optional<Running> running_;
    bool active_ = false;
    PlanSamples samples_;
    Board<WorkKey, bool> without_;  // those that will have no time
};

}  // namespace ws
