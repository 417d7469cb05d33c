#include "app/cli/debug_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/debug_target.h"
#include "gpu/debug/console.h"
#include "gpu/debug/console_words.h"

namespace ws {
namespace {

constexpr const char* kPrompt = "(warpscope) ";

std::atomic<bool> debug_interrupted{false};

void on_interrupt(int /*signal*/) {
    debug_interrupted = true;
}

// `first`: commands before those of standard input.
int converse(debug::DebugTarget target, const std::string& title, const std::vector<std::string>& first) {
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
    std::size_t given = 0;
    for (std::string line;;) {
        fmt::print("{}", kPrompt);
        std::fflush(stdout);
        const bool typed = given == first.size();
        if (!typed)
            line = first[given++];
        else if (!std::getline(std::cin, line))
            break;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (!terminal || !typed) fmt::print("{}\n", line);
        debug_interrupted = false;
        if (!console.execute(line)) break;
    }
    if (std::cin.eof()) fmt::print("\n");
    sigaction(SIGINT, &before, nullptr);
    return !terminal && console.errors() > 0 ? 1 : 0;
}

std::string title_of(const DebuggedLaunch& launch, const GpuProfile& gpu, bool optimised) {
    const auto& grid = launch.target.grid;
    const auto& threads = launch.threads;
    return fmt::format("{}, grid {} x {} x {}, block {} x {} x {}, simulated {}; {}", launch.file, grid[0],
                       grid[1], grid[2], threads[0], threads[1], threads[2], gpu.name,
                       optimised ? "optimised code: registers and lines"
                                 : "compiled for the debugger, without optimisation");
}

DebuggedLaunch debugged_step(const Options& options, const Nvrtc& nvrtc, const GpuProfile& gpu) {
    const VersionStep named = version_step(options, gpu);
    const Lab& lab = *named.work.lab;
    const Problem problem = lab.takes_picture()
                                ? picture_problem(lab, load_picture(options.image), named.work.knobs)
                                : generated_problem(lab, named.work.size, named.work.knobs);
    return debugged_version(nvrtc, named, problem, gpu, {options.simt.optimised, options.simt.step_limit});
}

}  // namespace

int debug_command(const Options& options) {
    const Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) throw Error("the debugger needs the kernel compiler", "", nvrtc.message());
    const GpuProfile gpu = GpuTable().named(options.gpu.value_or(kDefaultTarget));
    DebuggedLaunch launch = options.version ? debugged_step(options, *nvrtc.value(), gpu)
                                            : debugged_file(options, *nvrtc.value());
    const std::string title = title_of(launch, gpu, options.simt.optimised);
    return converse(std::move(launch.target), title, debug::commands_in(options.debug.commands));
}

}  // namespace ws
