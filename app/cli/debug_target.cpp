#include "app/cli/debug_target.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

#include "app/cli/file_run.h"
#include "app/cli/kernel_file.h"
#include "gpu/core/files.h"
#include "gpu/debug/ptx_text.h"
#include "gpu/engine/example_book.h"
#include "gpu/engine/targets.h"
#include "gpu/simt/plan_memory.h"

namespace ws {
namespace {

constexpr std::size_t kLargestHeader = 4 << 20;

struct DebuggedKernel {
    std::shared_ptr<const simt::Program> program;
    debug::KernelSources sources;
};

// Headers that lie in the folders of the kernel: what the toolkit has is not shown.
void add_headers(const CompileRequest& request, debug::KernelSources& sources) {
    for (const KernelHeader& header : request.headers) sources.files.push_back({header.name, header.text});
    for (const auto& [number, path] : debug::read_ptx_text(sources.ptx).files) {
        const std::string name = std::filesystem::path(path).filename().string();
        if (name == request.name + ".cu") continue;
        for (const std::string& folder : request.include_folders) {
            const std::filesystem::path file = std::filesystem::path(folder) / name;
            std::error_code unreadable;
            if (!std::filesystem::is_regular_file(file, unreadable)) continue;
            sources.files.push_back({name, read_file(file, kLargestHeader)});
            break;
        }
    }
}

// `shown`: the text that a person has written.
DebuggedKernel compile_debugged(const Nvrtc& nvrtc, CompileRequest request, const std::string& shown,
                                const GpuProfile& gpu, bool optimised,
                                const std::vector<std::string>& kernels) {
    request.architecture = nearest_target(nvrtc.architectures(), gpu.limits.capability).architecture;
    request.to_ptx = true;
    request.for_debugger = !optimised;
    Result<CompiledKernel> ptx = nvrtc.compile(request);
    if (!ptx.ok() && request.host_names) {
        request.entry = full_name(request, kernels);
        ptx = nvrtc.compile(request);
    }
    if (!ptx.ok()) throw Error(request.name + " does not compile", "", "\n" + ptx.message());
    const std::string text(ptx.value().binary.data(), ptx.value().binary.size());
    const auto program = simt::load_program(text, ptx.value().entry);
    if (!program.ok()) throw Error(program.message());
    DebuggedKernel made{program.value(), {{{request.name + ".cu", shown}}, request.knobs, text}};
    add_headers(request, made.sources);
    return made;
}

// What a block runs on: as at first, each time.
struct Ground {
    simt::Gpu gpu;
    simt::PlanMemory memory;
};

// The one buffer that the launch fills; -1: there are several, or none.
int filled_buffer(const Launch& launch) {
    int found = -1;
    for (const Argument& argument : launch.arguments) {
        if (!argument.writes() || argument.buffer < 0) continue;
        if (found >= 0) return -1;
        found = argument.buffer;
    }
    return found;
}

// Blocks can only depend on each other where the kernel changes what it reads.
bool changes_what_it_reads(const Launch& launch) {
    return std::any_of(launch.arguments.begin(), launch.arguments.end(),
                       [](const Argument& one) { return one.kind == Argument::Kind::both; });
}

// `hold`: puts into the memory what steps before have left.
template <typename Hold>
debug::DebugTarget target_of(const DebugChoice& choice, const GpuProfile& gpu, DebuggedKernel kernel,
                             const Problem& problem, const Launch& launch, const Hold& hold) {
    debug::DebugTarget made;
    const auto [x, y, z] = launch.blocks();
    made.grid = {x, y, z};
    made.sources = std::move(kernel.sources);
    made.runs_before = changes_what_it_reads(launch);
    made.start = [gpu, problem, launch, hold, program = kernel.program, limit = choice.step_limit,
                  before = made.runs_before,
                  filled = filled_buffer(launch)](std::uint64_t block, const std::atomic<bool>& cancel) {
        auto ground = std::make_shared<Ground>(Ground{simt::Gpu(gpu), simt::PlanMemory(problem)});
        hold(ground->memory);
        const simt::KernelLaunch staged = ground->memory.stage(ground->gpu, program, launch, kUnwrittenByte);
        debug::StartedBlock started;
        started.block = std::make_unique<simt::SteppedBlock>(
            ground->gpu, staged,
            simt::SteppedOptions{
                .block = block, .runs_before = before, .step_limit = limit, .cancel = &cancel});
        if (filled >= 0) started.result = std::as_bytes(ground->memory.bytes(filled));
        started.keeps = std::move(ground);
        return started;
    };
    return made;
}

std::optional<FilledPlane> plane_of(const Problem& problem, const Launch& launch) {
    const int filled = filled_buffer(launch);
    if (filled < 0) return std::nullopt;
    const Buffer& buffer = problem.lab->buffers[std::size_t(filled)];
    return FilledPlane{extent_of(buffer, problem.size), buffer.element, buffer.turned};
}

}  // namespace

DebuggedLaunch debugged_version(const Nvrtc& nvrtc, const VersionStep& named, const Problem& problem,
                                const GpuProfile& gpu, const DebugChoice& choice) {
    DebuggedKernel kernel =
        compile_debugged(nvrtc, named.compile, named.compile.text, gpu, choice.optimised, {});
    const Launch launch = launch_of(named.request, arguments_of(named.work, named.request.step), nullptr,
                                    problem.size, gpu.multiprocessors);
    std::vector<std::pair<int, HostBytes>> held = inputs_of_step(nvrtc, named, problem, launch, gpu);
    DebuggedLaunch made;
    made.file = named.request.source->name + ".cu";
    made.target = target_of(choice, gpu, std::move(kernel), problem, launch,
                            [held = std::move(held)](simt::PlanMemory& memory) {
                                for (const auto& [buffer, bytes] : held) memory.hold(buffer, bytes);
                            });
    made.threads = launch.threads();
    made.plane = plane_of(problem, launch);
    made.grid = warp_grid(launch, problem.size);
    return made;
}

DebuggedLaunch debugged_file(const Options& options, const Nvrtc& nvrtc) {
    const KernelFile file(options, nvrtc);
    PreparedFile prepared = file.prepare();
    const GpuProfile& gpu = file.simulated();
    DebuggedKernel kernel = compile_debugged(nvrtc, prepared.code.request, prepared.file.text, gpu,
                                             options.simt.optimised, prepared.code.kernels);
    file.check_arguments(*kernel.program);
    const Launch launch = prepared.student->launch();
    DebuggedLaunch made;
    made.file = prepared.file.name + ".cu";
    // The launch's arguments name buffers of this lab, which goes with what starts it.
    const auto lab = std::shared_ptr<const StudentLab>(std::move(prepared.student));
    made.target = target_of({options.simt.optimised, options.simt.step_limit}, gpu, std::move(kernel),
                            lab->problem(), launch, [lab](simt::PlanMemory& /*memory*/) {});
    made.threads = launch.threads();
    return made;
}

}  // namespace ws
