// Times by the clock of a multiprocessor against an H200's: of every version of every lab, as
// docs/measurements.md has them, and of the classics (bench/classics). Both tests print rows of the tables
// there. The H200's profile comes from microbenchmarks (warpscope calibrate), and from no kernel here.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>

#include "classic_launches.h"
#include "clock_row.h"
#include "gpu/analysis/profiles.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/engine/launch_stager.h"
#include "gpu/sass/machine_code_reader.h"
#include "gpu/simt/sample.h"
#include "gpu_figures.h"
#include "lab_launches.h"

namespace ws {
namespace {

using testing::ClockRow;
using testing::GpuFigures;
using testing::TableError;

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

Problem problem_of(const Lab& lab, Extent size) {
    if (!lab.takes_picture()) return generated_problem(lab, size);
    RgbaImage image(size);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = std::uint8_t(i * 2654435761U >> 24);
    return picture_problem(lab, std::make_shared<const RgbaImage>(std::move(image)));
}

// Of a version's launches.
class Timer {
  public:
    explicit Timer(const Nvrtc& nvrtc) : nvrtc_(nvrtc), gpu_(GpuTable().named("H200")) {}

    ClockRow time(const Lab& lab, const Version& version) {
        const Work work = with_version(first_work(lab), version);
        const Extent size = lab.takes_picture() ? kScene : work.size;
        if (problem_.lab != &lab) problem_ = problem_of(lab, size);
        const auto find = [&](std::string_view name) -> const KernelSource& { return library_.find(name); };
        ClockRow sum;
        for (const StepRequest& step : step_requests(work, find)) {
            if (!runs_step(work, step.step)) continue;
            sum += row(lab, launch_of(step, arguments_of(work, step.step), compiled(lab, step), size,
                                      gpu_.multiprocessors));
        }
        return sum;
    }

  private:
    std::shared_ptr<const CompiledKernel> compiled(const Lab& lab, const StepRequest& step) {
        const auto kernel = nvrtc_.compile(compile_request(lab, step, {90, false}));
        EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.message());
        return std::make_shared<const CompiledKernel>(kernel.value());
    }

    ClockRow row(const Lab& lab, const Launch& launch) {
        CompiledKernel ptx = *launch.kernel;
        const std::string text = ptx_in(ptx.binary);
        ptx.binary.assign(text.begin(), text.end());
        ptx.binary.push_back('\0');
        ptx.is_ptx = true;
        CountJob counting{
            {std::string(lab.id), launch_key(launch, {}), input_key(problem_), gpu_}, launch, problem_};
        counting.launch.kernel = std::make_shared<const CompiledKernel>(std::move(ptx));
        StagedLaunch staged = stager_.stage(counting);
        KernelCounters counted = simt::count_sample(staged.gpu, staged.launch, simt::step_options(),
                                                    simt::layout_of(lab, launch, problem_.size))
                                     .counters;
        counted.unique_bytes = std::uint64_t(least_bytes(lab, launch.arguments, problem_.size));
        return testing::clock_row(launch, std::move(staged), counted);
    }

    const Nvrtc& nvrtc_;
    const KernelLibrary library_{{}};
    GpuProfile gpu_;
    Problem problem_;
    LaunchStager stager_;
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

// Of the classics, or of the labs by "matmul V4": what Nsight Compute counted.
std::map<std::string, GpuFigures> gpu_figures_of(const char* what) {
    const auto all = nlohmann::json::parse(
        read_file(std::string(WARPSCOPE_SOURCE_DIR) + "/tests/counters/h200_classics.json"));
    const bool of_labs = std::string(what) == "labs";
    std::map<std::string, std::vector<nlohmann::json>> launches;
    for (const auto& [name, one] : all[what].items())
        launches[of_labs ? name.substr(0, name.find(' ', name.find(' ') + 1)) : name].push_back(one);
    std::map<std::string, GpuFigures> made;
    for (const auto& [name, ones] : launches) made[name] = testing::gpu_figures(ones);
    return made;
}

// What the tables in docs/measurements.md say of estimated over measured, by the name in their first column.
std::map<std::string, double> documented_ratios() {
    std::ifstream in(std::string(WARPSCOPE_SOURCE_DIR) + "/docs/measurements.md");
    std::map<std::string, double> made;
    bool below = false;
    const std::regex row("\\| ([^|]*) \\|( [^|]* \\|){6} ([0-9.]+) \\|.*");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("### ")) below = line.starts_with("### Times by the clock");
        std::smatch match;
        if (below && std::regex_match(line, match, row)) made[match[1]] = std::stod(match[3]);
    }
    return made;
}

void expect_documented(const std::map<std::string, double>& documented, const std::string& name,
                       double ratio) {
    const auto found = documented.find(name);
    ASSERT_NE(found, documented.end()) << name << " is not in docs/measurements.md";
    // What is thrown for lines of memory comes out otherwise where a logarithm is rounded otherwise.
    EXPECT_NEAR(ratio, found->second, 0.02 + 0.04 * ratio) << name;
}

TEST(ClockTimes, AreThoseOfTheH200) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.message();
    const std::map<std::string, double> rates = measured_rates();
    ASSERT_GT(rates.size(), 100u);
    const std::map<std::string, GpuFigures> figures = gpu_figures_of("labs");
    const std::map<std::string, double> documented = documented_ratios();
    Timer timer(*nvrtc.value());
    TableError clock;
    TableError bounds;
    std::vector<double> works;
    std::string of_labs;  // lines of the table in docs/clock.md
    for (const Lab* lab : labs()) {
        TableError of_lab;
        std::vector<double> estimated;
        std::vector<double> measured;
        std::string ratios;
        for (const Version& version : lab->versions) {
            const std::string name = std::string(lab->id) + " V" + std::to_string(version.number);
            const auto rate = rates.find(name);
            if (rate == rates.end()) continue;
            const ClockRow row = timer.time(*lab, version);
            const double ms = row.least_bytes / rate->second / 1e6;
            const auto gpu = figures.find(name);
            if (gpu != figures.end()) {
                testing::print_row(name, row, gpu->second, 1e3 * ms);
                clock.add(row, gpu->second);
                expect_documented(documented, name, row.ms / ms);
            }
            works.push_back(row.work_ms);
            of_lab.add_ratio(row.ms / ms);
            clock.add_ratio(row.ms / ms);
            if (row.bounded) bounds.add_ratio(row.ms_by_bounds / ms);
            estimated.push_back(row.ms);
            measured.push_back(ms);
            char text[32];
            std::snprintf(text, sizeof text, "%sV%d %.2f", ratios.empty() ? "" : ", ", version.number,
                          row.ms / ms);
            ratios += text;
        }
        if (of_lab.times == 0) continue;
        char text[64];
        std::snprintf(text, sizeof text, "%.0f | %.2f | %.2f |\n", 100 * of_lab.mean(), of_lab.worst,
                      rank_correlation(estimated, measured));
        of_labs += "| `" + std::string(lab->id) + "` | " + ratios + " | " + text;
    }
    std::printf("%s", of_labs.c_str());
    clock.print("by the clock");
    bounds.print("by the bounds");
    std::sort(works.begin(), works.end());
    std::printf("to run the clock: %.0f ms (median), %.0f (nine of ten), %.0f (most)\n",
                works[works.size() / 2], works[works.size() * 9 / 10], works.back());
    EXPECT_GT(clock.times, 115);
    EXPECT_LT(clock.mean(), 0.08) << "docs/clock.md says 0.071";
    EXPECT_LT(clock.worst, 1.7);
    EXPECT_LT(clock.mean(), bounds.mean()) << "the bounds are simpler";
}

TEST(ClockTimes, OfTheClassicsAreThoseOfTheH200) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.message();
    const std::map<std::string, GpuFigures> figures = gpu_figures_of("classics");
    const std::map<std::string, double> documented = documented_ratios();
    const std::vector<classics::Classic> all = classics::classics(classics::Size::measured);
    for (const bool held_out : {false, true}) {
        TableError clock;
        TableError bounds;
        TableError instructions;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (classics::is_held_out(i) != held_out) continue;
            const auto gpu = figures.find(all[i].name);
            ASSERT_NE(gpu, figures.end()) << all[i].name;
            testing::ClassicLaunch launch(all[i], *nvrtc.value());
            const KernelCounters counted = launch.count();
            const ClockRow row = testing::clock_row(launch.as_launch(), std::move(launch.staged), counted);
            const double us = gpu->second.us;
            testing::print_row(all[i].name, row, gpu->second, us);
            clock.add(row, gpu->second);
            clock.add_ratio(1e3 * row.ms / us);
            instructions.add_ratio(row.instructions / gpu->second.instructions);
            expect_documented(documented, all[i].name, 1e3 * row.ms / us);
            if (row.bounded) bounds.add_ratio(1e3 * row.ms_by_bounds / us);
        }
        clock.print(held_out ? "held out, by the clock" : "others, by the clock");
        instructions.print("instructions, counted over counted");
        bounds.print("by the bounds");
        EXPECT_GT(clock.times, 39);
        EXPECT_LT(instructions.mean(), 0.025) << "docs/clock.md names each that is off";
        EXPECT_LT(clock.mean(), 0.125) << "docs/measurements.md says 0.115 for both";
        EXPECT_LT(clock.mean(), bounds.mean()) << "the bounds are simpler";
    }
}

}  // namespace
}  // namespace ws
