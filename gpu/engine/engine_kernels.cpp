// The engine's kernels: which are compiled, and what follows from their machine code.

#include <fmt/format.h>

#include "gpu/analysis/occupancy.h"
#include "gpu/engine/engine.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

using namespace std::chrono_literals;

constexpr auto kRestBeforeAhead = 400ms;  // then the neighbours of the current block are compiled

// The version that comes before in the table, -1 for the first.
int version_before(int number) {
    int before = -1;
    for (const Version& version : versions()) {
        if (version.number == number) return before;
        before = version.number;
    }
    return -1;
}

}  // namespace

void Engine::compile_ahead_when_idle() {
    if (!compiler_.compiler() || snapshot_.compiling > 0) return;
    const bool rested = Clock::now() - asked_at_ >= kRestBeforeAhead;
    if (asked_for_ptx_ && (asked_ahead_ || !rested)) return;
    // What the simulated GPU counts comes after what runs; then the version before, and what may be chosen
    // next.
    std::vector<CompileRequest> likely;
    for (const std::vector<CountWork>* list : {&shown_work_, &baseline_work_}) {
        for (const CountWork& work : *list) {
            if (!work.problem.empty()) continue;
            likely.push_back(work.ptx);
            likely.push_back(work.code);
        }
    }
    if (rested) {
        for (const Settings& next : likely_next(settings_)) {
            for (const StageRequest& request : requests_of(next))
                likely.push_back(compile_request(request, run_target_));
        }
    }
    asked_for_ptx_ = true;
    asked_ahead_ = rested;
    compiler_.ask({}, std::move(likely));
}

// The GPU that runs the kernels; the target where none does.
const GpuProfile& Engine::runs_on() const {
    return snapshot_.device.kind == DeviceKind::cuda ? snapshot_.device.profile : snapshot_.target;
}

void Engine::describe_stages(const std::vector<StageRequest>& stages) {
    const Version& version = version_numbered(settings_.version);
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
        shown.least_bytes = picture_ ? least_bytes(request.stage, picture_->size) : 0;
    }
    snapshot_.unavailable.clear();
    for (const Version& row : versions()) {
        for (const std::string_view name : row.kernels) {
            if (name.empty() || !runs_kernels() || can_run(library_.find(name), runs_on().limits.capability))
                continue;
            snapshot_.unavailable[row.number] = why_not(library_.find(name), runs_on().limits.capability);
        }
    }
}

// Machine code that stands for the target's fits the target's register file; what runs here stays as it is.
CompileRequest Engine::code_for(const StageRequest& request, CodeTarget target) const {
    CompileRequest made = compile_request(request, target);
    const bool runs_here = snapshot_.device.kind == DeviceKind::cuda &&
                           target.architecture == run_target_.architecture && !run_target_.to_ptx;
    if (!runs_here && !target.to_ptx)
        made.register_cap = register_cap(request.block.threads(), snapshot_.target.limits);
    return made;
}

void Engine::ask_for_kernels() {
    const std::vector<StageRequest> stages = requests_of(settings_);
    describe_stages(stages);
    run_requests_ = {};
    const Nvrtc* compiler = compiler_.compiler();
    if (!compiler) {
        asked_key_ = work_key(settings_);
        return;
    }
    // Machine code for the GPU that runs, and for the GPU whose occupancy is shown where that is another one.
    const CodeTarget near = nearest_target(compiler->architectures(), snapshot_.target.limits.capability);
    run_target_ = snapshot_.device.kind == DeviceKind::cuda
                      ? runnable_target(compiler->architectures(), snapshot_.device.profile.limits.capability)
                  : simulated_ ? CodeTarget{near.architecture, true}
                               : near;
    asked_key_ = work_key(settings_);
    shown_work_ = count_work(settings_);
    baseline_version_ = version_before(settings_.version);
    baseline_work_ = baseline_version_ < 0
                         ? std::vector<CountWork>()
                         : count_work(with_version(settings_, version_numbered(baseline_version_)));
    for (const StageRequest& request : stages) {
        if (can_run(*request.source, runs_on().limits.capability))
            run_requests_[index_of(request.stage)] = snapshot_.device.kind == DeviceKind::cuda
                                                         ? compile_request(request, run_target_)
                                                         : code_for(request, run_target_);
    }
    // The stages that are shown come first.
    std::vector<CompileRequest> needed;
    for (const bool shown_first : {true, false}) {
        for (const CountWork& work : shown_work_) {
            if (snapshot_.stages[index_of(work.stage)].runs != shown_first) continue;
            needed.push_back(run_requests_[index_of(work.stage)]);
            if (work.problem.empty() && (near.architecture != run_target_.architecture || run_target_.to_ptx))
                needed.push_back(work.code);
        }
    }
    std::erase_if(needed, [](const CompileRequest& request) { return request.name.empty(); });
    compiler_.ask(std::move(needed));
    asked_for_ptx_ = false;
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
    publish_counts();
    if (!library_.problem().empty()) {
        // Its stage reports a file on disk that cannot be parsed; its last good text stays active.
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
    snapshot_.stale = !complete || !adopt_plan(std::move(candidate), asked_key_);
    publish_drawn();
}

void Engine::update_occupancy() {
    for (StageSnapshot& shown : snapshot_.stages) {
        shown.occupancy.reset();
        shown.machine_code = nullptr;
    }
    for (const CountWork& work : shown_work_) {
        if (!work.problem.empty()) continue;
        const std::optional<CompileOutcome> outcome = compiler_.find(work.code);
        if (!outcome || !outcome->kernel) continue;
        StageSnapshot& shown = snapshot_.stages[index_of(work.stage)];
        shown.machine_code = outcome->kernel;
        const CompileReport& report = outcome->kernel->report;
        const KernelResources resources{shown.block.threads(), registers_within_cap(report),
                                        report.shared_bytes};
        shown.occupancy = occupancy_of(resources, snapshot_.target.limits);
        shown.next_step = next_step(*shown.occupancy);
        shown.curves = occupancy_curves(resources, snapshot_.target.limits);
    }
}

void Engine::wait_for_kernels() {
    if (!compiler_.compiler()) return;
    for (const CompileRequest& request : run_requests_) {
        if (!request.name.empty()) (void)compiler_.wait_for(request);
    }
    for (const CountWork& work : shown_work_) {
        if (work.problem.empty()) (void)compiler_.wait_for(work.code);
    }
    seen_outcomes_ = ~0ull;
    prepare(snapshot_.settings);
}

}  // namespace ws
