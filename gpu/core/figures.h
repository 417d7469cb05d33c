#pragma once
// The figures of one work on one GPU as one value, so that they come and go together: what was counted and
// estimated of every kernel that runs for what is shown, and what was measured of all of them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/clocked_launch.h"
#include "gpu/core/estimate.h"
#include "gpu/core/message.h"
#include "gpu/core/occupancy.h"
#include "gpu/core/result_key.h"
#include "gpu/core/statistics.h"
#include "gpu/core/warp_place.h"
#include "gpu/core/work.h"

namespace ws {

struct KernelCounters;

// How a number came about.
// A prediction is the estimate of what nobody has counted yet.
enum class Kind : std::uint8_t { measured, estimated, counted, recorded, calculated, predicted };

[[nodiscard]] constexpr const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::measured:
            return "measured";
        case Kind::estimated:
            return "estimated";
        case Kind::counted:
            return "counted";
        case Kind::predicted:
            return "predicted";
        case Kind::recorded:
            return "recorded";
        case Kind::calculated:
            return "calculated";
    }
    return "";
}

// What the simulated GPU counted for one key, and what follows from it: these belong together.
struct StepResult {
    CountKey key;
    std::shared_ptr<const KernelCounters> counters;
    std::optional<Occupancy> occupancy;  // of the same kernel's machine code
    CodeFacts code;                      // and what else that says
    std::optional<Estimate> estimate;
    // What the clock of a multiprocessor says of it; null where none ran it, and of several kernels together.
    std::shared_ptr<const ClockedLaunch> clocked;
};

struct WorkFigures {
    Work work;
    WorkKey key;
    double least_bytes = 0;              // that the kernels which run must read and write
    std::vector<StepResult> steps;       // of the kernels that run, in their order; empty until all are there
    std::optional<Statistics> measured;  // ms of all of them, on the GPU of the key
    std::optional<Statistics> recorded;  // the same, of a recording: measured once, perhaps elsewhere
    Message problem;                     // why there are none and will be none
    [[nodiscard]] bool counted() const { return !steps.empty(); }
    // In ms; nothing where a kernel has no estimate.
    [[nodiscard]] std::optional<double> estimated() const {
        double sum = 0;
        for (const StepResult& step : steps) {
            if (!step.estimate || step.estimate->ms <= 0) return std::nullopt;
            sum += step.estimate->ms;
        }
        if (steps.empty()) return std::nullopt;
        return sum;
    }
};

// Work that a person keeps to compare with, on the input that it was of.
struct PinnedWork {
    Work work;
    InputKey input;
    friend bool operator==(const PinnedWork&, const PinnedWork&) = default;
};
// Whose result is to stand beside that of the work: that of a version in its own blocks and knobs, or the
// baseline's.
struct ResultOf {
    enum class Kind : std::uint8_t { none, version, baseline };
    Kind kind = Kind::none;
    int version = 0;
    friend bool operator==(const ResultOf&, const ResultOf&) = default;
};
// Of which warp the addresses are wanted, besides those that counting keeps.
struct WarpWish {
    int step = 0;                 // of the lab
    std::optional<WarpPlace> at;  // none: of the block that counting keeps
    friend bool operator==(const WarpWish&, const WarpWish&) = default;
};
// Whose warps are run by the clock of a multiprocessor: with few and with many blocks resident.
struct ClockWish {
    int step = 0;           // of the lab
    int few = 1;            // resident blocks, at most those that a multiprocessor holds...
    int many = 0;           // ...0: all of them
    bool baseline = false;  // instead of few of the kernel's: all of the baseline's
    friend bool operator==(const ClockWish&, const ClockWish&) = default;
};
// What is to stand beside the work.
struct Beside {
    const PinnedWork* pinned = nullptr;  // the baseline; none: the version before. One of another lab is none
    bool versions = false;               // the figures of all versions
    bool gpus = false;                   // those of the same work on other GPUs
    ResultOf result{};                   // what other kernels make of the same input
    std::optional<WarpWish> warp{};      // whose addresses are looked at
    std::optional<ClockWish> clock{};    // what is run by the clock
};

// The figures of the work on a GPU.
struct GpuFigures {
    GpuProfile gpu;
    WorkFigures figures;  // measured only on the GPU of this machine
};

// A time with how it came about: measured where it was, else recorded, else estimated.
struct TimeFigure {
    double ms = 0;
    Kind kind = Kind::estimated;
    double spread_ms = 0;  // of what was measured or recorded
};
[[nodiscard]] inline std::optional<TimeFigure> time_of(const WorkFigures& figures) {
    if (figures.measured)
        return TimeFigure{figures.measured->median, Kind::measured, figures.measured->spread()};
    if (figures.recorded)
        return TimeFigure{figures.recorded->median, Kind::recorded, figures.recorded->spread()};
    if (const std::optional<double> ms = figures.estimated()) return TimeFigure{*ms, Kind::estimated, 0};
    return std::nullopt;
}

// How a quantity is written.
enum class Form : std::uint8_t { time, count, ratio, percent };

// A counted quantity that changed between two works.
struct Shift {
    Message quantity;  // "load requests", "load {}" with the unit of the GPU's traffic
    Form form = Form::count;
    double now = 0;
    double before = 0;
};

// Why the work takes longer or shorter than the baseline: both are counted, and their keys differ in nothing
// but what is compared.
struct Reasons {
    std::vector<Shift> shifts;                     // what explains the change best comes first
    std::optional<Shift> against;                  // what changed most the other way, where it weighs
    std::string_view limiter_now, limiter_before;  // names of bounds
    bool alike = false;                            // every count is the same
};

// Two times of one kind: a ratio of others says nothing.
struct TimePair {
    TimeFigure now, baseline;
    [[nodiscard]] double speedup() const { return baseline.ms / now.ms; }
};
[[nodiscard]] inline std::optional<TimePair> times_of(const WorkFigures& now, const WorkFigures& baseline) {
    if (now.measured && baseline.measured) return TimePair{*time_of(now), *time_of(baseline)};
    if (now.recorded && baseline.recorded && !now.measured)
        return TimePair{*time_of(now),
                        {baseline.recorded->median, Kind::recorded, baseline.recorded->spread()}};
    const std::optional<double> a = now.estimated();
    const std::optional<double> b = baseline.estimated();
    if (!a || !b) return std::nullopt;
    return TimePair{{*a, Kind::estimated, 0}, {*b, Kind::estimated, 0}};
}

}  // namespace ws
