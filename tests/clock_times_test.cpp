// Times by the clock of a multiprocessor against an H200's, for every version of every lab, as
// docs/measurements.md has them. The H200's profile comes from microbenchmarks (bench/clock_rates.cu), and
// from no kernel here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>

#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/analysis/profiles.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/engine/traced_kernel.h"
#include "gpu/simt/sample.h"
#include "lab_launches.h"

namespace ws {
namespace {

constexpr Extent kScene{3648, 2736};

// GB/s of the bytes that must be moved, by "matmul V4": the table of the section on every version.
std::map<std::string, double> measured_rates() {
    std::ifstream in(std::string(WARPSCOPE_SOURCE_DIR) + "/docs/measurements.md");
    std::map<std::string, double> made;
    bool below = false;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("### ")) below = line == "### Effective bandwidth and FLOPS of every version";
        std::smatch row;
        if (!below || !std::regex_match(line, row, std::regex("\\| `([a-z-]+)` \\| ([^|]*)\\|.*"))) continue;
        const std::string cell = row[2];
        const std::regex one("V([0-9]+) ([0-9.]+)");
        for (std::sregex_iterator at(cell.begin(), cell.end(), one), end; at != end; ++at)
            made[row[1].str() + " V" + (*at)[1].str()] = std::stod((*at)[2]);
    }
    return made;
}

// Many lanes of the whole GPU queue for few words of global memory, which one multiprocessor cannot tell.
bool queues_for_atomics(std::string_view lab, int version) {
    return lab == "reduction" && version >= 8;
}

Problem problem_of(const Lab& lab, Extent size) {
    if (!lab.takes_picture()) return generated_problem(lab, size);
    RgbaImage image(size);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = std::uint8_t(i * 2654435761U >> 24);
    return picture_problem(lab, std::make_shared<const RgbaImage>(std::move(image)));
}

struct Times {
    double by_clock = 0, by_bounds = 0;  // ms
    double bytes = 0;                    // that must be moved
};

// Of a version's launches, by the clock and as estimate_time has them.
class Timer {
  public:
    explicit Timer(const Nvrtc& nvrtc) : nvrtc_(nvrtc), gpu_(GpuTable().named("H200")) {}

    Times time(const Lab& lab, const Version& version) {
        const Work work = with_version(first_work(lab), version);
        const Extent size = lab.takes_picture() ? kScene : work.size;
        if (problem_.lab != &lab) problem_ = problem_of(lab, size);
        const auto find = [&](std::string_view name) -> const KernelSource& { return library_.find(name); };
        Times sum;
        for (const StepRequest& step : step_requests(work, find)) {
            if (!runs_step(work, step.step)) continue;
            add(lab,
                launch_of(step, arguments_of(work, step.step), compiled(lab, step, false), size,
                          gpu_.multiprocessors),
                compiled(lab, step, true), sum);
        }
        return sum;
    }

  private:
    std::shared_ptr<const CompiledKernel> compiled(const Lab& lab, const StepRequest& step, bool ptx) {
        const auto kernel = nvrtc_.compile(compile_request(lab, step, {90, ptx}));
        EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.message());
        return std::make_shared<const CompiledKernel>(kernel.value());
    }

    void add(const Lab& lab, const Launch& launch, std::shared_ptr<const CompiledKernel> ptx, Times& sum) {
        CountJob counting{
            {std::string(lab.id), launch_key(launch, {}), input_key(problem_), gpu_}, launch, problem_};
        counting.launch.kernel = std::move(ptx);
        StagedLaunch staged = stager_.stage(counting);
        simt::LaunchOutcome counted = simt::count_sample(staged.gpu, staged.launch, simt::step_options(),
                                                         simt::layout_of(lab, launch, problem_.size));
        counted.counters.unique_bytes = std::uint64_t(least_bytes(lab, launch.arguments, problem_.size));
        const CompileReport& report = launch.kernel->report;
        const KernelResources resources{launch.block.threads() * launch.threads()[2], report.registers,
                                        int(simt::shared_bytes_of(staged.launch)), false, launch.cache};
        const Estimate estimate =
            estimate_time(counted.counters, occupancy_of(resources, gpu_.limits), gpu_, report.code);
        const ClockJob job{{counting.key, 0},
                           launch,
                           problem_,
                           std::make_shared<const KernelCounters>(counted.counters),
                           estimate.device_bytes};
        const std::atomic<bool> cancel{false};
        const auto traced = TracedKernel::make(job, stager_, cancel);
        sum.by_clock += traced->launch(gpu_).ms;
        sum.by_bounds += estimate.ms;
        sum.bytes += double(counted.counters.unique_bytes);
    }

    const Nvrtc& nvrtc_;
    const KernelLibrary library_{{}};
    GpuProfile gpu_;
    Problem problem_;
    LaunchStager stager_;
};

// Of |estimated / measured - 1|, and the larger of the ratio and its inverse.
struct Error {
    double sum = 0, worst = 1;
    int times = 0;
    void add(double ratio) {
        sum += std::abs(ratio - 1);
        worst = std::max({worst, ratio, 1 / ratio});
        ++times;
    }
    [[nodiscard]] double mean() const { return times > 0 ? sum / times : 0; }
};

// Of values in the same order as others: 1 where their ranks are the same.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const auto rank = [](const std::vector<double>& values, std::size_t i) {
        double below = 0;
        for (std::size_t k = 0; k < values.size(); ++k)
            below += values[k] < values[i] ? 1 : values[k] == values[i] && k != i ? 0.5 : 0;
        return below;
    };
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(rank(a, i) - rank(b, i), 2);
    const auto n = double(a.size());
    return n > 1 ? 1 - 6 * squares / (n * (n * n - 1)) : 1;
}

TEST(ClockTimes, AreThoseOfTheH200) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.message();
    const std::map<std::string, double> rates = measured_rates();
    ASSERT_GT(rates.size(), 100u);
    Timer timer(*nvrtc.value());
    Error clock;
    Error bounds;
    for (const Lab* lab : labs()) {
        Error of_lab;
        std::vector<double> estimated;
        std::vector<double> measured;
        std::string row;
        for (const Version& version : lab->versions) {
            const auto rate = rates.find(std::string(lab->id) + " V" + std::to_string(version.number));
            if (rate == rates.end() || queues_for_atomics(lab->id, version.number)) continue;
            const Times times = timer.time(*lab, version);
            const double ms = times.bytes / rate->second / 1e6;
            of_lab.add(times.by_clock / ms);
            clock.add(times.by_clock / ms);
            bounds.add(times.by_bounds / ms);
            estimated.push_back(times.by_clock);
            measured.push_back(ms);
            char text[32];
            std::snprintf(text, sizeof text, "%sV%d %.2f", row.empty() ? "" : ", ", version.number,
                          times.by_clock / ms);
            row += text;
        }
        if (of_lab.times == 0) continue;
        std::printf("| `%s` | %s | %.0f | %.2f | %.2f |\n", std::string(lab->id).c_str(), row.c_str(),
                    100 * of_lab.mean(), of_lab.worst, rank_correlation(estimated, measured));
        std::fflush(stdout);
    }
    std::printf("%d times: by the clock %.1f %%, worst factor %.2f; by the bounds %.1f %%, %.2f\n",
                clock.times, 100 * clock.mean(), clock.worst, 100 * bounds.mean(), bounds.worst);
    EXPECT_GT(clock.times, 115);
    EXPECT_LT(clock.mean(), 0.11) << "docs/clock.md says 0.097";
    EXPECT_LT(clock.worst, 2.5);
    EXPECT_LT(clock.mean(), bounds.mean()) << "the bounds are simpler";
}

}  // namespace
}  // namespace ws
