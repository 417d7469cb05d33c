#include "app/cli/simt_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/kernel_argument.h"
#include "app/cli/simt_report.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/core/files.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"
#include "gpu/simt/sample.h"
#include "gpu/simt/stage_launch.h"

namespace ws {
namespace {

constexpr const char* kDefaultGpu = "RTX 3060";

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// PTX for the simulation, and machine code for the registers that occupancy needs.
struct Compiled {
    std::shared_ptr<const simt::Program> program;
    CompileReport report;
};

Compiled compile(const Nvrtc& nvrtc, CompileRequest request, const GpuProfile& gpu) {
    const CodeTarget near = nearest_target(nvrtc.architectures(), gpu.limits.capability);
    request.architecture = near.architecture;
    request.to_ptx = true;
    const Result<CompiledKernel> ptx = nvrtc.compile(request);
    if (!ptx.ok()) throw Error(request.name + " does not compile", "", "\n" + ptx.message());
    const auto program =
        simt::load_program({ptx.value().binary.data(), ptx.value().binary.size()}, ptx.value().entry);
    if (!program.ok()) throw Error(program.message());
    request.to_ptx = false;
    const Result<CompiledKernel> code = nvrtc.compile(request);
    return {program.value(), code.ok() ? code.value().report : CompileReport{}};
}

std::optional<Estimate> estimate_of(const SimtReport& report, const CompileReport& compiled,
                                    const GpuProfile& gpu, std::uint64_t dynamic_shared) {
    if (compiled.registers == 0) return std::nullopt;
    for (const Finding& finding : report.counters.findings) {
        if (finding.kind == Finding::Kind::stopped) return std::nullopt;  // the counts are not of a whole run
    }
    const int threads = report.block[0] * report.block[1] * report.block[2];
    const Occupancy occupancy =
        occupancy_of({threads, compiled.registers, compiled.shared_bytes + int(dynamic_shared)}, gpu.limits);
    return estimate_time(report.counters, occupancy, gpu);
}

void save_buffers(const Options& options, const std::vector<KernelArgument>& arguments) {
    for (const std::string& text : options.simt.saves) {
        const std::size_t equals = text.find('=');
        std::size_t index = 0;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + std::min(equals, text.size()), index);
        if (equals == std::string::npos || error != std::errc() || end != text.data() + equals ||
            index >= arguments.size() || !arguments[index].is_buffer)
            throw UsageError("'" + text + "' names no buffer", "",
                             "write --save 1=out.raw, counting arguments from 0");
        const auto& bytes = arguments[index].bytes;
        write_file(text.substr(equals + 1), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
}

void print_buffers(int count, const std::vector<KernelArgument>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].is_buffer) continue;
        std::string text;
        for (std::size_t k = 0; k < std::min(std::size_t(count), arguments[i].count()); ++k)
            text += " " + arguments[i].element_text(k);
        fmt::print("argument {}:{}\n", i, text);
    }
}

nlohmann::ordered_json buffers_json(int count, const std::vector<KernelArgument>& arguments) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!arguments[i].is_buffer) continue;
        nlohmann::ordered_json values = nlohmann::ordered_json::array();
        for (std::size_t k = 0; k < std::min(std::size_t(count), arguments[i].count()); ++k)
            values.push_back(nlohmann::ordered_json::parse(arguments[i].element_text(k), nullptr, false));
        json.push_back({{"argument", i}, {"values", values}});
    }
    return json;
}

// Prints the report; the exit code.
int finish(const Options& options, const SimtReport& report, const std::vector<KernelArgument>& arguments) {
    if (options.json) {
        nlohmann::ordered_json json = simt_json(report);
        if (options.simt.print > 0) json["buffers"] = buffers_json(options.simt.print, arguments);
        fmt::print("{}\n", json.dump(2));
    } else {
        print_report(report);
        if (options.simt.print > 0) print_buffers(options.simt.print, arguments);
    }
    return report.counters.findings.empty() ? 0 : 1;
}

int run_file(const Options& options, const Nvrtc& nvrtc, const GpuProfile& gpu) {
    if (options.simt.kernel.empty())
        throw UsageError("--kernel is missing", "", "name the __global__ function to run");
    CompileRequest request;
    const std::filesystem::path path = options.simt.what;
    request.name = path.stem().string();
    request.text = read_file(path);
    request.entry = options.simt.kernel;
    const Compiled compiled = compile(nvrtc, request, gpu);
    std::vector<KernelArgument> arguments;
    for (const std::string& text : options.simt.arguments) arguments.push_back(parse_argument(text));
    simt::LaunchSetup setup;
    setup.program = compiled.program;
    setup.grid = options.simt.grid;
    setup.block = options.simt.block;
    setup.dynamic_shared_bytes = options.simt.shared_bytes;
    setup.gpu = gpu;
    setup.check = setup.track_touched = setup.model_caches = true;
    setup.step_limit = options.simt.step_limit;
    setup.example_block = 0;
    if (arguments.size() != compiled.program->parameters.size())
        throw UsageError(fmt::format("the kernel {} has {} parameters, but {} arguments are given",
                                     request.entry, compiled.program->parameters.size(), arguments.size()),
                         "", "give one --arg for each");
    for (KernelArgument& argument : arguments) {
        if (argument.is_buffer)
            setup.buffers.push_back(
                {argument.bytes.data(), argument.bytes.size(), argument.initialised, true});
    }
    std::size_t buffer = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::uint64_t bits = 0;
        if (!arguments[i].is_buffer) std::memcpy(&bits, arguments[i].bytes.data(), arguments[i].bytes.size());
        simt::set_parameter(setup, i, arguments[i].is_buffer ? simt::buffer_address(setup, buffer++) : bits,
                            arguments[i].is_buffer ? 8 : std::uint32_t(arguments[i].bytes.size()));
    }
    SimtReport report;
    report.counters = simt::launch(setup).counters;
    report.counters.kernel = options.simt.kernel;
    std::copy(setup.grid.begin(), setup.grid.end(), report.grid);
    std::copy(setup.block.begin(), setup.block.end(), report.block);
    report.source_lines = split_lines(request.text);
    report.estimate = estimate_of(report, compiled.report, gpu, setup.dynamic_shared_bytes);
    save_buffers(options, arguments);
    return finish(options, report, arguments);
}

int run_stage(const Options& options, const Nvrtc& nvrtc, const GpuProfile& gpu) {
    const Settings settings = apply(options, with_version(Settings{}, versions().front()));
    const KernelLibrary library(options.kernel_folder);
    const auto requests = stage_requests(
        settings, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
    const Stage stage_asked = *options.stage;
    const StageRequest* found = request_of(requests, stage_asked);
    if (!found) throw no_such_stage(settings.version, stage_asked);
    if (!can_run(*found->source, gpu.limits.capability)) {
        throw Error(fmt::format("{} cannot run {}.cu", gpu.name, found->source->name),
                    found->source->needs_why,
                    "choose a GPU of compute capability " + found->source->needs.text() + " or more");
    }
    const StageRequest& stage = *found;
    const Compiled compiled = compile(nvrtc, compile_request(stage, {}), gpu);
    const Picture picture = load_picture(options.image);
    const Extent size = picture->size;
    // What the stage reads: the stage before, which gives the same picture in every version.
    GrayImage source;
    if (!reads_rgba(stage_asked))
        source = reference_picture(
            *picture, stage_asked == Stage::edge && settings.blur_first ? View::blur : View::gray, true);
    GrayImage target(size, 0xA5);
    const Version& version = version_numbered(settings.version);
    const Launch launch =
        launch_of(version, stage_asked, nullptr, stage.block, stage.tiling, size, gpu.multiprocessors);
    simt::LaunchSetup setup =
        simt::stage_launch(compiled.program, launch, gpu, size,
                           reads_rgba(stage_asked) ? picture->bytes.data() : source.bytes.data(),
                           reads_rgba(stage_asked) ? 4 : 1, target.bytes.data());
    setup.check = true;
    setup.step_limit = options.simt.step_limit;
    SimtReport report;
    if (options.simt.sample) {
        report.counters = simt::launch_sample(setup, simt::choose_blocks(launch.grid, launch.tile, 4, size,
                                                                         stage.block.threads()))
                              .counters;
        report.counters.unique_bytes = std::uint64_t(least_bytes(stage_asked, size));
    } else {
        setup.track_touched = setup.model_caches = true;
        report.counters = simt::launch(setup).counters;
    }
    report.counters.kernel = stage.source->name;
    report.grid[0] = launch.grid.width;
    report.grid[1] = launch.grid.height;
    report.block[0] = stage.block.x;
    report.block[1] = stage.block.y;
    report.source_lines = split_lines(stage.source->text);
    report.estimate = estimate_of(report, compiled.report, gpu, 0);
    return finish(options, report, {});
}

}  // namespace

int simt_command(const Options& options) {
    const Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) throw Error("the simulated GPU needs the kernel compiler", "", nvrtc.message());
    const GpuTable gpus;
    const GpuProfile gpu = gpus.named(options.gpu.value_or(kDefaultGpu));
    return options.version ? run_stage(options, *nvrtc.value(), gpu) : run_file(options, *nvrtc.value(), gpu);
}

}  // namespace ws
