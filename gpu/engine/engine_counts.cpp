// The engine's counts: what the simulated GPU sees of the kernels of the settings and of the version before,
// whatever device runs them.

#include "gpu/analysis/comparison.h"
#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/engine/engine.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

// What a stage reads: where the edges follow the blur, its result.
View input_of(Stage stage, bool blur_first) {
    if (reads_rgba(stage)) return View::original;
    return stage == Stage::edge && blur_first ? View::blur : View::gray;
}

}  // namespace

std::vector<Engine::CountWork> Engine::count_work(const Settings& settings) const {
    const Nvrtc* compiler = compiler_.compiler();
    std::vector<CountWork> list;
    if (!picture_ || !compiler) return list;
    const ComputeCapability capability = snapshot_.target.limits.capability;
    const CodeTarget near = nearest_target(compiler->architectures(), capability);
    const Version& version = version_numbered(settings.version);
    for (const StageRequest& request : requests_of(settings)) {
        CountWork work;
        work.stage = request.stage;
        if (!can_run(*request.source, capability)) work.problem = why_not(*request.source, capability);
        work.ptx = compile_request(request, {near.architecture, true});
        work.code = code_for(request, near);
        work.launch = launch_of(version, request.stage, nullptr, request.block, request.tiling,
                                picture_->size, snapshot_.target.multiprocessors);
        work.key = {launch_key(work.launch, kernel_key(work.ptx, *compiler)),
                    input_of(request.stage, settings.blur_first), picture_key_, snapshot_.target};
        list.push_back(std::move(work));
    }
    return list;
}

WorkKey Engine::work_key(const Settings& settings) const {
    WorkKey key{snapshot_.device.kind, {}, picture_key_, settings.view, settings.blur_first, {}};
    if (runs_kernels()) key.gpu = snapshot_.device.profile;
    const Version& version = version_numbered(settings.version);
    for (const StageRequest& request : requests_of(settings)) {
        if (!runs_stage(version, settings.view, settings.blur_first, request.stage)) continue;
        LaunchKey launch;
        launch.stage = request.stage;
        // The native pipeline runs no kernel: blocks do not change its work.
        if (runs_kernels() && compiler_.compiler() && picture_)
            launch = launch_key(launch_of(version, request.stage, nullptr, request.block, request.tiling,
                                          picture_->size, runs_on().multiprocessors),
                                kernel_key(compile_request(request, run_target_), *compiler_.compiler()));
        key.launches.push_back(std::move(launch));
    }
    return key;
}

// Those that are compiled and not counted yet; the version before once nothing of the settings is missing.
void Engine::ask_for_counts() {
    std::vector<CountJob> jobs;
    counts_pending_ = false;
    for (const std::vector<CountWork>* list : {&shown_work_, &baseline_work_}) {
        const bool wait = counts_pending_;
        for (const CountWork& work : *list) {
            if (!work.problem.empty() || counts_.find(work.key)) continue;
            const std::optional<CompileOutcome> outcome = compiler_.find(work.ptx);
            if (outcome && !outcome->kernel) continue;
            counts_pending_ = true;
            if (!outcome || wait) continue;
            jobs.push_back({work.key, work.launch, picture_});
            jobs.back().launch.kernel = outcome->kernel;
        }
    }
    counter_.ask(std::move(jobs));
}

void Engine::take_counts() {
    std::vector<std::pair<CountKey, CountOutcome>> ready = counter_.poll();
    if (ready.empty()) return;
    for (auto& [key, outcome] : ready) counts_.put(std::move(key), std::move(outcome));
    ask_for_counts();
    publish_counts();
}

// None while it is not known. Counts and registers are those of the same kernel.
std::optional<StageResult> Engine::result_of(const CountWork& work) const {
    const CountOutcome* counted = counts_.find(work.key);
    if (!counted || !counted->counters) return std::nullopt;
    StageResult result;
    result.key = work.key;
    result.counters = counted->counters;
    const std::optional<CompileOutcome> code = compiler_.find(work.code);
    if (!code || !code->kernel || code->kernel->report.registers == 0) return result;
    const CompileReport& report = code->kernel->report;
    result.occupancy =
        occupancy_of({work.launch.block.threads(), registers_within_cap(report), report.shared_bytes},
                     work.key.gpu.limits);
    result.spill_bytes = report.spill_store_bytes + report.spill_load_bytes;
    result.estimate = estimate_time(*result.counters, *result.occupancy, work.key.gpu);
    return result;
}

// Why there are no counts and will be none; empty where they are there or being counted.
std::string Engine::problem_of(const CountWork& work) const {
    if (!work.problem.empty()) return work.problem;
    if (const CountOutcome* counted = counts_.find(work.key)) return counted->problem;
    const std::optional<CompileOutcome> ptx = compiler_.find(work.ptx);
    return ptx && !ptx->kernel ? "it does not compile: " + ptx->error : "";
}

void Engine::publish_counts() {
    for (StageSnapshot& shown : snapshot_.stages) {
        publish_result(shown);
        shown.baseline = baseline_of(shown);
    }
}

void Engine::publish_result(StageSnapshot& shown) {
    shown.stale = false;
    shown.counters_problem.clear();
    const auto work = std::find_if(shown_work_.begin(), shown_work_.end(),
                                   [&](const CountWork& one) { return one.stage == shown.stage; });
    if (work == shown_work_.end()) {
        shown.result.reset();
        return;
    }
    if (std::optional<StageResult> result = result_of(*work)) {
        shown.result = std::move(result);
        return;
    }
    shown.counters_problem = problem_of(*work);
    if (!shown.counters_problem.empty()) shown.result.reset();
    shown.stale = shown.result.has_value();
}

Baseline Engine::baseline_of(const StageSnapshot& shown) const {
    Baseline baseline;
    baseline.version = baseline_version_;
    if (baseline.version < 0 || !shown.exists) return baseline;
    const auto has = [&](Stage stage) {
        return std::any_of(baseline_work_.begin(), baseline_work_.end(),
                           [&](const CountWork& work) { return work.stage == stage; });
    };
    const bool sum = shown.stage == Stage::fused && !has(Stage::fused);
    std::vector<StageResult> parts;
    std::size_t wanted = 0;
    for (const CountWork& work : baseline_work_) {
        if (sum ? !needs_stage(View::edge, true, work.stage) : work.stage != shown.stage) continue;
        ++wanted;
        baseline.problem = problem_of(work);
        if (!baseline.problem.empty()) return baseline;
        if (std::optional<StageResult> part = result_of(work)) parts.push_back(std::move(*part));
    }
    if (wanted == 0 && !baseline_work_.empty()) baseline.problem = "it has no such kernel";
    const auto stands_beside = [&](const StageResult& part) {
        return comparable(shown.result->key, part.key);
    };
    if (parts.empty() || parts.size() < wanted || !shown.result || shown.stale ||
        !std::all_of(parts.begin(), parts.end(), stands_beside))
        return baseline;
    baseline.result = together(std::move(parts));
    baseline.verdict = verdict(*shown.result, *baseline.result, "V" + std::to_string(baseline.version));
    baseline.causes = causes(*shown.result, *baseline.result);
    return baseline;
}

}  // namespace ws
