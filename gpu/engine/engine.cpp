#include "gpu/engine/engine.h"

#include <algorithm>

#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/picture_check.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kRestBeforeCheck = 300ms;
constexpr auto kSlowRuns = 250ms;  // of a GPU, once there are samples enough
constexpr auto kRefresh = 250ms;   // looking at the kernel files

}  // namespace

Engine::Engine(EngineOptions options)
    : options_(std::move(options)), library_(options_.kernel_folder), compiler_(options_.cache_folder) {
    snapshot_.versions = versions();
    snapshot_.kernel_folder = options_.kernel_folder.string();
    snapshot_.compiler_missing = compiler_.compiler() == nullptr;
    snapshot_.compiler = compiler_.compiler() ? compiler_.compiler()->name() : compiler_.why();
    for (const GpuProfile& gpu : gpus_.gpus()) snapshot_.profile_names.push_back(gpu.name);
}

Engine::~Engine() = default;

std::vector<StageRequest> Engine::requests_of(const Settings& settings) const {
    return stage_requests(
        settings, [this](std::string_view name) -> const KernelSource& { return library_.find(name); });
}

void Engine::set_picture(Picture picture, const std::string& name) {
    if (options_.fault == StagedFault::no_memory && picture_) {
        options_.fault = StagedFault::none;
        throw Error("the GPU's memory is full: this picture needs more than is free", "staged for a test",
                    "close other programs or use a smaller picture");
    }
    if (device_) {
        try {
            device_->set_picture(picture);
        } catch (const Error&) {
            if (picture_) device_->set_picture(picture_);
            throw;
        }
    }
    picture_ = std::move(picture);
    picture_key_ = picture_key(*picture_);
    snapshot_.picture = picture_->size;
    snapshot_.picture_name = name;
    forget_plan();
    asked_ = false;
}

void Engine::refresh_kernels() {
    if (options_.kernel_folder.empty() || Clock::now() - last_refresh_ < kRefresh) return;
    last_refresh_ = Clock::now();
    if (library_.refresh()) asked_ = false;
}

// The GPU for which occupancy is computed.
void Engine::choose_target() {
    const bool on_gpu = snapshot_.device.kind == DeviceKind::cuda;
    const GpuProfile automatic = on_gpu ? snapshot_.device.profile : gpus_.named(kDefaultTarget);
    snapshot_.automatic_target = automatic.name;
    snapshot_.target = settings_.target_gpu.empty() ? automatic : gpus_.named(settings_.target_gpu);
    if (!simulated_ || snapshot_.device.profile.name == snapshot_.target.name) return;
    simulated_->simulate(snapshot_.target);
    snapshot_.device = simulated_->facts();
    forget_plan();
}

void Engine::prepare(const Settings& settings) {
    Settings checked = settings;
    const Version& version = version_numbered(checked.version);
    if (!checked.target_gpu.empty()) checked.target_gpu = gpus_.named(checked.target_gpu).name;
    for (const Stage stage : kStages) {
        if (!checked.block(stage).valid()) checked.block(stage) = version.blocks[index_of(stage)];
    }
    choose_device(checked.device);
    refresh_kernels();
    checked.measure_all = settings_.measure_all;
    checked.inspected_line = settings_.inspected_line;
    if (!(checked == settings_)) asked_ = false;
    settings_ = checked;
    snapshot_.settings = settings;
    if (!asked_) {
        choose_target();
        ask_for_kernels();
        publish_counts();
        publish_version_times();
        asked_ = true;
        seen_outcomes_ = ~0ull;
    }
    // Counted before the outcomes are looked at: when none is pending, all are seen below.
    snapshot_.compiling = compiler_.pending();
    if (compiler_.finished() != seen_outcomes_) {
        seen_outcomes_ = compiler_.finished();
        collect_kernels();
    }
    take_counts();
    compile_ahead_when_idle();
}

// False if the plan has failed before: the last good one stays active.
bool Engine::adopt_plan(Plan candidate, const WorkKey& key) {
    if (rejected_ && *rejected_ == key) return false;
    snapshot_.failure.reset();
    rejected_.reset();
    plan_version_ = settings_.version;
    if (plan_.generation != 0 && plan_key_ == key) return true;
    candidate.generation = ++generations_;
    plan_ = std::move(candidate);
    plan_key_ = key;
    drawn_ = false;
    start_samples();
    return true;
}

// What ran does not fit any more, and what failed may succeed.
void Engine::forget_plan() {
    plan_ = {};
    plan_key_ = {};
    rejected_.reset();
}

bool Engine::wants_run() const {
    if (plan_.launches.empty() || !picture_) return false;
    if (!drawn_) return true;
    if (simulated_)
        return !snapshot_.simulation || !snapshot_.simulation->complete ||
               snapshot_.check.state == Check::State::pending;
    if (!windows_.total.full() || snapshot_.check.state == Check::State::pending) return true;
    // A GPU's clock goes up and down; the native pipeline's times stand once they are taken.
    return snapshot_.device.kind == DeviceKind::cuda && Clock::now() - last_run_ >= kSlowRuns;
}

bool Engine::busy() const {
    if (snapshot_.compiling > 0 || (picture_ && !plan_.launches.empty() && !drawn_ && !simulated_))
        return true;
    if (plan_.launches.empty() || simulated_) return false;
    return !windows_.total.full() || snapshot_.check.state == Check::State::pending;
}

void Engine::redraw() {
    if (simulated_) simulated_->redraw();
}

bool Engine::simulating() const {
    return counter_.busy() || counts_pending_ || (simulated_ && picture_ && wants_run());
}

bool Engine::run(FrameTarget& target) {
    if (plan_.launches.empty()) return false;
    last_run_ = Clock::now();
    FrameResult result;
    if (options_.fault == StagedFault::launch && drawn_ && plan_.generation > 1) {
        options_.fault = StagedFault::none;
        result.failure =
            LaunchFailure{Stage::blur, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "staged for a test", false};
    } else if (options_.fault == StagedFault::device_lost && drawn_) {
        options_.fault = StagedFault::none;
        result.failure = LaunchFailure{Stage::blur, "cudaErrorIllegalAddress", "staged for a test", true};
    } else {
        result = device_->run(plan_, target);
    }
    if (result.failure) {
        reject(*result.failure);
        return false;
    }
    if (result.drawn) {
        drawn_ = true;
        publish_drawn();
    }
    if (simulated_) {
        const simt::SimulationStatus status = simulated_->status();
        snapshot_.simulation =
            Simulation{status.complete && result.drawn, status.progress, status.drawn, status.milliseconds};
        // Complete is what has been drawn, not what lies ready.
        if (status.complete && drawn_ && !result.drawn) snapshot_.simulation->complete = true;
    }
    snapshot_.clock_mhz = device_->clock_mhz();
    if (result.times) take_samples(*result.times);
    if (snapshot_.check.state == Check::State::pending && Clock::now() - samples_since_ > kRestBeforeCheck)
        check_now();
    return result.drawn;
}

void Engine::reject(const LaunchFailure& failure) {
    snapshot_.failure = failure;
    snapshot_.stale = true;
    if (failure.device_lost) {
        replace_lost_device(failure.code);
        return;
    }
    const WorkKey failed = plan_key_;
    forget_plan();
    rejected_ = failed;
}

// Whose picture the target holds, and whether that is what the settings ask for.
void Engine::publish_drawn() {
    if (drawn_ && (!snapshot_.drawn || !(snapshot_.drawn->key == plan_key_) ||
                   snapshot_.drawn->version != plan_version_)) {
        const LaunchKey* about = nullptr;
        for (const LaunchKey& launch : plan_key_.launches) {
            if (!about || launch.stage == Stage::blur || launch.stage == Stage::fused) about = &launch;
        }
        snapshot_.drawn = Drawn{plan_key_, plan_version_, about ? about->stage : Stage::blur,
                                about ? about->block : Block{}, false};
    }
    if (snapshot_.drawn) snapshot_.drawn->current = snapshot_.drawn->key == asked_key_;
}

const GrayImage& Engine::reference() {
    const WorkKey key{DeviceKind::cpu, {}, picture_key_, plan_.view, plan_.blur_first, {}};
    if (!reference_ || !(reference_->first == key))
        reference_.emplace(key, reference_picture(*picture_, plan_.view, plan_.blur_first));
    return reference_->second;
}

void Engine::check_now() {
    if (plan_.launches.empty()) return;
    if (snapshot_.device.kind == DeviceKind::cpu) {
        snapshot_.check = {Check::State::equal, "the native pipeline is the reference itself"};
        return;
    }
    std::optional<GrayImage> simulated;
    if (simulated_) {
        simulated = simulated_->whole_picture();
        if (!simulated) return;  // still under way
    }
    if (simulated_) {
        // Computed over poison, which no pixel of the two can have at once.
        snapshot_.check = compare(*simulated, 0, *simulated, 255, reference());
        return;
    }
    snapshot_.check = check_picture(*device_, plan_, reference());
}

void Engine::wait_for_counts() {
    if (!compiler_.compiler()) return;
    for (const std::vector<CountWork>* list : {&shown_work_, &baseline_work_}) {
        for (const CountWork& work : *list) {
            if (!work.problem.empty()) continue;
            (void)compiler_.wait_for(work.ptx);
            (void)compiler_.wait_for(work.code);
        }
    }
    do {
        seen_outcomes_ = ~0ull;
        prepare(snapshot_.settings);
        counter_.wait();
        take_counts();
    } while (counts_pending_);
}

}  // namespace ws
