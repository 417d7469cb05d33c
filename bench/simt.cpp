// The simulated GPU: the whole pipeline with counting, from 0.1 to 100 Mpixel, and how many million
// instructions of warps a core executes in a second, interpreted and translated. Usage: bench_simt [--quick]
// [--json FILE] [VERSION...]

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "bench/figures.h"
#include "gpu/analysis/profiles.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/core/background.h"
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
    double core_ms = 0;  // of all cores together, whatever else they do
    InstructionCounts total;
};

// A step interpreted and translated, in turn: what else the machine does then slows both down.
struct StepRuns {
    StepRun interpreted;
    StepRun translated;
};

struct Staged {
    simt::Gpu gpu;
    simt::KernelLaunch launch;
};

StepRuns run(Staged& interpreted, Staged& translated, const simt::LaunchOptions& options, int repeat) {
    std::array<std::vector<double>, 2> times;
    std::array<std::vector<double>, 2> core_times;
    StepRuns made;
    for (int i = 0; i < repeat; ++i) {
        for (const bool translates : {false, true}) {
            Staged& staged = translates ? translated : interpreted;
            const std::clock_t before = std::clock();
            const simt::LaunchOutcome outcome = staged.gpu.launch(staged.launch, options);
            core_times[translates].push_back(double(std::clock() - before) / (CLOCKS_PER_SEC / 1000));
            times[translates].push_back(outcome.counters.milliseconds);
            (translates ? made.translated : made.interpreted).total = outcome.counters.total;
        }
    }
    made.interpreted.ms = statistics_of(std::move(times[0]));
    made.translated.ms = statistics_of(std::move(times[1]));
    made.interpreted.core_ms = statistics_of(std::move(core_times[0])).median;
    made.translated.core_ms = statistics_of(std::move(core_times[1])).median;
    return made;
}

int bench(bool quick, const std::vector<int>& versions, Figures& figures) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) {
        fmt::print("skipped: {}\n", nvrtc.message());
        return 0;
    }
    const KernelLibrary library;
    const GpuTable gpus;
    const GpuProfile gpu = gpus.named("RTX 3060");
    fmt::print("simulated {}, {} threads\n", gpu.name, processors());
    fmt::print(
        "milliseconds of translated code; million instructions of warps that one core executes in a second, "
        "of the"
        " whole pipeline\n");
    fmt::print("{:>4} {:>12} {:>8} {:>8} {:>8} {:>9} {:>14} {:>10} {:>8} {:>12} {:>11} {:>6}\n", "V",
               "picture", "gray", "blur", "edge", "pipeline", "blur Mlanes/s", "uncounted", "sample",
               "interpreted", "translated", "ratio");
    figures.set("gpu", gpu.name);
    figures.set("processors", processors());
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
            double instructions = 0;
            double interpreted_ms = 0;
            double translated_ms = 0;
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
                const auto stage = [&](simt::Translate translate) {
                    Staged made{simt::Gpu(gpu, translate), {}};
                    made.launch = simt::step_launch(made.gpu, program.value(), launch, lab, size, buffers);
                    return made;
                };
                Staged interpreted = stage(simt::Translate::never);
                Staged translated = stage(simt::Translate::at_once);
                simt::LaunchOptions options = simt::step_options();
                const int repeat = size.width > 2000 ? 3 : 9;
                const StepRuns counted = run(interpreted, translated, options, repeat);
                times[std::size_t(request.step)] = counted.translated.ms;
                instructions += double(counted.translated.total.instructions);
                interpreted_ms += counted.interpreted.core_ms;
                translated_ms += counted.translated.core_ms;
                if (counted.interpreted.total != counted.translated.total)
                    throw Error("translated code counts otherwise");
                if (request.step == filters::step::blur || request.step == filters::step::fused) {
                    rate = double(counted.translated.total.thread_instructions) /
                           counted.translated.ms.median / 1e3;
                    for (int i = 0; i < 5; ++i)
                        sample = simt::count_sample(translated.gpu, translated.launch, options,
                                                    simt::layout_of(lab, launch, size))
                                     .counters.milliseconds;
                }
                options.count = false;
                uncounted += run(interpreted, translated, options, repeat).translated.ms.median;
            }
            const HostBytes reference = reference_result(picture_problem(lab, picture), shown);
            double all = 0;
            for (const Statistics& time : times) all += time.median;
            const bool equal = reference == memory[std::size_t(shown)];
            const double interpreted = instructions / interpreted_ms / 1e3;
            const double translated = instructions / translated_ms / 1e3;
            fmt::print(
                "{:>4} {:>5} x {:>4} {:>8.1f} {:>8.1f} {:>8.1f} {:>9.1f} {:>14.0f} {:>10.1f} {:>8.1f} "
                "{:>12.0f} "
                "{:>11.0f} {:>6.2f}{}\n",
                number, size.width, size.height, times[filters::step::gray].median,
                times[filters::step::blur].median, times[filters::step::edge].median, all, rate, uncounted,
                sample, interpreted, translated, translated / interpreted,
                equal ? "" : "  THE PICTURE IS WRONG");
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
                         {"interpreted_per_second", interpreted * 1e6},
                         {"translated_per_second", translated * 1e6},
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
