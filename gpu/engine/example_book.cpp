#include "gpu/engine/example_book.h"

#include <algorithm>

namespace ws {
WarpGrid warp_grid(const Launch& launch, Extent size) {
    const std::array<int, 3> threads = launch.threads();
    return {size, launch.grid, launch.tile, {threads[0], threads[1]}, threads[2], launch.tiling.order};
}

WarpPlace same_place(const WarpGrid& from, const WarpPlace& at, const WarpGrid& to) {
    if (!from.covers() || !to.covers()) return to.clamped(at);
    return to.holding(from.element_of(at));
}

bool ExampleBook::take() {
    std::vector<std::pair<ExampleKey, ExampleOutcome>> ready = service_.poll();
    for (auto& [key, outcome] : ready) board_.put(std::move(key), std::move(outcome));
    return !ready.empty();
}

// Without a wanted place it is the warp that counting has kept.
void ExampleBook::choose(const StepResult& result, const PlannedKernel& kernel, const WarpPlace* wanted,
                         const Problem& problem, ChosenWarp& shown) {
    shown.grid = warp_grid(kernel.counted, problem.size);
    const AccessExample& kept = result.counters->accesses.front();
    shown.at = shown.grid.clamped(wanted ? *wanted : WarpPlace{kept.block_x, kept.block_y, kept.warp});
    shown.problem = {};
    const ExampleKey key{result.key, shown.at.block_x, shown.at.block_y};
    if (const ExampleOutcome* there = board_.find(key)) {
        shown.examples = there->examples;
        shown.problem = there->problem;
        shown.stale = false;
        return;
    }
    // Addresses of another kernel are those of other lines.
    if (shown.examples && !(shown.examples->key.counts == result.key)) shown.examples = nullptr;
    shown.stale = true;
    const std::optional<CompileOutcome> ptx = compiler_.find(kernel.ptx);
    if (!ptx || !ptx->kernel) return;
    missing_.push_back({key, {result.key, kernel.counted, problem}});
    missing_.back().job.launch.kernel = ptx->kernel;
}

void ExampleBook::publish(const AskedWork& asked, Snapshot& snapshot) {
    missing_.clear();
    for (StepSnapshot& step : snapshot.steps) {
        const auto has_accesses = [&](const StepResult& result) {
            return result.key.input == input_key(snapshot.problem) && !result.counters->accesses.empty();
        };
        const bool wanted =
            asked.warp && asked.warp->step == step.step && snapshot.problem && step.counts.result;
        const PlannedKernel* kernel = wanted && !step.counts.stale && has_accesses(*step.counts.result)
                                          ? told_kernel(asked, step.counts.result->key)
                                          : nullptr;
        if (!kernel) {
            // While counts are made anew, what stands there is of those that still do.
            if (wanted && step.counts.stale && step.counts.warp.examples &&
                step.counts.warp.examples->key.counts == step.counts.result->key)
                step.counts.warp.stale = step.counts.base_warp.stale = true;
            else
                step.counts.warp = step.counts.base_warp = {};
            continue;
        }
        const WarpPlace* at = asked.warp->at ? &*asked.warp->at : nullptr;
        choose(*step.counts.result, *kernel, at, snapshot.problem, step.counts.warp);
        const std::optional<StepResult>& base = step.counts.baseline.result;
        const PlannedKernel* other =
            base && asked.baseline && has_accesses(*base) ? kernel_with(*asked.baseline, base->key) : nullptr;
        if (!other) {
            step.counts.base_warp = {};
            continue;
        }
        const WarpPlace beside = same_place(step.counts.warp.grid, step.counts.warp.at,
                                            warp_grid(other->counted, snapshot.problem.size));
        choose(*base, *other, at ? &beside : nullptr, snapshot.problem, step.counts.base_warp);
    }
    service_.ask(std::move(missing_));
    missing_ = {};
}

}  // namespace ws
