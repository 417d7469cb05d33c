#include "gpu/engine/describe.h"

#include <fmt/format.h>

#include "gpu/analysis/occupancy.h"
#include "gpu/analysis/source_diff.h"

namespace ws {
namespace {

void describe_occupancy(const PlannedKernel& kernel, const CompileService& compiler, const GpuProfile& target,
                        StepSnapshot& shown) {
    shown.occupancy.now.reset();
    shown.built.machine_code = nullptr;
    if (!kernel.problem.empty() || kernel.code.name.empty()) return;
    const std::optional<CompileOutcome> outcome = compiler.find(kernel.code);
    if (!outcome || !outcome->kernel) return;
    shown.built.machine_code = outcome->kernel;
    const CompileReport& report = outcome->kernel->report;
    const KernelResources resources{kernel.request.block.threads(), registers_within_cap(report),
                                    report.shared_bytes, false, kernel.request.cache};
    shown.occupancy.now = occupancy_of(resources, target.limits);
    shown.occupancy.next_step = next_step(*shown.occupancy.now);
    shown.occupancy.curves = occupancy_curves(resources, target.limits);
}

}  // namespace

void describe_steps(const PlannedWork& planned, const InputKey& input, std::vector<StepSnapshot>& steps) {
    const Lab& lab = *planned.work.lab;
    if (steps.size() != lab.steps.size() || steps.front().name != lab.steps.front().name)
        steps.assign(lab.steps.size(), {});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i].step = int(i);
        steps[i].name = lab.steps[i].name;
        steps[i].exists = steps[i].runs = false;
    }
    for (const PlannedKernel& kernel : planned.kernels) {
        StepSnapshot& shown = steps[std::size_t(kernel.request.step)];
        shown.exists = true;
        shown.runs = kernel.runs;
        shown.source = *kernel.request.source;
        shown.knobs = kernel.request.knobs;
        shown.shape.block = kernel.request.block;
        shown.shape.tiling = kernel.request.tiling;
        shown.least_bytes = least_bytes(lab, kernel.launch.arguments, input.size);
    }
}

void describe_kernels(const AskedWork& asked, const CompileService& compiler, const Surroundings& around,
                      std::vector<StepSnapshot>& steps) {
    for (const PlannedKernel& kernel : asked.work.kernels) {
        StepSnapshot& shown = steps[std::size_t(kernel.request.step)];
        std::optional<CompileOutcome> outcome;
        if (!kernel.run.name.empty()) outcome = compiler.find(kernel.run);
        if (!kernel.run_problem.empty()) {
            outcome.emplace();
            outcome->error = english(kernel.run_problem);
        }
        shown.built.kernel = outcome ? outcome->kernel : nullptr;
        shown.built.error = outcome ? outcome->error : "";
        shown.built.state = !outcome          ? CompileState::waiting
                            : outcome->kernel ? CompileState::ready
                                              : CompileState::failed;
        shown.shape.grid = kernel.launch.grid;
        const PlannedKernel& told = asked.standing_for(kernel);
        const std::optional<CompileOutcome> ptx =
            told.ptx.name.empty() ? std::nullopt : compiler.find(told.ptx);
        shown.built.ptx = ptx ? ptx->kernel : nullptr;
        describe_occupancy(told, compiler, around.target, shown);
    }
}

void describe_lines(const PlannedWork* baseline, StepSnapshot& shown) {
    const KernelSource* before = nullptr;
    if (baseline) {
        for (const PlannedKernel& kernel : baseline->kernels) {
            if (kernel.request.step == shown.step) before = kernel.request.source;
        }
    }
    const std::string_view before_text = before ? std::string_view(before->text) : std::string_view();
    const bool counts = shown.counts.result && shown.counts.source.name == shown.source.name;
    const std::string_view counted = counts ? std::string_view(shown.counts.source.text) : std::string_view();
    if (shown.built.lines && shown.built.lines->text == shown.source.text &&
        shown.built.lines->before == before_text && shown.built.lines->counted == counted)
        return;
    SourceLines made = source_lines(shown.source.text, std::string(before_text), std::string(counted));
    if (before) made.before_name = before->name;
    shown.built.lines = std::make_shared<const SourceLines>(std::move(made));
}

std::string target_note(const PlannedWork& planned, const Surroundings& around) {
    if (!around.compiler) return "";
    const GpuProfile& target = around.target;
    const std::string where =
        target.measured_here ? "this machine's " + target.name : target.name + " (from the table)";
    const int architecture = planned.near_target.architecture;
    if (architecture == target.limits.capability.number())
        return fmt::format("{}; registers from {} for sm_{}", where, around.compiler->name(), architecture);
    return fmt::format("{}; registers from {} for sm_{}, the nearest to compute capability {} that it builds",
                       where, around.compiler->name(), architecture, target.limits.capability.text());
}

std::map<int, Message> unavailable_versions(const Lab& lab, const Surroundings& around) {
    std::map<int, Message> list;
    if (!around.device.can.needs_kernels) return list;
    const ComputeCapability capability = around.runs_on().limits.capability;
    for (const Version& version : lab.versions) {
        for (const StepKernel& step : version.steps) {
            if (step.kernel.empty() || can_run(around.find(step.kernel), capability)) continue;
            list[version.number] = why_not(around.find(step.kernel), capability);
        }
    }
    return list;
}

}  // namespace ws
