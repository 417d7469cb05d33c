// The simulated GPU: the whole pipeline with counting, from 0.1 to 100 Mpixel, and how many million
// instructions of warps it executes in a second, interpreted and translated. Usage: bench_simt [--quick]
// [--json FILE] [VERSION...]

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/figures.h"
#include "gpu/analysis/profiles.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/core/work.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/picture/test_picture.h"
#include "gpu/simt/sample.h"
#include "gpu/simt/step_launch.h"

namespace ws {
namespace {

struct StepRun {
    Statistics ms;
    std::uint64_t lanes = 0;
};

StepRun run(simt::Gpu& gpu, const simt::KernelLaunch& launch, const simt::LaunchOptions& options,
            int repeat) {
    std::vector<double> times;
    std::uint64_t lanes = 0;
    for (int i = 0; i < repeat; ++i) {
        const simt::LaunchOutcome outcome = gpu.launch(launch, options);
        times.push_back(outcome.counters.milliseconds);
        lanes = outcome.counters.total.thread_instructions;
    }
    return {statistics_of(std::move(times)), lanes};
}

int bench(bool quick, const std::vector<int>& versions, Figures& figures) {
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
    figures.set("gpu", gpu.name);
    figures.set("processors", std::thread::hardware_concurrency());
    std::vector<Extent> sizes{{1155, 866}};
    if (!quick) sizes = {{360, 280}, {1155, 866}, {3648, 2736}, {11584, 8640}};
    for (const Extent size : sizes) {
        const Lab& lab = filters::lab();
        const Picture picture = std::make_shared<const RgbaImage>(draw_test_picture(size));
        for (const int number : versions) {
            const Work work = with_version(first_work(lab), version_of(lab, number));
            const auto requests = step_requests(
                work, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
            std::vector<HostBytes> memory(lab.buffers.size());
            const PixelBytes& source = picture->bytes;
            memory.front().assign(source.data(), source.data() + source.readable_size());
            PerStep<Statistics> times{};
            double rate = 0;
            double uncounted = 0;
            double sample = 0;
            int shown = 0;
            for (const StepRequest& request : requests) {
                if (!runs_step(work, request.step)) continue;
                const int architecture = std::max(75, request.source->needs.number());
                const auto kernel =
                    nvrtc.value()->compile(compile_request(lab, request, {architecture, true}));
                if (!kernel.ok()) throw Error(kernel.message());
                const auto program = simt::load_program(kernel.value().binary.data(), kernel.value().entry);
                if (!program.ok()) throw Error(program.message());
                const Launch launch =
                    launch_of(request, arguments_of(work, request.step), nullptr, size, gpu.multiprocessors);
                shown = launch.output();
                memory[std::size_t(shown)].resize(bytes_of(lab.buffers[std::size_t(shown)], size));
                std::vector<std::uint8_t*> buffers;
                buffers.reserve(memory.size());
                for (HostBytes& bytes : memory) buffers.push_back(bytes.data());
                simt::Gpu simulated(gpu);
                const simt::KernelLaunch staged =
                    simt::step_launch(simulated, program.value(), launch, lab, size, buffers);
                simt::LaunchOptions options = simt::step_options();
                const int repeat = size.width > 2000 ? 3 : 9;
                const StepRun counted = run(simulated, staged, options, repeat);
                times[std::size_t(request.step)] = counted.ms;
                if (request.step == filters::step::blur || request.step == filters::step::fused) {
                    rate = double(counted.lanes) / counted.ms.median / 1e3;
                    for (int i = 0; i < 5; ++i)
                        sample =
                            simt::count_sample(simulated, staged, options, simt::layout_of(lab, launch, size))
                                .counters.milliseconds;
                }
                options.count = false;
                uncounted += run(simulated, staged, options, repeat).ms.median;
            }
            const HostBytes reference = reference_result(picture_problem(lab, picture), shown);
            double all = 0;
            for (const Statistics& time : times) all += time.median;
            const bool equal = reference == memory[std::size_t(shown)];
            fmt::print(
                "{:>4} {:>5} x {:>4} {:>10.1f} {:>10.1f} {:>12.1f} {:>14.1f} {:>14.0f} {:>10.1f} "
                "{:>10.1f}{}\n",
                number, size.width, size.height, times[filters::step::gray].median,
                times[filters::step::blur].median, times[filters::step::edge].median, all, rate, uncounted,
                sample, equal ? "" : "  THE PICTURE IS WRONG");
            figures.add({{"version", number},
                         {"width", size.width},
                         {"height", size.height},
                         {"gray_ms", times[filters::step::gray]},
                         {"blur_ms", times[filters::step::blur]},
                         {"edge_ms", times[filters::step::edge]},
                         {"one_pass_ms", times[filters::step::fused]},
                         {"pipeline_ms", all},
                         {"pipeline_uncounted_ms", uncounted},
                         {"lanes_per_second", rate * 1e6},
                         {"sample_ms", sample},
                         {"equal", equal}});
            if (!equal) return 1;
        }
    }
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    return ws::bench_main(
        "simt", argc, argv, [](const std::vector<std::string>& arguments, ws::Figures& figures) {
            bool quick = false;
            std::vector<int> versions;
            for (const std::string& argument : arguments) {
                if (argument == "--quick")
                    quick = true;
                else
                    versions.push_back(ws::version_of(ws::filters::lab(), std::stoi(argument)).number);
            }
            if (versions.empty()) versions = {0, 7, 8, 11, 16};
            return ws::bench(quick, versions, figures);
        });
}
