// Every version of every lab compiles for every architecture of interest with a block of a set, within the
// limits that let every block up to 1024 threads be launched, and to PTX, which simt_fuzz.cpp then finds
// compiled.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "gpu/analysis/profiles.h"
#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/engine/planner.h"
#include "gpu/engine/targets.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "tests/architectures.h"
#include "tests/compiled_kernels.h"
#include "tests/ptx_requests.h"

namespace ws {
namespace {

constexpr std::size_t kMostElements = 512;  // of a thread

// One for each of the architectures; the oldest, the H200's and the newest have the tightest limits.
constexpr Block kTightest{32, 32};
constexpr Block kBlocks[] = {kTightest, {1, 1}, {1, 1024}, {1024, 1}, kTightest, {7, 5}, kTightest};
static_assert(std::size(kBlocks) == std::size(testing::kArchitectures));

class Architecture : public ::testing::TestWithParam<int> {};

TEST_P(Architecture, EveryVersionCompiles) {
    CompileService service(testing::compiled_kernels());
    ASSERT_TRUE(service.compiler()) << service.why();
    WS_NEED_ARCHITECTURE(*service.compiler(), GetParam());
    const KernelLibrary library;
    const auto find = [&](std::string_view name) -> const KernelSource& { return library.find(name); };
    struct Wanted {
        CompileRequest request;
        Block block;
        std::string what;
    };
    const auto place = std::ranges::find(testing::kArchitectures, GetParam()) - testing::kArchitectures;
    const Block block = kBlocks[place];
    std::vector<Wanted> wanted;
    std::set<std::string> seen;  // versions share kernels
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) {
            const Work first = with_version(first_work(*lab), version);
            std::vector<Work> all;
            all.push_back(first);
            all.back().blocks.fill(block);
            if (block == kTightest) all.push_back(first);  // each version's own
            for (const Work& work : all) {
                for (const StepRequest& step : step_requests(work, find)) {
                    if (step.source->needs.number() > GetParam()) continue;
                    // A thread that goes through so many elements is compiled for many seconds.
                    if (step.tiling.tile.pixels() > kMostElements * std::size_t(step.block.threads()))
                        continue;
                    std::string what = step.source->name;
                    for (const auto& [knob, value] : step.knobs)
                        what += " " + knob + "=" + std::to_string(value);
                    if (seen.insert(what).second)
                        wanted.push_back(
                            {compile_request(*lab, step, {GetParam(), false}), step.block, what});
                }
            }
        }
    }
    std::vector<CompileRequest> requests;
    for (const Wanted& item : wanted) requests.push_back(item.request);
    service.ask(requests);
    for (const Wanted& item : wanted) {
        const CompileOutcome outcome = service.wait_for(item.request);
        ASSERT_TRUE(outcome.kernel) << item.what << ": " << outcome.error;
        const CompileReport& report = outcome.kernel->report;
        EXPECT_GT(report.registers, 0) << item.what;
        EXPECT_LE(report.shared_bytes, 48 * 1024) << item.what;
        const int warps = (item.block.threads() + 127) / 128 * 4;
        EXPECT_LE((report.registers + 7) / 8 * 8 * 32 * warps, 65536)
            << item.what << " does not fit the register file";
    }
    EXPECT_GT(wanted.size(), 60u + 4 * 10) << "the filters alone have more than 60, each transpose has 5";
}

class Ptx : public ::testing::TestWithParam<int> {};

TEST_P(Ptx, IsMadeOfEveryKernelFile) {
    CompileService service(testing::compiled_kernels());
    ASSERT_TRUE(service.compiler()) << service.why();
    WS_NEED_ARCHITECTURE(*service.compiler(), GetParam());
    const std::vector<CompileRequest> requests = testing::ptx_requests(GetParam());
    service.ask(requests);
    for (const CompileRequest& request : requests) {
        const CompileOutcome outcome = service.wait_for(request);
        ASSERT_TRUE(outcome.kernel) << request.name << ": " << outcome.error;
        const std::string_view text(outcome.kernel->binary.data(), outcome.kernel->binary.size());
        EXPECT_NE(text.find(".entry " + outcome.kernel->entry + "("), std::string_view::npos) << request.name;
    }
    EXPECT_GT(requests.size(), 60u);
}

// In this order: PTX comes with machine code.
INSTANTIATE_TEST_SUITE_P(Sm, Architecture, ::testing::ValuesIn(testing::kArchitectures));
INSTANTIATE_TEST_SUITE_P(Compute, Ptx, ::testing::ValuesIn(testing::kPtxArchitectures));

TEST(Knobs, ReachTheCompiler) {
    const KernelLibrary library;
    const auto find = [&](std::string_view name) -> const KernelSource& { return library.find(name); };
    Work work = with_version(first_work(filters::lab()), version_of(filters::lab(), 4));
    auto blur = *request_of(step_requests(work, find), filters::step::blur);
    EXPECT_EQ(blur.knobs.at("MIN_BLOCKS"), 10);
    EXPECT_EQ(blur.knobs.at("BLOCK_X"), 32);
    work.knobs["MIN_BLOCKS"] = 4;
    EXPECT_EQ(request_of(step_requests(work, find), filters::step::blur)->knobs.at("MIN_BLOCKS"), 4);
    work.knobs["MIN_BLOCKS"] = 99;  // out of range: the version's own
    EXPECT_EQ(request_of(step_requests(work, find), filters::step::blur)->knobs.at("MIN_BLOCKS"), 10);
    work = with_version(work, version_of(filters::lab(), 9));
    EXPECT_TRUE(work.knobs.empty());
    EXPECT_EQ(request_of(step_requests(work, find), filters::step::blur)->knobs.at("WIDE_STORES"), 1);
}

TEST(RegisterCap, LetsEveryBlockFit) {
    EXPECT_EQ(register_cap(64), 0);
    EXPECT_EQ(register_cap(256), 0);
    EXPECT_EQ(register_cap(512), 128);
    EXPECT_EQ(register_cap(1024), 64);
    EXPECT_EQ(register_cap(1000), 64);
    // Other register files: 16 K and warps in pairs, 32 K; where a thread cannot have more there is no cap.
    const GpuTable gpus;
    EXPECT_EQ(register_cap(64, gpus.named("GTX 280").limits), 0);
    EXPECT_EQ(register_cap(512, gpus.named("GTX 280").limits), 32);
    EXPECT_EQ(register_cap(65, gpus.named("FX 5600").limits), 64);
    EXPECT_EQ(register_cap(1024, gpus.named("GTX 560 Ti").limits), 32);
    EXPECT_EQ(register_cap(64, gpus.named("Quadro K2100M").limits), 0);
    EXPECT_EQ(register_cap(64, gpus.named("H200").limits), 0);
}

}  // namespace
}  // namespace ws
