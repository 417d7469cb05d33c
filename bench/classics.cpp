// Times the classics of bench/classics/classics.h on the GPU: each in calls behind each other, median of 25
// samples after a warm-up.
// Usage: bench_classics [--kernels DIR] [--family NAME] [--json FILE] [--once classics|labs|all]
// DIR has the kernels (else bench/classics); NAME is a file there, without .cu: all others are left out. With
// --once it takes no times, but launches each classic, or every version of every lab at its lab's first size,
// ten times behind each other, and lets a profiler see the next one (ncu --profile-from-start off); names and
// kernels in the order of the launches. tools/gpu-classics runs both.

#include "bench/classics/classics.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <memory>

#include "bench/figures.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/core/files.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/gpu_clock.h"
#include "gpu/cuda/module_cache.h"
#include "gpu/cuda/resources.h"
#include "gpu/engine/planner.h"
#include "gpu/engine/targets.h"
#include "gpu/labs/labs.h"

// Of the runtime library; their header comes in a package of its own.
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();

namespace ws {
namespace {

constexpr int kSamples = 25;
constexpr double kSampleMs = 2;  // of calls behind each other, about
constexpr int kMostCalls = 100;
constexpr int kLaunchesBefore = 10;  // the one that a profiler sees, so that it finds what they left
constexpr Extent kScene{3648, 2736};

struct Options {
    std::string kernels = "bench/classics";
    std::string family;  // the only one; empty: all
    std::string once;    // what is launched for a profiler; empty: times are taken
};

Options parse(const std::vector<std::string>& arguments) {
    Options options;
    const char* usage =
        "usage: bench_classics [--kernels DIR] [--family NAME] [--json FILE] [--once classics|labs|all]";
    if (arguments.size() % 2 != 0) throw UsageError(usage);
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const std::string& value = arguments[i + 1];
        if (arguments[i] == "--kernels")
            options.kernels = value;
        else if (arguments[i] == "--family")
            options.family = value;
        else if (arguments[i] == "--once" && (value == "classics" || value == "labs" || value == "all"))
            options.once = value;
        else
            throw UsageError(usage);
    }
    if (!options.family.empty() && !options.once.empty() && options.once != "classics")
        throw UsageError("--family is of the classics: --once classics");
    return options;
}

// A classic on the GPU with all that it reads and writes.
class Staged {
  public:
    Staged(const classics::Classic& classic, std::shared_ptr<const CompiledKernel> kernel,
           const Driver& driver)
        : classic_(classic), kernel_(std::move(kernel)), driver_(driver), modules_(driver) {
        std::vector<std::uint8_t> content;
        unsigned seed = 0;
        for (const classics::Argument& argument : classic.arguments) {
            values_.push_back(argument.bits);
            ++seed;
            if (!argument.is_buffer()) continue;
            content.resize(argument.memory.bytes());
            classics::fill(argument.memory, seed, content.data());
            buffers_.emplace_back(content.size());
            WS_CUDA(
                cudaMemcpy(buffers_.back().data(), content.data(), content.size(), cudaMemcpyHostToDevice));
            values_.back() = reinterpret_cast<std::uintptr_t>(buffers_.back().data());
        }
        for (std::uint64_t& value : values_) places_.push_back(&value);
        const ModuleCache::Loaded loaded = modules_.load(kernel_);
        if (loaded.status != CUDA_SUCCESS) throw Error(driver.text_of(loaded.status), classic.name);
        function_ = loaded.function;
    }

    void launch() {
        const CUresult status =
            driver_.launch_kernel(function_, unsigned(classic_.grid.width), unsigned(classic_.grid.height), 1,
                                  unsigned(classic_.block.x), unsigned(classic_.block.y), 1, 0,
                                  reinterpret_cast<CUstream>(stream_.get()), places_.data(), nullptr);
        if (status != CUDA_SUCCESS) throw Error(driver_.text_of(status), classic_.name);
    }
    void wait() const { WS_CUDA(cudaStreamSynchronize(stream_.get())); }

    // Microseconds of a launch among others.
    [[nodiscard]] Statistics time() {
        const CudaEvent begin;
        const CudaEvent end;
        const auto take = [&](int calls) {
            WS_CUDA(cudaEventRecord(begin.get(), stream_.get()));
            for (int i = 0; i < calls; ++i) launch();
            WS_CUDA(cudaEventRecord(end.get(), stream_.get()));
            WS_CUDA(cudaEventSynchronize(end.get()));
            float ms = 0;
            WS_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()));
            return double(ms) / calls;
        };
        take(3);
        const double once = std::max(1e-3, take(3));
        const int calls = std::clamp(int(kSampleMs / once), 3, kMostCalls);
        for (double warm = 0; warm < 20; warm += once * calls) take(calls);
        std::vector<double> samples;
        samples.reserve(kSamples);
        for (int i = 0; i < kSamples; ++i) samples.push_back(1e3 * take(calls));
        return statistics_of(samples);
    }

  private:
    const classics::Classic& classic_;
    std::shared_ptr<const CompiledKernel> kernel_;
    const Driver& driver_;
    ModuleCache modules_;
    CUfunction function_ = nullptr;
    CudaStream stream_;
    std::vector<DeviceMemory> buffers_;
    std::vector<std::uint64_t> values_;
    std::vector<void*> places_;
};

std::shared_ptr<const CompiledKernel> compiled(const Nvrtc& nvrtc, CompileRequest request,
                                               CodeTarget target) {
    request.architecture = target.architecture;
    request.to_ptx = target.to_ptx;
    const auto kernel = nvrtc.compile(request);
    if (!kernel.ok()) throw Error(kernel.message(), request.entry);
    return std::make_shared<const CompiledKernel>(kernel.value());
}

std::shared_ptr<const CompiledKernel> compiled(const Nvrtc& nvrtc, const classics::Classic& classic,
                                               const std::string& folder, CodeTarget target) {
    CompileRequest request;
    request.name = classic.file;
    request.text = read_file(folder + "/" + classic.file + ".cu");
    request.entry = classic.entry;
    return compiled(nvrtc, request, target);
}

void see_classic(Staged& staged, const classics::Classic& classic) {
    for (int i = 0; i < kLaunchesBefore; ++i) staged.launch();
    staged.wait();
    WS_CUDA(cudaProfilerStart());
    staged.launch();
    staged.wait();
    WS_CUDA(cudaProfilerStop());
    fmt::print("case: {}\t{}\n", classic.name, classic.entry);
    std::fflush(stdout);
}

Problem problem_of(const Lab& lab, Extent size) {
    if (!lab.takes_picture()) return generated_problem(lab, size);
    RgbaImage image(size);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = std::uint8_t(i * 2654435761U >> 24);
    return picture_problem(lab, std::make_shared<const RgbaImage>(std::move(image)));
}

// Every version of every lab as the table of all versions has them (docs/measurements.md).
void see_labs(const Nvrtc& nvrtc, CodeTarget target) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    if (!opened.ok()) throw Error(opened.message(), "bench_classics");
    Device& device = *opened.value();
    const GpuProfile& gpu = device.facts().profile;
    const KernelLibrary library;
    const auto find = [&](std::string_view name) -> const KernelSource& { return library.find(name); };
    for (const Lab* lab : labs()) {
        if (lab->versions.empty()) continue;
        bool there = false;
        for (const Version& version : lab->versions) {
            const Work work = with_version(first_work(*lab), version);
            const Extent size = lab->takes_picture() ? kScene : work.size;
            Plan plan;
            plan.lab = lab;
            plan.shows = shown_buffer(lab->views[std::size_t(work.view)], version);
            plan.generation = 1;
            for (const StepRequest& step : step_requests(work, find)) {
                if (!runs_step(work, step.step)) continue;
                plan.launches.push_back(launch_of(
                    step, arguments_of(work, step.step),
                    compiled(nvrtc, compile_request(*lab, step, target), target), size, gpu.multiprocessors));
            }
            if (plan.launches.empty()) continue;
            if (!there) device.set_problem(problem_of(*lab, size));
            there = true;
            for (int i = 0; i <= kLaunchesBefore; ++i) {
                const bool seen = i == kLaunchesBefore;
                if (seen) WS_CUDA(cudaProfilerStart());
                const auto made = device.run_once(plan, 0, {});  // nothing is copied in between
                if (!made.ok()) throw Error(made.message(), std::string(lab->id));
                if (seen) WS_CUDA(cudaProfilerStop());
            }
            for (const Launch& launch : plan.launches) {
                fmt::print("case: {} V{} {}\t{}\n", lab->id, version.number,
                           lab->steps[std::size_t(launch.step)].name, launch.kernel->entry);
            }
            std::fflush(stdout);
        }
    }
}

int run(const Options& options, Figures& figures) {
    const Driver* driver = Driver::get();
    if (!driver) throw Error("this bench needs a CUDA GPU");
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) throw Error(nvrtc.message());
    WS_CUDA(cudaSetDevice(0));
    WS_CUDA(cudaFree(nullptr));
    const DeviceFacts facts = read_cuda_facts(0);
    const CodeTarget target =
        runnable_target(nvrtc.value()->architectures(), facts.profile.limits.capability);
    char bus[32] = "";
    WS_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    const GpuClock clock(bus);
    fmt::print("{}, {}\n", facts.name, nvrtc.value()->name());
    figures.set("gpu", facts.name);
    figures.set("compiler", nvrtc.value()->name());
    figures.set("unit", "microseconds");
    std::vector<classics::Classic> all = classics::classics(classics::Size::measured);
    if (!options.family.empty())
        std::erase_if(all, [&](const classics::Classic& one) { return one.file != options.family; });
    if (all.empty()) throw UsageError("there is no family '" + options.family + "' in " + options.kernels);
    for (const classics::Classic& classic : all) {
        if (options.once == "labs") break;
        Staged staged(classic, compiled(*nvrtc.value(), classic, options.kernels, target), *driver);
        if (!options.once.empty()) {
            see_classic(staged, classic);
            continue;
        }
        const Statistics time = staged.time();
        const int mhz = clock.read().mhz.value_or(0);
        fmt::print("{:<28}{:>10.2f}{:>8.2f}{:>6}\n", classic.name, time.median, time.spread(), mhz);
        std::fflush(stdout);
        Json row{{"name", classic.name}, {"mhz", mhz}};
        row["time"] = time;
        figures.add(row);
    }
    if (options.once == "labs" || options.once == "all") see_labs(*nvrtc.value(), target);
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    return ws::bench_main("classics", argc, argv,
                          [](const std::vector<std::string>& arguments, ws::Figures& figures) {
                              return ws::run(ws::parse(arguments), figures);
                          });
}
