#include "app/cli/version_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/simt_run.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/simt/plan_memory.h"

namespace ws {

VersionStep version_step(const Work& work, int number, std::shared_ptr<const KernelLibrary> library,
                         const GpuProfile& gpu) {
    VersionStep named;
    named.work = work;
    named.library = std::move(library);
    const auto requests = step_requests(
        named.work, [&](std::string_view name) -> const KernelSource& { return named.library->find(name); });
    const StepRequest* step = request_of(requests, number);
    if (!step) throw no_such_step(named.work, number);
    if (!can_run(*step->source, gpu.limits.capability))
        throw Error(fmt::format("{} cannot run {}.cu", gpu.name, step->source->name), step->source->needs_why,
                    "choose a GPU of compute capability " + step->source->needs.text() + " or more");
    named.request = *step;
    named.compile = compile_request(*named.work.lab, *step, {});
    named.compile.register_cap = register_cap(step->block.threads(), gpu.limits);
    return named;
}

VersionStep version_step(const Options& options, const GpuProfile& gpu) {
    return version_step(
        work_of(options), *options.step,
        std::make_shared<const KernelLibrary>(
            options.kernel_folder, std::vector<std::filesystem::path>{options.include_folders.begin(),
                                                                      options.include_folders.end()}),
        gpu);
}

std::vector<std::pair<int, HostBytes>> inputs_of_step(const Nvrtc& nvrtc, const VersionStep& named,
                                                      const Problem& problem, const Launch& launch,
                                                      const GpuProfile& gpu) {
    std::vector<std::pair<int, HostBytes>> made;
    std::vector<int> changed;
    for (const Argument& argument : launch.arguments) {
        if (argument.only_reads() && argument.buffer > 0)
            made.emplace_back(argument.buffer, reference_result(problem, argument.buffer));
        else if (argument.kind == Argument::Kind::both && !problem.content_of(argument.buffer))
            changed.push_back(argument.buffer);
    }
    if (changed.empty()) return made;
    simt::PlanMemory memory(problem);
    const auto find = [&](std::string_view name) -> const KernelSource& { return named.library->find(name); };
    for (const StepRequest& step : step_requests(named.work, find)) {
        if (step.step == named.request.step) break;
        if (!runs_step(named.work, step.step)) continue;
        const Launch before =
            launch_of(step, arguments_of(named.work, step.step), nullptr, problem.size, gpu.multiprocessors);
        const bool writes =
            std::any_of(before.arguments.begin(), before.arguments.end(), [&](const Argument& one) {
                return one.writes() && std::find(changed.begin(), changed.end(), one.buffer) != changed.end();
            });
        if (!writes) continue;
        CompileRequest request = compile_request(*named.work.lab, step, {});
        request.register_cap = register_cap(step.block.threads(), gpu.limits);
        const SimulatedKernel kernel = compile_simulated(nvrtc, std::move(request), gpu);
        simt::Gpu simulated(gpu);
        simt::LaunchOptions options = simt::step_options();
        options.count = false;
        (void)simulated.launch(memory.stage(simulated, kernel.program, before, 0), options);
    }
    for (const int buffer : changed) {
        made.emplace_back(buffer, memory.take(buffer));
        if (made.back().second.empty())
            throw Error("no step before writes what the kernel changes", named.request.source->name + ".cu");
    }
    return made;
}

}  // namespace ws
