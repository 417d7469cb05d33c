// The lab on constant memory: where its table is read from, at how many addresses, and what that costs.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "gpu/analysis/estimate.h"
#include "gpu/core/counters.h"
#include "gpu/engine/engine.h"
#include "gpu/labs/constant/constant.h"
#include "gpu/labs/labs.h"
#include "tests/shared_engine.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

// Of the version's kernel at 1024 x 1024 on an H200.
StepResult constant_result(int version, int distinct = 0) {
    Engine& engine = engine_with_picture({16, 16}, "none");
    const Lab& lab = constant::lab();
    Work work = with_version(first_work(lab), version_of(lab, version));
    work.device = DeviceKind::simt;
    work.target_gpu = "H200";
    work.size = {1024, 1024};
    if (distinct > 0) work.knobs["DISTINCT"] = distinct;
    engine.prepare(work);
    engine.wait_for_counts();
    engine.prepare(work);
    const StepSnapshot& step = engine.snapshot().steps.front();
    if (!step.counts.result) throw std::runtime_error("no counts of V" + std::to_string(version));
    return *step.counts.result;
}

constexpr double kWarps = 1024 * 1024 / 32.0;

TEST(Constant, TheTableIsOfTheGoldenRatio) {
    std::uint32_t word = 0;
    for (const std::uint32_t entry : constant::kTable) EXPECT_EQ(entry, word += 0x9E3779B9u);
}

TEST(Constant, ATableInTheCodeIsNotRead) {
    WS_NEED_COMPILER();
    const InstructionCounts counts = constant_result(1).counters->total;
    EXPECT_EQ(counts.constant_requests, 0u);
    EXPECT_EQ(double(counts.global_load.requests), kWarps);
}

// Machine code takes them as operands, PTX loads them.
TEST(Constant, AKnownAddressIsAnOperand) {
    WS_NEED_COMPILER();
    const StepResult code = constant_result(1);
    const StepResult operand = constant_result(2);
    const InstructionCounts& counts = operand.counters->total;
    EXPECT_EQ(double(counts.constant_requests), 32 * kWarps);
    EXPECT_EQ(counts.constant_addresses, counts.constant_requests);
    EXPECT_EQ(counts.constant_operands, counts.constant_requests);
    ASSERT_TRUE(code.estimate && operand.estimate);
    EXPECT_NEAR(operand.estimate->ms / code.estimate->ms, 1, 0.1);
    EXPECT_EQ(constant_result(3).counters->total.constant_operands, 0u) << "an index of run time";
}

TEST(Constant, EveryFurtherAddressIsServedAfterTheOthers) {
    WS_NEED_COMPILER();
    double before = 0;
    for (const int distinct : {1, 2, 3, 8, 31, 32}) {
        const StepResult result = constant_result(3, distinct);
        const InstructionCounts& counts = result.counters->total;
        EXPECT_EQ(double(counts.constant_requests), 32 * kWarps);
        EXPECT_EQ(counts.constant_addresses, counts.constant_requests * std::uint64_t(distinct));
        ASSERT_TRUE(result.estimate);
        const double cache = result.estimate->longest(bit(Part::constant));
        EXPECT_GT(cache, before);
        before = cache;
    }
}

TEST(Constant, OtherMemoriesServeAllLanesAtOnce) {
    WS_NEED_COMPILER();
    const InstructionCounts global = constant_result(5).counters->total;
    EXPECT_EQ(global.constant_requests, 0u);
    EXPECT_EQ(double(global.global_load.requests), 33 * kWarps) << "the table's words and the number";
    EXPECT_NEAR(global.global_load.sectors_per_request(), 4, 0.01) << "32 words of a line, in any order";
    const InstructionCounts shared = constant_result(6).counters->total;
    EXPECT_EQ(double(shared.shared_load.requests), 32 * kWarps);
    EXPECT_EQ(shared.shared_load.wavefronts, shared.shared_load.ideal);
    EXPECT_EQ(constant_result(6, 1).counters->total.shared_load.wavefronts, shared.shared_load.wavefronts);
}

}  // namespace
}  // namespace ws
