#include "gpu/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/analysis/occupancy.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/picture_check.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kRestBeforeCheck = 300ms;
constexpr auto kSlowRuns = 250ms;         // of a GPU, once there are samples enough
constexpr auto kRestBeforeAhead = 400ms;  // then the neighbours of the current block are compiled
constexpr auto kRefresh = 250ms;          // looking at the kernel files

bool same_work(const Plan& a, const Plan& b) {
    const auto same_launch = [](const Launch& x, const Launch& y) {
        return x.stage == y.stage && x.kernel == y.kernel && x.block == y.block && x.grid == y.grid &&
               x.cache == y.cache && x.banks == y.banks;
    };
    return a.view == b.view && a.blur_first == b.blur_first &&
           std::equal(a.launches.begin(), a.launches.end(), b.launches.begin(), b.launches.end(),
                      same_launch);
}

std::string why_not(const KernelSource& source, ComputeCapability capability) {
    return fmt::format("{}.cu needs compute capability {} ({}); this GPU has {}", source.name,
                       source.needs.text(), source.needs_why, capability.text());
}

// Those that a version has and the GPU can run.
std::vector<CompileRequest> existing(const PerStage<CompileRequest>& requests) {
    std::vector<CompileRequest> list;
    std::copy_if(requests.begin(), requests.end(), std::back_inserter(list),
                 [](const CompileRequest& request) { return !request.name.empty(); });
    return list;
}

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
    snapshot_.picture = picture_->size;
    snapshot_.picture_name = name;
    reference_.reset();
    rejected_.reset();
    for (Launch& launch : plan_.launches) launch.grid = {};  // the plan no longer fits: a new one is made
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
    plan_ = {};  // what ran was another GPU's
    rejected_.reset();
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
        if (reference_ && (plan_.view != settings_.view || plan_.blur_first != settings_.blur_first))
            reference_.reset();
        choose_target();
        ask_for_kernels();
        compare_and_estimate();
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
    count_version_before();
}

void Engine::compile_ahead_when_idle() {
    if (!asked_for_counts_ && compiler_.compiler() && snapshot_.compiling == 0) {
        // What the simulated GPU counts comes after what runs.
        asked_for_counts_ = true;
        compiler_.ask({}, existing(count_requests_));
    }
    if (asked_ahead_ || snapshot_.compiling > 0 || Clock::now() - asked_at_ < kRestBeforeAhead) return;
    asked_ahead_ = true;
    std::vector<CompileRequest> likely = existing(count_requests_);
    for (const Settings& next : likely_next(settings_)) {
        for (const StageRequest& request : requests_of(next))
            likely.push_back(compile_request(request, run_target_));
    }
    compiler_.ask({}, std::move(likely));
}

// The GPU that runs the kernels; the target where none does.
const GpuProfile& Engine::runs_on() const {
    return snapshot_.device.kind == DeviceKind::cuda ? snapshot_.device.profile : snapshot_.target;
}

void Engine::ask_for_kernels() {
    const Version& version = version_numbered(settings_.version);
    const std::vector<StageRequest> stages = requests_of(settings_);
    for (const Stage stage : kStages) {
        snapshot_.stages[index_of(stage)].stage = stage;
        snapshot_.stages[index_of(stage)].runs = false;
        snapshot_.stages[index_of(stage)].exists = request_of(stages, stage) != nullptr;
    }
    for (const StageRequest& request : stages) {
        StageSnapshot& shown = snapshot_.stages[index_of(request.stage)];
        shown.runs = runs_stage(version, settings_.view, settings_.blur_first, request.stage);
        shown.source = *request.source;
        shown.knobs = request.knobs;
        shown.block = request.block;
        shown.tiling = request.tiling;
        shown.counters_stale = true;
        shown.bytes_moved = picture_ ? least_bytes(request.stage, picture_->size) : 0;
    }
    const Nvrtc* compiler = compiler_.compiler();
    if (!compiler) return;
    snapshot_.unavailable.clear();
    for (const Version& row : versions()) {
        for (const std::string_view name : row.kernels) {
            if (name.empty() || !runs_kernels() || can_run(library_.find(name), runs_on().limits.capability))
                continue;
            snapshot_.unavailable[row.number] = why_not(library_.find(name), runs_on().limits.capability);
        }
    }

    // Machine code for the GPU that runs, and for the GPU whose occupancy is shown where that is another one.
    const CodeTarget near = nearest_target(compiler->architectures(), snapshot_.target.limits.capability);
    const CodeTarget counted{near.architecture, true};
    const CodeTarget run =
        snapshot_.device.kind == DeviceKind::cuda
            ? runnable_target(compiler->architectures(), snapshot_.device.profile.limits.capability)
        : simulated_ ? counted
                     : near;
    std::vector<CompileRequest> needed;
    run_requests_ = occupancy_requests_ = count_requests_ = {};
    for (const StageRequest& request : stages) {
        if (can_run(*request.source, runs_on().limits.capability))
            run_requests_[index_of(request.stage)] = compile_request(request, run);
        if (!can_run(*request.source, snapshot_.target.limits.capability)) continue;
        occupancy_requests_[index_of(request.stage)] = compile_request(request, near);
        count_requests_[index_of(request.stage)] = compile_request(request, counted);
    }
    // The stages that are shown come first.
    for (const bool shown_first : {true, false}) {
        for (const StageRequest& request : stages) {
            if (snapshot_.stages[index_of(request.stage)].runs != shown_first) continue;
            needed.push_back(run_requests_[index_of(request.stage)]);
            if (near.architecture != run.architecture || run.to_ptx) {
                needed.push_back(occupancy_requests_[index_of(request.stage)]);
            }
        }
    }
    std::erase_if(needed, [](const CompileRequest& request) { return request.name.empty(); });
    compiler_.ask(std::move(needed));
    count_target_ = counted;
    asked_for_counts_ = false;
    run_target_ = run;
    asked_ahead_ = false;
    asked_at_ = Clock::now();

    const std::string where = snapshot_.target.measured_here ? "this machine's " + snapshot_.target.name
                                                             : snapshot_.target.name + " (from the table)";
    snapshot_.target_note =
        near.architecture == snapshot_.target.limits.capability.number()
            ? fmt::format("{}; registers from {} for sm_{}", where, compiler->name(), near.architecture)
            : fmt::format(
                  "{}; registers from {} for sm_{}, the nearest to compute capability {} that it builds",
                  where, compiler->name(), near.architecture, snapshot_.target.limits.capability.text());
}

// Takes what the compiler has finished; makes a new plan once every kernel of the picture is there.
void Engine::collect_kernels() {
    const bool on_gpu = runs_kernels();
    const Version& version = version_numbered(settings_.version);
    Plan candidate;
    candidate.view = settings_.view;
    candidate.blur_first = settings_.blur_first;
    bool complete = picture_ != nullptr;
    for (StageSnapshot& shown : snapshot_.stages) {
        if (!shown.exists) continue;
        const std::size_t i = index_of(shown.stage);
        std::optional<CompileOutcome> outcome = compiler_.find(run_requests_[i]);
        if (on_gpu && !can_run(shown.source, runs_on().limits.capability)) {
            outcome.emplace();
            outcome->error = why_not(shown.source, runs_on().limits.capability);
        }
        shown.kernel = outcome ? outcome->kernel : nullptr;
        shown.compile_error = outcome ? outcome->error : "";
        shown.state = !outcome          ? CompileState::waiting
                      : outcome->kernel ? CompileState::ready
                                        : CompileState::failed;
        if (picture_) {
            shown.grid =
                grid_for(picture_->size, tile_of(shown.tiling, picture_->size, runs_on().multiprocessors));
        }
        if (!shown.runs) continue;
        if (!picture_) continue;
        candidate.launches.push_back(launch_of(version, shown.stage, on_gpu ? shown.kernel : nullptr,
                                               shown.block, shown.tiling, picture_->size,
                                               runs_on().multiprocessors));
        if (on_gpu && !shown.kernel) complete = false;
    }
    update_occupancy();
    ask_for_counts();
    compare_and_estimate();
    if (!library_.problem().empty()) {
        // A file on disk that cannot be parsed is told where its stage stands; its last good text goes on.
        for (StageSnapshot& shown : snapshot_.stages) {
            if (library_.problem().find(shown.source.name + ".cu") != std::string::npos) {
                shown.compile_error = library_.problem();
            }
        }
    }
    if (!on_gpu) {
        // The native pipeline runs no kernel: blocks and grids do not change its work.
        for (Launch& launch : candidate.launches) {
            launch = {.stage = launch.stage, .block = {1, 1}};
            cover(launch, picture_->size);
        }
    }
    snapshot_.stale = !complete || !adopt_plan(std::move(candidate));
}

// False if the plan has failed before: the last good one goes on.
bool Engine::adopt_plan(Plan candidate) {
    if (rejected_ && same_work(*rejected_, candidate)) return false;
    snapshot_.failure.reset();
    rejected_.reset();
    if (plan_.generation != 0 && same_work(plan_, candidate)) return true;
    if (plan_.view != candidate.view || plan_.blur_first != candidate.blur_first) reference_.reset();
    candidate.generation = ++generations_;
    plan_ = std::move(candidate);
    drawn_ = false;
    start_samples();
    return true;
}

void Engine::update_occupancy() {
    for (StageSnapshot& shown : snapshot_.stages) {
        const std::optional<CompileOutcome> outcome =
            compiler_.find(occupancy_requests_[index_of(shown.stage)]);
        shown.occupancy.reset();
        if (!shown.exists) continue;
        if (!outcome || !outcome->kernel) continue;
        const CompileReport& report = outcome->kernel->report;
        const KernelResources resources{shown.block.threads(), report.registers, report.shared_bytes};
        shown.occupancy = occupancy_of(resources, snapshot_.target.limits);
        shown.next_step = next_step(*shown.occupancy);
        shown.curves = occupancy_curves(resources, snapshot_.target.limits);
    }
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
    return counter_.busy() || (simulated_ && picture_ && wants_run());
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
    drawn_ = drawn_ || result.drawn;
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
    rejected_ = plan_;
    plan_ = {};
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
    if (!reference_) reference_ = reference_picture(*picture_, plan_.view, plan_.blur_first);
    if (simulated_) {
        // Computed over poison, which no pixel of the two can have at once.
        snapshot_.check = compare(*simulated, 0, *simulated, 255, *reference_);
        return;
    }
    snapshot_.check = check_picture(*device_, plan_, *reference_);
}

void Engine::wait_for_kernels() {
    if (!compiler_.compiler()) return;
    for (const CompileRequest& request : existing(run_requests_)) (void)compiler_.wait_for(request);
    for (const CompileRequest& request : existing(occupancy_requests_)) (void)compiler_.wait_for(request);
    seen_outcomes_ = ~0ull;
    prepare(snapshot_.settings);
}

void Engine::wait_for_counts() {
    if (!compiler_.compiler()) return;
    for (const CompileRequest& request : existing(count_requests_)) (void)compiler_.wait_for(request);
    seen_outcomes_ = ~0ull;
    prepare(snapshot_.settings);
    counter_.wait();
    take_counts();
}

}  // namespace ws
