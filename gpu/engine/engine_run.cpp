// How an Engine runs: its plan, the device's failures, checks, and what stands beside the work.

#include "gpu/engine/engine.h"
#include "gpu/engine/publish.h"

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kRestBeforeCheck = 300ms;
constexpr auto kSlowRuns = 250ms;  // of a GPU, once there are samples enough
constexpr int kSamplesFirst = 30;  // of the work, before others are measured

}  // namespace

// False if the plan has failed before: the last good one stays active.
bool Engine::adopt_plan(Plan candidate) {
    const WorkKey& key = asked_->work.key;
    if (running_.rejected && *running_.rejected == key) return false;
    snapshot_.run.failure.reset();
    running_.rejected.reset();
    running_.version = asked_->work.work.version;
    running_.view = asked_->work.work.view;
    if (running_.plan.generation != 0 && running_.key == key) return true;
    candidate.generation = ++running_.generations;
    running_.plan = std::move(candidate);
    running_.key = key;
    running_.done = false;
    running_.result.reset();
    start_samples();
    return true;
}

// What ran does not fit any more, and what failed may succeed.
void Engine::forget_plan() {
    running_.plan = {};
    running_.key = {};
    running_.done = false;
    running_.rejected.reset();
}

bool Engine::wants_run() const {
    if (running_.plan.launches.empty() || !snapshot_.problem || devices_.lent()) return false;
    if (!running_.done) return true;
    const bool unchecked = snapshot_.result.check.state == Check::State::pending;
    if (snapshot_.device.can.shows_progress)
        return !snapshot_.run.progress || !snapshot_.run.progress->complete || unchecked;
    if (unchecked) return true;
    if (others_.times.active()) return false;
    if (!times_.full()) return true;
    // A GPU's clock goes up and down; the native pipeline's times stand once they are taken.
    return snapshot_.device.can.measures_time && Clock::now() - running_.last_run >= kSlowRuns;
}

bool Engine::busy() const {
    const bool beside = snapshot_.device.can.shows_progress;
    if (snapshot_.compiler.busy > 0 || (wants_first_run() && snapshot_.problem && !beside)) return true;
    if (running_.plan.launches.empty() || beside) return false;
    return !times_.full() || snapshot_.result.check.state == Check::State::pending || others_.times.active();
}

bool Engine::simulating() const {
    return counts_.busy() || examples_.busy() || clocks_.busy() || others_.run.pending() ||
           (snapshot_.device.can.shows_progress && snapshot_.problem && wants_run());
}

// What stands beside the work is compiled once the work has rested, while nobody waits for the compiler: its
// outcomes are to be seen all the same.
bool Engine::at_rest() const {
    if (!asked_ || busy() || simulating() || comparing() || wants_run()) return false;
    if (!kernels_.compiler.compiler()) return true;
    return asked_->progress.ahead && asked_->progress.seen_outcomes == kernels_.compiler.finished();
}

bool Engine::run(FrameTarget& target) {
    if (running_.plan.launches.empty()) return false;
    running_.last_run = Clock::now();
    const FrameResult result =
        times_.samples().around([&] { return devices_.device().run(running_.plan, target); });
    if (result.failure) {
        reject(*result.failure);
        return false;
    }
    const bool is_picture =
        running_.plan.lab->buffers[std::size_t(running_.plan.shows)].element == Element::gray;
    if (snapshot_.device.can.shows_progress) {
        Progress progress = devices_.device().progress();
        // Complete is what has been drawn, not what lies ready.
        progress.complete = progress.complete && (result.drawn || running_.done || !is_picture);
        snapshot_.run.progress = progress;
    }
    if (result.drawn || (!is_picture && (!snapshot_.run.progress || snapshot_.run.progress->complete))) {
        running_.done = true;
        publish_drawn();
    }
    if (result.times && result.times->generation == running_.plan.generation) {
        snapshot_.run.warming_up = !times_.samples().take(*result.times, devices_.device().clock());
        publish_times();
    }
    if (snapshot_.result.check.state == Check::State::pending &&
        Clock::now() - times_.samples().since() > kRestBeforeCheck)
        continue_check();
    return result.drawn;
}

// Another one takes its place.
void Engine::lose_device(const LaunchFailure& failure) {
    snapshot_.device.loss = devices_.replace_lost(failure.code, snapshot_.problem);
    snapshot_.run.progress.reset();
    describe_device();
    asked_.reset();
    start_samples();
}

void Engine::reject(const LaunchFailure& failure) {
    snapshot_.run.failure = failure;
    snapshot_.run.stale = true;
    const WorkKey failed = running_.key;
    if (failure.device_lost) lose_device(failure);
    forget_plan();
    running_.rejected = failed;
}

// One of a plan that is not the running one any more says nothing.
void Engine::take_check(ResultCheck::Outcome outcome) {
    if (outcome.generation != running_.plan.generation || running_.plan.launches.empty()) return;
    snapshot_.result.check = outcome.check;
    snapshot_.result.difference = outcome.difference;
    running_.result = std::move(outcome.result);
}

void Engine::begin_check() {
    if (snapshot_.result.check.state != Check::State::pending || check_.active()) return;
    check_.begin(devices_.lend(), running_.plan, snapshot_.problem, input_.key);
}

void Engine::continue_check() {
    if (std::optional<ResultCheck::Outcome> outcome = check_.poll()) take_check(std::move(*outcome));
    begin_check();
}

void Engine::check_now() {
    if (running_.plan.launches.empty()) return;
    if (check_.active()) take_check(check_.wait());
    begin_check();
    if (check_.active()) take_check(check_.wait());
}

// ---- what stands beside the work

// The result of other work comes after that of the work itself, its times after that.
void Engine::continue_others() {
    const bool nothing_runs = running_.plan.launches.empty() || snapshot_.run.failure;
    const bool may_begin = snapshot_.compiler.busy == 0 &&
                           (nothing_runs || snapshot_.result.check.state != Check::State::pending);
    others_.run.update(asked_->other ? &*asked_->other : nullptr,
                       {kernels_.compiler, counts_, devices_, snapshot_.problem, may_begin},
                       snapshot_.result.other);
    continue_other_times();
}

// On a GPU what stands beside the work is measured, too, unless the GPU is held back.
bool Engine::wants_other_times() const {
    const Abilities& can = snapshot_.device.can;
    if (!can.measures_time || can.shows_progress || !asked_ || !asked_->all_versions) return false;
    if (running_.plan.launches.empty() || snapshot_.run.failure || snapshot_.run.stale) return false;
    return !asked_->progress.others_done && snapshot_.times.refused.empty();
}

// They come after those of the work itself, its check, and the compiler's first go at their kernels.
void Engine::continue_other_times() {
    const bool rests = running_.done && snapshot_.times.total_ms.samples >= kSamplesFirst &&
                       snapshot_.result.check.state != Check::State::pending;
    if (!wants_other_times() || !rests || !asked_->progress.ahead || devices_.lent())
        return others_.times.stop();
    const std::optional<LaunchFailure> lost =
        others_.times.update(measurable_beside(*asked_),
                             {kernels_.compiler, counts_, devices_.device(), times_, running_.generations});
    if (lost) {
        lose_device(*lost);
        forget_plan();
        return;
    }
    asked_->progress.others_done = !others_.times.active() && kernels_.compiler.idle();
    publish_measured(times_, snapshot_);
}

}  // namespace ws
