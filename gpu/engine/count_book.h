#pragma once
// Counts of kernels by key, and what follows from them: asked for once, kept while there is room. Estimated
// times come with the counts, or not at all: where machine code is read, once the clock has run it.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/compile/compile_service.h"
#include "gpu/core/snapshot.h"
#include "gpu/engine/counter_service.h"
#include "gpu/engine/launch_clock.h"
#include "gpu/engine/planner.h"

namespace ws {

// What came of the trial of an edited kernel.
struct TrialOutcome {
    enum class State : std::uint8_t { pending, passed, refused };
    State state = State::pending;
    LaunchFailure why;  // where it is refused
};

class CountBook {
  public:
    CountBook(const CompileService& compiler, const std::shared_ptr<StagingStore>& store)
        : compiler_(compiler), service_(store), clock_(store) {}

    // Counts those that are compiled and not counted yet: trials first, those of work that is to run beside
    // (`tried`), too; of the baseline once nothing of the work is missing, and then of what runs in all
    // `others`, list by list.
    void ask(const PlannedWork& work, const PlannedWork* baseline, const PlannedWork* tried,
             std::span<const std::span<const PlannedWork>> others, const Problem& problem);
    // Takes what has been counted since; true if anything was.
    bool take();
    void wait() {
        service_.wait();
        clock_.wait();
    }
    // Some of the work or the baseline are being counted, or compiled for it; what has failed is not awaited.
    [[nodiscard]] bool pending() const { return pending_; }
    // The same of the others.
    [[nodiscard]] bool others_pending() const { return others_pending_; }
    [[nodiscard]] bool busy() const { return service_.busy() || clock_.busy() || pending_; }

    // None while it is not known. Counts and registers are those of the same kernel.
    [[nodiscard]] std::optional<StepResult> result_of(const PlannedKernel& kernel) const;
    // Why there are no counts and will be none; empty where they are there or being counted.
    [[nodiscard]] Message problem_of(const PlannedKernel& kernel) const;
    // Passed where there is none. Notes are no reason to refuse a kernel, errors are.
    [[nodiscard]] TrialOutcome trial_of(const PlannedKernel& kernel) const;
    // Those of the kernels that run; without steps while one is missing.
    [[nodiscard]] WorkFigures figures_of(const PlannedWork& work) const;
    // What may stand beside the result of `shown`: the baseline's kernel for the same step, or the sum of its
    // kernels for what one kernel does here.
    [[nodiscard]] Baseline baseline_of(const StepSnapshot& shown, const PlannedWork& baseline) const;

  private:
    // What is missing, to be counted and to be run by the clock.
    struct Jobs {
        std::vector<CountJob> counts;
        std::vector<ClockJob> clocks;
    };
    [[nodiscard]] bool add_trials(const PlannedWork& work, const Problem& problem, Jobs& jobs) const;
    [[nodiscard]] bool add_jobs(const PlannedWork& work, bool what_runs, const Problem& problem,
                                const InputKey& input, Jobs& jobs) const;
    [[nodiscard]] bool add_clock(const PlannedKernel& kernel, const Problem& problem, Jobs& jobs) const;
    // Counts with what follows from them alone; none while they are not known.
    [[nodiscard]] std::optional<StepResult> counted(const PlannedKernel& kernel) const;

    const CompileService& compiler_;
    CounterService service_;
    LaunchClock clock_;
    Board<CountKey, CountOutcome> board_;
    bool pending_ = false;
    bool others_pending_ = false;
};

}  // namespace ws
