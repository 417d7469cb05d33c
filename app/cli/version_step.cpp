#include "app/cli/version_step.h"

#include <fmt/format.h>

namespace ws {

VersionStep version_step(const Options& options, const GpuProfile& gpu) {
    VersionStep named;
    named.work = work_of(options);
    named.library = std::make_shared<const KernelLibrary>(
        options.kernel_folder,
        std::vector<std::filesystem::path>{options.include_folders.begin(), options.include_folders.end()});
    const auto requests = step_requests(
        named.work, [&](std::string_view name) -> const KernelSource& { return named.library->find(name); });
    const StepRequest* step = request_of(requests, *options.step);
    if (!step) throw no_such_step(named.work, *options.step);
    if (!can_run(*step->source, gpu.limits.capability))
        throw Error(fmt::format("{} cannot run {}.cu", gpu.name, step->source->name), step->source->needs_why,
                    "choose a GPU of compute capability " + step->source->needs.text() + " or more");
    named.request = *step;
    named.compile = compile_request(*named.work.lab, *step, {});
    named.compile.register_cap = register_cap(step->block.threads(), gpu.limits);
    return named;
}

}  // namespace ws
