#include "gpu/engine/other_run.h"

#include "gpu/engine/ready_plan.h"
#include "gpu/simt/simt_device.h"

namespace ws {
namespace {

constexpr std::uint8_t kPoison = 0xA5;

}  // namespace

void OtherRun::stop() {
    running_.reset();
    simulated_.reset();
    done_ = 0;
}

void OtherRun::update(const PlannedWork* wanted, const OtherRunTools& tools,
                      std::optional<OtherResult>& shown) {
    pending_ = false;
    if (std::optional<Result<Outcome>> made = borrowed_.poll())
        outcomes_.put(borrowed_for_,
                      made->ok() ? std::move(made->value()) : Outcome{nullptr, made->message()});
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
    ReadyPlan ready = ready_plan(wanted, tools.compiler, tools.counts);
    if (!ready.problem.empty()) return Outcome{nullptr, std::move(ready.problem)};
    if (!ready.plan || !tools.may_begin) return std::nullopt;
    const Abilities& can = tools.devices.device().facts().can;
    if (!can.needs_kernels || can.shows_progress)
        return run_beside(wanted, std::move(*ready.plan), tools.problem);
    if (!borrowed_.active()) borrow(wanted, std::move(*ready.plan), tools.devices);
    return std::nullopt;
}

void OtherRun::borrow(const PlannedWork& wanted, Plan plan, DeviceHost& devices) {
    borrowed_for_ = wanted.key;
    borrowed_ = Job<Outcome>(
        [plan = std::move(plan), loan = devices.lend()](const std::stop_token&) mutable -> Outcome {
            Result<HostBytes> made = loan.device().run_poisoned(plan, kPoison);
            loan.give_back();
            if (!made.ok()) return {nullptr, made.message()};
            return {std::make_shared<const HostBytes>(std::move(made.value())), {}};
        });
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
    std::shared_ptr<const HostBytes> bytes = simulated_->result();
    if (!bytes) return std::nullopt;
    return Outcome{std::move(bytes), {}};
}

}  // namespace ws
