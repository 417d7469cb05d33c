#include "gpu/engine/ready_plan.h"

namespace ws {
namespace {

// Why a kernel will not run; empty while it may.
Message problem_of(const PlannedKernel& kernel, const CompileService& compiler, const CountBook& counts) {
    if (!kernel.run_problem.empty()) return kernel.run_problem;
    const std::optional<CompileOutcome> compiled = compiler.find(kernel.run);
    if (compiled && !compiled->kernel) return message("it does not compile: {}", compiled->error);
    const TrialOutcome trial = counts.trial_of(kernel);
    return trial.state == TrialOutcome::State::refused ? Message(trial.why.message) : Message();
}

bool may_run(const PlannedKernel& kernel, const CompileService& compiler, const CountBook& counts) {
    const std::optional<CompileOutcome> compiled = compiler.find(kernel.run);
    return compiled && compiled->kernel && counts.trial_of(kernel).state == TrialOutcome::State::passed;
}

}  // namespace

ReadyPlan ready_plan(const PlannedWork& work, const CompileService& compiler, const CountBook& counts) {
    Plan plan;
    plan.lab = work.work.lab;
    plan.shows = work.key.shows;
    bool ready = true;
    for (const PlannedKernel& kernel : work.kernels) {
        if (!kernel.runs) continue;
        if (Message problem = problem_of(kernel, compiler, counts); !problem.empty())
            return {std::nullopt, std::move(problem)};
        ready = ready && may_run(kernel, compiler, counts);
        if (!ready) continue;
        plan.launches.push_back(kernel.launch);
        plan.launches.back().kernel = compiler.find(kernel.run)->kernel;
    }
    if (!ready) return {};
    if (plan.launches.empty()) return {std::nullopt, message("it has no kernel for this")};
    return {std::move(plan), {}};
}

}  // namespace ws
