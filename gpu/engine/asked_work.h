#pragma once
// What is asked for, planned: the work, what is to stand beside it, and the kernels that all of it needs.
// Pure.

#include <chrono>
#include <optional>
#include <vector>

#include "gpu/analysis/profiles.h"
#include "gpu/core/advice.h"
#include "gpu/core/figures.h"
#include "gpu/engine/planner.h"

namespace ws {

// `work` with the GPU's full name and a valid block for every step. Throws UsageError for a version or GPU
// that does not exist.
[[nodiscard]] Work normalised(Work work, const GpuTable& gpus);

// How far what is asked for has come.
struct AskedProgress {
    std::chrono::steady_clock::time_point at{};  // when it was asked for
    bool for_counts = false;                     // the kernels to be counted have been asked for
    bool ahead = false;                          // those that may come next, too
    std::uint64_t seen_outcomes = ~0ull;
    bool on_trial = false;     // an edited kernel of it is still being checked
    bool others_done = false;  // what stands beside it has been measured, as far as it can be
};

struct AskedWork {
    PlannedWork work;
    // Whose figures are told: the work, or, where that shows what is there before anything runs, the lab's
    // first view. A glance at the original does not empty the story.
    PlannedWork told;
    std::optional<PinnedWork> pinned;
    std::optional<PlannedWork> baseline;
    bool all_versions = false;
    std::vector<PlannedWork> versions;
    // The same work on several GPUs, where they are asked for.
    bool several_gpus = false;
    std::vector<GpuProfile> gpus;
    std::vector<PlannedWork> on_gpus;  // as many

    // What the advice proposes of blocks and knobs: counted too, so that no prediction stands for long.
    std::vector<PlannedWork> advised;

    // Whose result stands beside, where it is asked for.
    ResultOf result;
    std::optional<PlannedWork> other;

    std::optional<WarpWish> warp;  // both ask for nothing that is planned
    std::optional<ClockWish> clock;

    bool measured = false;  // the device measures time
    AskedProgress progress;

    [[nodiscard]] Beside beside() const {
        return {pinned ? &*pinned : nullptr, all_versions, several_gpus, result, warp, clock};
    }
    [[nodiscard]] bool answers(const Beside& asked) const {
        return all_versions == asked.versions && several_gpus == asked.gpus && result == asked.result &&
               (asked.pinned ? pinned == *asked.pinned : !pinned);
    }
    [[nodiscard]] const PlannedWork* baseline_or_null() const { return baseline ? &*baseline : nullptr; }
    // Whose figures are told for a kernel of the work: itself, or the last good one of its file.
    [[nodiscard]] const PlannedKernel& standing_for(const PlannedKernel& kernel) const;
};
// `work` is normalised. Without a compiler nothing stands beside it. Whatever figures are told of comes out
// of `good`: an edited kernel that was refused is not among it.
[[nodiscard]] AskedWork asked_work(const Work& work, const Beside& beside, const Surroundings& surroundings,
                                   const GpuTable& gpus, const KernelLookup& good);

// Adds what the advice predicts; true if any of it is new.
[[nodiscard]] bool add_advised(const Advice& advice, const Surroundings& around, AskedWork& asked);

// The kernel that a result is of; null if the work has none such.
[[nodiscard]] const PlannedKernel* kernel_with(const PlannedWork& work, const CountKey& key);
// Of the work, or of what is told of instead.
[[nodiscard]] const PlannedKernel* told_kernel(const AskedWork& asked, const CountKey& key);

// What stands beside the work on the same device and input: the baseline, then the versions.
[[nodiscard]] std::vector<const PlannedWork*> measurable_beside(const AskedWork& asked);
// To run what is asked for, and to describe it: the steps that are shown come first.
[[nodiscard]] std::vector<CompileRequest> kernels_to_run(const AskedWork& asked);
// To count the work and the baseline.
[[nodiscard]] std::vector<CompileRequest> kernels_to_count(const AskedWork& asked);
// Of what may be chosen next, to run.
[[nodiscard]] std::vector<CompileRequest> kernels_next(const AskedWork& asked, const Surroundings& around);
// Of what else stands beside the work: to run where times are measured, and to count.
[[nodiscard]] std::vector<CompileRequest> kernels_beside(const AskedWork& asked);

}  // namespace ws
