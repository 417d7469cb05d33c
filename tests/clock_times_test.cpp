// Times by the clock of a multiprocessor against an H200's: of every version of every lab, as
// docs/measurements.md has them, and of the classics (bench/classics). Both tests print rows of the tables
// there. The H200's profile comes from microbenchmarks (warpscope calibrate), and from no kernel here.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <regex>
#include <utility>

#include "classic_launches.h"
#include "clock_row.h"
#include "compiled_kernels.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/freed_memory.h"
#include "gpu/engine/launch_clock.h"
#include "gpu/engine/launch_stager.h"
#include "gpu/sass/machine_code_reader.h"
#include "gpu/simt/sample.h"
#include "gpu_figures.h"
#include "lab_launches.h"
#include "simt_support.h"

namespace ws {
namespace {

using testing::ClockRow;
using testing::GpuFigures;
using testing::StallSamples;
using testing::TableError;

constexpr Extent kScene{3648, 2736};
const std::string kSamples = std::string(WARPSCOPE_SOURCE_DIR) + "/tests/counters/h200_samples.json";
// Of a time: what two runs of a measurement differ by.
constexpr double kTie = 0.03;

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

// How often it is to be measured how long the window waits: not at all, unless somebody asks.
int timed_runs() {
    const char* asked = std::getenv("WARPSCOPE_TIMED_RUNS");
    return asked ? std::max(0, std::atoi(asked)) : 0;
}

Problem problem_of(const Lab& lab, Extent size) {
    if (!lab.takes_picture()) return generated_problem(lab, size);
    RgbaImage image(size);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = std::uint8_t(i * 2654435761U >> 24);
    return picture_problem(lab, std::make_shared<const RgbaImage>(std::move(image)));
}

// As in the program.
class ClockTimes : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { keep_freed_memory(); }
};

// Of a version's launches.
class Timer {
  public:
    Timer() : gpu_(GpuTable().named("H200")) {}

    ClockRow time(const Lab& lab, const Version& version) {
        const Work work = with_version(first_work(lab), version);
        const Extent size = lab.takes_picture() ? kScene : work.size;
        if (problem_.lab != &lab) problem_ = problem_of(lab, size);
        const auto find = [&](std::string_view name) -> const KernelSource& { return library_.find(name); };
        ClockRow sum;
        jobs_.clear();
        for (const StepRequest& step : step_requests(work, find)) {
            if (!runs_step(work, step.step)) continue;
            const std::string name = std::string(lab.id) + " V" + std::to_string(version.number) + " " +
                                     std::string(lab.steps[std::size_t(step.step)].name);
            sum += row(name, lab, bytes_between(work, step.step, size),
                       launch_of(step, arguments_of(work, step.step),
                                 testing::compiled_kernel(compile_request(lab, step, {90, false})), size,
                                 gpu_.multiprocessors));
        }
        return sum;
    }

    // How long the window waits for what the last one's times are made of, once all inputs are there: the
    // least of so many runs, since others use the machine, too. With none it only asks.
    double wait_ms(int runs) {
        double least = runs > 0 ? std::numeric_limits<double>::max() : 0;
        for (int run = 0; run <= runs; ++run) {  // the first prepares inputs
            const auto begin = std::chrono::steady_clock::now();
            clock_.ask(jobs_, {});
            clock_.wait();
            const std::chrono::duration<double, std::milli> waited = std::chrono::steady_clock::now() - begin;
            EXPECT_TRUE(clock_.take());
            if (run > 0) least = std::min(least, waited.count());
        }
        return least;
    }
    // As the window has it, after `wait_ms`.
    [[nodiscard]] double estimated_ms() const {
        double sum = 0;
        for (const ClockJob& job : jobs_) sum += clock_.find(job.key)->launch->ms;
        return sum;
    }

  private:
    ClockRow row(const std::string& name, const Lab& lab, double bytes_between, const Launch& launch) {
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
        const Estimate estimate = testing::estimate_by_bounds(launch, staged, counted);
        jobs_.push_back(testing::clock_job(launch, counted, estimate, counting.key));
        jobs_.back().key.bytes_between = bytes_between;
        jobs_.back().problem = problem_;
        jobs_.back().ptx = counting.launch.kernel;
        return testing::clock_row(name, jobs_.back(), estimate, [&] { return stager_.stage(counting); });
    }

    const KernelLibrary library_;
    GpuProfile gpu_;
    Problem problem_;
    LaunchStager stager_;
    LaunchClock clock_;
    std::vector<ClockJob> jobs_;  // of the last version
};

// From 0; what is equal shares the mean of its ranks.
std::vector<double> ranks(const std::vector<double>& values) {
    std::vector<double> made;
    for (const double one : values) {
        double below = -0.5;
        for (const double other : values) below += other < one ? 1 : other == one ? 0.5 : 0;
        made.push_back(below);
    }
    return made;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const auto n = double(a.size());
    const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
    const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double both = 0;
    double of_a = 0;
    double of_b = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += (a[i] - mean_a) * (b[i] - mean_b);
        of_a += std::pow(a[i] - mean_a, 2);
        of_b += std::pow(b[i] - mean_b, 2);
    }
    return of_a > 0 && of_b > 0 ? both / std::sqrt(of_a * of_b) : 1;
}

// 1 where estimates have the order of what was measured. What lies within `tie` (0.03: 3 %) above the
// shortest of its group cannot be told apart by measuring, from one run to the next, so that its order says
// nothing of an estimate: such a group has one rank, of its mean, among the measured and the estimated times.
double rank_correlation(const std::vector<double>& estimated, const std::vector<double>& measured,
                        double tie) {
    std::vector<std::size_t> order(measured.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return measured[a] < measured[b]; });
    std::vector<double> a = ranks(estimated);
    std::vector<double> b = ranks(measured);
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        double of_estimated = 0;
        double of_measured = 0;
        for (; end < order.size() && measured[order[end]] <= (1 + tie) * measured[order[first]]; ++end) {
            of_estimated += a[order[end]];
            of_measured += b[order[end]];
        }
        const auto members = double(end - first);
        for (; first < end; ++first) {
            a[order[first]] = of_estimated / members;
            b[order[first]] = of_measured / members;
        }
    }
    return correlation(a, b);
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

TEST_F(ClockTimes, OrderIsThatOfTimesThatCanBeToldApart) {
    const std::vector<double> measured{10, 10.2, 20, 30};
    EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, measured, kTie), 1, 1e-9);
    EXPECT_NEAR(rank_correlation({2, 1, 3, 4}, measured, kTie), 1, 1e-9) << "2 % apart";
    EXPECT_NEAR(rank_correlation({2, 1, 3, 4}, measured, 0), 0.8, 1e-9);
    EXPECT_LT(rank_correlation({1, 2, 4, 3}, measured, kTie), 0.9);
    EXPECT_NEAR(rank_correlation({4, 3, 2, 1}, measured, 0), -1, 1e-9);
}

TEST_F(ClockTimes, StatesOfARunThatTookMuchLongerAreOfAnotherOne) {
    GpuFigures gpu;
    gpu.counted_us = 100;
    EXPECT_TRUE(testing::is_same_run(gpu, 91));
    EXPECT_TRUE(testing::is_same_run(gpu, 110));
    EXPECT_FALSE(testing::is_same_run(gpu, 89));
    EXPECT_FALSE(testing::is_same_run(gpu, 112));
    gpu.states[std::size_t(WarpState::memory)] = 1;
    ClockRow row;
    row.states[std::size_t(WarpState::memory)] = 80;
    row.states[std::size_t(WarpState::barrier)] = 20;
    TableError table;
    table.add(row, gpu, 100);  // as long, but off
    row.states[std::size_t(WarpState::memory)] = 980;
    table.add(row, gpu, 100);
    table.add(row, gpu, 60);
    EXPECT_EQ(table.limiters, 3);
    EXPECT_EQ(table.same_states, 2);
    EXPECT_EQ(table.same_runs, 2);
    EXPECT_EQ(table.same_states_of_same_runs, 1);
}

TEST_F(ClockTimes, AreThoseOfTheH200) {
    WS_NEED_COMPILER();
    const std::map<std::string, double> rates = measured_rates();
    ASSERT_GT(rates.size(), 100u);
    const std::map<std::string, GpuFigures> figures = gpu_figures_of("labs");
    const StallSamples samples(kSamples);
    const std::map<std::string, double> documented = documented_ratios();
    Timer timer;
    TableError clock;
    TableError bounds;
    TableError instructions;
    std::vector<double> waits;
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
                const std::optional<double> lines = clock.add_lines(row, samples);
                EXPECT_EQ(row.traces, int(row.launches.size())) << name;
                testing::print_row(name, row, gpu->second, 1e3 * ms, lines);
                clock.add(row, gpu->second, 1e3 * ms);
                instructions.add_ratio(row.instructions / gpu->second.instructions);
                expect_documented(documented, name, row.ms / ms);
            }
            waits.push_back(timer.wait_ms(timed_runs()));
            EXPECT_NEAR(timer.estimated_ms(), row.ms, 1e-9 * row.ms) << name;
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
        const double told_apart = rank_correlation(estimated, measured, kTie);
        std::snprintf(text, sizeof text, "%.0f | %.2f | %.2f | %.2f |\n", 100 * of_lab.mean(), of_lab.worst,
                      rank_correlation(estimated, measured, 0), told_apart);
        EXPECT_GE(told_apart, 0.97) << lab->id;
        of_labs += "| `" + std::string(lab->id) + "` | " + ratios + " | " + text;
    }
    std::printf("%s", of_labs.c_str());
    clock.print("by the clock");
    instructions.print("instructions, counted over counted");
    bounds.print("by the bounds");
    std::sort(waits.begin(), waits.end());
    if (timed_runs() > 0)
        std::printf("waiting for it: %.0f ms (median), %.0f (nine of ten), %.0f (most)\n",
                    waits[waits.size() / 2], waits[waits.size() * 9 / 10], waits.back());
    EXPECT_GT(clock.times, 115);
    EXPECT_LT(clock.mean(), 0.047) << "docs/clock.md has the table";
    EXPECT_EQ(instructions.within, 125);
    EXPECT_LT(instructions.mean(), 0.004);
    EXPECT_LT(clock.worst, 1.4);
    EXPECT_GE(clock.same_limiter, 115) << "of 125";
    EXPECT_GE(clock.same_states, 121) << "of 125";
    EXPECT_GE(clock.as_samples.within, 119) << "of " << clock.sampled_rows;
    EXPECT_GE(clock.by_time.within, 117) << "of " << clock.sampled_rows;
    EXPECT_GE(clock.lines.clock, *std::ranges::min_element(clock.lines.alone)) << "as well as samples";
    EXPECT_LT(clock.mean(), bounds.mean()) << "the bounds are simpler";
}

TEST_F(ClockTimes, OfTheClassicsAreThoseOfTheH200) {
    WS_NEED_COMPILER();
    const std::map<std::string, GpuFigures> figures = gpu_figures_of("classics");
    const StallSamples samples(kSamples);
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
            testing::ClassicLaunch launch(all[i]);
            const KernelCounters counted = launch.count();
            const Estimate estimate = testing::estimate_by_bounds(launch.as_launch(), launch.staged, counted);
            CountKey key;
            key.gpu = launch.staged.gpu.profile();
            // Its buffers live as long as what is staged of them.
            std::optional<testing::ClassicLaunch> other;
            bool is_first = true;
            const auto stage = [&] {
                return std::move(std::exchange(is_first, false) ? launch.staged
                                                                : other.emplace(all[i]).staged);
            };
            const ClockRow row = testing::clock_row(
                all[i].name, testing::clock_job(launch.as_launch(), counted, estimate, key), estimate, stage);
            const double us = gpu->second.us;
            const std::optional<double> lines = clock.add_lines(row, samples);
            testing::print_row(all[i].name, row, gpu->second, us, lines);
            EXPECT_EQ(row.traces, all[i].name == std::string("elimination_step") ? 2 : 1) << all[i].name;
            clock.add(row, gpu->second, us);
            clock.add_ratio(1e3 * row.ms / us);
            instructions.add_ratio(row.instructions / gpu->second.instructions);
            expect_documented(documented, all[i].name, 1e3 * row.ms / us);
            if (row.bounded) bounds.add_ratio(1e3 * row.ms_by_bounds / us);
        }
        clock.print(held_out ? "held out, by the clock" : "others, by the clock");
        instructions.print("instructions, counted over counted");
        bounds.print("by the bounds");
        EXPECT_GT(clock.times, 39);
        EXPECT_GE(instructions.within, held_out ? 37 : 81) << "of " << instructions.times;
        EXPECT_LT(instructions.mean(), 0.004) << "docs/clock.md names each that is off";
        EXPECT_LT(clock.mean(), held_out ? 0.045 : 0.050);
        EXPECT_EQ(clock.beyond, 0) << "a factor of 1.4";
        EXPECT_GE(clock.same_limiter, held_out ? 38 : 74) << "of " << clock.limiters;
        EXPECT_GE(clock.same_states, held_out ? 38 : 81) << "of " << clock.limiters;
        EXPECT_GE(clock.as_samples.within, held_out ? 39 : 83) << "of " << clock.sampled_rows;
        EXPECT_GE(clock.by_time.within, held_out ? 38 : 82) << "of " << clock.sampled_rows;
        EXPECT_LT(clock.mean(), bounds.mean()) << "the bounds are simpler";
    }
}

}  // namespace
}  // namespace ws
