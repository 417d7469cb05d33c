// Times all versions on the GPU, with pictures in turn so that no cache holds them, beside a copy of the same
// bytes and the floor: a kernel that reads every pixel once, 16 bytes at a time, writes one byte for each and
// does nothing else. First every step on 3648 x 2736, then the whole pipeline from 0.1 to 100 Mpixel, with
// widths that are a multiple of 4 and others.
// Usage: bench_gpu_versions [--json FILE] [--records FILE] [--kernels DIR] [--version N]  (N: the pipeline of
// one version alone). Each time of a whole pipeline is appended to the file of records, which --replay reads.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <map>

#include "bench/figures.h"
#include "bench/gpu_records.h"
#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/numbers.h"
#include "gpu/core/statistics.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/gpu_clock.h"
#include "gpu/cuda/module_cache.h"
#include "gpu/cuda/resources.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/picture/test_picture.h"

namespace ws {
namespace {

constexpr int kSamples = 30;
constexpr std::size_t kBytesInTurn = 400 << 20;  // of pictures: several times the largest cache

// The kernels of NVIDIA's GTC 2015 tutorial on an H200, microseconds of the blur; 0 where there is no figure.
constexpr std::array<double, 12> kTutorialBlur{189.8, 137.0, 179.6, 137.1, 148.8, 88.2,
                                               0,     54.6,  42.6,  0,     42.5,  0};

constexpr const char* kFloor = R"(
extern "C" __global__ void floor_of_the_pipeline(const uint4* __restrict__ src, unsigned* __restrict__ dst, int width, int height) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= width * height / 4) return;
    const uint4 pixels = src[i];
    dst[i] = (pixels.x & 255) | (pixels.y & 255) << 8 | (pixels.z & 255) << 16 | pixels.w << 24;
})";

// What the GPU takes for pictures of one size.
class Bench {
  public:
    Bench(const Driver& driver, CompileService& compiler, const KernelLibrary& library, CodeTarget target,
          int multiprocessors)
        : driver_(driver),
          compiler_(compiler),
          library_(library),
          target_(target),
          multiprocessors_(multiprocessors),
          modules_(driver) {}

    void use(Extent size) {
        size_ = size;
        const RgbaImage image = draw_test_picture(size);
        pictures_.clear();
        const std::size_t count = std::clamp<std::size_t>(kBytesInTurn / image.bytes.size(), 3, 64);
        for (std::size_t i = 0; i < count; ++i) {
            std::vector<DeviceMemory>& buffers = pictures_.emplace_back();
            for (const Buffer& buffer : filters::lab().buffers)
                buffers.emplace_back(readable_bytes(bytes_of(buffer, size)));
            WS_CUDA(cudaMemcpy(buffers[filters::buffer::picture].data(), image.bytes.data(),
                               image.bytes.readable_size(), cudaMemcpyHostToDevice));
        }
    }
    [[nodiscard]] std::size_t pictures() const { return pictures_.size(); }

    // From one picture into the next: as many bytes read as written.
    [[nodiscard]] Statistics copy() {
        return time([&](std::size_t i) {
            WS_CUDA(cudaMemcpyAsync(pictures_[(i + 1) % pictures_.size()][filters::buffer::picture].data(),
                                    pictures_[i][filters::buffer::picture].data(), size_.pixels() * 4,
                                    cudaMemcpyDeviceToDevice, stream_.get()));
        });
    }

    [[nodiscard]] Statistics floor() {
        CompileRequest request;
        request.name = "floor";
        request.text = kFloor;
        request.entry = "floor_of_the_pipeline";
        request.architecture = target_.architecture;
        request.to_ptx = target_.to_ptx;
        const Launch launch{.step = filters::step::fused,
                            .kernel = kernel(request),
                            .block = {256, 1},
                            .grid = {int((size_.pixels() / 4 + 255) / 256), 1},
                            .arguments = arguments_of(first_work(filters::lab()), filters::step::fused)};
        return time([&](std::size_t i) { run(launch, i); });
    }

    struct VersionTimes {
        std::map<int, Statistics> steps;  // of the kernels that make the edges after blurring
        std::map<int, int> registers;
        Statistics total;
    };
    [[nodiscard]] VersionTimes version(const Version& version, bool by_step) {
        std::vector<Launch> launches;
        VersionTimes times;
        const Work work = with_version(first_work(filters::lab()), version);
        for (const StepRequest& step : step_requests(
                 work, [&](std::string_view name) -> const KernelSource& { return library_.find(name); })) {
            if (!runs_step(work, step.step)) continue;
            launches.push_back(launch_of(step, arguments_of(work, step.step),
                                         kernel(compile_request(filters::lab(), step, target_)), size_,
                                         multiprocessors_));
            times.registers[step.step] = launches.back().kernel->report.registers;
        }
        if (by_step) {
            for (const Launch& launch : launches)
                times.steps[launch.step] = time([&](std::size_t i) { run(launch, i); });
        }
        times.total = time([&](std::size_t i) {
            for (const Launch& launch : launches) run(launch, i);
        });
        return times;
    }

  private:
    std::shared_ptr<const CompiledKernel> kernel(const CompileRequest& request) {
        const CompileOutcome outcome = compiler_.wait_for(request);
        if (!outcome.kernel) throw Error("a kernel does not compile", "", outcome.error);
        return outcome.kernel;
    }

    void run(const Launch& launch, std::size_t i) {
        const std::vector<DeviceMemory>& buffers = pictures_[i];
        const ModuleCache::Loaded loaded = modules_.load(launch.kernel);
        if (loaded.status != CUDA_SUCCESS) throw Error(driver_.name_of(loaded.status));
        if (configured_ != loaded.function) {
            const CUfunc_cache cache = launch.cache == CachePreference::shared ? CU_FUNC_CACHE_PREFER_SHARED
                                       : launch.cache == CachePreference::l1   ? CU_FUNC_CACHE_PREFER_L1
                                                                               : CU_FUNC_CACHE_PREFER_NONE;
            driver_.func_set_cache_config(loaded.function, cache);
            configured_ = loaded.function;
        }
        const std::uint8_t* from = buffers[std::size_t(launch.input())].data();
        std::uint8_t* to = buffers[std::size_t(launch.output())].data();
        int width = size_.width;
        int height = size_.height;
        void* arguments[] = {&from, &to, &width, &height};
        const CUresult status =
            driver_.launch_kernel(loaded.function, unsigned(launch.grid.width), unsigned(launch.grid.height),
                                  1, unsigned(launch.block.x), unsigned(launch.block.y), 1, 0,
                                  reinterpret_cast<CUstream>(stream_.get()), arguments, nullptr);
        if (status != CUDA_SUCCESS) throw Error(driver_.name_of(status));
    }

    // Median time of one call of work(i), in microseconds, with the pictures in turn.
    [[nodiscard]] Statistics time(const std::function<void(std::size_t)>& work) const {
        const CudaEvent begin;
        const CudaEvent end;
        const auto start = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(60)) {
            for (std::size_t i = 0; i < pictures_.size(); ++i) work(i);
            WS_CUDA(cudaStreamSynchronize(stream_.get()));
        }
        const std::size_t calls = std::max<std::size_t>(32, pictures_.size());
        std::vector<double> samples;
        for (int sample = 0; sample < kSamples; ++sample) {
            WS_CUDA(cudaEventRecord(begin.get(), stream_.get()));
            for (std::size_t i = 0; i < calls; ++i) work(i % pictures_.size());
            WS_CUDA(cudaEventRecord(end.get(), stream_.get()));
            WS_CUDA(cudaEventSynchronize(end.get()));
            float ms = 0;
            WS_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()));
            samples.push_back(1000.0 * double(ms) / double(calls));
        }
        return statistics_of(samples);
    }

    const Driver& driver_;
    CompileService& compiler_;
    const KernelLibrary& library_;
    CodeTarget target_;
    int multiprocessors_;
    CudaStream stream_;
    ModuleCache modules_;
    CUfunction configured_ = nullptr;
    Extent size_;
    std::vector<std::vector<DeviceMemory>> pictures_;  // each with the buffers of the lab
};

// Where everything is measured, and where it goes.
struct Place {
    const GpuClock& clock;
    ComputeCapability capability;
    const KernelLibrary& library;
    GpuRecords& records;

    // A time that was taken just now.
    void keep(const Bench& bench, const Version& version, Extent size,
              const Bench::VersionTimes& times) const {
        const Work work = with_version(first_work(filters::lab()), version);
        const auto requests = step_requests(
            work, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
        GpuRecords::Taken taken{times.total, {}, {}, {}};
        for (const auto& [step, time] : times.steps) taken.step_us.push_back(time.median);
        const ClockReading reading = clock.read();
        if (reading.mhz) taken.clock.add(*reading.mhz);
        taken.slowed = reading.slowed;
        records.keep(work, requests, {0, size}, fmt::format("test, {} in turn", bench.pictures()), taken);
    }
};

// Every version on the lecture's picture, step by step.
Json steps_table(Bench& bench, const Place& place) {
    const auto& [clock, capability, library, records] = place;
    bench.use(kTestPictureSize);
    const Statistics copy = bench.copy();
    const Statistics floor = bench.floor();
    fmt::print("{} pictures of {} x {} in turn, microseconds (median, spread of the middle half)\n",
               bench.pictures(), kTestPictureSize.width, kTestPictureSize.height);
    fmt::print("copy of the RGBA bytes {:.1f}; floor (read 4, write 1 byte a pixel) {:.2f} +- {:.2f}\n",
               copy.median, floor.median, floor.spread());
    fmt::print("{:<4}{:>9}{:>9}{:>9}{:>9}{:>9}{:>7}{:>9}{:>10}{:>7}{:>6}\n", "V", "gray", "blur", "edge",
               "fused", "total", "+-", "/ floor", "tutorial", "ratio", "MHz");
    Json json{{"pictures", bench.pictures()},
              {"width", kTestPictureSize.width},
              {"height", kTestPictureSize.height},
              {"copy", copy},
              {"floor", floor}};
    for (const Version& version : filters::lab().versions) {
        const std::string_view whole = version.steps[filters::step::fused].kernel;
        if (!whole.empty() && !can_run(library.find(whole), capability)) continue;
        Bench::VersionTimes times = bench.version(version, true);
        place.keep(bench, version, kTestPictureSize, times);
        Json row{{"version", version.number}};
        fmt::print("V{:<3}", version.number);
        for (std::size_t i = 0; i < filters::lab().steps.size(); ++i) {
            const auto time = times.steps.find(int(i));
            const bool runs = time != times.steps.end();
            fmt::print("{:>9}", runs ? fmt::format("{:.1f}", time->second.median) : "");
            if (!runs) continue;
            Json& entry = row[std::string(filters::lab().steps[i].name)];
            entry = time->second;
            entry["registers"] = times.registers[int(i)];
        }
        row["total"] = times.total;
        row["over_floor"] = times.total.median / floor.median;
        json["versions"].push_back(row);
        const double tutorial =
            version.number < int(kTutorialBlur.size()) ? kTutorialBlur[std::size_t(version.number)] : 0;
        fmt::print(
            "{:>9.2f}{:>7.2f}{:>9.2f}{:>10}{:>7}{:>6}\n", times.total.median, times.total.spread(),
            times.total.median / floor.median, tutorial > 0 ? fmt::format("{:.1f}", tutorial) : "",
            tutorial > 0 ? fmt::format("{:.2f}", times.steps[filters::step::blur].median / tutorial) : "",
            clock.read().mhz.value_or(0));
    }
    return json;
}

// The whole pipeline over pictures from 0.1 to 100 Mpixel.
Json growth_table(Bench& bench, const Place& place, std::optional<int> only) {
    const KernelLibrary& library = place.library;
    const ComputeCapability capability = place.capability;
    constexpr std::array kSizes{
        Extent{364, 274},   Extent{640, 480},   Extent{639, 480},   Extent{1156, 867},
        Extent{1155, 867},  Extent{1920, 1080}, Extent{1919, 1080}, Extent{1918, 1080},
        Extent{1917, 1080}, Extent{3648, 2736}, Extent{3647, 2736}, Extent{3646, 2736},
        Extent{3645, 2736}, Extent{8160, 6120}, Extent{8159, 6120}, Extent{11584, 8640}};
    fmt::print("\nwhole pipeline, microseconds\n{:<16}{:>9}", "picture", "floor");
    Json json = Json::array();
    std::vector<const Version*> shown;
    for (const Version& version : filters::lab().versions) {
        const std::string_view whole = version.steps[filters::step::fused].kernel;
        if (!whole.empty() && !can_run(library.find(whole), capability)) continue;
        if (only ? version.number != *only : version.number != 0 && version.number != 8 && whole.empty())
            continue;
        shown.push_back(&version);
        fmt::print("{:>9}", fmt::format("V{}", version.number));
    }
    fmt::print("{:>9}\n", "/ floor");
    for (const Extent size : kSizes) {
        bench.use(size);
        const Statistics floor = bench.floor();
        Json row{{"width", size.width}, {"height", size.height}, {"floor", floor}};
        double last = 0;  // of the newest version
        fmt::print("{:<16}{:>9.2f}", fmt::format("{} x {}", size.width, size.height), floor.median);
        for (const Version* version : shown) {
            const Bench::VersionTimes times = bench.version(*version, false);
            const Statistics& total = times.total;
            place.keep(bench, *version, size, times);
            row[fmt::format("V{}", version->number)] = total;
            last = total.median;
            fmt::print("{:>9.2f}", total.median);
        }
        fmt::print("{:>9.2f}\n", last / floor.median);
        json.push_back(row);
    }
    return json;
}

struct Options {
    std::string kernels;         // a folder with other kernels than the embedded ones, to compare with them
    std::optional<int> version;  // alone
};

Options parse(const std::vector<std::string>& arguments) {
    constexpr const char* kUsage =
        "usage: bench_gpu_versions [--json FILE] [--records FILE] [--kernels DIR] [--version N]";
    Options options;
    if (arguments.size() % 2 != 0) throw UsageError(kUsage);
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        if (arguments[i] == "--kernels")
            options.kernels = arguments[i + 1];
        else if (arguments[i] == "--version")
            options.version =
                version_of(filters::lab(), parse_number<int>(arguments[i + 1]).value_or(-1)).number;
        else
            throw UsageError(kUsage);
    }
    return options;
}

int run(const Options& options, GpuRecords& records, Figures& figures) {
    const Driver* driver = Driver::get();
    if (!driver) throw Error("this bench needs a CUDA GPU");
    WS_CUDA(cudaSetDevice(0));
    WS_CUDA(cudaFree(nullptr));
    const DeviceFacts facts = read_cuda_facts(0);
    char bus[32] = "";
    WS_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    const GpuClock clock(bus);
    const KernelLibrary library(options.kernels);
    CompileService compiler({});
    if (!compiler.compiler()) throw Error(compiler.why());
    const ComputeCapability capability = facts.profile.limits.capability;
    Bench bench(*driver, compiler, library, runnable_target(compiler.compiler()->architectures(), capability),
                facts.profile.multiprocessors);
    fmt::print("{}\n", facts.name);
    figures.set("gpu", facts.name);
    figures.set("unit", "microseconds");
    records.use(facts, compiler.compiler()->name());
    const Place place{clock, capability, library, records};
    if (!options.version) figures.set("stages", steps_table(bench, place));
    figures.set("growth", growth_table(bench, place, options.version));
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    return ws::bench_main("gpu_versions", argc, argv,
                          [](std::vector<std::string> arguments, ws::Figures& figures) {
                              ws::GpuRecords records(arguments);
                              return ws::run(ws::parse(arguments), records, figures);
                          });
}
