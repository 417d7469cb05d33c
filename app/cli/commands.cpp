#include "app/cli/commands.h"
#include "app/state/work_edit.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/json_report.h"
#include "gpu/core/files.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/picture/picture_file.h"
#include "gpu/picture/test_picture.h"
#include "gpu/pipeline/versions.h"
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

// A simulated GPU has no times, only estimates of those of the GPU that it stands for.
void print_estimates(const Snapshot& snapshot) {
    double sum = 0;
    for (const StageSnapshot& stage : snapshot.stages) {
        if (!stage.runs || !stage.estimate()) continue;
        sum += stage.estimate()->ms;
        fmt::print("{:<6} {:>10.4f} ms   estimated for {}: {}\n", name_of(stage.stage), stage.estimate()->ms,
                   snapshot.target.name, stage.estimate()->diagnosis);
    }
    fmt::print("{:<6} {:>10.4f} ms   estimated\n", "total", sum);
    if (const std::string& verdict = main_stage(snapshot).baseline.verdict; !verdict.empty())
        fmt::print("{}\n", verdict);
    fmt::print("simulated in {:.0f} ms\n", snapshot.simulation->milliseconds);
    fmt::print("check: {}\n", snapshot.check.message);
}

void print_times(const Snapshot& snapshot) {
    const Version& version = version_numbered(snapshot.settings.version);
    fmt::print("V{} {}\n", version.number, version.title);
    fmt::print("device {} ({}: {})\n", snapshot.device.name, name_of(snapshot.device.kind),
               snapshot.device_reason);
    fmt::print("picture {}, {} x {}\n", snapshot.picture_name, snapshot.picture.width,
               snapshot.picture.height);
    if (snapshot.device.kind == DeviceKind::cpu) {
        fmt::print("the native pipeline runs no kernels: its times are the same for every version\n");
    }
    if (snapshot.simulation) {
        print_estimates(snapshot);
        return;
    }
    for (const StageSnapshot& stage : snapshot.stages) {
        // Where one kernel does it all, the others are not worth a line.
        if (stage.exists && (stage.runs || main_stage(snapshot).stage != Stage::fused))
            fmt::print("{}", time_line(name_of(stage.stage), stage.time_ms));
    }
    fmt::print("{}", time_line("total", snapshot.total_ms));
    if (snapshot.fused_ms.samples > 0) fmt::print("{}", time_line("one pass", snapshot.fused_ms));
    fmt::print("check: {}\n", snapshot.check.message);
}

std::string limit_text(int blocks) {
    return blocks == kNoLimit ? "no limit" : fmt::format("{} blocks", blocks);
}

}  // namespace

void require_kernels(const Snapshot& snapshot) {
    for (const StageSnapshot& stage : snapshot.stages) {
        if (!stage.runs || stage.state != CompileState::failed) continue;
        throw Error("the " + std::string(name_of(stage.stage)) + " kernel does not compile", "",
                    stage.compile_error);
    }
}

EngineOptions engine_options(const Options& options) {
    EngineOptions engine;
    engine.kernel_folder = options.kernel_folder;
    if (const std::filesystem::path folder = cache_folder(); !folder.empty())
        engine.cache_folder = folder / "kernels";
    engine.fault = options.fault;
    return engine;
}

Picture load_picture(const std::string& image) {
    return std::make_shared<const RgbaImage>(image.empty() ? draw_test_picture() : read_picture(image));
}

std::string picture_label(const std::string& image) {
    return image.empty() ? "built-in picture" : std::filesystem::path(image).filename().string();
}

void run_command(const Options& options) {
    const Settings settings = apply(options, initial_work());
    if (settings.view == View::original && options.output.empty()) {
        throw UsageError("the original needs no run", "", "choose --show gray, blur or edge");
    }
    std::error_code status;
    if (!options.image.empty() && std::filesystem::equivalent(options.image, options.output, status))
        throw Error("the result would overwrite its source", options.output.string(),
                    "choose another file for --output");
    Engine engine(engine_options(options));
    engine.set_picture(load_picture(options.image), picture_label(options.image));
    engine.prepare(settings);
    engine.wait_for_kernels();
    const Snapshot& snapshot = engine.snapshot();
    if (snapshot.device.kind != DeviceKind::cpu) require_kernels(snapshot);
    HostTarget target;
    const auto timed = [&] {
        if (snapshot.simulation) return snapshot.simulation->complete;
        bool enough = snapshot.total_ms.samples >= options.repeat;
        for (const StageSnapshot& stage : snapshot.stages) {
            enough &= !stage.runs || stage.time_ms.samples >= options.repeat;
        }
        return enough;
    };
    while (settings.view != View::original && !timed()) {
        const bool drawn = engine.run(target);
        if (snapshot.simulation && !drawn) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        if (snapshot.failure) {
            throw Error("the " + std::string(name_of(snapshot.failure->stage)) + " kernel cannot be launched",
                        snapshot.failure->code, snapshot.failure->message);
        }
    }
    engine.check_now();
    if (snapshot.simulation) engine.wait_for_counts();
    if (!options.output.empty()) {
        if (settings.view == View::original) {
            write_png(options.output, *engine.picture());
        } else {
            write_png(options.output, target.picture());
        }
    }
    if (options.json) {
        print_json(run_json(snapshot));
    } else {
        print_times(snapshot);
        if (!options.output.empty()) fmt::print("wrote {}\n", options.output.string());
    }
    if (snapshot.check.state == Check::State::different) {
        throw Error("the picture is wrong", fmt::format("V{}", settings.version), snapshot.check.message);
    }
}

void occupancy_command(const Options& options) {
    const Settings settings = apply(options, initial_work());
    Engine engine(engine_options(options));
    // Occupancy does not depend on the picture; a device that fails is not needed either.
    engine.set_picture(std::make_shared<const RgbaImage>(Extent{1, 1}), "none");
    engine.prepare(settings);
    engine.wait_for_kernels();
    const Snapshot& snapshot = engine.snapshot();
    if (snapshot.compiler_missing)
        throw Error("occupancy needs the compiler's register count", "", snapshot.compiler);
    const StageSnapshot& stage = snapshot.stages[index_of(*options.stage)];
    if (!stage.exists) throw no_such_stage(settings.version, *options.stage);
    if (!stage.occupancy) {
        throw Error("the " + std::string(name_of(stage.stage)) + " kernel does not compile", "",
                    stage.compile_error);
    }
    if (options.json) {
        print_json(occupancy_json(snapshot, *options.stage));
        return;
    }
    const Occupancy& occupancy = *stage.occupancy;
    fmt::print("V{} {}, kernel {}, block {} = {} threads, {} registers, {} bytes of shared memory\n",
               settings.version, name_of(stage.stage), stage.source.name, to_string(stage.block),
               stage.block.threads(), occupancy.resources.registers, occupancy.resources.shared_bytes);
    fmt::print("on {}\n", snapshot.target_note);
    fmt::print("theoretical occupancy {:.1f} %: {} of {} warps, {} blocks per multiprocessor\n",
               occupancy.percent, occupancy.active_warps, occupancy.limits.warps_per_multiprocessor,
               occupancy.active_blocks);
    fmt::print("limiters: block slots {}, warps {}, registers {}, shared memory {}\n",
               limit_text(occupancy.by_blocks), limit_text(occupancy.by_warps),
               limit_text(occupancy.by_registers), limit_text(occupancy.by_shared));
    fmt::print("limiter: {}\n", fmt::join(occupancy.limited_by, ", "));
    if (!stage.next_step.empty()) fmt::print("next step: {}\n", stage.next_step);
}

void versions_command(const Options& options) {
    Snapshot snapshot;
    snapshot.versions = versions();
    if (options.json) {
        print_json(versions_json(snapshot));
        return;
    }
    for (const Version& version : versions()) {
        std::string kernels;
        for (const Stage stage : kStages) {
            if (version.kernels[index_of(stage)].empty()) continue;
            kernels +=
                fmt::format("{}{} {} {}", kernels.empty() ? "" : ", ", name_of(stage),
                            version.kernels[index_of(stage)], to_string(version.blocks[index_of(stage)]));
        }
        fmt::print("V{:<3}{}\n      {}\n      {}\n      {}\n", version.number, version.title, version.changed,
                   version.why, kernels);
    }
}

void devices_command(const Options& options) {
    const Result<std::vector<DeviceFacts>> cuda = cuda_devices();
    const std::unique_ptr<Device> cpu = make_cpu_device();
    const Result<std::shared_ptr<Nvrtc>> compiler = working_compiler();  // the simulated GPU needs it
    const GpuTable gpus;
    const simt::SimtDevice simulated(gpus.named(kDefaultTarget));
    std::vector<std::string> names;
    for (const GpuProfile& gpu : gpus.gpus()) names.push_back(gpu.name);
    if (options.json) {
        nlohmann::ordered_json json{{"cuda", nlohmann::ordered_json::array()},
                                    {"cpu", device_json(cpu->facts())}};
        if (cuda.ok()) {
            for (const DeviceFacts& device : cuda.value()) json["cuda"].push_back(device_json(device));
        } else {
            json["cuda_missing"] = cuda.message();
        }
        if (compiler.ok()) {
            json["simt"] = device_json(simulated.facts());
            json["simt"]["gpus"] = names;
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
        fmt::print("{}: {}\n", name_of(device.kind), device.name);
        for (const Fact& fact : device.facts) fmt::print("    {:<34}{}\n", fact.label, fact.value);
    };
    if (cuda.ok()) {
        for (const DeviceFacts& device : cuda.value()) print(device);
    } else {
        fmt::print("cuda: none, {}\n", cuda.message());
    }
    if (compiler.ok()) {
        print(simulated.facts());
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
            fmt::print("CUDA: {}, compute capability {}, driver and runtime {}\n", device.name,
                       device.profile.limits.capability.text(), device.facts.back().value);
        }
    } else {
        fmt::print("CUDA: {}; kernels run on a simulated GPU\n", cuda.message());
    }
    fmt::print("pictures: {}\n", fmt::join(picture_libraries(), ", "));
    for (const Fact& fact : gl_facts) fmt::print("{}: {}\n", fact.label, fact.value);
}

}  // namespace ws
