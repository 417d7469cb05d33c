#include "gpu/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <thread>

#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/time_floor.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/engine/describe.h"
#include "gpu/engine/publish.h"

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kRestBeforeAhead = 400ms;  // then the neighbours of the current work are compiled
constexpr auto kRefresh = 250ms;          // looking at the kernel files

// Of a lab that generates its input.
bool is_input_of(const Problem& problem, const Work& work) {
    return problem && problem.lab == work.lab && problem.size == work.size &&
           problem.knobs == input_knobs(*work.lab, work.knobs);
}

}  // namespace

Engine::Engine(EngineOptions options)
    : options_(std::move(options)),
      gpus_(options_.calibrations),
      kernels_(options_),
      devices_(options_.devices, gpus_, kernels_.compiler),
      counts_(kernels_.compiler, staging_),
      examples_(kernels_.compiler, staging_),
      clocks_(kernels_.compiler, staging_) {
    snapshot_.compiler.folder = options_.kernel_folder.string();
    snapshot_.compiler.missing = kernels_.compiler.compiler() == nullptr;
    snapshot_.compiler.name =
        kernels_.compiler.compiler() ? kernels_.compiler.compiler()->name() : kernels_.compiler.why();
    for (const GpuProfile& gpu : gpus_.gpus()) snapshot_.target.names.push_back(gpu.name);
}

Engine::~Engine() = default;

KernelLookup Engine::lookup() const {
    return [this](std::string_view name) -> const KernelSource& { return kernels_.library.find(name); };
}

KernelLookup Engine::good_lookup() const {
    return [this](std::string_view name) -> const KernelSource& {
        return kernels_.good.standing_for(kernels_.library.find(name));
    };
}

Surroundings Engine::surroundings() const {
    return {lookup(), kernels_.compiler.compiler(), snapshot_.device, snapshot_.target.gpu, input_.key};
}

void Engine::warm_up(const Work& work) {
    const Nvrtc* compiler = kernels_.compiler.compiler();
    if (!compiler || work.device == DeviceKind::cpu) return;
    const Result<std::vector<DeviceFacts>> devices = cuda_devices();
    if (!devices.ok() || devices.value().empty()) return;
    const bool several = devices.value().size() > 1;
    if (several) snapshot_.target.here = devices.value();
    const bool chosen = work.device == DeviceKind::cuda && work.cuda_gpu >= 0;
    const int first = chosen ? work.cuda_gpu : 0;
    if (first >= int(devices.value().size())) return;  // opening it says so
    const ComputeCapability capability = devices.value()[std::size_t(first)].profile.limits.capability;
    // Of several GPUs only the window knows which, if none is chosen; kernels are the same for those of one
    // capability.
    const bool alike = chosen || std::ranges::all_of(devices.value(), [&](const DeviceFacts& device) {
                           return device.profile.limits.capability == capability;
                       });
    if (!alike) return;
    const CodeTarget target = runnable_target(compiler->architectures(), capability);
    std::vector<CompileRequest> needed;
    for (const StepRequest& request : step_requests(work, lookup())) {
        if (can_run(*request.source, capability))
            needed.push_back(compile_request(*work.lab, request, target));
    }
    if (target.architecture > 0) kernels_.compiler.ask(needed);
    if (chosen || !several) warm_up_cuda(first);
}

// ---- what is worked on

void Engine::set_problem(Problem problem) {
    if (devices_.is_open()) {
        try {
            devices_.device().set_problem(problem);
        } catch (const Error&) {
            if (snapshot_.problem) devices_.device().set_problem(snapshot_.problem);
            throw;
        }
    }
    snapshot_.problem = std::move(problem);
    input_.key = input_key(snapshot_.problem);
    forget_plan();
    asked_.reset();
}

void Engine::set_picture(Picture picture, const std::string& name) {
    const Lab* lab = snapshot_.problem.lab;
    if (!lab) lab = snapshot_.work.lab;
    if (lab && lab->takes_picture()) {
        Problem problem = picture_problem(*lab, picture, snapshot_.work.knobs);
        set_problem(problem);
        input_.of_picture = std::move(problem);
    }
    input_.picture = std::move(picture);
    input_.picture_name = name;
    if (lab && lab->takes_picture()) snapshot_.input_name = name;
}

bool Engine::has_input(const Work& work) const {
    if (work.lab->takes_picture()) return true;
    const Work wanted = normalised(work, gpus_);
    return is_input_of(snapshot_.problem, wanted) || is_input_of(input_.generated, wanted);
}

Problem Engine::input_of(const Work& work) const {
    const Work wanted = normalised(work, gpus_);
    return generated_problem(*wanted.lab, wanted.size, wanted.knobs);
}

// The lab's input: the picture, or what it generates for the size.
void Engine::use_input(const Work& work) {
    const Problem& now = snapshot_.problem;
    if (work.lab->takes_picture()) {
        if (!input_.picture) return;
        const auto is_it = [&](const Problem& problem) {
            return problem && problem.lab == work.lab && problem.input.get() == &input_.picture->bytes &&
                   problem.knobs == input_knobs(*work.lab, work.knobs);
        };
        if (is_it(now)) return;
        Problem& kept = input_.of_picture;
        if (!is_it(kept)) kept = picture_problem(*work.lab, input_.picture, work.knobs);
        set_problem(kept);
        snapshot_.input_name = input_.picture_name;
        return;
    }
    if (is_input_of(now, work)) return;
    Problem& kept = input_.generated;
    if (!is_input_of(kept, work)) {
        kept = {};
        kept = generated_problem(*work.lab, work.size, work.knobs);
    }
    set_problem(kept);
    snapshot_.input_name = fmt::format("{} x {}", work.size.width, work.size.height);
}

bool Engine::refresh_kernels() {
    if (options_.kernel_folder.empty() || Clock::now() - kernels_.refreshed < kRefresh) return false;
    kernels_.refreshed = Clock::now();
    return kernels_.library.refresh();
}

void Engine::use_kernel_folder(const std::filesystem::path& folder) {
    kernels_.library = KernelLibrary(folder);
    options_.kernel_folder = folder;
    snapshot_.compiler.folder = folder.string();
    asked_.reset();  // it points into what the library was
}

void Engine::use_device(const Work& work) {
    if (!devices_.choose({work.device, work.cuda_gpu}, work.target_gpu, snapshot_.problem)) return;
    snapshot_.run.progress.reset();
    describe_device();
    forget_plan();
    asked_.reset();
    start_samples();
}

void Engine::describe_device() {
    snapshot_.device = {devices_.facts(), devices_.reason(), std::move(snapshot_.device.loss)};
}

// The GPU for which occupancy is computed.
void Engine::choose_target(const Work& work) {
    const GpuProfile automatic =
        snapshot_.device.can.measures_time ? snapshot_.device.profile : gpus_.named(kDefaultTarget);
    snapshot_.target.automatic = automatic.name;
    snapshot_.target.gpu = work.target_gpu.empty() ? automatic : gpus_.named(work.target_gpu);
    snapshot_.target.rates = source_of_rates(snapshot_.target.gpu);
    if (!snapshot_.device.can.becomes_any_gpu || snapshot_.device.profile.name == snapshot_.target.gpu.name)
        return;
    devices_.device().become(snapshot_.target.gpu);
    describe_device();
    forget_plan();
}

void Engine::prepare(const Work& work, const Beside& beside) {
    const Work wanted = normalised(work, gpus_);
    use_device(wanted);
    use_input(wanted);
    const bool new_kernels = refresh_kernels();
    snapshot_.work = work;
    if (new_kernels || !asked_ || !(asked_->work.work == wanted) || !asked_->answers(beside))
        ask(wanted, beside);
    bool other_warp = !(asked_->warp == beside.warp);
    bool other_clock = !(asked_->clock == beside.clock);
    asked_->warp = beside.warp;
    asked_->clock = beside.clock;
    // Counted before the outcomes are looked at: when none is pending, all are seen below.
    snapshot_.compiler.busy = kernels_.compiler.pending();
    if (kernels_.compiler.finished() != asked_->progress.seen_outcomes) {
        asked_->progress.seen_outcomes = kernels_.compiler.finished();
        collect_kernels();
    }
    if (counts_.take()) {
        ask_for_counts();
        publish_counts();
        if (asked_->progress.on_trial) collect_kernels();
    }
    other_warp |= examples_.take();
    if (other_warp) examples_.publish(*asked_, snapshot_);
    other_clock |= clocks_.take();
    if (other_clock) clocks_.publish(*asked_, snapshot_);
    compile_ahead_when_idle();
    continue_others();
}

// ---- kernels

void Engine::ask(const Work& work, const Beside& beside) {
    choose_target(work);
    const Surroundings around = surroundings();
    asked_ = asked_work(work, beside, around, gpus_, good_lookup());
    asked_->warp = beside.warp;
    asked_->clock = beside.clock;
    asked_->progress.at = Clock::now();
    describe_steps(asked_->work, input_.key, snapshot_.steps);
    snapshot_.shown_size = extent_of(work.lab->buffers[std::size_t(asked_->work.key.shows)], input_.key.size);
    snapshot_.unavailable = unavailable_versions(*work.lab, around);
    if (kernels_.compiler.compiler()) {
        kernels_.compiler.ask(kernels_to_run(*asked_));
        snapshot_.target.note = target_note(asked_->work, around);
    }
    publish_counts();
}

void Engine::ask_for_counts() {
    // What is told is the work, but where a good kernel stands for one that was refused.
    const std::array<std::span<const PlannedWork>, 4> others{std::span(&asked_->told, 1), asked_->on_gpus,
                                                             asked_->versions, asked_->advised};
    counts_.ask(asked_->work, asked_->baseline_or_null(), asked_->other ? &*asked_->other : nullptr, others,
                snapshot_.problem);
}

void Engine::compile_ahead_when_idle() {
    if (!kernels_.compiler.compiler() || snapshot_.compiler.busy > 0) return;
    const bool rested = Clock::now() - asked_->progress.at >= kRestBeforeAhead;
    if (asked_->progress.for_counts && (asked_->progress.ahead || !rested)) return;
    // What the simulated GPU counts comes after what runs, and what may be chosen next after that.
    std::vector<CompileRequest> likely = kernels_to_count(*asked_);
    const auto add = [&](std::vector<CompileRequest> more) {
        std::move(more.begin(), more.end(), std::back_inserter(likely));
    };
    if (rested && options_.compiles_next) add(kernels_next(*asked_, surroundings()));
    if (rested) add(kernels_beside(*asked_));
    asked_->progress.for_counts = true;
    asked_->progress.ahead = rested;
    kernels_.compiler.ask({}, likely);
}

// Takes what the compiler has finished; makes a new plan once every kernel of what is shown is there.
void Engine::collect_kernels() {
    const Work& work = asked_->work.work;
    const bool needs_kernels = snapshot_.device.can.needs_kernels;
    describe_built();
    Plan candidate;
    candidate.lab = work.lab;
    candidate.shows = asked_->work.key.shows;
    candidate.knobs = input_knobs(*work.lab, work.knobs);
    bool complete = bool(snapshot_.problem);
    for (const PlannedKernel& kernel : asked_->work.kernels) {
        if (!kernel.runs || !snapshot_.problem) continue;
        Launch launch = kernel.launch;
        if (needs_kernels) {
            launch.kernel = snapshot_.steps[std::size_t(kernel.request.step)].built.kernel;
            if (!launch.kernel) complete = false;
        } else {
            // Without kernels blocks and grids do not change the work.
            launch = {.step = launch.step, .block = {1, 1}, .arguments = launch.arguments};
            cover(launch, input_.key.size);
        }
        candidate.launches.push_back(std::move(launch));
    }
    ask_for_counts();
    publish_counts();
    // What the work shows may need no launch; then nothing of an earlier plan is shown.
    snapshot_.run.stale = !passes_trials() || !complete || !adopt_plan(std::move(candidate));
    publish_drawn();
    if (judge_kernels()) plan_anew();
}

void Engine::describe_built() {
    describe_kernels(*asked_, kernels_.compiler, surroundings(), snapshot_.steps);
    if (kernels_.library.problem().empty()) return;
    // Its step reports a file on disk that cannot be parsed; its last good text stays active.
    for (StepSnapshot& shown : snapshot_.steps) {
        if (kernels_.library.problem().find(shown.source.name + ".cu") != std::string::npos)
            shown.built.error = kernels_.library.problem();
    }
}

// Which edited kernels are good, as far as it is known by now; true if figures are told of other texts than
// before.
bool Engine::judge_kernels() {
    bool others = false;
    for (const PlannedKernel& kernel : asked_->work.kernels) {
        const KernelSource& source = *kernel.request.source;
        const CompileState built = snapshot_.steps[std::size_t(kernel.request.step)].built.state;
        const TrialOutcome::State trial = counts_.trial_of(kernel).state;
        const bool fails = kernel.run_problem.empty() && built == CompileState::failed;
        const bool proved =
            built == CompileState::ready && kernel.runs && trial == TrialOutcome::State::passed;
        if (source.edited && (fails || trial == TrialOutcome::State::refused))
            others |= kernels_.good.refused(source);
        else if (!source.edited || proved)
            others |= kernels_.good.passed(source);
    }
    return others;
}

// The same work: what runs goes on, and figures are told of what stands for its kernels by now.
void Engine::plan_anew() {
    const AskedProgress progress = asked_->progress;
    const std::optional<WarpWish> warp = asked_->warp;
    const std::optional<ClockWish> clock = asked_->clock;
    asked_ = asked_work(asked_->work.work, asked_->beside(), surroundings(), gpus_, good_lookup());
    asked_->warp = warp;
    asked_->clock = clock;
    asked_->progress = progress;
    asked_->progress.for_counts = asked_->progress.ahead = false;
    describe_built();
    ask_for_counts();
    publish_counts();
}

// Whether every edited kernel that runs has passed the checks. One that has not stays away from the device:
// the last good plan stays active, and what was found is a failure to launch.
bool Engine::passes_trials() {
    bool passes = true;
    asked_->progress.on_trial = false;
    for (const PlannedKernel& kernel : asked_->work.kernels) {
        const TrialOutcome outcome = counts_.trial_of(kernel);
        if (outcome.state == TrialOutcome::State::passed) continue;
        passes = false;
        // What does not compile is no matter of the checks.
        if (snapshot_.steps[std::size_t(kernel.request.step)].built.state == CompileState::failed) continue;
        if (outcome.state == TrialOutcome::State::pending)
            asked_->progress.on_trial = true;
        else
            snapshot_.run.failure = outcome.why;
    }
    return passes;
}

PlannedWork Engine::plan_of(const Work& work) const {
    return plan_work(normalised(work, gpus_), surroundings());
}

Record Engine::record() const {
    return record_of(snapshot_, asked_->work, input_.key);
}

void Engine::replay(std::shared_ptr<const Recordings> recordings) {
    recordings_ = std::move(recordings);
    asked_.reset();
}

void Engine::wait_for_kernels() {
    if (!kernels_.compiler.compiler()) return;
    for (const PlannedKernel& kernel : asked_->work.kernels) {
        if (!kernel.run.name.empty()) (void)kernels_.compiler.wait_for(kernel.run);
        if (kernel.trial) (void)kernels_.compiler.wait_for(kernel.trial->ptx);
        if (kernel.problem.empty()) (void)kernels_.compiler.wait_for(kernel.code);
    }
    asked_->progress.seen_outcomes = ~0ull;
    prepare(snapshot_.work, asked_->beside());
    while (asked_->progress.on_trial) {
        counts_.wait();
        prepare(snapshot_.work, asked_->beside());
    }
}

void Engine::wait_for_other() {
    if (!kernels_.compiler.compiler()) return;
    for (const CompileRequest& request : kernels_to_run(*asked_)) (void)kernels_.compiler.wait_for(request);
    do {
        asked_->progress.seen_outcomes = ~0ull;
        prepare(snapshot_.work, asked_->beside());
        counts_.wait();
        std::this_thread::sleep_for(1ms);
    } while (others_.run.pending());
}

void Engine::wait_for_counts() {
    if (!kernels_.compiler.compiler()) return;
    for (const CompileRequest& request : kernels_to_count(*asked_)) (void)kernels_.compiler.wait_for(request);
    do {
        asked_->progress.seen_outcomes = ~0ull;
        prepare(snapshot_.work, asked_->beside());
        counts_.wait();
        prepare(snapshot_.work, asked_->beside());
        examples_.wait();
        clocks_.wait();
        prepare(snapshot_.work, asked_->beside());
    } while (counts_.pending() || examples_.busy() || clocks_.busy());
}

// ---- into the snapshot

void Engine::start_samples() {
    times_.samples().start();
    snapshot_.result.check = {};
    snapshot_.result.difference.reset();
    publish_times();
}

void Engine::publish_times() {
    const auto launches = int(running_.plan.launches.size());
    times_.publish(snapshot_, running_.key, launches > 0,
                   time_floor_ms(least_bytes(snapshot_), launches, snapshot_.device.profile));
    publish_measured(times_, snapshot_);
}

void Engine::publish_counts() {
    publish_steps(*asked_, counts_, snapshot_);
    examples_.publish(*asked_, snapshot_);
    clocks_.publish(*asked_, snapshot_);
    publish_figures(*asked_, {counts_, times_, recordings_.get()}, input_.key, snapshot_);
    if (!kernels_.compiler.compiler()) return;
    Surroundings around = surroundings();
    around.find = good_lookup();
    publish_advice(*asked_, counts_, around, snapshot_);
    if (!snapshot_.told.advice || !add_advised(*snapshot_.told.advice, around, *asked_)) return;
    asked_->progress.ahead = false;
    ask_for_counts();
}

// Whose result is shown, and whether that is what the work asks for.
void Engine::publish_drawn() {
    if (running_.done && (!snapshot_.result.drawn || !(snapshot_.result.drawn->key == running_.key) ||
                          snapshot_.result.drawn->version != running_.version)) {
        const LaunchKey* about = nullptr;
        for (const int step : running_.plan.lab->by_weight) {
            for (const LaunchKey& launch : running_.key.launches) {
                if (launch.step == step && !about) about = &launch;
            }
        }
        snapshot_.result.drawn = Drawn{running_.key,
                                       running_.version,
                                       running_.view,
                                       about ? about->step : 0,
                                       !snapshot_.device.can.needs_kernels,
                                       about ? about->block : Block{},
                                       false};
    }
    if (snapshot_.result.drawn)
        snapshot_.result.drawn->current = asked_ && snapshot_.result.drawn->key == asked_->work.key;
}

}  // namespace ws
