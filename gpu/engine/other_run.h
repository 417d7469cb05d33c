#pragma once
// Runs other work beside the one that is shown, for its result: on the device itself, which it borrows, where
// that computes at once, else on a simulated GPU of its own.

#include <memory>
#include <optional>
#include <string>

#include "gpu/compile/compile_service.h"
#include "gpu/core/job.h"
#include "gpu/core/snapshot.h"
#include "gpu/engine/count_book.h"
#include "gpu/engine/device_host.h"
#include "gpu/engine/planner.h"

namespace ws {

// What a run needs of the engine.
struct OtherRunTools {
    const CompileService& compiler;
    const CountBook& counts;  // trials of edited kernels
    DeviceHost& devices;
    const Problem& problem;
    bool may_begin = false;  // the work's own result is there
};

class OtherRun {
  public:
    // Called every frame with what is wanted, null for nothing: begins it once its kernels are compiled and
    // an edited one has passed its trial, and keeps `shown` up to date. The last results are kept.
    void update(const PlannedWork* wanted, const OtherRunTools& tools, std::optional<OtherResult>& shown);
    // Something is wanted that is not there yet and may still come.
    [[nodiscard]] bool pending() const { return pending_; }

  private:
    using Bytes = std::shared_ptr<const HostBytes>;
    struct Outcome {
        Bytes bytes;
        Message problem;
    };
    // None while kernels are compiled, tried or run.
    [[nodiscard]] std::optional<Outcome> outcome_of(const PlannedWork& wanted, const OtherRunTools& tools);
    void borrow(const PlannedWork& wanted, Plan plan, DeviceHost& devices);
    [[nodiscard]] std::optional<Outcome> run_beside(const PlannedWork& wanted, Plan plan,
                                                    const Problem& problem);
    void stop();

    static constexpr std::size_t kKept = 4;
    Board<WorkKey, Outcome> outcomes_{kKept};
    std::optional<WorkKey> shown_;  // what `shown` is of
    WorkKey borrowed_for_;
    Job<Outcome> borrowed_;           // what the device computes
    std::optional<WorkKey> running_;  // what the simulated GPU computes
    std::unique_ptr<Device> simulated_;
    std::uint64_t generation_ = 0;
    double done_ = 0;
    bool pending_ = false;
};

}  // namespace ws
