#include "app/cli/file_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/cli/calibrate_command.h"
#include "app/cli/json_report.h"
#include "app/cli/kernel_file.h"
#include "app/cli/simt_run.h"
#include "gpu/compile/device_code.h"
#include "gpu/compile/kernel_source.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/engine/planner.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kInterrupted = 130;  // what a shell gives for Ctrl-C
constexpr int kSamples = 20;       // of a time on a real GPU

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

Json real_json(const RealRun& real) {
    if (!real.run) return nullptr;
    Json json = json_of(real.run->ms);
    json["device"] = real.run->device;
    json["launches_per_sample"] = real.run->launches;
    json["restored"] = real.run->restored;
    json["differing"] = real.differing;
    return json;
}

}  // namespace

Json file_json(const KernelFile& file, const FileRun& run) {
    Json json = simt_json(run.report);
    if (!file.has_gpu()) return json;
    json["measured"] = real_json(run.real);
    if (!run.real.run) json["not_measured"] = run.real.refused;
    return json;
}

int exit_code(const Options& options, const SimtReport& report) {
    if (report.end == RunEnd::interrupted) return kInterrupted;
    return passes(report, options.simt.strict ? Severity::note : Severity::error) ? 0 : 1;
}

KernelFile::KernelFile(const Options& options, const Nvrtc& nvrtc) : options_(options), nvrtc_(nvrtc) {
    const GpuTable gpus(own_calibrations());
    open_real_gpu();
    gpu_ = device_ && !options.gpu ? real_profile_ : gpus.named(options.gpu.value_or(kDefaultTarget));
    file_ = kernel_file_request(options.simt.what, options.simt.kernel, options.include_folders);
    read_knobs();
    arguments_ = parse_arguments(options.simt.arguments);
}

KernelFile::~KernelFile() = default;

void KernelFile::open_real_gpu() {
    const DeviceChoice choice = options_.device.value_or(DeviceChoice{});
    if (choice.kind != DeviceKind::cuda) return;
    refuse_missing_gpu(choice.gpu);
    Result<std::unique_ptr<Device>> opened = make_cuda_device(std::max(0, choice.gpu));
    if (!opened.ok())
        throw Error("there is no GPU to run the kernel on", "",
                    opened.message() + "; without --device cuda it runs on a simulated GPU");
    device_ = options_.hooks.devices.decorate(std::move(opened.value()));
    real_profile_ = GpuTable(own_calibrations()).completed(device_->facts().profile);
}

void KernelFile::read_knobs() {
    const Result<KernelSource> source = parse_kernel(file_.name, file_.text);
    if (!source.ok()) throw Error(source.message());
    source_ = source.value();
    std::string names;
    for (const Knob& knob : source_.knobs) {
        if (file_.text.find("knob: " + knob.name) == std::string::npos) continue;  // every kernel has two
        knobs_.push_back(knob);
        values_[knob.name] = knob.value;
        names += (names.empty() ? "" : ", ") + knob.name;
    }
    for (const auto& [name, value] : options_.knobs) {
        const auto known = std::find_if(knobs_.begin(), knobs_.end(),
                                        [&name = name](const Knob& knob) { return knob.name == name; });
        if (known == knobs_.end())
            throw UsageError(fmt::format("{}.cu has no knob '{}'", file_.name, name), "",
                             names.empty() ? "a line '// knob: NAME = 10 in 0..32  meaning' makes one"
                                           : "choose one of " + names);
        if (value < known->low || value > known->high)
            throw UsageError(fmt::format("{} = {} is out of its range", name, value), "",
                             fmt::format("it goes from {} to {}", known->low, known->high));
        values_[name] = value;
    }
}

PreparedFile KernelFile::prepare(const KnobValues& knobs) const {
    PreparedFile made;
    made.file = file_;
    made.file.knobs = values_;
    for (const auto& [name, value] : knobs) made.file.knobs[name] = value;
    made.file.register_limit = register_limit(source_, made.file.knobs);
    made.code = compilable(nvrtc_, made.file, gpu_);
    if (made.file.entry.empty())
        throw UsageError("--kernel is missing", "", kernels_text(made.code.kernels, made.file.text));
    const SimtOptions& simt = options_.simt;
    made.student = std::make_unique<StudentLab>(made.file.name, made.file.entry, arguments_,
                                                LaunchShape{simt.grid, simt.block, simt.shared_bytes});
    return made;
}

void KernelFile::check_arguments(const simt::Program& program) const {
    if (const std::size_t expected = program.parameters.size(); arguments_.size() != expected)
        throw UsageError(fmt::format("the kernel has {} parameters, but {} arguments are given", expected,
                                     arguments_.size()),
                         "", "give one --arg for each");
}

FileRun KernelFile::run(const KnobValues& knobs) const {
    const PreparedFile prepared = prepare(knobs);
    const CompileRequest& file = prepared.file;
    const DeviceCode& code = prepared.code;
    const StudentLab& student = *prepared.student;
    const SimulatedKernel kernel = compile_simulated(nvrtc_, code.request, gpu_, code.kernels);
    check_arguments(*kernel.program);
    const SimtOptions& simt = options_.simt;
    simt::PlanMemory memory(student.problem());
    FileRun made;
    made.report = run_simulated(options_, gpu_, kernel, student.problem(), student.launch(), memory);
    made.report.counters.kernel = simt.kernel;
    made.report.source_lines = lines_of(file.text);
    note_changes(made.report, code);
    const std::vector<Buffer>& buffers = student.lab().buffers;
    std::vector<HostBytes> contents;
    for (std::size_t i = 0; i < buffers.size(); ++i) contents.push_back(memory.take(int(i)));
    made.status = exit_code(options_, made.report);
    if (device_ && made.status == 0 && made.report.end == RunEnd::complete) {
        made.real = run_on_real_gpu(kernel.request, student, contents);
    } else {
        made.real.refused = made.report.end == RunEnd::complete
                                ? "the checks have found what stands above"
                                : "the simulated GPU has not run it to its end";
    }
    for (std::size_t i = 0; i < buffers.size(); ++i)
        made.buffers.push_back(
            {student.arguments()[i], buffers[i].element, buffers[i].elements, std::move(contents[i])});
    return made;
}

RealRun KernelFile::run_on_real_gpu(CompileRequest request, const StudentLab& student,
                                    std::vector<HostBytes>& contents) const {
    const CodeTarget target = runnable_target(nvrtc_.architectures(), real_profile_.limits.capability);
    if (target.architecture == 0)
        throw Error(fmt::format("{} makes no code for {}", nvrtc_.name(), real_profile_.name));
    request.architecture = target.architecture;
    request.to_ptx = target.to_ptx;
    request.register_cap = 0;
    Result<CompiledKernel> compiled = nvrtc_.compile(request);
    if (!compiled.ok()) throw Error(request.name + " does not compile", "", "\n" + compiled.message());
    Plan plan{&student.lab(), -1, 1, {student.launch()}};
    plan.launches.front().kernel = std::make_shared<const CompiledKernel>(std::move(compiled.value()));
    RealRun real;
    real.run = run_measured(*device_, without_idle_changes(std::move(plan), student.problem(), contents),
                            student.problem(), kSamples);
    for (std::size_t i = 0; i < contents.size(); ++i) {
        if (contents[i] != real.run->buffers[i]) real.differing.push_back(student.arguments()[i]);
    }
    contents = std::move(real.run->buffers);
    return real;
}

}  // namespace ws
