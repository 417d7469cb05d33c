#include "app/cli/debug_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/file_run.h"
#include "app/cli/kernel_file.h"
#include "app/cli/version_step.h"
#include "gpu/core/files.h"
#include "gpu/debug/console.h"
#include "gpu/engine/planner.h"
#include "gpu/engine/targets.h"
#include "gpu/simt/plan_memory.h"

namespace ws {
namespace {

constexpr std::uint8_t kUnwrittenByte = 0xA5;
constexpr std::size_t kLargestHeader = 4 << 20;
constexpr const char* kPrompt = "(warpscope) ";

std::atomic<bool> debug_interrupted{false};

void on_interrupt(int /*signal*/) {
    debug_interrupted = true;
}

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

// `hold`: puts into the memory what steps before have left.
template <typename Hold>
debug::DebugTarget target_of(const Options& options, const GpuProfile& gpu, DebuggedKernel kernel,
                             const Problem& problem, const Launch& launch, const Hold& hold) {
    debug::DebugTarget made;
    const auto [x, y, z] = launch.blocks();
    made.grid = {x, y, z};
    made.sources = std::move(kernel.sources);
    made.start = [gpu, problem, launch, hold, program = kernel.program, limit = options.simt.step_limit](
                     std::uint64_t block, const std::atomic<bool>& cancel) {
        auto ground = std::make_shared<Ground>(Ground{simt::Gpu(gpu), simt::PlanMemory(problem)});
        hold(ground->memory);
        const simt::KernelLaunch staged = ground->memory.stage(ground->gpu, program, launch, kUnwrittenByte);
        debug::StartedBlock started;
        started.block = std::make_unique<simt::SteppedBlock>(
            ground->gpu, staged,
            simt::SteppedOptions{.block = block, .step_limit = limit, .cancel = &cancel});
        started.keeps = std::move(ground);
        return started;
    };
    return made;
}

int converse(debug::DebugTarget target, const std::string& title) {
    debug::Debugger debugger(std::move(target), debug_interrupted);
    debug::Console console(debugger, [](std::string_view text) { fmt::print("{}", text); });
    const bool terminal = isatty(STDIN_FILENO) != 0;
    fmt::print("{}\n", title);
    if (terminal) fmt::print("Type \"help\" for the commands.\n");
    struct sigaction action {};
    action.sa_handler = on_interrupt;  // and a read goes on
    action.sa_flags = SA_RESTART;
    struct sigaction before {};
    sigaction(SIGINT, &action, &before);
    for (std::string line;;) {
        fmt::print("{}", kPrompt);
        std::fflush(stdout);
        if (!std::getline(std::cin, line)) break;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (!terminal) fmt::print("{}\n", line);
        debug_interrupted = false;
        if (!console.execute(line)) break;
    }
    if (std::cin.eof()) fmt::print("\n");
    sigaction(SIGINT, &before, nullptr);
    return !terminal && console.errors() > 0 ? 1 : 0;
}

std::string title_of(const std::string& file, const debug::DebugTarget& target, const Launch& launch,
                     const GpuProfile& gpu, bool optimised) {
    const auto threads = launch.threads();
    return fmt::format("{}.cu, grid {} x {} x {}, block {} x {} x {}, simulated {}; {}", file, target.grid[0],
                       target.grid[1], target.grid[2], threads[0], threads[1], threads[2], gpu.name,
                       optimised ? "optimised code: registers and lines"
                                 : "compiled for the debugger, without optimisation");
}

int debug_file(const Options& options, const Nvrtc& nvrtc) {
    const KernelFile file(options, nvrtc);
    const PreparedFile prepared = file.prepare();
    const GpuProfile& gpu = file.simulated();
    DebuggedKernel kernel = compile_debugged(nvrtc, prepared.code.request, prepared.file.text, gpu,
                                             options.simt.optimised, prepared.code.kernels);
    file.check_arguments(*kernel.program);
    const Launch launch = prepared.student->launch();
    debug::DebugTarget target = target_of(options, gpu, std::move(kernel), prepared.student->problem(),
                                          launch, [](simt::PlanMemory& /*memory*/) {});
    const std::string title = title_of(prepared.file.name, target, launch, gpu, options.simt.optimised);
    return converse(std::move(target), title);
}

int debug_version(const Options& options, const Nvrtc& nvrtc, const GpuProfile& gpu) {
    const VersionStep named = version_step(options, gpu);
    const Work& work = named.work;
    const Lab& lab = *work.lab;
    DebuggedKernel kernel =
        compile_debugged(nvrtc, named.compile, named.compile.text, gpu, options.simt.optimised, {});
    const Problem problem = lab.takes_picture()
                                ? picture_problem(lab, load_picture(options.image), work.knobs)
                                : generated_problem(lab, work.size, work.knobs);
    const Launch launch = launch_of(named.request, arguments_of(work, named.request.step), nullptr,
                                    problem.size, gpu.multiprocessors);
    std::vector<std::pair<int, HostBytes>> held = inputs_of_step(nvrtc, named, problem, launch, gpu);
    debug::DebugTarget target = target_of(options, gpu, std::move(kernel), problem, launch,
                                          [held = std::move(held)](simt::PlanMemory& memory) {
                                              for (const auto& [buffer, bytes] : held)
                                                  memory.hold(buffer, bytes);
                                          });
    const std::string title =
        title_of(named.request.source->name, target, launch, gpu, options.simt.optimised);
    return converse(std::move(target), title);
}

}  // namespace

int debug_command(const Options& options) {
    const Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) throw Error("the debugger needs the kernel compiler", "", nvrtc.message());
    if (!options.version) return debug_file(options, *nvrtc.value());
    return debug_version(options, *nvrtc.value(), GpuTable().named(options.gpu.value_or(kDefaultTarget)));
}

}  // namespace ws
