// The lab on matrix multiplication: the definition is exact, and each version loads less for a multiply-add
// than the one before.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/analysis/profiles.h"
#include "gpu/core/counters.h"
#include "gpu/core/peak.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/engine.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/matmul/matmul.h"
#include "tests/shared_engine.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

constexpr int kSide = 512;

template <typename Bytes>
std::vector<float> floats_of(const Bytes& bytes) {
    std::vector<float> floats(bytes.size() / sizeof(float));
    std::memcpy(floats.data(), bytes.data(), bytes.size());
    return floats;
}

// Of the version's kernel on an H200.
StepResult matmul_result(int version, const KnobValues& knobs = {}) {
    Engine& engine = engine_with_picture({16, 16}, "none");
    const Lab& lab = matmul::lab();
    Work work = with_version(first_work(lab), version_of(lab, version));
    work.device = DeviceKind::simt;
    work.target_gpu = "H200";
    work.size = {kSide, kSide};
    work.knobs = knobs;
    engine.prepare(work);
    engine.wait_for_counts();
    engine.prepare(work);
    const StepSnapshot& step = engine.snapshot().steps.front();
    if (!step.counts.result) throw std::runtime_error("no counts of V" + std::to_string(version));
    return step.counts.result.value_or(StepResult{});
}

InstructionCounts counts_of(int version, const KnobValues& knobs = {}) {
    return matmul_result(version, knobs).counters->total;
}

// Of warps, for the whole matrix.
constexpr double kMultiplyAdds = double(kSide) * kSide * kSide / 32;

double shared_loads(const InstructionCounts& counts) {
    return double(counts.shared_load.requests) / kMultiplyAdds;
}
double wavefronts(const InstructionCounts& counts) {
    return double(counts.shared_load.wavefronts) / double(counts.shared_load.requests);
}

// The sum of fused multiply-adds in ascending order of k, as the kernels have it; being exact, it is that of
// any order.
TEST(Matmul, TheDefinitionIsTheSumInAscendingOrder) {
    for (const Extent size : {Extent{1, 1}, Extent{37, 1}, Extent{1, 18}, Extent{67, 45}, Extent{32, 96}}) {
        const Problem problem = generated_problem(matmul::lab(), size);
        const std::vector<float> a = floats_of(*problem.content_of(matmul::buffer::a));
        const std::vector<float> b = floats_of(*problem.content_of(matmul::buffer::b));
        const auto width = std::size_t(size.width);
        const auto depth = std::size_t(size.height);
        ASSERT_EQ(a.size(), depth * depth);
        ASSERT_EQ(b.size(), depth * width);
        const std::vector<float> c = floats_of(reference_result(problem, matmul::buffer::c));
        for (std::size_t row = 0; row < depth; ++row) {
            for (std::size_t column = 0; column < width; ++column) {
                float sum = 0;
                for (std::size_t k = 0; k < depth; ++k)
                    sum = std::fma(a[row * depth + k], b[k * width + column], sum);
                ASSERT_EQ(c[row * width + column], sum) << row << ", " << column;
            }
        }
    }
}

TEST(Matmul, TheMatricesDifferAndAreSmallWholeNumbers) {
    const Problem problem = generated_problem(matmul::lab(), {64, 64});
    const std::vector<float> a = floats_of(*problem.content_of(matmul::buffer::a));
    const std::vector<float> b = floats_of(*problem.content_of(matmul::buffer::b));
    EXPECT_NE(a, b) << "else A x B is B x A";
    for (const std::vector<float>* matrix : {&a, &b}) {
        EXPECT_EQ(*std::min_element(matrix->begin(), matrix->end()), -8);
        EXPECT_EQ(*std::max_element(matrix->begin(), matrix->end()), 7);
        for (const float value : *matrix) EXPECT_EQ(value, std::round(value));
    }
}

TEST(Matmul, EveryVersionDoesTheSameArithmetic) {
    WS_NEED_COMPILER();
    for (const Version& version : matmul::lab().versions)
        EXPECT_EQ(double(counts_of(version.number).float_operations),
                  matmul::lab().native.float_operations({kSide, kSide}))
            << "V" << version.number;
}

TEST(Matmul, LanesBesideEachOtherNeedFewSectors) {
    WS_NEED_COMPILER();
    // 32 of A and one of B; one of A and 4 of B.
    EXPECT_NEAR(counts_of(1).global_load.sectors_per_request(), 16.5, 0.01);
    EXPECT_NEAR(counts_of(2).global_load.sectors_per_request(), 2.5, 0.01);
}

TEST(Matmul, TilesSaveTrafficByTheirSide) {
    WS_NEED_COMPILER();
    const double bytes = 4.0 * kSide * kSide;  // of a matrix
    const auto loaded = [](int version) { return double(counts_of(version).global_load.bytes_requested); };
    EXPECT_NEAR(loaded(3), 2 * bytes * kSide / 32, 0.01 * bytes);
    // 64 columns and 64 rows; 128 and 128.
    EXPECT_NEAR(loaded(4), 2 * bytes * kSide / 64, 0.01 * bytes);
    EXPECT_NEAR(loaded(5), 2 * bytes * kSide / 128, 0.01 * bytes);
    EXPECT_NEAR(loaded(9), 2 * bytes * kSide / 128, 0.01 * bytes);
}

TEST(Matmul, EachVersionLoadsLessForAMultiplyAdd) {
    WS_NEED_COMPILER();
    EXPECT_NEAR(double(counts_of(2).global_load.requests) / kMultiplyAdds, 2, 0.01);
    // The compiler joins four loads of A's tile, whose rows lie one after the other in k.
    EXPECT_NEAR(shared_loads(counts_of(3)), 1 + 1.0 / 4, 0.01);
    EXPECT_NEAR(shared_loads(counts_of(4)), (1 + 8.0 / 4) / 8, 0.01);
    EXPECT_NEAR(shared_loads(counts_of(5)), (8 + 8.0 / 4) / 64, 0.01);
    for (const int version : {6, 7, 8, 9}) EXPECT_NEAR(shared_loads(counts_of(version)), 4.0 / 64, 0.01);
}

TEST(Matmul, LanesInSquaresShareWhatTheyLoad) {
    WS_NEED_COMPILER();
    EXPECT_NEAR(wavefronts(counts_of(6)), 3, 0.01) << "2 for A, 4 for B";
    for (const int version : {7, 8, 9}) EXPECT_NEAR(wavefronts(counts_of(version)), 2, 0.01);
    for (const int version : {6, 7, 8, 9}) {
        const InstructionCounts counts = counts_of(version);
        EXPECT_EQ(counts.shared_load.wavefronts, counts.shared_load.ideal) << "V" << version;
        EXPECT_EQ(counts.shared_store.wavefronts, counts.shared_store.ideal) << "V" << version;
    }
}

TEST(Matmul, OneBarrierAStepWhereTilesAreTwo) {
    WS_NEED_COMPILER();
    constexpr double kWarps = 8.0 * kSide * kSide / (128 * 128);
    constexpr double kSteps = kSide / 8.0;
    EXPECT_EQ(double(counts_of(7).barriers), 2 * kSteps * kWarps);
    EXPECT_EQ(double(counts_of(8).barriers), (kSteps + 1) * kWarps);
    EXPECT_EQ(double(counts_of(9).barriers), kSteps * kWarps);
}

TEST(Matmul, NothingSpillsAndTwoBlocksFit) {
    WS_NEED_COMPILER();
    for (const int version : {6, 7, 8, 9}) {
        const StepResult result = matmul_result(version);
        EXPECT_EQ(result.code.spill_bytes(), 0) << "V" << version;
        ASSERT_TRUE(result.occupancy);
        EXPECT_EQ(result.occupancy->active_blocks, 2) << "V" << version;
    }
}

// 132 multiprocessors, 128 lanes, 1980 MHz.
TEST(Matmul, ThePeakIsLanesTimesClock) {
    const GpuTable gpus;
    EXPECT_NEAR(peak_gflop_s(gpus.named("H200")), 66908, 1);
    EXPECT_EQ(peak_gflop_s(GpuProfile{}), 0);
}

}  // namespace
}  // namespace ws
