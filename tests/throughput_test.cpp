// The lab on instruction throughput: so many operations are executed as the figure says, by the pipe that the
// version is about, and the estimated rates are those of the lecture's table.

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "gpu/analysis/estimate.h"
#include "gpu/core/counters.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/result_check.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/throughput/chains.h"
#include "gpu/labs/throughput/throughput.h"
#include "gpu/simt/machine_cost.h"
#include "tests/shared_engine.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

constexpr Extent kSize{2048, 2048};
constexpr double kWarps = double(kSize.width) * kSize.height / 32;
constexpr double kOperations = throughput::kOperations * kWarps;  // of all elements, by warps of them

StepResult throughput_result(int version, const std::string& gpu, const KnobValues& knobs = {},
                             Extent size = kSize) {
    Engine& engine = engine_with_picture({16, 16}, "none");
    const Lab& lab = throughput::lab();
    Work work = with_version(first_work(lab), version_of(lab, version));
    work.device = DeviceKind::simt;
    work.target_gpu = gpu;
    work.size = size;
    work.knobs = knobs;
    engine.prepare(work);
    engine.wait_for_counts();
    engine.prepare(work);
    const StepSnapshot& step = engine.snapshot().steps[std::size_t(main_step(lab, version_of(lab, version)))];
    if (!step.counts.result)
        throw std::runtime_error("no counts of V" + std::to_string(version) + " on " + gpu);
    return *step.counts.result;
}

double rate_of(int version, const std::string& gpu, const KnobValues& knobs = {}) {
    const StepResult result = throughput_result(version, gpu, knobs);
    const double operations = double(throughput::kOperations) * double(kSize.pixels());
    return result.estimate ? operations_per_clock(operations, result.estimate->ms, result.key.gpu) : 0;
}

// The compiler may drop or fuse none of them.
TEST(Throughput, EveryOperationIsExecuted) {
    WS_NEED_COMPILER();
    struct Row {
        int version;
        Pipe pipe;
        double of_operation;  // instructions of that pipe
    };
    for (const Row row :
         {Row{1, Pipe::fma, 1},         Row{2, Pipe::fma, 1},         Row{3, Pipe::fma, 1},
          Row{4, Pipe::fp64, 1},        Row{5, Pipe::alu, 1},         Row{6, Pipe::alu, 1},
          Row{7, Pipe::alu, 1},         Row{8, Pipe::alu, 1},         Row{9, Pipe::alu, 1},
          Row{10, Pipe::alu, 2},        Row{11, Pipe::conversion, 1}, Row{12, Pipe::conversion, 1},
          Row{13, Pipe::xu, 1},         Row{14, Pipe::xu, 1},         Row{15, Pipe::xu, 1},
          Row{17, Pipe::xu, 1},         Row{18, Pipe::xu, 1},         Row{20, Pipe::xu, 1},
          Row{21, Pipe::alu, 3},        Row{22, Pipe::alu, 2},        Row{23, Pipe::conversion, 1},
          Row{24, Pipe::conversion, 1}, Row{25, Pipe::conversion, 1}, Row{26, Pipe::conversion, 1}}) {
        const InstructionCounts counts = throughput_result(row.version, "H200").counters->total;
        const double executed = double(counts.pipes[std::size_t(row.pipe)]);
        EXPECT_GE(executed, row.of_operation * kOperations) << "V" << row.version;
        EXPECT_LE(executed, 1.3 * row.of_operation * kOperations) << "V" << row.version;
    }
}

// The lecture's table, as far as the estimate goes: what waits and what else is executed cost it something,
// most on 3.x, whose schedulers issue for 160 lanes.
TEST(Throughput, RatesAreThoseOfTheTable) {
    WS_NEED_COMPILER();
    for (const PublishedFigure& figure : throughput::lab().figures) {
        if (figure.gpu == "FX 5600" || figure.version == 2) continue;  // as the GTX 280; as V1
        const double rate = rate_of(figure.version, std::string(figure.gpu));
        EXPECT_GT(rate, 0.5 * figure.value) << "V" << figure.version << " on " << figure.gpu;
        EXPECT_LT(rate, 1.25 * figure.value) << "V" << figure.version << " on " << figure.gpu;
    }
}

TEST(Throughput, ExactFunctionsAndDivisionsCostMany) {
    WS_NEED_COMPILER();
    EXPECT_GT(rate_of(15, "H200"), 1.5 * rate_of(16, "H200")) << "sine";
    EXPECT_GT(rate_of(20, "H200"), 1.2 * rate_of(19, "H200")) << "division";
    EXPECT_GT(rate_of(22, "H200"), 4 * rate_of(21, "H200")) << "modulo";
    EXPECT_GT(rate_of(3, "RTX 3060"), 30 * rate_of(4, "RTX 3060")) << "doubles";
    EXPECT_LT(rate_of(4, "H200"), 0.7 * rate_of(3, "H200"));
}

// However many blocks there are: a block among many takes its share of the pipes, whatever the first and the
// last ones do.
TEST(Throughput, NoSizeIsFasterThanThePipes) {
    WS_NEED_COMPILER();
    struct Row {
        int version;
        double most;  // lanes of the pipes that take the version's instructions
    };
    for (const Row row : {Row{3, 128}, Row{5, 128}, Row{6, 64}, Row{13, 16}}) {
        for (const Extent size : {Extent{2048, 2048}, Extent{4096, 4096}, Extent{8192, 4096}}) {
            const StepResult result = throughput_result(row.version, "H200", {}, size);
            ASSERT_TRUE(result.estimate) << "V" << row.version;
            const double operations = double(throughput::kOperations) * double(size.pixels());
            const double rate = operations_per_clock(operations, result.estimate->ms, result.key.gpu);
            EXPECT_LE(rate, row.most) << "V" << row.version << " " << size.width << " x " << size.height;
            EXPECT_GT(rate, 0.7 * row.most)
                << "V" << row.version << " " << size.width << " x " << size.height;
        }
    }
}

// One chain of a thread, few warps: latency, not throughput.
TEST(Throughput, ChainsFillThePipe) {
    WS_NEED_COMPILER();
    const StepResult one = throughput_result(3, "GTX 280", {{"CHAINS", 1}});
    EXPECT_GE(double(one.counters->total.dependent), kOperations);
    EXPECT_LT(double(throughput_result(3, "GTX 280").counters->total.dependent), 0.4 * kOperations)
        << "a fourth of the warps";
}

TEST(Throughput, MachineCostsAreOfTheOpcode) {
    EXPECT_EQ(simt::machine_cost("shf.l.wrap.b32").slow, SlowKind::shift);
    EXPECT_EQ(simt::machine_cost("mad.lo.s32").slow, SlowKind::multiply);
    EXPECT_EQ(simt::machine_cost("mul.rn.f32").slow, SlowKind::none);
    EXPECT_EQ(simt::machine_cost("mul.f64").slow, SlowKind::none);
    EXPECT_EQ(simt::machine_cost("cvt.f64.f32").slow, SlowKind::wide_conversion);
    EXPECT_EQ(simt::machine_cost("cvt.rzi.s32.f32").slow, SlowKind::none);
    EXPECT_EQ(simt::machine_cost("cvt.s32.s8").slow, SlowKind::narrow_conversion);
    EXPECT_EQ(simt::machine_cost("cvt.u32.u16").slow, SlowKind::narrow_conversion);
    EXPECT_EQ(simt::machine_cost("cvt.sat.s8.s32").slow, SlowKind::none);
    EXPECT_EQ(simt::machine_cost("cvt.u16.u32").slow, SlowKind::none);
    EXPECT_EQ(simt::machine_cost("cvt.rn.f32.u8").slow, SlowKind::none);
    EXPECT_GT(simt::machine_cost("rem.u32").further, 5);
    EXPECT_EQ(simt::machine_cost("add.s32").further, 0);
}

// An approximation may be off by the stated error and no more; what is defined to the bit may not.
TEST(Throughput, TheCheckAllowsTheStatedError) {
    const Lab& lab = throughput::lab();
    const Extent size{8, 4};
    const Problem problem = generated_problem(lab, size);
    const auto state = [&](int step, float by) {
        const HostBytes defined = reference_result(problem, step + 1);
        HostBytes made = defined;
        float value = 0;
        std::memcpy(&value, &made[12], sizeof value);
        value += by;
        std::memcpy(&made[12], &value, sizeof value);
        return compare(lab.buffers[std::size_t(step + 1)], size, made, 0, made, 255, defined).state;
    };
    EXPECT_EQ(state(throughput::step::sine, 0), Check::State::equal);
    EXPECT_EQ(state(throughput::step::sine, 1e-6f), Check::State::equal);
    EXPECT_EQ(state(throughput::step::sine, -1e-6f), Check::State::equal);
    EXPECT_EQ(state(throughput::step::sine, 3e-6f), Check::State::different);
    EXPECT_EQ(state(throughput::step::sine, 0.0f / 0.0f), Check::State::different);
    EXPECT_EQ(state(throughput::step::fused, 1e-6f), Check::State::different);
}

}  // namespace
}  // namespace ws
