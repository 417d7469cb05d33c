#include "gpu/engine/count_book.h"

#include <algorithm>

#include "gpu/analysis/comparison.h"
#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"

namespace ws {
namespace {

const PlannedKernel* kernel_of(const PlannedWork& work, int step) {
    const auto found = std::find_if(work.kernels.begin(), work.kernels.end(),
                                    [&](const PlannedKernel& kernel) { return kernel.request.step == step; });
    return found == work.kernels.end() ? nullptr : &*found;
}

bool asks_for(const std::vector<CountJob>& jobs, const CountKey& key) {
    return std::any_of(jobs.begin(), jobs.end(), [&](const CountJob& job) { return job.key == key; });
}

// "..., line 57, ...": where a message of the simulated GPU names one; else 0.
int line_in(std::string_view message) {
    constexpr std::string_view kWord = "line ";
    const std::size_t at = message.find(kWord);
    if (at == std::string_view::npos) return 0;
    int line = 0;
    for (std::size_t i = at + kWord.size(); i < message.size() && message[i] >= '0' && message[i] <= '9'; ++i)
        line = line * 10 + (message[i] - '0');
    return line;
}

// By its counts, or by the clock alone.
bool may_have_estimate(const StepResult& counted) {
    return counted.estimate && (counted.estimate->ms > 0 || counted.estimate->needs_clock);
}

}  // namespace

bool CountBook::add_trials(const PlannedWork& work, const Problem& problem, Jobs& jobs) const {
    bool missing = false;
    for (const PlannedKernel& kernel : work.kernels) {
        if (!kernel.trial || board_.find(kernel.trial->key)) continue;
        const std::optional<CompileOutcome> outcome = compiler_.find(kernel.trial->ptx);
        if (outcome && !outcome->kernel) continue;
        missing = true;
        if (!outcome || asks_for(jobs.counts, kernel.trial->key)) continue;
        jobs.counts.push_back({kernel.trial->key, kernel.launch, problem});
        jobs.counts.back().launch.kernel = outcome->kernel;
    }
    return missing;
}

// Adds the kernel's launch where it is counted and compiled and the clock has not run it; true if that is
// missing.
bool CountBook::add_clock(const PlannedKernel& kernel, const Problem& problem, Jobs& jobs) const {
    if (!has_clock(kernel.key.gpu) || clock_.find(kernel.clock_key())) return false;
    const std::optional<StepResult> result = counted(kernel);
    if (!result || !may_have_estimate(*result)) return false;
    const auto asked = [&](const ClockJob& job) { return job.key == kernel.clock_key(); };
    if (std::any_of(jobs.clocks.begin(), jobs.clocks.end(), asked)) return true;
    const double device_bytes = result->estimate->device_bytes;
    jobs.clocks.push_back({kernel.clock_key(), kernel.counted, problem, result->counters, device_bytes});
    jobs.clocks.back().launch.kernel = compiler_.find(kernel.code)->kernel;
    if (const auto ptx = compiler_.find(kernel.ptx)) jobs.clocks.back().ptx = ptx->kernel;
    return true;
}

// Adds what is to be counted of the work, as far as it is compiled, and what the clock is to run; true if any
// of it is missing.
bool CountBook::add_jobs(const PlannedWork& work, bool what_runs, const Problem& problem,
                         const InputKey& input, Jobs& jobs) const {
    bool missing = false;
    for (const PlannedKernel& kernel : work.kernels) {
        if (what_runs && !kernel.runs) continue;
        if (!kernel.problem.empty() || kernel.ptx.name.empty()) continue;
        // Without its machine code there is no estimate.
        if (!compiler_.find(kernel.code)) missing = true;
        if (!(kernel.key.input == input)) continue;  // another picture, which is not open any more
        if (board_.find(kernel.key)) {
            missing |= add_clock(kernel, problem, jobs);
            continue;
        }
        const std::optional<CompileOutcome> outcome = compiler_.find(kernel.ptx);
        if (outcome && !outcome->kernel) continue;
        missing = true;
        if (!outcome || asks_for(jobs.counts, kernel.key)) continue;
        jobs.counts.push_back({kernel.key, kernel.counted, problem});
        jobs.counts.back().launch.kernel = outcome->kernel;
    }
    return missing;
}

void CountBook::ask(const PlannedWork& work, const PlannedWork* baseline, const PlannedWork* tried,
                    std::span<const std::span<const PlannedWork>> others, const Problem& problem) {
    Jobs jobs, beside;
    pending_ = others_pending_ = false;
    const InputKey& input = work.key.input;
    if (problem) {
        pending_ = add_trials(work, problem, jobs);
        if (tried && add_trials(*tried, problem, jobs)) pending_ = true;
        if (add_jobs(work, false, problem, input, jobs)) pending_ = true;
        Jobs later;
        // What only the clock has yet to run leaves the counting to others.
        const bool first = pending_ && jobs.clocks.empty();
        if (baseline && add_jobs(*baseline, false, problem, input, first ? later : jobs)) pending_ = true;
        for (const std::span<const PlannedWork> list : others) {
            for (const PlannedWork& other : list)
                others_pending_ |= add_jobs(other, true, problem, input, pending_ ? later : beside);
        }
    }
    service_.ask(std::move(jobs.counts), std::move(beside.counts));
    clock_.ask(std::move(jobs.clocks), std::move(beside.clocks));
}

bool CountBook::take() {
    std::vector<std::pair<CountKey, CountOutcome>> ready = service_.poll();
    for (auto& [key, outcome] : ready) board_.put(std::move(key), std::move(outcome));
    const bool clocked = clock_.take();
    return clocked || !ready.empty();
}

std::optional<StepResult> CountBook::result_of(const PlannedKernel& kernel) const {
    std::optional<StepResult> result = counted(kernel);
    if (!result || !may_have_estimate(*result) || !has_clock(kernel.key.gpu)) return result;
    const ClockedOutcome* clocked = clock_.find(kernel.clock_key());
    if (!clocked) return std::nullopt;
    if (clocked->launch) result->estimate = by_clock(std::move(*result->estimate), *clocked->launch);
    result->clocked = clocked->launch;
    return result;
}

std::optional<StepResult> CountBook::counted(const PlannedKernel& kernel) const {
    const CountOutcome* counted = board_.find(kernel.key);
    if (!counted || !counted->counters) return std::nullopt;
    StepResult result;
    result.key = kernel.key;
    result.counters = counted->counters;
    const std::optional<CompileOutcome> code = compiler_.find(kernel.code);
    if (!code || !code->kernel || code->kernel->report.registers == 0) return result;
    const CompileReport& report = code->kernel->report;
    result.occupancy = occupancy_of({kernel.counted.block.threads(), registers_within_cap(report),
                                     report.shared_bytes, false, kernel.counted.cache},
                                    kernel.key.gpu.limits);
    result.code = report.code;
    result.estimate = estimate_time(*result.counters, *result.occupancy, kernel.key.gpu, result.code);
    // A multiprocessor's blocks say nothing of the others then, and the bounds nothing of the longest.
    if (kernel.request.uneven && result.estimate->ms > 0) {
        Estimate none;
        none.device_bytes = none.moved_bytes = result.estimate->device_bytes;
        none.reason = "the work of blocks is too uneven";
        result.estimate = none;
    }
    return result;
}

Message CountBook::problem_of(const PlannedKernel& kernel) const {
    if (!kernel.problem.empty()) return kernel.problem;
    if (const CountOutcome* counted = board_.find(kernel.key)) return counted->problem;
    const std::optional<CompileOutcome> ptx = compiler_.find(kernel.ptx);
    return ptx && !ptx->kernel ? message("it does not compile: {}", ptx->error) : Message();
}

TrialOutcome CountBook::trial_of(const PlannedKernel& kernel) const {
    using State = TrialOutcome::State;
    if (!kernel.trial) return {State::passed, {}};
    const int step = kernel.request.step;
    const auto refused = [&](const std::string& code, const std::string& message, int line) {
        return TrialOutcome{State::refused, {.step = step, .code = code, .message = message, .line = line}};
    };
    const CountOutcome* counted = board_.find(kernel.trial->key);
    if (!counted) {
        const std::optional<CompileOutcome> ptx = compiler_.find(kernel.trial->ptx);
        if (ptx && !ptx->kernel) return refused("not checked", ptx->error, 0);
        return {};
    }
    if (!counted->counters) return refused("stopped", counted->problem, line_in(counted->problem));
    for (const Finding& finding : counted->counters->findings) {
        if (finding.severity == Severity::error)
            return refused(name_of(finding.kind), finding.message, finding.line);
    }
    return {State::passed, {}};
}

WorkFigures CountBook::figures_of(const PlannedWork& work) const {
    WorkFigures figures;
    figures.work = work.work;
    figures.key = work.key;
    for (const PlannedKernel& kernel : work.kernels) {
        if (kernel.runs)
            figures.least_bytes += least_bytes(*work.work.lab, kernel.launch.arguments, work.key.input.size);
    }
    for (const PlannedKernel& kernel : work.kernels) {
        if (!kernel.runs) continue;
        figures.problem = problem_of(kernel);
        std::optional<StepResult> result = result_of(kernel);
        if (figures.problem.empty() && result && result->occupancy && result->occupancy->active_blocks == 0)
            figures.problem = why_not_launched(*result->occupancy);
        if (!figures.problem.empty() || !result || !result->estimate) {
            figures.steps.clear();
            return figures;
        }
        figures.steps.push_back(std::move(*result));
    }
    return figures;
}

Baseline CountBook::baseline_of(const StepSnapshot& shown, const PlannedWork& baseline) const {
    Baseline made;
    made.version = baseline.work.version;
    if (!shown.exists) return made;
    // What the baseline runs for the same result, where it has no such kernel.
    const bool sum = shown.runs && !kernel_of(baseline, shown.step);
    std::vector<StepResult> parts;
    std::size_t wanted = 0;
    for (const PlannedKernel& kernel : baseline.kernels) {
        if (sum ? !kernel.runs : kernel.request.step != shown.step) continue;
        ++wanted;
        made.problem = problem_of(kernel);
        if (!made.problem.empty()) return made;
        if (std::optional<StepResult> part = result_of(kernel)) parts.push_back(std::move(*part));
    }
    if (wanted == 0 && !baseline.kernels.empty()) made.problem = message("it has no such kernel");
    const auto stands_beside = [&](const StepResult& part) {
        return comparable(shown.counts.result->key, part.key);
    };
    if (parts.empty() || parts.size() < wanted || !shown.counts.result || shown.counts.stale ||
        !std::all_of(parts.begin(), parts.end(), stands_beside))
        return made;
    made.result = together(std::move(parts), baseline.work.lab->by_weight);
    made.verdict = verdict(*shown.counts.result, *made.result, "V" + std::to_string(made.version));
    made.causes = causes(*shown.counts.result, *made.result);
    return made;
}

}  // namespace ws
