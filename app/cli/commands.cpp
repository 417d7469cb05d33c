#include "app/cli/commands.h"
#include "app/state/work_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/calibrate_command.h"
#include "app/cli/json_report.h"
#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/core/files.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/engine/run_to_end.h"
#include "gpu/picture/picture_file.h"
#include "gpu/simt/simt_device.h"

namespace ws {
namespace {

// The kernel compiler, if it compiles: an empty kernel is tried.
Result<std::shared_ptr<Nvrtc>> working_compiler() {
    Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) return nvrtc;
    const std::string problem = nvrtc.value()->try_out();
    return problem.empty() ? nvrtc : Result<std::shared_ptr<Nvrtc>>::failure(problem);
}

void print_compiler(const Result<std::shared_ptr<Nvrtc>>& nvrtc) {
    if (nvrtc.ok()) {
        const Nvrtc& compiler = *nvrtc.value();
        fmt::print("kernel compiler: {}, sm_{} to sm_{} ({})\n", compiler.name(),
                   compiler.architectures().front(), compiler.architectures().back(), compiler.path());
    } else {
        fmt::print("kernel compiler: {}\n", nvrtc.message());
    }
}

std::string time_line(std::string_view label, const Statistics& time) {
    if (time.samples == 0) return fmt::format("{:<8}        not run\n", label);
    return fmt::format("{:<8} {:>10.4f} ms   spread {:.4f}, {} samples\n", label, time.median, time.spread(),
                       time.samples);
}

void print_arithmetic(const Snapshot& snapshot) {
    if (const std::optional<ArithmeticRate> rate = arithmetic_rate(snapshot)) {
        fmt::print("rate   {:.1f} GFLOP/s", rate->gflop_s);
        if (rate->percent_of_peak > 0) fmt::print(", {:.1f} % of the FP32 peak", rate->percent_of_peak);
        fmt::print("\n");
    }
}

// Of a lab whose figure they are, beside what was published for the GPU.
void print_operations(const Snapshot& snapshot) {
    const std::optional<double> rate = operations_per_clock(snapshot);
    if (!rate) return;
    const std::string& gpu = snapshot.run.progress ? snapshot.target.gpu.name : snapshot.device.profile.name;
    const PublishedFigure* known =
        published(*snapshot.work.lab, snapshot.work.version, gpu, PublishedQuantity::operations_per_clock);
    fmt::print("{:.3g} operations per clock and multiprocessor{}\n", *rate,
               known ? fmt::format(" ({}: {})", known->source, known->value) : "");
}

// The figure of the lab, where it is not the time: bytes that have to be moved, or operations.
void print_rate(const Snapshot& snapshot) {
    if (const std::optional<double> rate = bandwidth_gb_s(snapshot))
        fmt::print("bandwidth {:.1f} GB/s, of the bytes that have to be moved\n", *rate);
    print_arithmetic(snapshot);
    print_operations(snapshot);
}

// What the compiler could not keep in registers: nothing that is counted has it, since PTX does not.
void print_spills(const StepSnapshot& step) {
    if (!step.built.machine_code || step.built.machine_code->report.code.spill_bytes() == 0) return;
    const CompileReport& report = step.built.machine_code->report;
    fmt::print("{}: {} registers a thread, and {} bytes of stores and {} of loads spilled to local memory\n",
               step.name, registers_within_cap(report), report.code.spill_store_bytes,
               report.code.spill_load_bytes);
}

// A simulated GPU has no times, only estimates of those of the GPU that it stands for.
void print_estimates(const Snapshot& snapshot) {
    double sum = 0;
    bool all_known = true;
    for (const StepSnapshot& step : snapshot.steps) {
        if (!step.runs || !step.estimate()) continue;
        if (step.estimate()->ms <= 0) {
            const Occupancy* o = step.occupancy.now ? &*step.occupancy.now : nullptr;
            const Message excess = o ? why_not_launched(*o) : Message();
            fmt::print("{:<6} nothing is known of its time on {}{}\n", step.name, snapshot.target.gpu.name,
                       excess.empty() ? "" : ": " + english(excess));
            all_known = false;
            continue;
        }
        sum += step.estimate()->ms;
        fmt::print("{:<6} {:>10.4f} ms   estimated for {}: {}\n", step.name, step.estimate()->ms,
                   snapshot.target.gpu.name, step.estimate()->diagnosis);
    }
    if (all_known) fmt::print("{:<6} {:>10.4f} ms   estimated\n", "total", sum);
    for (const StepSnapshot& step : snapshot.steps) {
        if (step.runs) print_spills(step);
    }
    if (const std::string& verdict = main_step(snapshot).counts.baseline.verdict; !verdict.empty())
        fmt::print("{}\n", main_runs_alone(snapshot)
                               ? verdict
                               : fmt::format("{}: {}", main_step(snapshot).name, verdict));
    print_rate(snapshot);
    fmt::print("simulated in {:.0f} ms\n", snapshot.run.progress->milliseconds);
    fmt::print("check: {}\n", english(snapshot.result.check.message));
}

void print_times(const Snapshot& snapshot) {
    const Work& work = snapshot.work;
    const Version& version = version_of(*work.lab, work.version);
    fmt::print("V{} {}\n", version.number, version.title);
    fmt::print("device {} ({}: {})\n", shown_name(snapshot.device), name_of(snapshot.device.kind),
               snapshot.device.reason);
    if (work.lab->takes_picture())
        fmt::print("picture {}, {} x {}\n", snapshot.input_name, snapshot.problem.size.width,
                   snapshot.problem.size.height);
    else
        fmt::print("size {}\n", snapshot.input_name);
    if (!snapshot.device.can.needs_kernels) {
        fmt::print("the native pipeline runs no kernels: its times are the same for every version\n");
    }
    if (snapshot.run.progress) {
        print_estimates(snapshot);
        return;
    }
    for (const StepSnapshot& step : snapshot.steps) {
        // Where one kernel does it all, the others are not worth a line.
        if (step.exists && (step.runs || !main_runs_alone(snapshot)))
            fmt::print("{}", time_line(step.name, step.times.ms));
    }
    fmt::print("{}", time_line("total", snapshot.times.total_ms));
    for (const StepSnapshot& step : snapshot.steps) {
        if (step.runs && snapshot.device.can.needs_kernels) print_spills(step);
    }
    print_rate(snapshot);
    if (snapshot.times.one_pass_ms.samples > 0)
        fmt::print("{}", time_line("one pass", snapshot.times.one_pass_ms));
    fmt::print("check: {}\n", english(snapshot.result.check.message));
}

std::string limit_text(int blocks) {
    return blocks == kNoLimit ? "no limit" : fmt::format("{} blocks", blocks);
}

}  // namespace

std::filesystem::path kernel_cache() {
    const std::filesystem::path folder = cache_folder();
    return folder.empty() ? folder : folder / "kernels";
}

EngineOptions engine_options(const Options& options) {
    EngineOptions engine;
    engine.kernel_folder = options.kernel_folder;
    engine.cache_folder = kernel_cache();
    engine.devices = options.hooks.devices;
    engine.calibrations = own_calibrations();
    return engine;
}

SessionOptions session_options(const Options& options) {
    SessionOptions session;
    const DeviceChoice device = options.device.value_or(DeviceChoice{});
    session.device = device.kind;
    session.cuda_gpu = device.gpu;
    session.gpu = options.gpu.value_or("");
    session.kernel_folder = options.kernel_folder;
    session.cache_folder = kernel_cache();
    session.calibrations = own_calibrations();
    return session;
}

const BuiltinPicture* builtin_picture(const std::string& image) {
    return image.empty() ? &builtin_pictures().front() : find_builtin_picture(image);
}

Picture load_picture(const std::string& image) {
    const BuiltinPicture* builtin = builtin_picture(image);
    return std::make_shared<const RgbaImage>(builtin ? builtin->make() : read_picture(image));
}

std::string picture_label(const std::string& image) {
    const BuiltinPicture* builtin = builtin_picture(image);
    return builtin ? std::string(builtin->name) : std::filesystem::path(image).filename().string();
}

void run_command(const Options& options) {
    const Work work = work_of(options);
    const Lab& lab = *work.lab;
    const bool nothing_runs = lab.views[std::size_t(work.view)].ways.empty();
    if (nothing_runs && options.output.empty())
        throw UsageError(fmt::format("the view '{}' needs no run", lab.views[std::size_t(work.view)].name),
                         "", "choose another one with --show");
    if (!lab.takes_picture() && !options.image.empty())
        throw UsageError(fmt::format("'{}' takes no picture", lab.id), "",
                         "choose its size with --size 4096x4096");
    if (!lab.takes_picture() && !options.output.empty())
        throw UsageError(fmt::format("the result of '{}' is no picture", lab.id), "", "leave --output out");
    if (nothing_runs && options.output.extension() == ".pgm")
        throw UsageError("a PGM has no colours", options.output.string(), "name a file that ends in .png");
    std::error_code status;
    if (!builtin_picture(options.image) && std::filesystem::equivalent(options.image, options.output, status))
        throw Error("the result would overwrite its source", options.output.string(),
                    "choose another file for --output");
    Engine engine(engine_options(options));
    if (lab.takes_picture()) engine.set_picture(load_picture(options.image), picture_label(options.image));
    HostTarget target;
    if (nothing_runs)
        engine.prepare(work);
    else
        run_to_end(engine, work, options.repeat, target);
    const Snapshot& snapshot = engine.snapshot();
    if (!options.output.empty()) {
        if (nothing_runs) {
            write_png(options.output, *engine.picture());
        } else {
            write_picture(options.output, target.picture());
        }
    }
    if (options.json) {
        print_json(run_json(snapshot));
    } else {
        print_times(snapshot);
        if (!options.output.empty()) fmt::print("wrote {}\n", options.output.string());
    }
    if (snapshot.result.check.state == Check::State::different) {
        throw Error(lab.takes_picture() ? "the picture is wrong" : "the result is wrong",
                    fmt::format("V{}", work.version), english(snapshot.result.check.message));
    }
}

void occupancy_command(const Options& options) {
    const Work work = work_of(options);
    Engine engine(engine_options(options));
    // Occupancy does not depend on the input; a device that fails is not needed either.
    if (work.lab->takes_picture())
        engine.set_picture(std::make_shared<const RgbaImage>(Extent{1, 1}), "none");
    engine.prepare(work);
    engine.wait_for_kernels();
    const Snapshot& snapshot = engine.snapshot();
    if (snapshot.compiler.missing)
        throw Error("occupancy needs the compiler's register count", "", snapshot.compiler.name);
    const StepSnapshot& step = snapshot.steps[std::size_t(*options.step)];
    if (!step.exists) throw no_such_step(work, *options.step);
    if (!step.occupancy.now) {
        throw Error("the " + std::string(step.name) + " kernel does not compile", "", step.built.error);
    }
    if (options.json) {
        print_json(occupancy_json(snapshot, *options.step));
        return;
    }
    const Occupancy& occupancy = *step.occupancy.now;
    fmt::print("V{} {}, kernel {}, block {} = {} threads, {} registers, {} bytes of shared memory\n",
               work.version, step.name, step.source.name, to_string(step.shape.block),
               step.shape.block.threads(), occupancy.resources.registers, occupancy.resources.shared_bytes);
    print_spills(step);
    fmt::print("on {}\n", snapshot.target.note);
    fmt::print("theoretical occupancy {:.1f} %: {} of {} warps, {} blocks per multiprocessor\n",
               occupancy.percent, occupancy.active_warps, occupancy.limits.warps_per_multiprocessor,
               occupancy.active_blocks);
    fmt::print("limiters: block slots {}, warps {}, registers {}, shared memory {}\n",
               limit_text(occupancy.by_blocks), limit_text(occupancy.by_warps),
               limit_text(occupancy.by_registers), limit_text(occupancy.by_shared));
    fmt::print("limiter: {}\n", fmt::join(occupancy.limited_by, ", "));
    if (!step.occupancy.next_step.empty()) fmt::print("next step: {}\n", english(step.occupancy.next_step));
}

void versions_command(const Options& options) {
    const Lab& lab = *options.lab;
    if (options.json) {
        print_json(versions_json(lab));
        return;
    }
    for (const Version& version : lab.versions) {
        std::string kernels;
        for (std::size_t i = 0; i < version.steps.size(); ++i) {
            const StepKernel& step = version.steps[i];
            if (step.kernel.empty()) continue;
            kernels += fmt::format("{}{} {} {}", kernels.empty() ? "" : ", ", lab.steps[i].name, step.kernel,
                                   to_string(step.block));
        }
        fmt::print("V{:<3}{}\n      {}\n      {}\n      {}\n", version.number, version.title, version.changed,
                   version.why, kernels);
    }
}

void devices_command(const Options& options) {
    const Result<std::vector<DeviceFacts>> cuda = cuda_devices();
    const std::unique_ptr<Device> cpu = make_cpu_device();
    const Result<std::shared_ptr<Nvrtc>> compiler = working_compiler();  // the simulated GPU needs it
    const GpuTable gpus(own_calibrations());
    const simt::SimtDevice simulated(gpus.named(kDefaultTarget));
    std::vector<std::string> names;
    for (const GpuProfile& gpu : gpus.gpus()) names.push_back(gpu.name);
    if (options.json) {
        nlohmann::ordered_json json{{"cuda", nlohmann::ordered_json::array()},
                                    {"cpu", device_json(cpu->facts())}};
        if (cuda.ok()) {
            for (const DeviceFacts& device : cuda.value()) {
                json["cuda"].push_back(device_json(device));
                json["cuda"].back()["rates"] = english(source_of_rates(gpus.completed(device.profile)));
            }
        } else {
            json["cuda_missing"] = cuda.message();
        }
        if (compiler.ok()) {
            json["simt"] = device_json(simulated.facts());
            json["simt"]["gpus"] = names;
            json["simt"]["rates"] = english(source_of_rates(simulated.facts().profile));
            json["compiler"] = {{"name", compiler.value()->name()},
                                {"path", compiler.value()->path()},
                                {"architectures", compiler.value()->architectures()}};
        } else {
            json["simt_missing"] = json["compiler_missing"] = compiler.message();
        }
        print_json(json);
        return;
    }
    const auto print = [](const DeviceFacts& device) {
        const bool here = device.kind == DeviceKind::cuda;
        fmt::print("{}: {}\n", name_of(DeviceChoice{device.kind, here ? device.place.number : kAnyGpu}),
                   device.name);
        for (const Fact& fact : device.facts) fmt::print("    {:<34}{}\n", fact.label, fact.value);
    };
    const auto print_rates = [](const GpuProfile& gpu) {
        fmt::print("    {:<34}{}\n", "Rates for estimates", english(source_of_rates(gpu)));
    };
    if (cuda.ok()) {
        for (const DeviceFacts& device : cuda.value()) {
            print(device);
            print_rates(gpus.completed(device.profile));
        }
    } else {
        fmt::print("cuda: none, {}\n", cuda.message());
    }
    if (compiler.ok()) {
        print(simulated.facts());
        print_rates(simulated.facts().profile);
        fmt::print("    {:<34}{}\n", "GPUs to choose from (--gpu)", fmt::join(names, ", "));
    } else {
        fmt::print("simt: none, {}\n", compiler.message());
    }
    print(cpu->facts());
    print_compiler(compiler);
}

void kernels_command(const Options& options) {
    const std::vector<std::string> kept = KernelLibrary::write_to(options.folder, options.overwrite);
    if (options.json) {
        print_json({{"folder", options.folder.string()}, {"kept", kept}});
        return;
    }
    fmt::print("kernel sources are in {}; change them and watch: warpscope --kernels {}\n",
               options.folder.string(), options.folder.string());
    for (const std::string& name : kept) fmt::print("kept your changed {} (--overwrite replaces it)\n", name);
}

void version_command(const std::vector<Fact>& gl_facts) {
    fmt::print("warpscope {}\n", WARPSCOPE_VERSION);
    print_compiler(working_compiler());
    const Result<std::vector<DeviceFacts>> cuda = cuda_devices();
    if (cuda.ok()) {
        for (const DeviceFacts& device : cuda.value()) {
            fmt::print("CUDA: {}, compute capability {}, driver and runtime {}\n", shown_name(device),
                       device.profile.limits.capability.text(), device.facts.back().value);
        }
    } else {
        fmt::print("CUDA: {}; kernels run on a simulated GPU\n", cuda.message());
    }
    fmt::print("pictures: {}\n", fmt::join(picture_libraries(), ", "));
    for (const Fact& fact : gl_facts) fmt::print("{}: {}\n", fact.label, fact.value);
}

}  // namespace ws
