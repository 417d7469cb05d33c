#include "app/cli/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/long_run.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/numbers.h"

namespace ws {
namespace {

constexpr int kMostPlaces = 16;

// The knob in a kernel of the version; null if it has none.
const Knob* find_knob(const KernelLibrary& library, const Version& version, const std::string& name) {
    for (const StepKernel& step : version.steps) {
        if (step.kernel.empty()) continue;
        for (const Knob& knob : library.find(step.kernel).knobs) {
            if (knob.name == name && name != "BLOCK_X" && name != "BLOCK_Y") return &knob;
        }
    }
    return nullptr;
}

// All values of a range, or as many as stand for it evenly.
std::vector<std::string> places_of(const Knob& knob) {
    std::set<int> values{knob.value};
    const int count = std::min(kMostPlaces, knob.high - knob.low + 1);
    for (int i = 0; i < count; ++i)
        values.insert(knob.low + (knob.high - knob.low) * i / std::max(1, count - 1));
    std::vector<std::string> places;
    places.reserve(values.size());
    for (const int value : values) places.push_back(std::to_string(value));
    return places;
}

std::vector<std::string> block_places() {
    std::vector<std::string> places;
    for (int threads = 32; threads <= kMaxThreadsPerBlock; threads *= 2) {
        for (int x = 1; x <= threads; x *= 2) places.push_back(to_string(Block{x, threads / x}));
    }
    return places;
}

std::string axes_of(const Lab& lab, const KernelLibrary& library, const std::vector<int>& versions) {
    std::set<std::string> names{"block"};
    if (!lab.takes_picture()) names.insert("size");
    for (const int number : versions) {
        for (const StepKernel& step : version_of(lab, number).steps) {
            if (step.kernel.empty()) continue;
            for (const Knob& knob : library.find(step.kernel).knobs) {
                if (knob.name != "BLOCK_X" && knob.name != "BLOCK_Y") names.insert(knob.name);
            }
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

// The work at one place of the axis; none if this version has no such place.
std::optional<Work> work_at(const Sweep& sweep, const KernelLibrary& library, int number,
                            const std::string& at) {
    const Version& version = version_of(*sweep.work.lab, number);
    Work work = sweep.work;
    if (number != work.version) {
        work = with_version(work, version);
        for (const auto& [name, value] : sweep.work.knobs) {
            if (find_knob(library, version, name)) work.knobs[name] = value;
        }
    }
    if (sweep.axis == "size") {
        const int side = parse_number<int>(std::string_view(at).substr(0, at.find(' '))).value_or(1);
        const int other = parse_number<int>(std::string_view(at).substr(at.rfind(' ') + 1)).value_or(side);
        work.size = {side, other};
    } else if (sweep.axis == "block") {
        const int step = main_step(*work.lab, version);
        const Block block = parse_block(at);
        if (!(fitted(library.find(version.steps[std::size_t(step)].kernel), block) == block))
            return std::nullopt;
        work.block(step) = block;
    } else {
        const Knob* knob = find_knob(library, version, sweep.axis);
        const int value = parse_number<int>(at).value_or(0);
        if (!knob || value < knob->low || value > knob->high) return std::nullopt;
        work.knobs[sweep.axis] = value;
    }
    return work;
}

// Times and occupancy of what the engine has computed.
void take(const Snapshot& snapshot, SweepPoint& point) {
    point.gpu = snapshot.device.can.needs_kernels ? snapshot.device.profile.name : snapshot.device.name;
    point.kind = snapshot.device.can.shows_progress ? "estimated" : "measured";
    point.gb_s = bandwidth_gb_s(snapshot).value_or(0);
    const StepSnapshot& main = main_step(snapshot);
    if (main.occupancy) point.occupancy = main.occupancy->percent;
    if (!snapshot.device.can.shows_progress) {
        point.ms = snapshot.total_ms.median;
        point.spread = snapshot.total_ms.spread();
        point.check = snapshot.check.message;
        point.wrong = snapshot.check.state == Check::State::different;
        return;
    }
    point.check = "no finding in a sample of blocks";
    for (const StepSnapshot& step : snapshot.steps) {
        if (!step.runs) continue;
        if (!step.counters_problem.empty()) point.problem = step.counters_problem;
        if (step.estimate()) point.ms += step.estimate()->ms;
        if (!step.counters()) continue;
        for (const Finding& finding : step.counters()->findings) {
            if (finding.severity != Severity::error) continue;
            point.check = finding.message;
            point.wrong = true;
        }
    }
}

SweepPoint run_point(Engine& engine, const Work& work, int samples, const std::string& at) {
    SweepPoint point;
    point.version = work.version;
    point.at = at;
    HostTarget target;
    try {
        engine.prepare(work);
        if (engine.snapshot().device.can.shows_progress) {
            // Counts and estimates come from a sample of blocks: the whole result is not needed.
            engine.wait_for_kernels();
            require_kernels(engine.snapshot());
            engine.wait_for_counts();
        } else {
            run_to_end(engine, work, samples, target);
        }
        take(engine.snapshot(), point);
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        point.problem = error.what();  // a launch that the GPU refuses is a place of the axis, too
    }
    return point;
}

}  // namespace

Sweep plan_sweep(const Options& options) {
    Sweep sweep;
    sweep.axis = options.sweep;
    sweep.work = work_of(options);
    const Lab& lab = *sweep.work.lab;
    if (lab.views[std::size_t(sweep.work.view)].ways.empty())
        throw UsageError("the view needs no run", "", "choose another one with --show");
    if (options.version) {
        sweep.versions = {*options.version};
    } else {
        for (const Version& version : lab.versions) sweep.versions.push_back(version.number);
    }
    const KernelLibrary library(options.kernel_folder);
    if (sweep.axis == "size" && !lab.takes_picture()) {
        for (const Extent size : lab.sizes)
            sweep.places.push_back(fmt::format("{} x {}", size.width, size.height));
    } else if (sweep.axis == "block") {
        sweep.places = block_places();
    } else {
        for (const int number : sweep.versions) {
            if (const Knob* knob = find_knob(library, version_of(lab, number), sweep.axis)) {
                sweep.places = places_of(*knob);
                break;
            }
        }
    }
    if (sweep.places.empty())
        throw UsageError(fmt::format("'{}' is no axis of {}", sweep.axis, lab.id), "",
                         "choose one of " + axes_of(lab, library, sweep.versions));
    return sweep;
}

std::vector<SweepPoint> run_sweep(const Options& options, const Sweep& sweep) {
    const KernelLibrary library(options.kernel_folder);
    Engine engine(engine_options(options));
    if (sweep.work.lab->takes_picture())
        engine.set_picture(load_picture(options.image), picture_label(options.image));
    std::vector<SweepPoint> points;
    LongRun watch(std::uint64_t(sweep.versions.size() * sweep.places.size()));
    // All versions at one place of the axis, so that an input is made once.
    for (const std::string& at : sweep.places) {
        for (const int number : sweep.versions) {
            if (watch.cancelled()) break;
            if (const std::optional<Work> work = work_at(sweep, library, number, at))
                points.push_back(run_point(engine, *work, options.repeat, at));
            ++watch.blocks_done();
        }
    }
    std::stable_sort(points.begin(), points.end(),
                     [](const SweepPoint& a, const SweepPoint& b) { return a.version < b.version; });
    return points;
}

}  // namespace ws
