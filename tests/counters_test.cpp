// The simulated GPU's counters against those of a real one, case by case; tests/counters/h200.json holds what
// Nsight Compute counted, with driver and date.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "compiled_kernels.h"
#include "counter_cases.h"
#include "gpu/analysis/profiles.h"
#include "gpu/simt/step_launch.h"
#include "lab_launches.h"
#include "launch_buffers.h"
#include "simt_support.h"

namespace ws {
namespace {

using Json = nlohmann::json;

std::string text_of(const char* file) {
    return read_file(std::string(WARPSCOPE_SOURCE_DIR) + "/tests/counters/" + file);
}

// Runs a case as the GPU program does. Empty if it cannot.
KernelCounters simulate(testing::CounterCase one, const GpuProfile& gpu) {
    one.request.architecture =
        runnable_target(testing::compiler()->architectures(), gpu.limits.capability).architecture;
    one.request.to_ptx = true;
    const auto kernel = testing::compiled_kernel(one.request);
    const auto program = simt::load_program({kernel->binary.data(), kernel->binary.size()}, kernel->entry);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.message());
    if (!program.ok()) return {};
    std::vector<std::byte> in(testing::kPatternBytes, std::byte{1});
    std::vector<std::byte> out(testing::kPatternBytes);
    simt::Gpu simulated(gpu);
    simt::KernelLaunch launch;
    launch.program = program.value();
    launch.grid = {one.grid.width, one.grid.height, 1};
    launch.block = {one.block.x, one.block.y, 1};
    simt::set_parameter(launch, 0, simulated.map_read_only(std::as_bytes(std::span(in))), 8);
    simt::set_parameter(launch, 1, simulated.map(out), 8);
    simt::set_parameter(launch, 2, one.is_step ? std::uint64_t(testing::kCounterPicture.width) : 1, 4);
    if (one.is_step) simt::set_parameter(launch, 3, std::uint64_t(testing::kCounterPicture.height), 4);
    const simt::LaunchOutcome outcome = simulated.launch(launch);
    EXPECT_TRUE(outcome.counters.findings.empty()) << outcome.counters.findings.front().message;
    return outcome.counters;
}

struct Comparison {
    int compared = 0;
    int steps = 0;
    double machine_per_ptx = 0;  // machine instructions for a PTX instruction, summed over the steps
    std::vector<std::string> not_measured;  // cases without counters: a version that is newer than the file
    std::vector<std::string> left_over;     // counters without a case
};

// What the H200 counts otherwise; docs/measurements.md says why.
struct Deviation {
    std::string_view launch, counter;
};
constexpr Deviation kDeviations[] = {{"divergence V7 data", "global_store_requests"},
                                     {"divergence V7 data", "shared_load_wavefronts"},
                                     {"divergence V7 data", "shared_store_wavefronts"}};

bool deviates(std::string_view launch, std::string_view counter) {
    return std::any_of(std::begin(kDeviations), std::end(kDeviations),
                       [&](const Deviation& one) { return one.launch == launch && one.counter == counter; });
}

// How many were compared.
int compare_counts(const std::string& name, const InstructionCounts& c, const Json& real) {
    const std::map<std::string, std::uint64_t> mine{{"global_load_requests", c.global_load.requests},
                                                    {"global_load_sectors", c.global_load.sectors},
                                                    {"global_store_requests", c.global_store.requests},
                                                    {"global_store_sectors", c.global_store.sectors},
                                                    {"shared_load_wavefronts", c.shared_load.wavefronts},
                                                    {"shared_store_wavefronts", c.shared_store.wavefronts}};
    const Json varies = real.value("varies", Json::array());
    for (const auto& [key, value] : mine) {
        const auto measured = real[key].get<std::uint64_t>();
        if (deviates(name, key)) {
            EXPECT_NE(value, measured) << name << ": " << key << ": no deviation any more";
            continue;
        }
        if (std::find(varies.begin(), varies.end(), key) != varies.end()) {
            // The hardware itself counts otherwise on every run: wavefronts that wait for other work.
            EXPECT_NEAR(double(value), double(measured), 0.03 * double(measured)) << name << ": " << key;
            continue;
        }
        EXPECT_EQ(value, measured) << name << ": " << key;
    }
    return int(mine.size());
}

void compare_one(const testing::CounterCase& one, const InstructionCounts& c, const Json& real,
                 Comparison& sum) {
    sum.compared += compare_counts(one.name, c, real);
    if (one.is_step) {
        ++sum.steps;
        sum.machine_per_ptx += real["instructions"].get<double>() / double(c.instructions);
    }
    const double real_lanes = real["thread_instructions"].get<double>() / real["instructions"].get<double>();
    const double my_lanes = double(c.thread_instructions) / double(c.instructions);
    EXPECT_NEAR(my_lanes / real_lanes, 1, 0.05) << one.name << ": active threads per warp instruction";
}

// `measured` holds the counters by the names of the cases.
Comparison compare(const std::vector<testing::CounterCase>& cases, const Json& measured) {
    const GpuProfile gpu = GpuTable().named("H200");
    Comparison sum;
    for (const testing::CounterCase& one : cases) {
        if (measured.contains(one.name)) {
            compare_one(one, simulate(one, gpu).total, measured[one.name], sum);
        } else {
            sum.not_measured.push_back(one.name);
        }
    }
    for (const auto& entry : measured.items()) {
        const auto is_it = [&](const testing::CounterCase& one) { return one.name == entry.key(); };
        if (std::none_of(cases.begin(), cases.end(), is_it)) sum.left_over.push_back(entry.key());
    }
    return sum;
}

TEST(Counters, EqualThoseOfTheH200) {
    WS_NEED_COMPILER();
    const Json data = Json::parse(text_of("h200.json"));
    const Comparison sum = compare(testing::counter_cases(text_of("patterns.cu")), data["cases"]);
    EXPECT_GT(sum.compared, 600);
    // What the estimates of time take for granted.
    EXPECT_NEAR(sum.machine_per_ptx / sum.steps, 0.86, 0.05);
    std::cout << sum.compared << " counters compared; machine instructions for a PTX instruction, mean of "
              << sum.steps << " launches: " << sum.machine_per_ptx / sum.steps << "\n";
    for (const std::string& name : sum.not_measured)
        std::cout << "not measured (tools/gpu-counters measures anew): " << name << "\n";
    for (const std::string& name : sum.left_over) std::cout << "counters without a case: " << name << "\n";
}

// What a launch is said to need (for effective bandwidth, for roofs) it asks for: a buffer that it takes and
// never touches would count as moved. Half of it, as a turned picture's corners and the end of a small buffer
// stay unread.
void expect_asks_for_what_it_needs(const std::string& name, const Launch& launch, const Lab& lab,
                                   const InstructionCounts& c) {
    const std::uint64_t asked =
        c.global_load.bytes_requested + c.global_store.bytes_requested + c.texture.bytes_transferred;
    EXPECT_GE(double(asked), 0.5 * least_bytes(lab, launch.arguments, testing::kLabSize)) << name;
}

TEST(Counters, OfEveryLabEqualThoseOfTheH200) {
    WS_NEED_COMPILER();
    const Json measured = Json::parse(text_of("h200_labs.json"))["cases"];
    const GpuProfile gpu = GpuTable().named("H200");
    const CodeTarget target{
        runnable_target(testing::compiler()->architectures(), gpu.limits.capability).architecture, true};
    const KernelLibrary library;
    int compared = 0;
    for (const testing::LabVersion& one : testing::lab_versions()) {
        const Plan plan = lab_plan(one, library, target, gpu.multiprocessors, testing::compiled_kernel);
        testing::LaunchBuffers buffers(*plan.lab, plan.launches, testing::kLabSize, 0);
        buffers.fill_from(testing::lab_problem(*plan.lab));
        for (const Launch& launch : plan.launches) {
            const std::string name = one.name_of(launch);
            if (!measured.contains(name)) {
                std::cout << "not measured (tools/gpu-counters measures anew): " << name << "\n";
                continue;
            }
            const auto program = simt::load_program(launch.kernel->binary.data(), launch.kernel->entry);
            ASSERT_TRUE(program.ok()) << program.message();
            simt::Gpu simulated(gpu);
            const auto outcome =
                simulated.launch(simt::step_launch(simulated, program.value(), launch, *plan.lab,
                                                   testing::kLabSize, buffers.places()),
                                 simt::step_options());
            compared += compare_counts(name, outcome.counters.total, measured[name]);
            expect_asks_for_what_it_needs(name, launch, *plan.lab, outcome.counters.total);
        }
    }
    EXPECT_GT(compared, 600);
}

TEST(Counters, AVersionThatTheFileLacksIsListed) {
    WS_NEED_COMPILER();
    const auto all = testing::counter_cases(text_of("patterns.cu"));
    const auto pattern = std::find_if(all.begin(), all.end(), [](const auto& one) { return !one.is_step; });
    ASSERT_TRUE(all.front().is_step && pattern != all.end());
    const Json measured = Json::parse(text_of("h200.json"))["cases"];
    const Comparison sum = compare({all.front(), *pattern},
                                   {{pattern->name, measured[pattern->name]}, {"gone 8x8", Json::object()}});
    EXPECT_EQ(sum.not_measured, std::vector{all.front().name});
    EXPECT_EQ(sum.left_over, std::vector<std::string>{"gone 8x8"});
    EXPECT_EQ(sum.compared, 6);
}

}  // namespace
}  // namespace ws
