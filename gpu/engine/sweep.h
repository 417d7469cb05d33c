#pragma once
// A lab's versions over one or more axes: what there is to run, in which order, and running it.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/compile/kernel_library.h"
#include "gpu/core/record.h"
#include "gpu/core/sweep_result.h"
#include "gpu/core/ulps.h"
#include "gpu/core/work.h"

namespace ws {

class Engine;

// "size", "block" (every power of two by every other), "threads" (rows of 32 lanes) or a knob's name, with
// its places as text.
struct SweepAxis {
    std::string name;
    std::vector<std::string> places;
};

struct SweepPlan {
    Work base;
    std::vector<int> versions;
    std::vector<std::string> gpus;  // to simulate; none: the device as it is
    std::vector<SweepAxis> axes;    // the first one changes slowest
    Picture picture;                // of a lab that takes one: sizes are cut out of its middle
    std::string picture_name;
};

struct SweepItem {
    Work work;
    std::vector<std::string> at;  // the place on each axis
    Extent cut;                   // of the picture; 0 x 0: all of it
};

// All values of a knob's range, or as many as stand for it evenly, ascending.
[[nodiscard]] std::vector<int> values_of(const Knob& knob);
[[nodiscard]] std::vector<std::string> places_of(const Knob& knob);
// The knob of the kernels that run for the work, the heaviest first; null if none has it.
[[nodiscard]] const Knob* running_knob(const Work& work, std::string_view name, const KernelLibrary& library);
// The places of an axis for these versions. Throws UsageError for one that the lab does not have.
[[nodiscard]] SweepAxis sweep_axis(const std::string& name, const Work& base,
                                   const std::vector<int>& versions, Extent picture,
                                   const KernelLibrary& library);
[[nodiscard]] SweepAxis size_axis(const std::vector<Extent>& sizes);
// Without those that a version cannot take. The slowest first: GPUs, sizes, versions, the rest.
[[nodiscard]] std::vector<SweepItem> sweep_items(const SweepPlan& plan, const KernelLibrary& library);

// The step whose block a sweep changes: the heaviest that runs for what is shown.
[[nodiscard]] int swept_step(const Work& work);
[[nodiscard]] SweepSubject subject_of(Work work, const InputKey& input, SweepOver over = {});
// The sizes of a lab without a picture whose buffers are no larger than this, each.
[[nodiscard]] std::vector<Extent> sizes_within(const Lab& lab, std::size_t bytes);

struct SweepPoint {
    std::size_t plan = 0;  // which of those that run
    std::vector<std::string> at;
    Record record;
    std::optional<double> gb_s;          // of a lab that is about it
    bool known = false;                  // it was recorded earlier
    std::optional<Accuracy> accuracy{};  // of a lab of approximations, where the result was computed
};

struct SweepOptions {
    int samples = 20;
    std::span<const Record> known;  // of earlier sweeps: what is there is not done again
    std::function<void(SweepPoint, int done, int all)> took;  // of all plans
    std::function<bool()> stopped;
    std::filesystem::path compile_ahead;  // the engine's cache folder, where it has one
    // Of a lab of approximations a simulated GPU computes the whole result, whose errors are wanted.
    bool errors = false;
};
// Runs the plans one after the other on the engine, but for what is known. A launch that is refused is a
// point without a time. Throws what the engine throws for work that it cannot begin.
void run_sweep(Engine& engine, std::span<const SweepPlan> plans, const KernelLibrary& library,
               const SweepOptions& options);

}  // namespace ws
