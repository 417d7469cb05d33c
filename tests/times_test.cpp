// A device that takes known times: what the engine, the report and the saved pictures say of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/json_report.h"
#include "app/window/capture.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/picture/test_picture.h"
#include "tests/staged_faults.h"

namespace ws {
namespace {

// Milliseconds. The whole pipeline takes longer than its steps, as on a GPU that waits between kernels.
constexpr double kGray = 1, kBlur = 4, kEdge = 2, kTotal = 7.5, kMap = 0.25, kUnmap = 0.125;

// Draws what the device inside draws, and reports the known times for it; every fifth frame is an outlier.
class KnownTimes final : public testing::Decorated {
  public:
    using Decorated::Decorated;
    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override {
        FrameResult result = Decorated::run(plan, target);
        const double outlier = ++frames_ % 5 == 0 ? 3 : 1;
        FrameTimes times;
        times.generation = plan.generation;
        for (const Launch& launch : plan.launches) {
            const double ms = launch.step == filters::step::gray   ? kGray
                              : launch.step == filters::step::blur ? kBlur
                                                                   : kEdge;
            times.steps[std::size_t(launch.step)] = {ms * outlier, 2};
        }
        times.total = {kTotal * outlier, 1};
        times.map_ms = kMap;
        times.unmap_ms = kUnmap;
        result.times = times;
        return result;
    }

  private:
    int frames_ = 0;
};

class Times : public ::testing::Test {
  protected:
    Times() : engine_(options()) {
        engine_.set_picture(std::make_shared<const RgbaImage>(draw_test_picture({64, 48})), "small");
        Work work = with_version(first_work(filters::lab()), version_of(filters::lab(), 3));
        work.device = DeviceKind::cpu;
        engine_.prepare(work);
        HostTarget target;
        const auto start = std::chrono::steady_clock::now();
        while (engine_.snapshot().times.total_ms.samples < 40 &&
               std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
            engine_.run(target);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    static EngineOptions options() {
        EngineOptions options;
        options.devices.decorate = [](std::unique_ptr<Device> device) {
            return std::make_unique<KnownTimes>(std::move(device));
        };
        return options;
    }
    Engine engine_;
};

TEST_F(Times, TheSnapshotHoldsTheMedians) {
    const Snapshot& snapshot = engine_.snapshot();
    EXPECT_DOUBLE_EQ(snapshot.steps[filters::step::gray].times.ms.median, kGray);
    EXPECT_DOUBLE_EQ(snapshot.steps[filters::step::blur].times.ms.median, kBlur);
    EXPECT_DOUBLE_EQ(snapshot.steps[filters::step::edge].times.ms.median, kEdge);
    EXPECT_EQ(snapshot.steps[filters::step::blur].times.launches_per_sample, 2);
    EXPECT_DOUBLE_EQ(snapshot.times.total_ms.median, kTotal);
    EXPECT_DOUBLE_EQ(snapshot.times.total_ms.low, kTotal);
    EXPECT_DOUBLE_EQ(snapshot.times.map_ms.median, kMap);
    EXPECT_DOUBLE_EQ(snapshot.times.unmap_ms.median, kUnmap);
    EXPECT_EQ(snapshot.times.one_pass_ms.samples, 0) << "what was not timed has no samples";
}

TEST_F(Times, TheReportSaysTheSame) {
    const nlohmann::ordered_json times = run_json(engine_.snapshot())["times_ms"];
    EXPECT_EQ(times["gray"]["median"], kGray);
    EXPECT_EQ(times["blur"]["median"], kBlur);
    EXPECT_EQ(times["edge"]["median"], kEdge);
    EXPECT_EQ(times["total"]["median"], kTotal);
    EXPECT_EQ(times["total"]["samples"], engine_.snapshot().times.total_ms.samples);
}

TEST_F(Times, SavedPicturesSayTheSame) {
    const CaptureRequest request = describe_capture(engine_.snapshot(), "nowhere");
    const std::string wanted = "gray 1.00 ms, blur 4.00 ms, edge 2.00 ms, total 7.50 ms (median of ";
    EXPECT_TRUE(std::any_of(request.caption.begin(), request.caption.end(), [&](const std::string& line) {
        return line.rfind(wanted, 0) == 0;
    })) << ::testing::PrintToString(request.caption);
}

// The native steps follow each other without a gap.
TEST(CpuTimes, TheTotalIsTheSumOfItsSteps) {
    const std::unique_ptr<Device> device = make_cpu_device();
    const Lab& lab = filters::lab();
    device->set_problem(
        picture_problem(lab, std::make_shared<const RgbaImage>(draw_test_picture({320, 240}))));
    Plan plan{&lab, filters::buffer::edges, 1, {}};
    const std::array steps{filters::step::gray, filters::step::blur, filters::step::edge};
    for (const int step : steps) {
        Launch launch;
        launch.step = step;
        launch.arguments = arguments_of(first_work(lab), step);
        plan.launches.push_back(std::move(launch));
    }
    HostTarget target;
    const FrameResult result = device->run(plan, target);
    ASSERT_TRUE(result.times);
    EXPECT_TRUE(result.drawn);
    double sum = 0;
    for (const int step : steps) {
        const Sample& sample = result.times->steps[std::size_t(step)];
        EXPECT_GT(sample.ms, 0) << lab.steps[std::size_t(step)].name;
        sum += sample.ms;
    }
    EXPECT_DOUBLE_EQ(result.times->total.ms, sum);
    EXPECT_GT(result.times->one_pass.ms, 0);
}

}  // namespace
}  // namespace ws
