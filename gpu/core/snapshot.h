#pragma once
// Everything that the panels draw and the command line prints, as plain values.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/advice.h"
#include "gpu/core/chosen_warp.h"
#include "gpu/core/clock_range.h"
#include "gpu/core/clocked_kernel.h"
#include "gpu/core/counters.h"
#include "gpu/core/device.h"
#include "gpu/core/difference.h"
#include "gpu/core/estimate.h"
#include "gpu/core/figures.h"
#include "gpu/core/message.h"
#include "gpu/core/occupancy.h"
#include "gpu/core/result_key.h"
#include "gpu/core/source_lines.h"
#include "gpu/core/statistics.h"
#include "gpu/core/ulps.h"
#include "gpu/core/work.h"

namespace ws {

enum class CompileState { waiting, ready, failed };

// The baseline's result for a step: of the work that a person pinned, else of the previous version in its own
// blocks and knobs. Where the result is that of one kernel for several steps and the previous version has
// those, their sum.
struct Baseline {
    int version = -1;                  // -1: there is none
    std::optional<StepResult> result;  // of a sum, the key is that of its hotspot
    Message problem;                   // why there is none, and will be none
    std::string verdict;               // where what is shown is estimated no faster: why
    std::string causes;                // what of it is worse than in the version before
};

// How a step's kernel is launched.
struct StepShape {
    Block block;
    Tiling tiling;
    Extent grid;
};

// What became of a step's source.
struct StepBuild {
    CompileState state = CompileState::waiting;
    std::string error;                             // the compiler's log where state is failed
    std::shared_ptr<const CompiledKernel> kernel;  // the one that was asked for, when it is ready
    // Of the kernel that the counts are of: machine code for the target GPU or the nearest that can be
    // built, when it is ready.
    std::shared_ptr<const CompiledKernel> machine_code;
    std::shared_ptr<const CompiledKernel> ptx;  // as it is counted, when it is ready
    std::shared_ptr<const SourceLines> lines;   // of the source, beside the baseline's; null before the first
};

struct StepTimes {
    Statistics ms;
    std::vector<float> history_ms;
    int launches_per_sample = 0;
};

struct StepOccupancy {
    std::optional<Occupancy> now;
    Message next_step;  // what would raise it: "7 registers fewer per thread: 6 blocks", empty at 100 %
    std::array<OccupancyCurve, 3> curves;  // over block size, registers, shared memory
};

// The counts of a step's kernel on the target GPU.
struct StepCounts {
    // While the simulated GPU still counts, the previous result, which then is `stale`: its key says what it
    // is of. Of a file that was edited since and refused it is the last good one's, which is not stale.
    std::optional<StepResult> result;
    CountedSource source;  // what the result is of
    bool stale = false;
    Message problem;       // why there are no counts
    Baseline baseline;     // that the result may stand beside; empty while it is stale
    ChosenWarp warp;       // of the result, where it was asked for
    ChosenWarp base_warp;  // of the baseline's: at the same place of the work
    ChosenClock clock;     // of the result, where it was asked for
};

struct StepSnapshot {
    int step = 0;
    std::string_view name;  // of the step
    bool exists = true;     // the version has a kernel for it
    bool runs = false;      // what is shown needs it
    KernelSource source;
    KnobValues knobs;  // every knob with the value in force
    StepShape shape;
    StepBuild built;
    StepTimes times;
    double least_bytes = 0;  // what the step must read and write at least
    StepOccupancy occupancy;
    StepCounts counts;
    [[nodiscard]] const KernelCounters* counters() const {
        return counts.result ? counts.result->counters.get() : nullptr;
    }
    // Null while it is not that of this kernel.
    [[nodiscard]] const Estimate* estimate() const {
        return counts.result && !counts.stale && counts.result->estimate ? &*counts.result->estimate
                                                                         : nullptr;
    }
};

// The value of a knob of the step's kernel that is in force.
[[nodiscard]] inline int value_of(const StepSnapshot& step, const Knob& knob) {
    const auto found = step.knobs.find(knob.name);
    return found == step.knobs.end() ? knob.value : found->second;
}

// The result on the screen: what computed it.
struct Drawn {
    WorkKey key;
    int version = 0;
    int view = 0;         // of the lab
    int step = 0;         // that stands for it
    bool native = false;  // no version's kernel ran
    Block block;
    bool current = false;  // it is what the work asks for
};

// What other work makes of the same input, as its kernels compute it.
struct OtherResult {
    Work work;
    int buffer = 0;  // of the lab
    Extent extent;
    std::shared_ptr<const HostBytes> bytes;  // null until it is there
    double done = 0;                         // until then: how much of it, 0 to 1
    Message problem;                         // why there is none, and will be none
};

// How the result of the running kernels compares with the definition.
struct Check {
    enum class State { pending, equal, different, failed };
    State state = State::pending;
    Message message;
    std::optional<Accuracy> accuracy{};
};

// The device that runs the work.
struct RunningDevice : DeviceFacts {
    std::string reason;  // why this one
    std::string loss;    // said once a device was lost, else empty
};

struct RunTimes {
    Statistics total_ms;
    std::vector<float> total_history_ms;
    Statistics one_pass_ms;  // on a device that is the reference: all steps at once
    Statistics map_ms;
    Statistics unmap_ms;
    ClockRange clock;     // while they were taken
    std::string refused;  // which of their samples are not believed, and why; empty where all are
};

struct RunState {
    std::optional<Progress> progress;  // of a device that computes beside the frames
    bool warming_up = false;
    bool stale = false;  // the result is of an earlier plan: the new one is not ready or failed
    std::optional<LaunchFailure> failure;
};

// What the kernels computed, and how it compares.
struct RunResult {
    std::optional<Drawn> drawn;  // none before the first result
    Check check;
    std::optional<Difference> difference;  // of a result that was checked and differs
    std::optional<OtherResult> other;      // where it was asked for
};

// The figures of the work and of the baseline. While those of the work are not all there, the last ones that
// were, which then are `stale`: their work says what they are of.
struct ToldFigures {
    WorkFigures now;
    bool stale = false;
    std::optional<WorkFigures> baseline;
    std::optional<Reasons> reasons;  // of `now` against the baseline, where both are counted
    // Of every version in its own blocks and knobs, the running one in those of the work; where they were
    // asked for.
    std::map<int, WorkFigures> versions;
    // What to try next, of `now`; while that is stale, what it was of.
    std::optional<Advice> advice;
    // Of the work on the target, on this machine's GPU if that is another one, and on GPUs of the table from
    // old to new; where they were asked for.
    std::vector<GpuFigures> gpus;

    // There is nothing to compare.
    [[nodiscard]] bool now_is_baseline() const {
        return baseline && baseline->work == now.work && baseline->key == now.key;
    }
};

// The GPU that occupancy is computed for, and that is counted.
struct TargetGpu {
    GpuProfile gpu;
    std::string note;                // where its registers come from
    Message rates;                   // where those come from that its estimates have
    std::string automatic;           // the one when none is chosen
    std::vector<std::string> names;  // all that can be chosen
    std::vector<DeviceFacts> here;   // the CUDA GPUs of this machine, where there are several
};

struct CompilerState {
    std::string name;  // "NVRTC 13.0", or why there is none
    bool missing = false;
    int busy = 0;        // kernels that it has yet to compile, prefetches not counted
    std::string folder;  // where kernels are watched on disk, else empty
};

struct Snapshot {
    std::map<int, Message> unavailable;  // versions that the GPU cannot run, and why
    Work work;                           // what this snapshot answers to
    RunningDevice device;
    std::string input_name;           // "fig.jpg", "4096 x 4096"
    Problem problem;                  // what the work is done on; empty before it is there
    Extent shown_size;                // of the buffer that is shown
    std::vector<StepSnapshot> steps;  // as many as the lab has
    RunTimes times;
    RunState run;
    RunResult result;
    ToldFigures told;
    TargetGpu target;
    CompilerState compiler;
};

[[nodiscard]] inline const View& view_of(const Snapshot& snapshot) {
    return snapshot.work.lab->views[std::size_t(snapshot.work.view)];
}

// The step that stands for the version: the heaviest that runs.
[[nodiscard]] inline const StepSnapshot& main_step(const Snapshot& snapshot) {
    for (const int step : snapshot.work.lab->by_weight) {
        if (snapshot.steps[std::size_t(step)].runs) return snapshot.steps[std::size_t(step)];
    }
    return snapshot.steps[std::size_t(
        main_step(*snapshot.work.lab, version_of(*snapshot.work.lab, snapshot.work.version)))];
}

// One kernel does all that is shown, although there are others for its parts.
[[nodiscard]] inline bool main_runs_alone(const Snapshot& snapshot) {
    int existing = 0;
    int running = 0;
    for (const StepSnapshot& step : snapshot.steps) {
        existing += step.exists ? 1 : 0;
        running += step.runs ? 1 : 0;
    }
    return running == 1 && existing > 1 && is_shortcut(*snapshot.work.lab, main_step(snapshot).step);
}

// What all steps that run must read and write.
[[nodiscard]] inline double least_bytes(const Snapshot& snapshot) {
    double bytes = 0;
    for (const StepSnapshot& step : snapshot.steps) bytes += step.runs ? step.least_bytes : 0;
    return bytes;
}

// Whether a step is worth a place beside the others: the one that runs alone, else those that are no
// shortcut.
[[nodiscard]] inline bool is_listed(const Snapshot& snapshot, const StepSnapshot& step) {
    if (!step.exists) return false;
    if (main_runs_alone(snapshot)) return step.runs;
    return step.runs || !is_shortcut(*snapshot.work.lab, step.step);
}

}  // namespace ws
