#include "app/cli/simt_command.h"
#include "app/state/work_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/commands.h"
#include "app/cli/json_report.h"
#include "app/cli/kernel_argument.h"
#include "app/cli/kernel_file.h"
#include "app/cli/long_run.h"
#include "app/cli/simt_report.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/compile/device_code.h"
#include "gpu/core/files.h"
#include "gpu/core/numbers.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/planner.h"
#include "gpu/simt/launch_limits.h"
#include "gpu/simt/sample.h"
#include "gpu/simt/step_launch.h"

namespace ws {
namespace {

constexpr const char* kDefaultGpu = "RTX 3060";
constexpr int kInterrupted = 130;  // what a shell gives for Ctrl-C

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

// PTX for the simulation, and what the assembler says of machine code: its registers decide on occupancy.
struct Compiled {
    std::shared_ptr<const simt::Program> program;
    Result<CompileReport> code;
};

// `kernels`: of a person's file, which may name its kernel in short.
Compiled compile(const Nvrtc& nvrtc, CompileRequest request, const GpuProfile& gpu,
                 const std::vector<std::string>& kernels = {}) {
    request.architecture = nearest_target(nvrtc.architectures(), gpu.limits.capability).architecture;
    request.to_ptx = true;
    Result<CompiledKernel> ptx = nvrtc.compile(request);
    if (!ptx.ok() && request.host_names) {
        request.entry = full_name(request, kernels);
        ptx = nvrtc.compile(request);
    }
    if (!ptx.ok()) throw Error(request.name + " does not compile", "", "\n" + ptx.message());
    const std::string& entry = ptx.value().entry;
    const auto program = simt::load_program({ptx.value().binary.data(), ptx.value().binary.size()}, entry);
    if (!program.ok()) throw Error(program.message());
    request.to_ptx = false;
    Result<CompileReport> code = nvrtc.assemble(request, entry);
    if (code.ok() && code.value().registers > gpu.limits.registers_per_thread) {
        // The GPU's own compiler would keep to what a thread can have.
        request.register_cap = gpu.limits.registers_per_thread;
        code = nvrtc.assemble(request, entry);
    }
    return {program.value(), std::move(code)};
}

// Throws where a GPU would not take the launch, or the assembler not the kernel.
void refuse_launch(const GpuProfile& gpu, simt::KernelLaunch& launch, const Compiled& compiled) {
    if (compiled.code.ok()) launch.registers = registers_within_cap(compiled.code.value());
    simt::refuse_impossible(gpu, launch);
    if (!compiled.code.ok())
        throw Error("the assembler refuses the kernel for " + gpu.name, "", "\n" + compiled.code.message());
}

// What a block of the launch takes of a multiprocessor.
Occupancy occupancy_of_launch(const GpuProfile& gpu, const simt::KernelLaunch& launch,
                              const CompileReport& code) {
    const KernelResources resources{
        launch.block[0] * launch.block[1] * launch.block[2], registers_within_cap(code),
        code.shared_bytes + int(launch.dynamic_shared_bytes), launch.dynamic_shared_bytes > 0};
    return occupancy_of(resources, gpu.limits);
}

void estimate(SimtReport& report, const GpuProfile& gpu, const simt::KernelLaunch& launch,
              const CompileReport& code) {
    if (report.end != RunEnd::complete) {
        report.no_estimate = "the counts are not of a whole run";
        return;
    }
    const GpuLimits& limits = gpu.limits;
    const Occupancy occupancy = occupancy_of_launch(gpu, launch, code);
    const KernelResources& resources = occupancy.resources;
    if (resources.shared_bytes > limits.shared_bytes_per_block)
        report.notes.push_back(fmt::format(
            "{} bytes of shared memory are more than {}: without a call of cudaFuncSetAttribute(kernel, "
            "cudaFuncAttributeMaxDynamicSharedMemorySize, {}) the GPU answers cudaErrorInvalidValue",
            resources.shared_bytes, limits.shared_bytes_per_block, launch.dynamic_shared_bytes));
    if (code.register_cap > 0 && code.spill_store_bytes > 0)
        report.notes.push_back(
            fmt::format("compiled for at most {} registers a thread it spills {} bytes of stores and {} of "
                        "loads, which are "
                        "not counted",
                        code.register_cap, code.spill_store_bytes, code.spill_load_bytes));
    const Estimate made = estimate_time(report.counters, occupancy, gpu);
    if (made.ms > 0)
        report.estimate = made;
    else
        report.no_estimate = made.reason;
}

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
            values.push_back(arguments[i].element_json(k));
        json.push_back({{"argument", i}, {"values", values}});
    }
    return json;
}

// Prints the report; the exit code.
int finish(const Options& options, const SimtReport& report, const std::vector<KernelArgument>& arguments) {
    if (options.json) {
        nlohmann::ordered_json json = simt_json(report);
        if (options.simt.print > 0) json["buffers"] = buffers_json(options.simt.print, arguments);
        print_json(json);
    } else {
        print_report(report);
        if (options.simt.print > 0) print_buffers(options.simt.print, arguments);
    }
    if (report.end == RunEnd::interrupted) return kInterrupted;
    return passes(report, options.simt.strict ? Severity::note : Severity::error) ? 0 : 1;
}

void take(simt::LaunchOutcome outcome, SimtReport& report) {
    report.counters = std::move(outcome.counters);
    report.end = outcome.cancelled ? RunEnd::interrupted
                 : outcome.stopped ? RunEnd::stopped
                                   : RunEnd::complete;
}

// Calls launch(options), with the limits that the user set; `blocks` of it are worth showing progress, 0: too
// few.
template <typename Launch>
void run(const Options& options, simt::LaunchOptions launching, std::uint64_t blocks, const Launch& launch,
         SimtReport& report) {
    launching.step_limit = options.simt.step_limit;
    launching.block_seconds = options.simt.block_seconds;
    LongRun watch(blocks);
    launching.blocks_done = &watch.blocks_done();
    launching.cancel = &watch.cancelled();
    take(launch(launching), report);
}

void run_whole(const Options& options, simt::Gpu& gpu, const simt::KernelLaunch& launch,
               simt::LaunchOptions launching, SimtReport& report) {
    const auto [x, y, z] = launch.grid;
    launching.check = launching.track_touched = launching.model_caches = true;
    run(
        options, launching, std::uint64_t(x) * std::uint64_t(y) * std::uint64_t(z),
        [&](const simt::LaunchOptions& with) { return gpu.launch(launch, with); }, report);
}

// Addresses of the buffers and values of the others.
void set_arguments(simt::Gpu& gpu, simt::KernelLaunch& launch, std::vector<KernelArgument>& arguments) {
    const std::size_t expected = launch.program->parameters.size();
    if (arguments.size() != expected)
        throw UsageError(fmt::format("the kernel has {} parameters, but {} arguments are given", expected,
                                     arguments.size()),
                         "", "give one --arg for each");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        KernelArgument& argument = arguments[i];
        std::uint64_t bits = 0;
        if (argument.is_buffer)
            bits = gpu.map(argument.bytes,
                           argument.initialised ? simt::Content::given : simt::Content::unwritten);
        else
            std::memcpy(&bits, argument.bytes.data(), argument.bytes.size());
        simt::set_parameter(launch, i, bits, argument.is_buffer ? 8 : std::uint32_t(argument.bytes.size()));
    }
}

// What the compiler takes of a person's file.
DeviceCode compilable(const Nvrtc& nvrtc, CompileRequest request, const GpuProfile& gpu) {
    const std::string name = request.name;
    request.architecture = nearest_target(nvrtc.architectures(), gpu.limits.capability).architecture;
    Result<DeviceCode> code = device_code(nvrtc, std::move(request));
    if (!code.ok()) throw Error(name + " does not compile", "", "\n" + code.message());
    return std::move(code.value());
}

void note_changes(SimtReport& report, const DeviceCode& code) {
    for (const std::string& name : code.missing)
        report.notes.push_back(
            fmt::format("{} was not found and counts as empty; name its folder with -I FOLDER", name));
    for (const std::string& place : code.left_out)
        report.notes.push_back(fmt::format("{} does not compile for a GPU and is left out", place));
}

int run_file(const Options& options, const Nvrtc& nvrtc, const GpuProfile& gpu) {
    const CompileRequest file =
        kernel_file_request(options.simt.what, options.simt.kernel, options.include_folders);
    const DeviceCode code = compilable(nvrtc, file, gpu);
    if (file.entry.empty())
        throw UsageError("--kernel is missing", "", kernels_text(code.kernels, file.text));
    std::vector<KernelArgument> arguments = parse_arguments(options.simt.arguments);
    const std::vector<Save> saves = parse_saves(options, arguments);
    const Compiled compiled = compile(nvrtc, code.request, gpu, code.kernels);
    simt::Gpu simulated(gpu);
    simt::KernelLaunch launch;
    launch.program = compiled.program;
    launch.grid = options.simt.grid;
    launch.block = options.simt.block;
    launch.dynamic_shared_bytes = options.simt.shared_bytes;
    set_arguments(simulated, launch, arguments);
    refuse_launch(gpu, launch, compiled);
    simt::LaunchOptions launching;
    launching.example_block = 0;
    launching.window_blocks = resident_blocks(occupancy_of_launch(gpu, launch, compiled.code.value()), gpu);
    SimtReport report;
    report.capability = gpu.limits.capability;
    std::copy(launch.grid.begin(), launch.grid.end(), report.grid);
    std::copy(launch.block.begin(), launch.block.end(), report.block);
    run_whole(options, simulated, launch, launching, report);
    report.counters.kernel = options.simt.kernel;
    report.source_lines = split_lines(file.text);
    note_changes(report, code);
    estimate(report, gpu, launch, compiled.code.value());
    const int status = finish(options, report, arguments);
    for (const Save& save : saves) {
        const auto& bytes = arguments[save.argument].bytes;
        write_file(save.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return status;
}

int run_step(const Options& options, const Nvrtc& nvrtc, const GpuProfile& gpu) {
    const Work work = work_of(options);
    const Lab& lab = *work.lab;
    const KernelLibrary library(options.kernel_folder,
                                {options.include_folders.begin(), options.include_folders.end()});
    const auto requests =
        step_requests(work, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
    const StepRequest* step = request_of(requests, *options.step);
    if (!step) throw no_such_step(work, *options.step);
    if (!can_run(*step->source, gpu.limits.capability)) {
        throw Error(fmt::format("{} cannot run {}.cu", gpu.name, step->source->name), step->source->needs_why,
                    "choose a GPU of compute capability " + step->source->needs.text() + " or more");
    }
    CompileRequest request = compile_request(lab, *step, {});
    request.register_cap = register_cap(step->block.threads(), gpu.limits);
    const Compiled compiled = compile(nvrtc, std::move(request), gpu);
    const Problem problem = lab.takes_picture() ? picture_problem(lab, load_picture(options.image))
                                                : generated_problem(lab, work.size);
    const Launch launch =
        launch_of(*step, arguments_of(work, step->step), nullptr, problem.size, gpu.multiprocessors);
    // What the step reads is what the steps before it make, which is the same in every version.
    std::vector<HostBytes> memory(lab.buffers.size());
    std::vector<std::uint8_t*> buffers(lab.buffers.size());
    buffers.front() = const_cast<std::uint8_t*>(problem.input->data());  // no kernel writes its input
    for (const Argument& argument : launch.arguments) {
        if (argument.buffer <= 0) continue;
        const auto place = std::size_t(argument.buffer);
        if (argument.kind == Argument::Kind::input)
            memory[place] = reference_result(problem, argument.buffer);
        else
            memory[place].assign(bytes_of(lab.buffers[place], problem.size), 0xA5);
        buffers[place] = memory[place].data();
    }
    simt::Gpu simulated(gpu);
    simt::KernelLaunch staged =
        simt::step_launch(simulated, compiled.program, launch, lab, problem.size, buffers);
    refuse_launch(gpu, staged, compiled);
    SimtReport report;
    report.capability = gpu.limits.capability;
    simt::LaunchOptions launching;
    launching.window_blocks = resident_blocks(occupancy_of_launch(gpu, staged, compiled.code.value()), gpu);
    if (options.simt.sample) {
        launching.check = true;
        run(
            options, launching, 0,
            [&](const simt::LaunchOptions& with) {
                return simt::count_sample(simulated, staged, with,
                                          simt::layout_of(lab, launch, problem.size));
            },
            report);
        report.counters.unique_bytes = std::uint64_t(least_bytes(lab, launch.arguments, problem.size));
    } else {
        run_whole(options, simulated, staged, launching, report);
    }
    report.counters.kernel = step->source->name;
    report.grid[0] = launch.grid.width;
    report.grid[1] = launch.grid.height;
    report.block[0] = step->block.x;
    report.block[1] = step->block.y;
    report.source_lines = split_lines(step->source->text);
    estimate(report, gpu, staged, compiled.code.value());
    return finish(options, report, {});
}

}  // namespace

int simt_command(const Options& options) {
    const Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) throw Error("the simulated GPU needs the kernel compiler", "", nvrtc.message());
    const GpuTable gpus;
    const GpuProfile gpu = gpus.named(options.gpu.value_or(kDefaultGpu));
    return options.version ? run_step(options, *nvrtc.value(), gpu) : run_file(options, *nvrtc.value(), gpu);
}

}  // namespace ws
