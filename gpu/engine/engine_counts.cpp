// The engine's counts: what the simulated GPU sees of the kernels of the settings, whatever device runs them.

#include <fmt/format.h>

#include "gpu/analysis/estimate.h"
#include "gpu/engine/engine.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

constexpr auto kAskAgain = std::chrono::seconds(1);

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

// Asks once every kernel of the settings is there as PTX.
void Engine::ask_for_counts() {
    if (!picture_ || !compiler_.compiler()) return;
    const Version& version = version_numbered(settings_.version);
    CountRequest request;
    request.picture = picture_;
    request.blur_first = settings_.blur_first;
    request.gpu = snapshot_.target;
    std::string about = fmt::format("{} {} {} {}", snapshot_.target.name, settings_.blur_first,
                                    fmt::ptr(picture_.get()), settings_.version);
    for (StageSnapshot& shown : snapshot_.stages) {
        const std::size_t i = index_of(shown.stage);
        if (count_requests_[i].name.empty()) continue;
        const std::optional<CompileOutcome> outcome = compiler_.find(count_requests_[i]);
        if (!outcome) return;
        if (!outcome->kernel) continue;
        request.stages[i] = launch_of(version, shown.stage, outcome->kernel, shown.block, shown.tiling,
                                      picture_->size, snapshot_.target.multiprocessors);
        about += fmt::format(" {} {}", fmt::ptr(outcome->kernel.get()), to_string(shown.block));
    }
    if (about == counted_for_) {
        for (StageSnapshot& shown : snapshot_.stages) shown.counters_stale = counter_.busy();
        return;
    }
    counted_for_ = about;
    if (counted_gpu_ != snapshot_.target.name) version_counters_.clear();
    counted_gpu_ = snapshot_.target.name;
    counted_version_ = settings_.version;
    counting_ = counter_.ask(std::move(request));
}

void Engine::take_counts() {
    const auto result = counter_.poll();
    if (result && result->first == counting_) {
        for (StageSnapshot& shown : snapshot_.stages) {
            const std::size_t i = index_of(shown.stage);
            if (result->second.counters[i])
                version_counters_[counted_version_][i] = result->second.counters[i];
            if (counted_version_ != settings_.version) continue;  // the version before, to compare with
            shown.counters = result->second.counters[i] ? result->second.counters[i] : shown.counters;
            shown.counters_problem = result->second.problems[i];
            if (result->second.counters[i]) shown.counters_stale = false;
            if (!shown.counters_problem.empty()) shown.counters.reset();
        }
        compare_and_estimate();
    }
}

// What follows from counts, occupancy and target, when one of them has changed.
void Engine::compare_and_estimate() {
    for (StageSnapshot& shown : snapshot_.stages) {
        shown.counters_before.reset();
        shown.version_before = version_before(settings_.version);
        const auto before = version_counters_.find(shown.version_before);
        if (before != version_counters_.end()) shown.counters_before = before->second[index_of(shown.stage)];
        shown.estimate.reset();
        if (shown.counters && shown.occupancy)
            shown.estimate = estimate_time(*shown.counters, *shown.occupancy, snapshot_.target);
    }
}

// Once there is nothing else to do: the version before in its own blocks, unless it was shown already.
void Engine::count_version_before() {
    const int before = version_before(settings_.version);
    if (before < 0 || !picture_ || !compiler_.compiler() || snapshot_.compiling > 0 || counter_.busy())
        return;
    if (counted_gpu_ != snapshot_.target.name || version_counters_.count(before) ||
        !version_counters_.count(settings_.version))
        return;
    const Settings settings = with_version(settings_, version_numbered(before));
    CountRequest request;
    request.picture = picture_;
    request.blur_first = settings.blur_first;
    request.gpu = snapshot_.target;
    std::vector<CompileRequest> missing;
    for (const StageRequest& stage : requests_of(settings)) {
        if (!can_run(*stage.source, snapshot_.target.limits.capability)) continue;
        CompileRequest kernel = compile_request(stage, count_target_);
        const std::optional<CompileOutcome> outcome = compiler_.find(kernel);
        if (!outcome) missing.push_back(std::move(kernel));
        if (!outcome || !outcome->kernel) continue;
        request.stages[index_of(stage.stage)] =
            launch_of(version_numbered(before), stage.stage, outcome->kernel, stage.block, stage.tiling,
                      picture_->size, snapshot_.target.multiprocessors);
    }
    if (!missing.empty()) {
        if (Clock::now() - asked_before_at_ < kAskAgain) return;
        asked_before_at_ = Clock::now();
        compiler_.ask({}, std::move(missing));
        return;
    }
    version_counters_[before] = {};  // asked for, whatever comes of it
    counted_version_ = before;
    counting_ = counter_.ask(std::move(request));
}

}  // namespace ws
