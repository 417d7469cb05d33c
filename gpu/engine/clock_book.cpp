#include "gpu/engine/clock_book.h"

#include "gpu/engine/launch_clock.h"

namespace ws {

bool ClockBook::take() {
    std::vector<std::pair<ClockKey, ClockOutcome>> ready = service_.poll();
    for (auto& [key, outcome] : ready) board_.put(std::move(key), std::move(outcome));
    return !ready.empty();
}

void ClockBook::choose(const StepResult& result, const PlannedKernel& kernel, const ClockWish& wish,
                       const Problem& problem, ChosenClock& shown) {
    if (!has_clock(result.key.gpu)) {
        shown = {};
        shown.problem = Message(
            "the clock runs machine code, which is read from compute capability 7.5 on; this "
            "GPU has {}",
            {result.key.gpu.limits.capability.text()});
        return;
    }
    const std::optional<CompileOutcome> code = compiler_.find(kernel.code);
    shown.stale = !code || !code->kernel;
    shown.problem = {};
    if (shown.stale) return;
    const auto take = [&](int blocks, std::shared_ptr<const ClockedKernel>& place) {
        const ClockKey key{result.key, blocks};
        if (const ClockOutcome* there = board_.find(key)) {
            place = there->clocked;
            if (!there->problem.empty()) shown.problem = there->problem;
            return;
        }
        // What stands there is of other warps, but not of another kernel.
        if (place && !(place->key.counts == result.key)) place = nullptr;
        shown.stale = true;
        ClockJob job{key, kernel.counted, problem, result.counters,
                     result.estimate ? result.estimate->device_bytes : 0};
        job.launch.kernel = code->kernel;
        missing_.push_back(std::move(job));
    };
    take(wish.many, shown.many);
    take(wish.few, shown.few);
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
        const PlannedKernel* kernel = answers ? told_kernel(asked, counts.result->key) : nullptr;
        if (kernel)
            choose(*counts.result, *kernel, *asked.clock, snapshot.problem, counts.clock);
        else
            counts.clock.stale = true;
    }
    service_.ask(std::move(missing_));
    missing_ = {};
}

}  // namespace ws
