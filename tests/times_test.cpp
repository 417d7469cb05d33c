// A device that takes known times: what the engine, the report and the saved pictures say of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/json_report.h"
#include "app/window/capture.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/engine.h"
#include "gpu/picture/test_picture.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

// Milliseconds. The whole pipeline takes longer than its stages, as on a GPU that waits between kernels.
constexpr double kGray = 1, kBlur = 4, kEdge = 2, kTotal = 7.5, kMap = 0.25, kUnmap = 0.125;

// Draws what the device inside draws, and reports the known times for it; every other frame is an outlier.
class KnownTimes final : public Device {
  public:
    explicit KnownTimes(std::unique_ptr<Device> inside) : inside_(std::move(inside)) {}
    [[nodiscard]] const DeviceFacts& facts() const override { return inside_->facts(); }
    void set_picture(Picture picture) override { inside_->set_picture(std::move(picture)); }
    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override {
        FrameResult result = inside_->run(plan, target);
        const double outlier = ++frames_ % 5 == 0 ? 3 : 1;
        FrameTimes times;
        times.generation = plan.generation;
        for (const Launch& launch : plan.launches) {
            const double ms = launch.stage == Stage::gray   ? kGray
                              : launch.stage == Stage::blur ? kBlur
                                                            : kEdge;
            times.stages[index_of(launch.stage)] = {ms * outlier, 2};
        }
        times.total = {kTotal * outlier, 1};
        times.map_ms = kMap;
        times.unmap_ms = kUnmap;
        result.times = times;
        return result;
    }
    [[nodiscard]] Result<GrayImage> run_poisoned(const Plan& plan, std::uint8_t poison) override {
        return inside_->run_poisoned(plan, poison);
    }

  private:
    std::unique_ptr<Device> inside_;
    int frames_ = 0;
};

class Times : public ::testing::Test {
  protected:
    Times() : engine_(options()) {
        engine_.set_picture(std::make_shared<const RgbaImage>(draw_test_picture({64, 48})), "small");
        Settings settings = with_version(Settings{}, version_numbered(3));
        settings.device = DeviceKind::cpu;
        engine_.prepare(settings);
        HostTarget target;
        const auto start = std::chrono::steady_clock::now();
        while (engine_.snapshot().total_ms.samples < 40 &&
               std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
            engine_.run(target);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    static EngineOptions options() {
        EngineOptions options;
        options.decorate = [](std::unique_ptr<Device> device) {
            return std::make_unique<KnownTimes>(std::move(device));
        };
        return options;
    }
    Engine engine_;
};

TEST_F(Times, TheSnapshotHoldsTheMedians) {
    const Snapshot& snapshot = engine_.snapshot();
    EXPECT_DOUBLE_EQ(snapshot.stages[index_of(Stage::gray)].time_ms.median, kGray);
    EXPECT_DOUBLE_EQ(snapshot.stages[index_of(Stage::blur)].time_ms.median, kBlur);
    EXPECT_DOUBLE_EQ(snapshot.stages[index_of(Stage::edge)].time_ms.median, kEdge);
    EXPECT_EQ(snapshot.stages[index_of(Stage::blur)].launches_per_sample, 2);
    EXPECT_DOUBLE_EQ(snapshot.total_ms.median, kTotal);
    EXPECT_DOUBLE_EQ(snapshot.total_ms.low, kTotal);
    EXPECT_DOUBLE_EQ(snapshot.map_ms.median, kMap);
    EXPECT_DOUBLE_EQ(snapshot.unmap_ms.median, kUnmap);
    EXPECT_EQ(snapshot.fused_ms.samples, 0) << "what was not timed has no samples";
}

TEST_F(Times, TheReportSaysTheSame) {
    const nlohmann::ordered_json times = run_json(engine_.snapshot())["times_ms"];
    EXPECT_EQ(times["gray"]["median"], kGray);
    EXPECT_EQ(times["blur"]["median"], kBlur);
    EXPECT_EQ(times["edge"]["median"], kEdge);
    EXPECT_EQ(times["total"]["median"], kTotal);
    EXPECT_EQ(times["total"]["samples"], engine_.snapshot().total_ms.samples);
}

TEST_F(Times, SavedPicturesSayTheSame) {
    const CaptureRequest request = describe_capture(engine_.snapshot(), "nowhere");
    const std::string wanted = "gray 1.00 ms, blur 4.00 ms, edge 2.00 ms, total 7.50 ms (median of ";
    EXPECT_TRUE(std::any_of(request.caption.begin(), request.caption.end(), [&](const std::string& line) {
        return line.rfind(wanted, 0) == 0;
    })) << ::testing::PrintToString(request.caption);
}

// The native pipeline's stages follow each other without a gap.
TEST(CpuTimes, TheTotalIsTheSumOfItsStages) {
    const std::unique_ptr<Device> device = make_cpu_device();
    device->set_picture(std::make_shared<const RgbaImage>(draw_test_picture({320, 240})));
    Plan plan;
    plan.generation = 1;
    for (const Stage stage : {Stage::gray, Stage::blur, Stage::edge}) {
        Launch launch;
        launch.stage = stage;
        plan.launches.push_back(launch);
    }
    HostTarget target;
    const FrameResult result = device->run(plan, target);
    ASSERT_TRUE(result.times);
    double sum = 0;
    for (const Stage stage : {Stage::gray, Stage::blur, Stage::edge}) {
        const Sample& sample = result.times->stages[index_of(stage)];
        EXPECT_GT(sample.ms, 0) << name_of(stage);
        sum += sample.ms;
    }
    EXPECT_DOUBLE_EQ(result.times->total.ms, sum);
}

}  // namespace
}  // namespace ws
