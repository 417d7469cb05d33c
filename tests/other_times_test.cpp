// Times of what stands beside the work, on a GPU that takes known times.

#include "gpu/engine/other_times.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "gpu/engine/engine.h"
#include "gpu/engine/plan_samples.h"
#include "gpu/labs/transpose/transpose.h"
#include "staged_faults.h"
#include "tests/compiled_kernels.h"

namespace ws {
namespace {

// Of a plan by its kernels, so that no two versions take the same.
double ms_of(const std::string& kernel) {
    double ms = 1;
    for (std::size_t i = 0; i < kernel.size(); ++i) ms += double(kernel[i]) * double(i + 1) / 1000;
    return ms;
}

// Computes nothing but its times, at once and right (run_once is the simulated GPU's).
class KnownGpu final : public testing::Decorated {
  public:
    struct Log {
        std::vector<std::string> plans;  // the kernel of each plan that began
        std::function<std::optional<LaunchFailure>(const std::string&)> refuses = [](const auto&) {
            return std::nullopt;
        };
        std::string slowed;  // why the GPU is held back
        std::function<double(const std::string&)> ms = ms_of;
    };
    KnownGpu(std::unique_ptr<Device> inside, Log& log) : Decorated(std::move(inside)), log_(log) {
        facts_ = inside_->facts();
        facts_.can = {.needs_kernels = true, .runs_ptx = true, .measures_time = true};
    }
    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
    [[nodiscard]] ClockReading clock() override { return {1980, log_.slowed}; }
    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget&) override {
        const std::string& kernel = plan.launches.back().kernel->source_name;
        if (plan.generation != generation_) log_.plans.push_back(kernel);
        generation_ = plan.generation;
        FrameResult result;
        result.drawn = false;
        if ((result.failure = log_.refuses(kernel))) return result;
        FrameTimes& times = result.times.emplace();
        times.generation = plan.generation;
        times.total = {log_.ms(kernel), 1};
        return result;
    }

  private:
    DeviceFacts facts_;
    Log& log_;
    std::uint64_t generation_ = 0;
};

class OtherTimesTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (engine_->snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
    }
    OtherTimesTest() {
        EngineOptions options;
        options.cache_folder = testing::compiled_kernels();
        options.devices.decorate = [this](std::unique_ptr<Device> device) {
            return std::make_unique<KnownGpu>(std::move(device), log_);
        };
        engine_ = std::make_unique<Engine>(std::move(options));
        work_ = with_version(first_work(transpose::lab()), version_of(transpose::lab(), 3));
        work_.size = {96, 64};
        work_.device = DeviceKind::simt;
    }
    // Frames until nothing more comes.
    void run() {
        Beside beside;
        beside.versions = true;
        HostTarget target;
        const auto start = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - start < std::chrono::seconds(120)) {
            engine_->prepare(work_, beside);
            if (engine_->wants_run()) engine_->run(target);
            const bool checked = engine_->snapshot().result.check.state != Check::State::pending;
            if (checked && engine_->snapshot().times.total_ms.samples > 0 && !engine_->comparing()) return;
            if (log_.slowed.empty() || !checked)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            else if (std::chrono::steady_clock::now() - start > std::chrono::seconds(2))
                return;
        }
        FAIL() << "it did not come to an end";
    }
    [[nodiscard]] const Snapshot& snapshot() const { return engine_->snapshot(); }
    static std::string kernel_of(int version) {
        const Version& one = version_of(transpose::lab(), version);
        for (const StepKernel& step : one.steps) {
            if (!step.kernel.empty()) return std::string(step.kernel);
        }
        return "";
    }

    KnownGpu::Log log_;
    std::unique_ptr<Engine> engine_;
    Work work_;
};

TEST_F(OtherTimesTest, EveryVersionIsMeasuredOnceTheWorkIs) {
    run();
    ASSERT_FALSE(log_.plans.empty());
    EXPECT_EQ(log_.plans.front(), kernel_of(3)) << "the work comes first";
    EXPECT_EQ(log_.plans[1], kernel_of(2)) << "then the baseline";
    for (const Version& version : transpose::lab().versions) {
        const auto found = snapshot().told.versions.find(version.number);
        ASSERT_NE(found, snapshot().told.versions.end());
        ASSERT_TRUE(found->second.measured) << "V" << version.number;
        EXPECT_DOUBLE_EQ(found->second.measured->median, ms_of(kernel_of(version.number)));
        // The work goes on where the next one still waits for the compiler.
        if (version.number == 3) continue;
        EXPECT_EQ(std::count(log_.plans.begin(), log_.plans.end(), kernel_of(version.number)), 1)
            << "V" << version.number;
    }
    ASSERT_TRUE(snapshot().told.baseline && snapshot().told.baseline->measured);
    EXPECT_DOUBLE_EQ(snapshot().told.baseline->measured->median, ms_of(kernel_of(2)));
    EXPECT_DOUBLE_EQ(snapshot().times.total_ms.median, ms_of(kernel_of(3))) << "the work's own";
    EXPECT_TRUE(snapshot().result.drawn && snapshot().result.drawn->current);
    // Another version of them is measured for itself; nothing of the others is measured again.
    const std::size_t plans = log_.plans.size();
    work_ = with_version(work_, version_of(transpose::lab(), 5));
    run();
    EXPECT_EQ(log_.plans.size(), plans + 1);
    EXPECT_EQ(log_.plans.back(), kernel_of(5));
}

TEST_F(OtherTimesTest, WhatTheGpuRefusesHasNoTime) {
    log_.refuses = [](const std::string& kernel) -> std::optional<LaunchFailure> {
        if (kernel != kernel_of(6)) return std::nullopt;
        return LaunchFailure{0, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "staged", false};
    };
    run();
    EXPECT_FALSE(snapshot().run.failure) << "the work has run";
    for (const auto& [number, figures] : snapshot().told.versions)
        EXPECT_EQ(figures.measured.has_value(), number != 6) << "V" << number;
    EXPECT_EQ(std::count(log_.plans.begin(), log_.plans.end(), kernel_of(6)), 1) << "it is not tried again";
}

TEST_F(OtherTimesTest, WhatIsFasterThanItsBytesIsNotBelieved) {
    log_.ms = [](const std::string& kernel) { return kernel == kernel_of(8) ? 1e-9 : ms_of(kernel); };
    run();
    for (const auto& [number, figures] : snapshot().told.versions)
        EXPECT_EQ(figures.measured.has_value(), number != 8) << "V" << number;
}

TEST_F(OtherTimesTest, AGpuThatIsHeldBackMeasuresNothing) {
    log_.slowed = "it is too hot";
    run();
    EXPECT_FALSE(snapshot().times.refused.empty());
    EXPECT_EQ(log_.plans.size(), 1u) << "the work alone";
}

// A device may take longer for a run than what is a rest between two: it is busy all the same.
TEST(PlanSamples, RunsAsLongAsARestAreTaken) {
    PlanSamples samples;
    samples.start();
    FrameTimes times;
    times.total = {300, 1};
    for (int run = 0; run < 2; ++run) {
        const int slow = samples.around([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            return run;
        });
        EXPECT_EQ(slow, run);
        EXPECT_TRUE(samples.take(times, {})) << run;
    }
    EXPECT_EQ(samples.total().size(), 2u);
    // After a rest a short run is one of those that only warm up.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    (void)samples.around([] { return 0; });
    EXPECT_FALSE(samples.take(times, {}));
    EXPECT_EQ(samples.total().size(), 2u);
}

}  // namespace
}  // namespace ws
