#include "gpu/engine/publish.h"

#include <algorithm>

#include "gpu/analysis/advisor.h"
#include "gpu/analysis/comparison.h"
#include "gpu/engine/describe.h"

namespace ws {
namespace {

void publish_step(const PlannedKernel* kernel, const CountBook& counts, StepSnapshot& shown) {
    shown.counts.stale = false;
    shown.counts.problem = {};
    if (!kernel || kernel->ptx.name.empty()) {
        shown.counts.result.reset();
        return;
    }
    if (std::optional<StepResult> result = counts.result_of(*kernel)) {
        shown.counts.result = std::move(result);
        const KernelSource& source = *kernel->request.source;
        shown.counts.source = {source.name, source.text, source.saved_at};
        return;
    }
    shown.counts.problem = counts.problem_of(*kernel);
    const bool mends = shown.counts.source.name == shown.source.name && shown.source.edited;
    if (!shown.counts.problem.empty() && !mends) shown.counts.result.reset();
    shown.counts.stale = shown.counts.result.has_value();
}

// What is shown of the work: its own figures, or, while they are being made, the last ones that were there.
void publish_now(WorkFigures now, Snapshot& snapshot) {
    const bool waits = now.problem.empty() && !now.counted() && runs_anything(now.work);
    // Of another lab nothing is kept: its figures would mean something else.
    snapshot.told.stale = waits && snapshot.told.now.counted() && snapshot.told.now.work.lab == now.work.lab;
    if (!snapshot.told.stale) snapshot.told.now = std::move(now);
}

// An edited kernel is still being checked: nothing is told of it before it has passed.
bool on_trial(const AskedWork& asked, const CountBook& counts) {
    return std::ranges::any_of(asked.work.kernels, [&](const PlannedKernel& kernel) {
        return &asked.standing_for(kernel) == &kernel &&
               counts.trial_of(kernel).state == TrialOutcome::State::pending;
    });
}

}  // namespace

void publish_steps(const AskedWork& asked, const CountBook& counts, Snapshot& snapshot) {
    for (StepSnapshot& shown : snapshot.steps) {
        const auto& kernels = asked.work.kernels;
        const auto kernel = std::find_if(kernels.begin(), kernels.end(), [&](const PlannedKernel& one) {
            return one.request.step == shown.step;
        });
        publish_step(kernel == kernels.end() ? nullptr : &asked.standing_for(*kernel), counts, shown);
        shown.counts.baseline = asked.baseline ? counts.baseline_of(shown, *asked.baseline) : Baseline{};
        describe_lines(asked.baseline_or_null(), shown);
    }
}

void publish_figures(const AskedWork& asked, const FigureSources& from, const InputKey& open,
                     Snapshot& snapshot) {
    const auto figures_of = [&](const PlannedWork& planned) {
        WorkFigures figures = from.counts.figures_of(planned);
        figures.measured = from.times.total_of(planned.key);
        if (from.recordings) {
            const Record* record =
                from.recordings->find(planned.gpu, record_key(planned, planned.key.input.size));
            if (record) figures.recorded = record->total_ms;
        }
        return figures;
    };
    const bool held = on_trial(asked, from.counts);
    const auto told_figures_of = [&](const PlannedWork& planned) {
        WorkFigures figures = figures_of(planned);
        if (held) figures.steps.clear();
        return figures;
    };
    publish_now(told_figures_of(asked.told), snapshot);
    snapshot.told.baseline.reset();
    snapshot.told.reasons.reset();
    if (asked.baseline) {
        WorkFigures& baseline = snapshot.told.baseline.emplace(figures_of(*asked.baseline));
        if (!baseline.counted() && baseline.problem.empty() && !(asked.baseline->key.input == open))
            baseline.problem = message("its input is not open any more");
        if (!snapshot.told.stale && snapshot.told.now.counted() && baseline.counted())
            snapshot.told.reasons = reasons(snapshot.told.now, baseline);
    }
    snapshot.told.versions.clear();
    for (const PlannedWork& planned : asked.versions)
        snapshot.told.versions[planned.work.version] =
            planned.work.version == asked.told.work.version ? told_figures_of(planned) : figures_of(planned);
    snapshot.told.gpus.clear();
    for (std::size_t i = 0; i < asked.gpus.size(); ++i)
        snapshot.told.gpus.push_back({asked.gpus[i], figures_of(asked.on_gpus[i])});
}

void publish_advice(const AskedWork& asked, const CountBook& counts, const Surroundings& around,
                    Snapshot& snapshot) {
    if (snapshot.told.stale) return;  // what it was of is still shown
    const auto known = [&](const Work& work) -> std::optional<WorkFigures> {
        WorkFigures figures = counts.figures_of(plan_work(work, around));
        return figures.counted() ? std::optional(std::move(figures)) : std::nullopt;
    };
    // The steps are those of the work that is asked for: a glance at another lab's picture changes them.
    const bool together = asked.told.work.lab == snapshot.work.lab;
    snapshot.told.advice = together ? advise(snapshot, known) : std::nullopt;
}

void publish_measured(const TimeBook& times, Snapshot& snapshot) {
    const auto renew = [&](WorkFigures& figures) { figures.measured = times.total_of(figures.key); };
    renew(snapshot.told.now);
    if (snapshot.told.baseline) renew(*snapshot.told.baseline);
    for (auto& [version, figures] : snapshot.told.versions) renew(figures);
    for (GpuFigures& one : snapshot.told.gpus) renew(one.figures);
}

}  // namespace ws
