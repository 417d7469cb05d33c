// Times that the window measures come back at the next start. The GPU is a fake: the processor computes, and
// the times, the clock and what holds it back are known.

#include "app/window/time_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/picture/test_picture.h"
#include "tests/staged_faults.h"

namespace ws {
namespace {

constexpr double kMs = 7.5;

struct Staged {
    double ms = kMs;
    std::string slowed;
};

class FakeGpu final : public testing::Decorated {
  public:
    FakeGpu(std::unique_ptr<Device> inside, std::shared_ptr<Staged> staged)
        : Decorated(std::move(inside)), staged_(std::move(staged)), facts_(inside_->facts()) {
        facts_.can.measures_time = true;
        facts_.can.needs_kernels = true;
        facts_.can.is_reference = false;
        facts_.profile = GpuTable().named("H200");
        facts_.driver = "13.0";
    }
    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
    [[nodiscard]] ClockReading clock() override {
        ClockReading reading;
        reading.mhz = 1980;
        reading.slowed = staged_->slowed;
        return reading;
    }
    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override {
        FrameResult result = Decorated::run(plan, target);
        FrameTimes times;
        times.generation = plan.generation;
        for (const Launch& launch : plan.launches)
            times.steps[std::size_t(launch.step)] = {staged_->ms / double(plan.launches.size()), 1};
        times.total = {staged_->ms, 1};
        result.times = times;
        return result;
    }

  private:
    std::shared_ptr<Staged> staged_;
    DeviceFacts facts_;
};

class TimeLogs : public ::testing::Test {
  protected:
    TimeLogs() { std::filesystem::create_directories(folder_); }
    ~TimeLogs() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::unique_ptr<Engine> engine() const {
        EngineOptions options;
        options.devices.decorate = [staged = staged_](std::unique_ptr<Device> device) {
            return std::make_unique<FakeGpu>(std::move(device), staged);
        };
        auto made = std::make_unique<Engine>(options);
        made->set_picture(std::make_shared<const RgbaImage>(draw_test_picture({64, 48})), "small");
        return made;
    }
    [[nodiscard]] static Work work_of(int version) {
        Work work = with_version(first_work(filters::lab()), version_of(filters::lab(), version));
        work.device = DeviceKind::cpu;
        return work;
    }
    // Frames until the samples are there; what was told meanwhile.
    static std::vector<std::string> frames(Engine& engine, TimeLog& log, int version, int samples = 120) {
        std::vector<std::string> told;
        HostTarget target;
        engine.prepare(work_of(version));
        engine.wait_for_kernels();
        const auto start = std::chrono::steady_clock::now();
        for (int after = 0;
             after < 20 && std::chrono::steady_clock::now() - start < std::chrono::seconds(60);) {
            engine.prepare(work_of(version));
            engine.run(target);
            if (engine.snapshot().result.check.state == Check::State::pending) engine.check_now();
            if (const auto news = log.update(engine)) told.push_back(news->text);
            const Snapshot& snapshot = engine.snapshot();
            after += snapshot.times.total_ms.samples >= samples || !snapshot.times.refused.empty() ? 1 : 0;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return told;
    }
    [[nodiscard]] std::vector<Record> kept() const { return read_record_file(path_).records; }

    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("time_log_test." + std::to_string(getpid()));
    std::filesystem::path path_ = folder_ / "times.jsonl";
    std::shared_ptr<Staged> staged_ = std::make_shared<Staged>();
};

TEST_F(TimeLogs, KeepEachWorkOnceAStart) {
    const auto engine = this->engine();
    if (engine->snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
    {
        TimeLog log(path_);
        EXPECT_TRUE(frames(*engine, log, 3).empty());
        EXPECT_TRUE(frames(*engine, log, 5).empty());
        EXPECT_TRUE(frames(*engine, log, 3).empty()) << "again";
    }
    const std::vector<Record> records = kept();
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].key.version, 3);
    EXPECT_EQ(records[1].key.version, 5);
    EXPECT_EQ(records[0].place.gpu, engine->snapshot().device.profile.name);
    EXPECT_EQ(records[0].place.kind, Kind::measured);
    EXPECT_NEAR(records[0].total_ms.median, kMs, 1e-3);
    EXPECT_GE(records[0].total_ms.samples, 100);
    EXPECT_EQ(records[0].clock, (ClockRange{1980, 1980}));
    EXPECT_EQ(records[0].refused, "");
}

TEST_F(TimeLogs, AreShownAsRecordedUntilTheyAreMeasuredAnew) {
    {
        const auto first = engine();
        if (first->snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
        TimeLog log(path_);
        frames(*first, log, 3);
    }
    std::vector<std::string> notes;
    const auto later = engine();
    later->replay(std::make_shared<const Recordings>(kept_times({path_, folder_ / "none.jsonl"}, notes)));
    EXPECT_TRUE(notes.empty());
    later->prepare(work_of(3));
    std::optional<TimeFigure> time = time_of(later->snapshot().told.now);
    ASSERT_TRUE(time);
    EXPECT_EQ(time->kind, Kind::recorded);
    EXPECT_NEAR(time->ms, kMs, 1e-3);
    later->prepare(work_of(5));
    EXPECT_FALSE(later->snapshot().told.now.recorded) << "of another version there is none";
    staged_->ms = 2 * kMs;
    TimeLog log(path_);
    frames(*later, log, 3);
    time = time_of(later->snapshot().told.now);
    ASSERT_TRUE(time);
    EXPECT_EQ(time->kind, Kind::measured);
    EXPECT_NEAR(time->ms, 2 * kMs, 1e-3);
    // The latest is what the next start shows.
    ASSERT_EQ(kept().size(), 2u);
    Recordings recordings = kept_times({path_}, notes);
    ASSERT_EQ(recordings.all().size(), 1u);
    EXPECT_NEAR(recordings.all().front().total_ms.median, 2 * kMs, 1e-3);
}

TEST_F(TimeLogs, RefuseWhatIsNotToBeBelievedAndSaySo) {
    const auto engine = this->engine();
    if (engine->snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
    TimeLog log(path_);
    staged_->slowed = "the GPU is too hot";
    std::vector<std::string> told = frames(*engine, log, 3);
    ASSERT_EQ(told.size(), 1u) << "once";
    EXPECT_NE(told.front().find("too hot"), std::string::npos) << told.front();
    staged_->slowed.clear();
    staged_->ms = 1e-6;  // less than a launch takes
    told = frames(*engine, log, 5);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told.front().find("not believed"), std::string::npos) << told.front();
    const std::vector<Record> records = kept();
    ASSERT_EQ(records.size(), 2u);
    EXPECT_NE(records[0].refused, "");
    EXPECT_NE(records[1].refused, "");
    std::vector<std::string> notes;
    EXPECT_TRUE(kept_times({path_}, notes).empty()) << "no later start shows them";
}

TEST_F(TimeLogs, KeepNothingWhereTheyMayNotOrCannot) {
    const auto engine = this->engine();
    if (engine->snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
    TimeLog none({});
    EXPECT_TRUE(frames(*engine, none, 3).empty());
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    TimeLog blocked(folder_);  // no file
    const std::vector<std::string> told = frames(*engine, blocked, 5);
    ASSERT_EQ(told.size(), 1u) << "once";
    EXPECT_NE(told.front().find(folder_.string()), std::string::npos);
    // Another window keeps its times there.
    const RecordFile other(path_);
    TimeLog second(path_);
    EXPECT_EQ(frames(*engine, second, 6).size(), 1u);
}

TEST_F(TimeLogs, OfBrokenFilesLoseOnlyWhatIsBroken) {
    {
        const auto engine = this->engine();
        if (engine->snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
        TimeLog log(path_);
        frames(*engine, log, 3);
    }
    std::ofstream(path_, std::ios::app) << "{\"v\":5,\"ker";
    const std::filesystem::path other = folder_ / "other.jsonl";
    std::ofstream(other) << "{\"warpscope_records\":9}\n";
    std::vector<std::string> notes;
    EXPECT_EQ(kept_times({other, path_}, notes).all().size(), 1u);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_NE(notes[0].find("other.jsonl"), std::string::npos) << notes[0];
    EXPECT_NE(notes[1].find("times.jsonl"), std::string::npos) << notes[1];
}

}  // namespace
}  // namespace ws
