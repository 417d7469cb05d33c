#include "gpu/engine/clock_book.h"

#include "gpu/engine/launch_clock.h"

namespace ws {

// Of one kernel: where the baseline takes several for the same result, no clock stands beside it.
ClockBook::Counted ClockBook::baseline_of(const AskedWork& asked, const StepSnapshot& step) {
    const std::optional<StepResult>& result = step.counts.baseline.result;
    if (!asked.baseline || !result) return {};
    const PlannedKernel* kernel = kernel_with(*asked.baseline, result->key);
    if (!kernel || kernel->request.step != step.step) return {};
    return {&*result, kernel};
}

bool ClockBook::take() {
    std::vector<std::pair<ClockKey, ClockOutcome>> ready = service_.poll();
    for (auto& [key, outcome] : ready) board_.put(std::move(key), std::move(outcome));
    return !ready.empty();
}

void ClockBook::take(const Counted& of, int blocks, const Problem& problem, ChosenClock& shown,
                     std::shared_ptr<const ClockedKernel>& place) {
    const ClockKey key = of.kernel->clock_key(blocks);
    if (const ClockOutcome* there = board_.find(key)) {
        place = there->clocked;
        if (!there->problem.empty()) shown.problem = there->problem;
        return;
    }
    // What stands there is of other warps, but not of another kernel.
    if (place && !(place->key.counts == of.result->key)) place = nullptr;
    shown.stale = true;
    const std::optional<CompileOutcome> code = compiler_.find(of.kernel->code);
    if (!code || !code->kernel) return;
    ClockJob job{key, of.kernel->counted, problem, of.result->counters,
                 of.result->estimate ? of.result->estimate->device_bytes : 0};
    job.launch.kernel = code->kernel;
    if (const auto ptx = compiler_.find(of.kernel->ptx)) job.ptx = ptx->kernel;
    missing_.push_back(std::move(job));
}

void ClockBook::choose(const Counted& now, const Counted& baseline, const ClockWish& wish,
                       const Problem& problem, ChosenClock& shown) {
    const GpuProfile& gpu = now.result->key.gpu;
    if (!has_clock(gpu)) {
        shown = {};
        shown.problem = Message(
            "the clock runs machine code, which is read from compute capability 7.5 on; this "
            "GPU has {}",
            {gpu.limits.capability.text()});
        return;
    }
    shown.stale = false;
    shown.problem = {};
    shown.baseline = wish.baseline && baseline.kernel;
    take(now, wish.many, problem, shown, shown.many);
    if (shown.baseline)
        take(baseline, 0, problem, shown, shown.few);
    else
        take(now, wish.few, problem, shown, shown.few);
}

void ClockBook::publish(const AskedWork& asked, Snapshot& snapshot) {
    missing_.clear();
    for (StepSnapshot& step : snapshot.steps) {
        StepCounts& counts = step.counts;
        if (!asked.clock || asked.clock->step != step.step || !snapshot.problem || !counts.result) {
            counts.clock = {};
            continue;
        }
        const bool answers = !counts.stale && counts.result->key.input == input_key(snapshot.problem);
        const Counted now{&*counts.result, answers ? told_kernel(asked, counts.result->key) : nullptr};
        if (now.kernel)
            choose(now, baseline_of(asked, step), *asked.clock, snapshot.problem, counts.clock);
        else
            counts.clock.stale = true;
    }
    service_.ask(std::move(missing_));
    missing_ = {};
}

}  // namespace ws
