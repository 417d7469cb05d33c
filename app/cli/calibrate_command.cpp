#include "app/cli/calibrate_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/json_report.h"
#include "app/cli/long_run.h"
#include "gpu/analysis/calibration_file.h"
#include "gpu/analysis/profiles.h"
#include "gpu/calibration/microbenchmarks.h"
#include "gpu/compile/compile_service.h"
#include "gpu/core/background.h"
#include "gpu/core/files.h"
#include "gpu/core/job.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/cuda_session.h"
#include "gpu/engine/microbenchmark_request.h"
#include "gpu/sass/machine_code_reader.h"

namespace ws {
namespace {

class Compiler {
  public:
    Compiler() : service_(kernel_cache()) {
        if (!service_.compiler()) throw Error("there is no compiler for kernels", service_.why());
    }
    [[nodiscard]] const std::string& name() const { return service_.compiler()->name(); }
    std::shared_ptr<const CompiledKernel> operator()(std::string_view kernel, std::string_view entry,
                                                     ComputeCapability capability) {
        const CodeTarget target = runnable_target(service_.compiler()->architectures(), capability);
        CompileOutcome outcome = service_.wait_for(microbenchmark_request(kernel, entry, target));
        if (!outcome.kernel) throw Error("the kernel does not compile", std::string(kernel), outcome.error);
        return outcome.kernel;
    }

  private:
    CompileService service_;
};

std::string today() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    localtime_r(&now, &parts);
    return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

// Figures that are not believed are named, and left out.
std::vector<std::string> take_rates(const MeasuredRates& measured, Calibration& calibration) {
    std::vector<std::string> doubts;
    for (int i = 0; i < kGpuRates; ++i) {
        const std::optional<Statistics>& one = measured.rates[std::size_t(i)];
        if (!one) continue;
        const MeasuredRate rate{one->median, one->spread()};
        const RateRow& row = row_of(GpuRate(i));
        if (const std::string doubt = doubt_of(GpuRate(i), rate, calibration); doubt.empty())
            calibration.at(GpuRate(i)) = rate;
        else
            doubts.push_back(
                fmt::format("{} is left out: {:.4g} {}, and {}", row.name, rate.value, row.unit, doubt));
    }
    return doubts;
}

MeasuredRates measure(DeviceSession& session, const GpuProfile& gpu, std::optional<double> loop_stalls,
                      int samples) {
    LongRun watch(1, "figures");
    std::stop_source stop;
    const Job<Done> interrupts([&](const std::stop_token& quit) {
        while (sleep_unless_stopped(quit, std::chrono::milliseconds(20))) {
            if (watch.cancelled()) stop.request_stop();
        }
        return Done{};
    });
    MicrobenchmarkOptions options;
    options.samples = samples;
    options.loop_stalls = loop_stalls;
    options.stop = stop.get_token();
    options.progress = [&](int done, int total) {
        watch.expect(std::uint64_t(total));
        watch.blocks_done() = std::uint64_t(done);
    };
    MeasuredRates measured = run_microbenchmarks(session, gpu, options);
    if (!measured.complete) throw Error("the calibration was stopped", "", "nothing is kept of it");
    return measured;
}

void print_rates(const Calibration& calibration) {
    for (int i = 0; i < kGpuRates; ++i) {
        const std::optional<MeasuredRate>& one = calibration.at(GpuRate(i));
        if (!one) continue;
        const RateRow& row = row_of(GpuRate(i));
        fmt::print("{:<22}{:>10.4g} {:<22} +- {:<8.2g}{}\n", row.name, one->value, row.unit, one->spread / 2,
                   row.what);
    }
}

}  // namespace

std::filesystem::path calibration_folder() {
    const std::filesystem::path folder = data_folder();
    return folder.empty() ? folder : folder / "calibrations";
}

std::vector<Calibration> own_calibrations() {
    return calibration_folder().empty() ? std::vector<Calibration>{}
                                        : read_calibrations(calibration_folder()).all;
}

std::vector<std::string> broken_calibrations() {
    return calibration_folder().empty() ? std::vector<std::string>{}
                                        : read_calibrations(calibration_folder()).problems;
}

void calibrate_command(const Options& options) {
    const DeviceChoice choice = options.device.value_or(DeviceChoice{});
    if (choice.kind != DeviceKind::cuda && choice.kind != DeviceKind::automatic)
        throw UsageError("only a real GPU can be calibrated", "", "choose --device cuda");
    const Result<std::vector<DeviceFacts>> devices = cuda_devices();
    if (!devices.ok())
        throw Error("there is no GPU to calibrate", devices.message(),
                    "run it where there is one; a file that it wrote there (--output) does here, too, in " +
                        (calibration_folder().empty() ? "~/.local/share/warpscope/calibrations"
                                                      : calibration_folder().string()));
    refuse_missing_gpu(choice.gpu);
    const int number = std::max(0, choice.gpu);
    if (options.output.empty() && calibration_folder().empty())
        throw Error("there is no folder for calibrations (HOME is not set)", "", "name a file with --output");
    const DeviceFacts& device = devices.value()[std::size_t(number)];
    const GpuProfile gpu = GpuTable().completed(device.profile);
    if (gpu.limits.capability < ComputeCapability{7, 5})
        throw Error("only GPUs of compute capability 7.5 and later can be calibrated", gpu.name);
    const auto compiler = std::make_shared<Compiler>();
    Result<std::unique_ptr<DeviceSession>> session = open_cuda_session(
        number, [compiler](std::string_view kernel, std::string_view entry, ComputeCapability capability) {
            return (*compiler)(kernel, entry, capability);
        });
    if (!session.ok()) throw Error("there is no GPU to calibrate", session.message());
    const auto start = std::chrono::steady_clock::now();
    if (!options.json)
        fmt::print("calibrating {}, compute capability {}: about a minute\n", shown_name(device),
                   gpu.limits.capability.text());
    std::fflush(stdout);

    const std::shared_ptr<const CompiledKernel> loop =
        (*compiler)(kLoopKernel, kLoopEntry, gpu.limits.capability);
    const Result<MachineCode> code = read_machine_code(loop->binary, loop->entry);  // none in PTX
    const MeasuredRates measured = measure(
        *session.value(), gpu, code.ok() ? stalls_of_loop(code.value()) : std::nullopt, options.samples);
    Calibration calibration;
    calibration.gpu = gpu.name;
    calibration.capability = gpu.limits.capability;
    calibration.multiprocessors = gpu.multiprocessors;
    calibration.clock_mhz = int(std::lround(measured.clock_mhz));
    calibration.bandwidth_gb_s = std::round(gpu.bandwidth_gb_s * 10) / 10;
    calibration.date = today();
    calibration.driver = device.driver;
    calibration.compiler = compiler->name();
    calibration.samples = options.samples;
    const std::vector<std::string> doubts = take_rates(measured, calibration);
    for (const std::string& doubt : doubts) fmt::print(stderr, "warpscope: note: {}\n", doubt);
    const std::string text = calibration_text(calibration);
    // What is written can be read again.
    const Result<Calibration> again = read_calibration(text);
    if (!again.ok())
        throw Error("the calibration makes no sense, and is not kept", gpu.name, again.message());

    const std::filesystem::path path =
        options.output.empty() ? calibration_folder() / calibration_file_name(calibration) : options.output;
    write_file(path, text);
    if (options.json) {
        print_json(nlohmann::ordered_json::parse(text));
        return;
    }
    print_rates(calibration);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("at {} MHz of {}; {} samples each, {:.0f} seconds\n", calibration.clock_mhz, gpu.clock_mhz,
               calibration.samples, seconds);
    fmt::print("wrote {}{}\n", path.string(),
               options.output.empty() ? ": estimates for this GPU use it from now on" : "");
    if (!options.output.empty() && !calibration_folder().empty())
        fmt::print("estimates use what lies in {}\n", calibration_folder().string());
}

}  // namespace ws
