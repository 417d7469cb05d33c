// From options to work, and whether a version takes what they ask for.

#include <fmt/format.h>

#include <set>

#include "app/cli/options.h"
#include "app/state/work_edit.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

// The heaviest step that what is shown runs.
int shown_step(const Work& work) {
    for (const int step : work.lab->by_weight) {
        if (runs_step(work, step)) return step;
    }
    return main_step(*work.lab, version_of(*work.lab, work.version));
}

std::vector<WorkEdit> edits_of(const Options& options) {
    std::vector<WorkEdit> edits;
    if (options.chooses_lab) edits.push_back(ChooseLab{std::string(options.lab->id)});
    if (options.version) edits.push_back(ChooseVersion{*options.version});
    if (options.view) edits.push_back(ChooseView{*options.view});
    if (options.work_size) edits.push_back(ChooseSize{*options.work_size});
    for (const auto& [name, value] : options.knobs) edits.push_back(ChooseKnob{name, value});
    if (options.device) edits.push_back(ChooseDevice{options.device->kind, options.device->gpu});
    if (options.gpu) edits.push_back(ChooseGpu{*options.gpu});
    return edits;
}

// A block without a step is that of the heaviest step, of the version and of what is shown.
std::vector<WorkEdit> block_edits_of(const Options& options, const Work& work) {
    std::vector<WorkEdit> edits;
    for (const auto& [name, block] : options.blocks) {
        if (name.empty()) {
            edits.push_back(ChooseBlock{main_step(*work.lab, version_of(*work.lab, work.version)), block});
            edits.push_back(ChooseBlock{shown_step(work), block});
        } else {
            edits.push_back(ChooseBlock{step_named(*work.lab, name), block});
        }
    }
    return edits;
}

// A window makes the best of a value that a kernel does not take; a command line is wrong.
void check_knobs(const Options& options, const Work& work, const KernelLibrary& library) {
    if (options.knobs.empty()) return;
    const Version& version = version_of(*work.lab, work.version);
    for (const auto& [name, value] : options.knobs) {
        bool known = false;
        std::string names;
        for (const StepKernel& step : version.steps) {
            if (step.kernel.empty()) continue;
            for (const Knob& knob : library.find(step.kernel).knobs) {
                if (is_block_side(knob)) continue;
                if (names.find(knob.name) == std::string::npos)
                    names += (names.empty() ? "" : ", ") + knob.name;
                if (knob.name != name) continue;
                known = true;
                if (value < knob.low || value > knob.high) {
                    throw UsageError(fmt::format("{}={} is out of range", name, value), "",
                                     fmt::format("choose from {} to {}", knob.low, knob.high));
                }
            }
        }
        if (!known) {
            throw UsageError(fmt::format("V{} has no knob {}", version.number, name), "",
                             names.empty() ? "it has none besides its block (--block)" : "it has " + names);
        }
    }
}

// Of any version: the curves are those of all of them.
void check_over(const Options& options, const Work& work, const KernelLibrary& library) {
    if (!shows_curves(options.look)) return;
    std::set<std::string> axes;
    if (!work.lab->sizes.swept.empty()) axes.insert("size");
    for (const Version& version : work.lab->versions) {
        for (const StepKernel& step : version.steps) {
            if (step.kernel.empty()) continue;
            for (const Knob& knob : library.find(step.kernel).knobs) {
                if (!is_block_side(knob)) axes.insert(knob.name);
            }
        }
    }
    if (axes.contains(options.look.over)) return;
    throw UsageError(fmt::format("'{}' is no axis of {}", options.look.over, work.lab->id), "",
                     fmt::format("choose one of {}", fmt::join(axes, ", ")));
}

void check_blocks(const Options& options, const Work& work, const KernelLibrary& library) {
    const auto asked = options.blocks.find("");
    if (asked == options.blocks.end()) return;
    const Version& version = version_of(*work.lab, work.version);
    const int step = main_step(*work.lab, version);
    const KernelSource& source = library.find(version.steps[std::size_t(step)].kernel);
    if (fitted(source, asked->second) == asked->second) return;
    throw UsageError(
        fmt::format("V{} does not accept a block of {}", version.number, to_string(asked->second)),
        source.name + ".cu", "choose from " + blocks_text(source));
}

}  // namespace

Work apply(const Options& options, Work base) {
    const KernelLibrary library(options.kernel_folder);
    Work work = edited(std::move(base), edits_of(options), library);
    const std::vector<WorkEdit> blocks = block_edits_of(options, work);
    work = edited(std::move(work), blocks, library);
    check_knobs(options, work, library);
    check_blocks(options, work, library);
    check_over(options, work, library);
    return work;
}

Work work_of(const Options& options) {
    return apply(options, first_work(*options.lab));
}

UsageError no_such_step(const Work& work, int step) {
    std::string names;
    const Version& version = version_of(*work.lab, work.version);
    for (std::size_t i = 0; i < version.steps.size(); ++i) {
        if (version.steps[i].kernel.empty()) continue;
        names += (names.empty() ? "" : ", ") + std::string(work.lab->steps[i].name);
    }
    return UsageError(
        fmt::format("V{} has no kernel for step {}", version.number, work.lab->steps[std::size_t(step)].name),
        "", "it has " + names);
}

}  // namespace ws
