#include "gpu/engine/other_run.h"

#include "gpu/simt/simt_device.h"

namespace ws {
namespace {

constexpr std::uint8_t kPoison = 0xA5;

// Why a kernel of it will not run; empty while it may.
Message problem_of(const PlannedKernel& kernel, const OtherRunTools& tools) {
    if (!kernel.run_problem.empty()) return kernel.run_problem;
    const std::optional<CompileOutcome> compiled = tools.compiler.find(kernel.run);
    if (compiled && !compiled->kernel) return message("it does not compile: {}", compiled->error);
    const TrialOutcome trial = tools.counts.trial_of(kernel);
    return trial.state == TrialOutcome::State::refused ? Message(trial.why.message) : Message();
}

// Compiled and tried. Nothing is launched on a device before.
bool may_run(const PlannedKernel& kernel, const OtherRunTools& tools) {
    const std::optional<CompileOutcome> compiled = tools.compiler.find(kernel.run);
    return compiled && compiled->kernel && tools.counts.trial_of(kernel).state == TrialOutcome::State::passed;
}

}  // namespace

void OtherRun::stop() {
    running_.reset();
    simulated_.reset();
    done_ = 0;
}

void OtherRun::update(const PlannedWork* wanted, const OtherRunTools& tools,
                      std::optional<OtherResult>& shown) {
    pending_ = false;
    if (!wanted || !tools.problem || !(wanted->key.input.size == tools.problem.size)) {
        if (running_) stop();
        shown_.reset();
        shown.reset();
        return;
    }
    const bool same = shown_ && *shown_ == wanted->key && shown;
    if (same && (shown->bytes || !shown->problem.empty())) return;
    if (!same) {
        if (running_ && !(*running_ == wanted->key)) stop();
        shown_ = wanted->key;
        const Buffer& buffer = wanted->work.lab->buffers[std::size_t(wanted->key.shows)];
        shown = OtherResult{
            wanted->work, wanted->key.shows, extent_of(buffer, wanted->key.input.size), nullptr, 0, {}};
    }
    if (!outcomes_.find(wanted->key)) {
        if (std::optional<Outcome> made = outcome_of(*wanted, tools)) {
            stop();
            outcomes_.put(wanted->key, std::move(*made));
        }
    }
    const Outcome* outcome = outcomes_.find(wanted->key);
    shown->done = done_;
    pending_ = outcome == nullptr;
    if (!outcome) return;
    shown->bytes = outcome->bytes;
    shown->problem = outcome->problem;
}

std::optional<OtherRun::Outcome> OtherRun::outcome_of(const PlannedWork& wanted, const OtherRunTools& tools) {
    Plan plan;
    plan.lab = wanted.work.lab;
    plan.shows = wanted.key.shows;
    bool ready = true;
    for (const PlannedKernel& kernel : wanted.kernels) {
        if (!kernel.runs) continue;
        if (Message problem = problem_of(kernel, tools); !problem.empty())
            return Outcome{nullptr, std::move(problem)};
        ready = ready && may_run(kernel, tools);
        if (!ready) continue;
        plan.launches.push_back(kernel.launch);
        plan.launches.back().kernel = tools.compiler.find(kernel.run)->kernel;
    }
    if (!ready || !tools.may_begin) return std::nullopt;
    if (plan.launches.empty()) return Outcome{nullptr, message("it has no kernel for this")};
    const Abilities& can = tools.device.facts().can;
    if (can.needs_kernels && !can.shows_progress) return run_at_once(plan, tools.device);
    return run_beside(wanted, std::move(plan), tools.problem);
}

OtherRun::Outcome OtherRun::run_at_once(const Plan& plan, Device& device) const {
    Result<HostBytes> made = device.run_poisoned(plan, kPoison);
    if (!made.ok()) return {nullptr, made.message()};
    return {std::make_shared<const HostBytes>(std::move(made.value())), {}};
}

std::optional<OtherRun::Outcome> OtherRun::run_beside(const PlannedWork& wanted, Plan plan,
                                                      const Problem& problem) {
    if (!running_) {
        simulated_ = std::make_unique<simt::SimtDevice>(wanted.key.gpu);
        simulated_->set_problem(problem);
        running_ = wanted.key;
        ++generation_;
    }
    plan.generation = generation_;
    HostTarget nowhere;
    const FrameResult result = simulated_->run(plan, nowhere);
    if (result.failure) return Outcome{nullptr, result.failure->message};
    done_ = simulated_->progress().done;
    std::optional<HostBytes> bytes = simulated_->result();
    if (!bytes) return std::nullopt;
    return Outcome{std::make_shared<const HostBytes>(std::move(*bytes)), {}};
}

}  // namespace ws
