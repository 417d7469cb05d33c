#include "app/cli/simt_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/gpu_run.h"
#include "app/cli/json_report.h"
#include "app/cli/kernel_argument.h"
#include "app/cli/kernel_file.h"
#include "app/cli/simt_report.h"
#include "app/cli/simt_run.h"
#include "app/cli/student_lab.h"
#include "gpu/compile/device_code.h"
#include "gpu/core/files.h"
#include "gpu/core/numbers.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/engine/planner.h"

namespace ws {
namespace {

constexpr const char* kDefaultGpu = "RTX 3060";
constexpr int kInterrupted = 130;  // what a shell gives for Ctrl-C
constexpr int kSamples = 20;       // of a time on a real GPU

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
std::size_t printed(int count, const Buffer& buffer) {
    return std::min(std::size_t(count), buffer.elements);
}

void print_buffers(int count, const StudentLab& student, const std::vector<HostBytes>& buffers) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const Buffer& buffer = student.lab().buffers[i];
        std::string text;
        for (std::size_t k = 0; k < printed(count, buffer); ++k)
            text += " " + element_text(buffer.element, buffers[i].data(), k);
        fmt::print("{}:{}\n", buffer.name, text);
    }
}

Json buffers_json(int count, const StudentLab& student, const std::vector<HostBytes>& buffers) {
    Json json = Json::array();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const Buffer& buffer = student.lab().buffers[i];
        Json values = Json::array();
        for (std::size_t k = 0; k < printed(count, buffer); ++k)
            values.push_back(element_json(buffer.element, buffers[i].data(), k));
        json.push_back({{"argument", student.arguments()[i]}, {"values", values}});
    }
    return json;
}

int exit_code(const Options& options, const SimtReport& report) {
    if (report.end == RunEnd::interrupted) return kInterrupted;
    return passes(report, options.simt.strict ? Severity::note : Severity::error) ? 0 : 1;
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

// The real GPU beside the simulated one.
struct RealGpu {
    std::unique_ptr<Device> device;  // null: nobody asked for one
    GpuProfile profile;
};

RealGpu open_real_gpu(const Options& options, const GpuTable& gpus) {
    if (options.device != DeviceKind::cuda) return {};
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    if (!opened.ok())
        throw Error("there is no GPU to run the kernel on", "",
                    opened.message() + "; without --device cuda it runs on a simulated GPU");
    std::unique_ptr<Device> device = options.hooks.devices.decorate(std::move(opened.value()));
    const GpuProfile profile = gpus.completed(device->facts().profile);
    return {std::move(device), profile};
}

// The launch that the simulated GPU has run on the real one. Nothing is launched that was found wrong.
struct RealRun {
    std::string refused;  // why there is no run
    std::optional<GpuRun> run;
    std::vector<std::size_t> differing;  // arguments whose buffers hold something else than simulated
};

RealRun run_on_real_gpu(const RealGpu& gpu, const Nvrtc& nvrtc, SimulatedKernel kernel,
                        const StudentLab& student, const std::vector<HostBytes>& simulated) {
    const CodeTarget target = runnable_target(nvrtc.architectures(), gpu.profile.limits.capability);
    if (target.architecture == 0)
        throw Error(fmt::format("{} makes no code for {}", nvrtc.name(), gpu.profile.name));
    kernel.request.architecture = target.architecture;
    kernel.request.to_ptx = target.to_ptx;
    kernel.request.register_cap = 0;
    Result<CompiledKernel> compiled = nvrtc.compile(kernel.request);
    if (!compiled.ok()) throw Error(kernel.request.name + " does not compile", "", "\n" + compiled.message());
    Plan plan{&student.lab(), -1, 1, {student.launch()}};
    plan.launches.front().kernel = std::make_shared<const CompiledKernel>(std::move(compiled.value()));
    RealRun real;
    real.run = run_measured(*gpu.device, without_idle_changes(std::move(plan), student.problem(), simulated),
                            student.problem(), kSamples);
    for (std::size_t i = 0; i < simulated.size(); ++i) {
        if (simulated[i] != real.run->buffers[i]) real.differing.push_back(student.arguments()[i]);
    }
    return real;
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

Json real_json(const RealRun& real) {
    if (!real.run) return nullptr;
    Json json = json_of(real.run->ms);
    json["device"] = real.run->device;
    json["launches_per_sample"] = real.run->launches;
    json["restored"] = real.run->restored;
    json["differing"] = real.differing;
    return json;
}

void save_buffers(const std::vector<Save>& saves, const StudentLab& student,
                  const std::vector<HostBytes>& buffers) {
    for (const Save& save : saves) {
        const auto& arguments = student.arguments();
        const auto place = std::find(arguments.begin(), arguments.end(), save.argument) - arguments.begin();
        const HostBytes& bytes = buffers[std::size_t(place)];
        write_file(save.file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
}

// Simulated with its checks; then, where a real GPU is asked for and nothing was found, there.
int run_file(const Options& options, const Nvrtc& nvrtc, const GpuTable& gpus) {
    const RealGpu real_gpu = open_real_gpu(options, gpus);
    const GpuProfile gpu =
        real_gpu.device && !options.gpu ? real_gpu.profile : gpus.named(options.gpu.value_or(kDefaultGpu));
    const CompileRequest file =
        kernel_file_request(options.simt.what, options.simt.kernel, options.include_folders);
    const DeviceCode code = compilable(nvrtc, file, gpu);
    if (file.entry.empty())
        throw UsageError("--kernel is missing", "", kernels_text(code.kernels, file.text));
    const std::vector<KernelArgument> arguments = parse_arguments(options.simt.arguments);
    const std::vector<Save> saves = parse_saves(options, arguments);
    const SimulatedKernel kernel = compile_simulated(nvrtc, code.request, gpu, code.kernels);
    if (const std::size_t expected = kernel.program->parameters.size(); arguments.size() != expected)
        throw UsageError(fmt::format("the kernel has {} parameters, but {} arguments are given", expected,
                                     arguments.size()),
                         "", "give one --arg for each");
    const StudentLab student(file.name, file.entry, arguments,
                             {options.simt.grid, options.simt.block, options.simt.shared_bytes});
    simt::PlanMemory memory(student.problem());
    SimtReport report = run_simulated(options, gpu, kernel, student.problem(), student.launch(), memory);
    report.counters.kernel = options.simt.kernel;
    report.source_lines = lines_of(file.text);
    note_changes(report, code);
    std::vector<HostBytes> buffers;
    for (std::size_t i = 0; i < student.lab().buffers.size(); ++i) buffers.push_back(memory.take(int(i)));
    const int status = exit_code(options, report);
    RealRun real;
    if (real_gpu.device && status == 0 && report.end == RunEnd::complete) {
        real = run_on_real_gpu(real_gpu, nvrtc, kernel, student, buffers);
        buffers = real.run->buffers;
    } else {
        real.refused = report.end == RunEnd::complete ? "the checks have found what stands above"
                                                      : "the simulated GPU has not run it to its end";
    }
    if (options.json) {
        Json json = simt_json(report);
        if (real_gpu.device) {
            json["measured"] = real_json(real);
            if (!real.run) json["not_measured"] = real.refused;
        }
        if (options.simt.print > 0) json["buffers"] = buffers_json(options.simt.print, student, buffers);
        print_json(json);
    } else {
        print_report(report);
        if (real_gpu.device) print_real(real);
        if (options.simt.print > 0) print_buffers(options.simt.print, student, buffers);
    }
    save_buffers(saves, student, buffers);
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
    const SimulatedKernel kernel = compile_simulated(nvrtc, std::move(request), gpu);
    const Problem problem = lab.takes_picture() ? picture_problem(lab, load_picture(options.image))
                                                : generated_problem(lab, work.size);
    const Launch launch =
        launch_of(*step, arguments_of(work, step->step), nullptr, problem.size, gpu.multiprocessors);
    // What the step reads is what the steps before it make, which is the same in every version.
    simt::PlanMemory memory(problem);
    for (const Argument& argument : launch.arguments) {
        if (argument.kind == Argument::Kind::input && argument.buffer > 0)
            memory.hold(argument.buffer, reference_result(problem, argument.buffer));
    }
    SimtReport report = run_simulated(options, gpu, kernel, problem, launch, memory);
    report.counters.kernel = step->source->name;
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
    if (!options.version) return run_file(options, *nvrtc.value(), gpus);
    return run_step(options, *nvrtc.value(), gpus.named(options.gpu.value_or(kDefaultGpu)));
}

}  // namespace ws
