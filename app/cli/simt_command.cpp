#include "app/cli/simt_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/file_run.h"
#include "app/cli/file_sweep.h"
#include "app/cli/json_report.h"
#include "app/cli/kernel_argument.h"
#include "app/cli/simt_report.h"
#include "app/cli/simt_run.h"
#include "app/cli/version_step.h"
#include "gpu/core/files.h"
#include "gpu/core/numbers.h"
#include "gpu/engine/planner.h"

namespace ws {
namespace {

struct Save {
    std::size_t argument = 0;
    std::filesystem::path file;
};

std::vector<Save> parse_saves(const Options& options, const std::vector<KernelArgument>& arguments) {
    std::vector<Save> saves;
    for (const std::string& text : options.simt.saves) {
        const std::size_t equals = text.find('=');
        const std::size_t index =
            parse_number<std::size_t>(std::string_view(text).substr(0, equals)).value_or(arguments.size());
        if (equals == std::string::npos || equals + 1 == text.size() || index >= arguments.size() ||
            !arguments[index].is_buffer)
            throw UsageError("'" + text + "' names no buffer", "",
                             "write --save 1=out.raw, counting arguments from 0");
        saves.push_back({index, text.substr(equals + 1)});
    }
    return saves;
}

using Json = nlohmann::ordered_json;

// How many elements of a buffer to print.
std::size_t printed(int count, const FileBuffer& buffer) {
    return std::min(std::size_t(count), buffer.elements);
}

void print_buffers(int count, const FileRun& run) {
    for (const FileBuffer& buffer : run.buffers) {
        std::string text;
        for (std::size_t k = 0; k < printed(count, buffer); ++k)
            text += " " + element_text(buffer.element, buffer.bytes.data(), k);
        fmt::print("argument {}:{}\n", buffer.argument, text);
    }
}

Json buffers_json(int count, const FileRun& run) {
    Json json = Json::array();
    for (const FileBuffer& buffer : run.buffers) {
        Json values = Json::array();
        for (std::size_t k = 0; k < printed(count, buffer); ++k)
            values.push_back(element_json(buffer.element, buffer.bytes.data(), k));
        json.push_back({{"argument", buffer.argument}, {"values", values}});
    }
    return json;
}

void print_real(const RealRun& real) {
    if (!real.run) {
        fmt::print("\nnot launched on the GPU: {}\n", real.refused);
        return;
    }
    const GpuRun& run = *real.run;
    fmt::print("\n{}: measured {:.4f} ms, spread {:.4f}, {} samples of {} {}{}\n", run.device, run.ms.median,
               run.ms.spread(), run.ms.samples, run.launches, run.launches == 1 ? "launch" : "launches",
               run.restored ? ", buffers restored before each: the launch itself is in it" : "");
    if (real.differing.empty())
        fmt::print("its buffers hold what was simulated\n");
    else
        fmt::print("its buffers differ from what was simulated: argument {}\n",
                   fmt::join(real.differing, ", "));
}

void save_buffers(const std::vector<Save>& saves, const FileRun& run) {
    for (const Save& save : saves) {
        const auto saved =
            std::find_if(run.buffers.begin(), run.buffers.end(),
                         [&](const FileBuffer& buffer) { return buffer.argument == save.argument; });
        const HostBytes& bytes = saved->bytes;
        write_file(save.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
}

int run_file(const Options& options, const Nvrtc& nvrtc) {
    const std::vector<Save> saves = parse_saves(options, parse_arguments(options.simt.arguments));
    const KernelFile file(options, nvrtc);
    const FileRun run = file.run();
    if (options.json) {
        Json json = file_json(file, run);
        if (options.simt.print > 0) json["buffers"] = buffers_json(options.simt.print, run);
        print_json(json);
    } else {
        print_report(run.report);
        if (file.has_gpu()) print_real(run.real);
        if (options.simt.print > 0) print_buffers(options.simt.print, run);
    }
    save_buffers(saves, run);
    return run.status;
}

int run_step(const Options& options, const Nvrtc& nvrtc, const GpuProfile& gpu) {
    const VersionStep named = version_step(options, gpu);
    const Work& work = named.work;
    const Lab& lab = *work.lab;
    const SimulatedKernel kernel = compile_simulated(nvrtc, named.compile, gpu);
    const Problem problem = lab.takes_picture()
                                ? picture_problem(lab, load_picture(options.image), work.knobs)
                                : generated_problem(lab, work.size, work.knobs);
    const Launch launch = launch_of(named.request, arguments_of(work, named.request.step), nullptr,
                                    problem.size, gpu.multiprocessors);
    simt::PlanMemory memory(problem);
    for (auto& [buffer, bytes] : inputs_of_step(nvrtc, named, problem, launch, gpu))
        memory.hold(buffer, std::move(bytes));
    SimtReport report = run_simulated(options, gpu, kernel, problem, launch, memory);
    report.counters.kernel = named.request.source->name;
    if (options.json)
        print_json(simt_json(report));
    else
        print_report(report);
    return exit_code(options, report);
}

}  // namespace

int simt_command(const Options& options) {
    const Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) throw Error("the simulated GPU needs the kernel compiler", "", nvrtc.message());
    const GpuTable gpus;
    if (!options.version && !options.sweep.axes.empty()) return sweep_file(options, *nvrtc.value());
    if (!options.version) return run_file(options, *nvrtc.value());
    return run_step(options, *nvrtc.value(), gpus.named(options.gpu.value_or(kDefaultTarget)));
}

}  // namespace ws
