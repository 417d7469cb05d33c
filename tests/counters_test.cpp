// The simulated GPU's counters against those of a real one, case by case; tests/counters/h200.json holds what
// Nsight Compute counted, with driver and date.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "counter_cases.h"
#include "gpu/analysis/profiles.h"
#include "gpu/simt/stage_launch.h"

namespace ws {
namespace {

using Json = nlohmann::json;

Json measured() {
    return Json::parse(read_file(std::string(WARPSCOPE_SOURCE_DIR) + "/tests/counters/h200.json"));
}

// Runs a case as the GPU program does. Empty if it cannot.
KernelCounters simulate(const Nvrtc& nvrtc, testing::CounterCase one, const GpuProfile& gpu) {
    one.request.architecture = runnable_target(nvrtc.architectures(), gpu.limits.capability).architecture;
    one.request.to_ptx = true;
    const auto kernel = nvrtc.compile(one.request);
    EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.message());
    const auto program = simt::load_program({kernel.value().binary.data(), kernel.value().binary.size()},
                                            kernel.value().entry);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.message());
    if (!program.ok()) return {};
    std::vector<std::byte> in(testing::kPatternBytes, std::byte{1});
    std::vector<std::byte> out(testing::kPatternBytes);
    simt::LaunchSetup setup;
    setup.program = program.value();
    setup.grid = {one.grid.width, one.grid.height, 1};
    setup.block = {one.block.x, one.block.y, 1};
    setup.gpu = gpu;
    setup.buffers = {{in.data(), in.size(), true, false}, {out.data(), out.size(), true, true}};
    simt::set_parameter(setup, 0, simt::buffer_address(setup, 0), 8);
    simt::set_parameter(setup, 1, simt::buffer_address(setup, 1), 8);
    simt::set_parameter(setup, 2, one.is_stage ? std::uint64_t(testing::kCounterPicture.width) : 1, 4);
    if (one.is_stage) simt::set_parameter(setup, 3, std::uint64_t(testing::kCounterPicture.height), 4);
    const simt::LaunchOutcome outcome = simt::launch(setup);
    EXPECT_TRUE(outcome.counters.findings.empty()) << outcome.counters.findings.front().message;
    return outcome.counters;
}

TEST(Counters, EqualThoseOfTheH200) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.message();
    const GpuProfile gpu = GpuTable().named("H200");
    const Json data = measured();
    const std::string patterns = read_file(std::string(WARPSCOPE_SOURCE_DIR) + "/tests/counters/patterns.cu");
    int compared = 0;
    double machine_per_ptx = 0;
    int stages = 0;
    for (const testing::CounterCase& one : testing::counter_cases(patterns)) {
        ASSERT_TRUE(data["cases"].contains(one.name)) << one.name;
        const Json& real = data["cases"][one.name];
        const KernelCounters counters = simulate(*nvrtc.value(), one, gpu);
        const InstructionCounts& c = counters.total;
        const std::map<std::string, std::uint64_t> mine{
            {"global_load_requests", c.global_load.requests},
            {"global_load_sectors", c.global_load.transactions},
            {"global_store_requests", c.global_store.requests},
            {"global_store_sectors", c.global_store.transactions},
            {"shared_load_wavefronts", c.shared_load.wavefronts},
            {"shared_store_wavefronts", c.shared_store.wavefronts}};
        const Json varies = real.value("varies", Json::array());
        for (const auto& [key, value] : mine) {
            ++compared;
            const auto measured = real[key].get<std::uint64_t>();
            if (std::find(varies.begin(), varies.end(), key) != varies.end()) {
                // The hardware itself counts otherwise on every run: passes that wait for other work.
                EXPECT_NEAR(double(value), double(measured), 0.02 * double(measured))
                    << one.name << ": " << key;
                continue;
            }
            EXPECT_EQ(value, measured) << one.name << ": " << key;
        }
        if (one.is_stage) {
            ++stages;
            machine_per_ptx += real["instructions"].get<double>() / double(c.instructions);
        }
        const double real_lanes =
            real["thread_instructions"].get<double>() / real["instructions"].get<double>();
        const double my_lanes = double(c.lanes) / double(c.instructions);
        EXPECT_NEAR(my_lanes / real_lanes, 1, 0.05) << one.name << ": active threads per warp instruction";
    }
    EXPECT_GT(compared, 600);
    // What the estimates of time take for granted.
    EXPECT_NEAR(machine_per_ptx / stages, 0.86, 0.05);
    std::cout << "machine instructions for a PTX instruction, mean of " << stages
              << " launches: " << machine_per_ptx / stages << "\n";
}

}  // namespace
}  // namespace ws
