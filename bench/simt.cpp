// The simulated GPU: lane instructions a second with counting, and the whole pipeline. Usage: bench_simt
// [--quick] [VERSION...]

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gpu/analysis/profiles.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/core/settings.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/targets.h"
#include "gpu/picture/test_picture.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"
#include "gpu/simt/sample.h"
#include "gpu/simt/stage_launch.h"

namespace ws {
namespace {

struct StageRun {
    double seconds = 0;
    std::uint64_t lanes = 0;
};

StageRun run(const simt::LaunchSetup& setup, int repeat) {
    std::vector<double> times;
    std::uint64_t lanes = 0;
    for (int i = 0; i < repeat; ++i) {
        const simt::LaunchOutcome outcome = simt::launch(setup);
        times.push_back(outcome.counters.milliseconds / 1000);
        lanes = outcome.counters.total.lanes;
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], lanes};
}

int bench(bool quick, const std::vector<int>& versions) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) {
        fmt::print("skipped: {}\n", nvrtc.message());
        return 0;
    }
    const KernelLibrary library{{}};
    const GpuTable gpus;
    const GpuProfile gpu = gpus.named("RTX 3060");
    fmt::print("simulated {}, {} threads\n", gpu.name, std::thread::hardware_concurrency());
    fmt::print("{:>4} {:>12} {:>10} {:>10} {:>12} {:>14} {:>14} {:>10} {:>10}\n", "V", "picture", "gray ms",
               "blur ms", "edge ms", "pipeline ms", "blur Mlanes/s", "uncounted", "sample ms");
    std::vector<Extent> sizes{{1155, 866}};
    if (!quick) sizes.push_back({3648, 2736});
    for (const Extent size : sizes) {
        const RgbaImage picture = draw_test_picture(size);
        for (const int number : versions) {
            const Version& version = version_numbered(number);
            const Settings settings = with_version({}, version);
            const auto requests = stage_requests(
                settings, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
            std::vector<std::vector<std::uint8_t>> buffers{picture.bytes};
            PerStage<double> times{};
            double rate = 0;
            double uncounted = 0;
            double sample = 0;
            for (const StageRequest& request : requests) {
                if (!runs_stage(version, View::edge, true, request.stage)) continue;
                const int architecture = std::max(75, request.source->needs.number());
                const auto kernel = nvrtc.value()->compile(compile_request(request, {architecture, true}));
                if (!kernel.ok()) throw Error(kernel.message());
                const auto program = simt::load_program(kernel.value().binary.data(), kernel.value().entry);
                if (!program.ok()) throw Error(program.message());
                buffers.emplace_back(size.pixels());
                const Launch launch =
                    launch_of(version, request.stage, nullptr, request.block, request.tile, size);
                simt::LaunchSetup setup =
                    simt::stage_launch(program.value(), launch, gpu, size, buffers[buffers.size() - 2].data(),
                                       reads_rgba(request.stage) ? 4 : 1, buffers.back().data());
                const int repeat = size.width > 2000 ? 3 : 7;
                const StageRun counted = run(setup, repeat);
                times[index_of(request.stage)] = counted.seconds * 1000;
                if (request.stage == Stage::blur || request.stage == Stage::fused) {
                    rate = double(counted.lanes) / counted.seconds / 1e6;
                    const auto strata = simt::choose_blocks(
                        launch.grid, launch.tile, 4, size, launch.block.threads(),
                        int(std::size_t(launch.block.threads()) * (1 << 15) / launch.tile.pixels()));
                    for (int i = 0; i < 5; ++i)
                        sample = simt::launch_sample(setup, strata).counters.milliseconds;
                }
                setup.count = false;
                uncounted += run(setup, repeat).seconds * 1000;
            }
            const GrayImage reference = reference_picture(picture, View::edge, true);
            const bool equal = reference.bytes == buffers.back();
            fmt::print(
                "{:>4} {:>5} x {:>4} {:>10.1f} {:>10.1f} {:>12.1f} {:>14.1f} {:>14.0f} {:>10.1f} "
                "{:>10.1f}{}\n",
                number, size.width, size.height, times[0], times[1], times[2],
                times[0] + times[1] + times[2] + times[3], rate, uncounted, sample,
                equal ? "" : "  THE PICTURE IS WRONG");
            if (!equal) return 1;
        }
    }
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    try {
        bool quick = false;
        std::vector<int> versions;
        for (int i = 1; i < argc; ++i) {
            if (std::string_view(argv[i]) == "--quick")
                quick = true;
            else
                versions.push_back(ws::version_numbered(std::stoi(argv[i])).number);
        }
        if (versions.empty()) versions = {0, 7, 8, 11, 16};
        return ws::bench(quick, versions);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_simt: error: {}\n", error.what());
        return 1;
    }
}
