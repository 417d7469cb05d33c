#pragma once
// Kernels that were run by the clock of a multiprocessor, by key.

#include <vector>

#include "gpu/compile/compile_service.h"
#include "gpu/core/snapshot.h"
#include "gpu/engine/asked_work.h"
#include "gpu/engine/clock_service.h"

namespace ws {

class ClockBook {
  public:
    ClockBook(const CompileService& compiler, std::shared_ptr<StagingStore> store)
        : compiler_(compiler), service_(std::move(store)) {}

    // Asks for what is not there yet of the wish in `asked`, whose counts the steps of the snapshot hold
    // already, and writes what is there into them.
    void publish(const AskedWork& asked, Snapshot& snapshot);
    // Takes what has come since; true if anything has.
    [[nodiscard]] bool take();
    [[nodiscard]] bool busy() const { return service_.busy(); }
    void wait() { service_.wait(); }

  private:
    // A kernel that has been counted.
    struct Counted {
        const StepResult* result = nullptr;
        const PlannedKernel* kernel = nullptr;
    };
    [[nodiscard]] static Counted baseline_of(const AskedWork& asked, const StepSnapshot& step);
    void choose(const Counted& now, const Counted& baseline, const ClockWish& wish, const Problem& problem,
                ChosenClock& shown);
    // The kernel's clock with so many blocks, in its place; asked for where it is not there.
    void take(const Counted& of, int blocks, const Problem& problem, ChosenClock& shown,
              std::shared_ptr<const ClockedKernel>& place);

    const CompileService& compiler_;
    ClockService service_;
    std::vector<ClockJob> missing_;  // while publishing
    static constexpr std::size_t kKept = 64;
    Board<ClockKey, ClockOutcome> board_{kKept};
};

}  // namespace ws
