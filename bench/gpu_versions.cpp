// Times V0 to V11 per stage on the GPU: 3648 x 2736, eight pictures in turn so that no cache holds them,
// beside a plain copy of the same bytes. Prints a table and, with --json, JSON for docs/measurements.md.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/statistics.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/gpu_clock.h"
#include "gpu/cuda/module_cache.h"
#include "gpu/cuda/resources.h"
#include "gpu/engine/targets.h"
#include "gpu/picture/test_picture.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

constexpr int kPictures = 8;
constexpr int kSamples = 30;
constexpr Extent kSize = kTestPictureSize;

// The kernels of NVIDIA's GTC 2015 tutorial on an H200, microseconds of the blur; 0 where there is no figure.
constexpr std::array<double, 12> kTutorialBlur{189.8, 137.0, 179.6, 137.1, 148.8, 88.2,
                                               0,     54.6,  42.6,  0,     42.5,  0};

struct Pictures {
    std::array<DeviceMemory, kPictures> rgba, gray, blurred, edges;
};

// Median time of one call of work(i), in microseconds, with the pictures in turn.
Statistics time_us(cudaStream_t stream, const std::function<void(int)>& work) {
    const CudaEvent begin;
    const CudaEvent end;
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(60)) {
        for (int i = 0; i < kPictures; ++i) work(i);
        WS_CUDA(cudaStreamSynchronize(stream));
    }
    std::vector<double> samples;
    constexpr int kRounds = 4;
    for (int sample = 0; sample < kSamples; ++sample) {
        WS_CUDA(cudaEventRecord(begin.get(), stream));
        for (int i = 0; i < kRounds * kPictures; ++i) work(i % kPictures);
        WS_CUDA(cudaEventRecord(end.get(), stream));
        WS_CUDA(cudaEventSynchronize(end.get()));
        float ms = 0;
        WS_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()));
        samples.push_back(1000.0 * double(ms) / (kRounds * kPictures));
    }
    return statistics_of(samples);
}

int run(bool as_json, const std::string& kernel_folder) {
    const Driver* driver = Driver::get();
    if (!driver) throw Error("this bench needs a CUDA GPU");
    WS_CUDA(cudaSetDevice(0));
    WS_CUDA(cudaFree(nullptr));
    const DeviceFacts facts = read_cuda_facts(0);
    char bus[32] = "";
    WS_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    const GpuClock clock(bus);
    const CudaStream stream;
    ModuleCache modules(*driver);
    const KernelLibrary library(kernel_folder);
    CompileService compiler({});
    if (!compiler.compiler()) throw Error(compiler.why());
    const CodeTarget target =
        runnable_target(compiler.compiler()->architectures(), facts.profile.limits.capability);

    Pictures pictures;
    const RgbaImage image = draw_test_picture(kSize);
    for (int i = 0; i < kPictures; ++i) {
        const auto n = std::size_t(i);
        pictures.rgba[n] = DeviceMemory(image.bytes.size());
        pictures.gray[n] = DeviceMemory(kSize.pixels());
        pictures.blurred[n] = DeviceMemory(kSize.pixels());
        pictures.edges[n] = DeviceMemory(kSize.pixels());
        WS_CUDA(cudaMemcpy(pictures.rgba[n].data(), image.bytes.data(), image.bytes.size(),
                           cudaMemcpyHostToDevice));
    }

    nlohmann::ordered_json json{
        {"gpu", facts.name}, {"pictures", kPictures}, {"width", kSize.width}, {"height", kSize.height}};
    fmt::print(stderr,
               "{}, {} pictures of {} x {} in turn, microseconds (median, spread of the middle half)\n",
               facts.name, kPictures, kSize.width, kSize.height);
    // A plain copy of the RGBA bytes, from one picture into the next one's edges and others: 40 MB read and
    // written.
    const Statistics copy = time_us(stream.get(), [&](int i) {
        WS_CUDA(cudaMemcpyAsync(pictures.rgba[std::size_t((i + 1) % kPictures)].data(),
                                pictures.rgba[std::size_t(i)].data(), image.bytes.size(),
                                cudaMemcpyDeviceToDevice, stream.get()));
    });
    json["copy_us"] = copy.median;
    fmt::print(stderr, "copy of {:.0f} MB: {:.1f}\n", double(image.bytes.size()) / 1e6, copy.median);
    fmt::print(stderr, "{:<4}{:>9}{:>8}{:>9}{:>8}{:>9}{:>8}{:>9}{:>8}{:>10}{:>7}{:>6}\n", "V", "gray", "+-",
               "blur", "+-", "edge", "+-", "total", "+-", "tutorial", "ratio", "MHz");

    for (const Version& version : versions()) {
        const Settings settings = with_version(Settings{}, version);
        std::array<Statistics, 4> times;
        std::array<Launch, 3> launches;
        for (const StageRequest& stage : stage_requests(
                 settings,
                 [&](std::string_view name) -> const KernelSource& { return library.find(name); })) {
            const CompileOutcome outcome = compiler.wait_for(compile_request(stage, target));
            if (!outcome.kernel) throw Error("a kernel does not compile", "", outcome.error);
            launches[index_of(stage.stage)] = {
                stage.stage,
                outcome.kernel,
                stage.block,
                grid_for(kSize, stage.block, stage.source->pixels_per_thread),
                stage.stage == Stage::blur ? version.cache : CachePreference::none,
                version.banks};
        }
        const auto launch = [&](Stage stage, int i) {
            const auto n = std::size_t(i);
            const Launch& what = launches[index_of(stage)];
            const ModuleCache::Loaded loaded = modules.load(what.kernel);
            if (loaded.status != CUDA_SUCCESS) throw Error(driver->name_of(loaded.status));
            const CUfunc_cache cache = what.cache == CachePreference::shared ? CU_FUNC_CACHE_PREFER_SHARED
                                       : what.cache == CachePreference::l1   ? CU_FUNC_CACHE_PREFER_L1
                                                                             : CU_FUNC_CACHE_PREFER_NONE;
            driver->func_set_cache_config(loaded.function, cache);
            const std::uint8_t* source = stage == Stage::gray   ? pictures.rgba[n].data()
                                         : stage == Stage::blur ? pictures.gray[n].data()
                                                                : pictures.blurred[n].data();
            std::uint8_t* out = stage == Stage::gray   ? pictures.gray[n].data()
                                : stage == Stage::blur ? pictures.blurred[n].data()
                                                       : pictures.edges[n].data();
            int width = kSize.width;
            int height = kSize.height;
            void* arguments[] = {&source, &out, &width, &height};
            const CUresult status =
                driver->launch_kernel(loaded.function, unsigned(what.grid.width), unsigned(what.grid.height),
                                      1, unsigned(what.block.x), unsigned(what.block.y), 1, 0,
                                      reinterpret_cast<CUstream>(stream.get()), arguments, nullptr);
            if (status != CUDA_SUCCESS) throw Error(driver->name_of(status));
        };
        for (const Stage stage : kStages) {
            times[index_of(stage)] = time_us(stream.get(), [&](int i) { launch(stage, i); });
        }
        times[3] = time_us(stream.get(), [&](int i) {
            for (const Stage stage : kStages) launch(stage, i);
        });
        const double tutorial =
            version.number < int(kTutorialBlur.size()) ? kTutorialBlur[std::size_t(version.number)] : 0;
        fmt::print(stderr, "V{:<3}", version.number);
        for (const Statistics& time : times)
            fmt::print(stderr, "{:>9.1f}{:>8.2f}", time.median, time.spread());
        fmt::print(stderr, "{:>10}{:>7}{:>6}\n", tutorial > 0 ? fmt::format("{:.1f}", tutorial) : "",
                   tutorial > 0 ? fmt::format("{:.2f}", times[1].median / tutorial) : "",
                   clock.mhz().value_or(0));
        nlohmann::ordered_json row{{"version", version.number}};
        for (const Stage stage : kStages) {
            const Statistics& time = times[index_of(stage)];
            row[std::string(name_of(stage))] = {
                {"us", time.median},
                {"spread", time.spread()},
                {"registers", launches[index_of(stage)].kernel->report.registers}};
        }
        row["total"] = {{"us", times[3].median}, {"spread", times[3].spread()}};
        json["versions"].push_back(row);
    }
    if (as_json) fmt::print("{}\n", json.dump(1));
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    try {
        bool as_json = false;
        std::string kernel_folder;  // other kernels than the embedded ones, to compare with them
        for (int i = 1; i < argc; ++i) {
            const std::string argument = argv[i];
            if (argument == "--json") {
                as_json = true;
            } else if (argument == "--kernels" && i + 1 < argc) {
                kernel_folder = argv[++i];
            } else {
                throw ws::UsageError("usage: bench_gpu_versions [--json] [--kernels DIR]");
            }
        }
        return ws::run(as_json, kernel_folder);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_gpu_versions: error: {}\n", error.what());
        return 1;
    }
}
