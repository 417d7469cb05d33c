#pragma once
// Everything that the panels draw and the command line prints, as plain values.

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/device.h"
#include "gpu/core/estimate.h"
#include "gpu/core/occupancy.h"
#include "gpu/core/result_key.h"
#include "gpu/core/settings.h"
#include "gpu/core/statistics.h"
#include "gpu/core/version.h"

namespace ws {

enum class CompileState { waiting, ready, failed };

// What the simulated GPU counted for one key, and what follows from it: these belong together.
struct StageResult {
    CountKey key;
    std::shared_ptr<const KernelCounters> counters;
    std::optional<Occupancy> occupancy;  // of the same kernel's machine code
    int spill_bytes = 0;                 // stored and loaded, of a thread
    std::optional<Estimate> estimate;
};

// The baseline: the previous version in its own blocks and knobs, otherwise like the result. Where the result
// is that of one kernel for all stages and the previous version has several, their sum.
struct Baseline {
    int version = -1;                   // -1: there is none
    std::optional<StageResult> result;  // of a sum, the key is that of its hotspot
    std::string problem;                // why there is none, and will be none
    std::string verdict;                // where what is shown is estimated no faster: why
    std::string causes;                 // what of it is worse than in the version before
};

struct StageSnapshot {
    Stage stage = Stage::gray;
    bool exists = true;  // the version has a kernel for it
    bool runs = false;   // the picture that is shown needs it
    KernelSource source;
    KnobValues knobs;  // every knob with the value in force
    Block block;
    Tiling tiling;
    Extent grid;
    CompileState state = CompileState::waiting;
    std::string compile_error;                     // the compiler's log where state is failed
    std::shared_ptr<const CompiledKernel> kernel;  // the one that was asked for, when it is ready
    // Machine code for the target GPU or the nearest that can be built, when it is ready.
    std::shared_ptr<const CompiledKernel> machine_code;
    Statistics time_ms;
    std::vector<float> history_ms;
    int launches_per_sample = 0;
    double least_bytes = 0;  // what the stage must read and write at least
    std::optional<Occupancy> occupancy;
    std::string next_step;  // what would raise it: "7 registers fewer per thread: 6 blocks", empty at 100 %
    std::array<OccupancyCurve, 3> curves;  // over block size, registers, shared memory
    // The counts of this kernel on the target GPU; while the simulated GPU still counts, the previous result,
    // which then is `stale`: its key says what it is of.
    std::optional<StageResult> result;
    bool stale = false;
    std::string counters_problem;  // why there are no counts
    Baseline baseline;             // that the result may stand beside; empty while it is stale
    [[nodiscard]] const KernelCounters* counters() const { return result ? result->counters.get() : nullptr; }
    // Null while it is not that of this kernel.
    [[nodiscard]] const Estimate* estimate() const {
        return result && !stale && result->estimate ? &*result->estimate : nullptr;
    }
};

// The latest times of some work. Those of a version are of its own blocks and knobs.
struct VersionTimes {
    PerStage<Statistics> stages;
    PerStage<Block> blocks{};
    Statistics total_ms;
};

// The picture on the screen: what computed it.
struct Drawn {
    WorkKey key;
    int version = 0;
    Stage stage = Stage::blur;  // that stands for it
    Block block;
    bool current = false;  // it is what the settings ask for
};

// How the picture of the running kernels compares with the definition.
struct Check {
    enum class State { pending, equal, different, failed };
    State state = State::pending;
    std::string message;
};

// How far the simulated GPU is with the picture.
struct Simulation {
    bool complete = false;
    double progress = 0;      // of the whole picture, 0 to 1
    Extent drawn;             // the size at which the picture that is shown was computed; 0 x 0: none yet
    double milliseconds = 0;  // that the whole picture took
};

struct Snapshot {
    std::span<const Version> versions;
    std::map<int, std::string> unavailable;  // versions that the GPU cannot run, and why
    Settings settings;                       // what this snapshot answers to
    DeviceFacts device;
    std::string device_reason;  // why this device
    std::string device_loss;    // said once a device was lost, else empty
    std::string picture_name;
    Extent picture;
    PerStage<StageSnapshot> stages;
    Statistics total_ms;
    std::vector<float> total_history_ms;
    Statistics fused_ms;  // cpu device: the pipeline in one pass
    Statistics map_ms;
    Statistics unmap_ms;
    std::optional<Simulation> simulation;  // simt device
    bool warming_up = false;
    bool stale = false;  // the picture is of an earlier plan: the new one is not ready or failed
    std::optional<LaunchFailure> failure;
    std::optional<int> clock_mhz;
    std::map<int, VersionTimes> version_times;  // for this device, picture and view
    std::optional<Drawn> drawn;                 // none before the first picture
    Check check;
    GpuProfile target;             // the GPU that occupancy is computed for
    std::string target_note;       // where its registers come from
    std::string automatic_target;  // the GPU that is the target when none is chosen
    std::vector<std::string> profile_names;
    std::string compiler;  // "NVRTC 13.0", or why there is none
    bool compiler_missing = false;
    int compiling = 0;          // kernels the worker has yet to do, prefetches not counted
    std::string kernel_folder;  // where kernels are watched on disk, else empty
};

// The stage that stands for the version: all in one where that runs, else blur, the hotspot, where it runs.
[[nodiscard]] inline const StageSnapshot& main_stage(const Snapshot& snapshot) {
    for (const Stage stage : {Stage::fused, Stage::blur, Stage::edge, Stage::gray}) {
        if (snapshot.stages[index_of(stage)].runs) return snapshot.stages[index_of(stage)];
    }
    return snapshot.stages[index_of(Stage::blur)];
}

}  // namespace ws
