// Sweeps: what there is to run, running it, going on after a stop, and replaying what was recorded.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "gpu/core/error.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/sweep.h"
#include "gpu/engine/sweep_service.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "gpu/picture/test_picture.h"
#include "gpu/records/record_file.h"

namespace ws {
namespace {

Work simulated(const Lab& lab, int number) {
    Work work = with_version(first_work(lab), version_of(lab, number));
    work.device = DeviceKind::simt;
    if (!lab.takes_picture()) work.size = {256, 256};
    return work;
}
Picture small_picture() {
    return std::make_shared<const RgbaImage>(draw_test_picture({200, 120}));
}

TEST(SweepPlans, HaveEveryPowerOfTwoByEveryOther) {
    const KernelLibrary library;
    SweepPlan plan;
    plan.base = simulated(filters::lab(), 5);
    plan.versions = {5};
    plan.axes = {sweep_axis("block", plan.base, plan.versions, {}, library)};
    const std::vector<SweepItem> items = sweep_items(plan, library);
    EXPECT_EQ(items.size(), 66u);
    for (const SweepItem& item : items) {
        const Block block = item.work.block(filters::step::blur);
        EXPECT_TRUE(block.valid());
        EXPECT_EQ(item.at, std::vector<std::string>{to_string(block)});
    }
}

TEST(SweepPlans, LeaveOutWhatAVersionCannotTake) {
    const KernelLibrary library;
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) {
            SweepPlan plan;
            plan.base = simulated(*lab, version.number);
            plan.versions = {version.number};
            plan.axes = {sweep_axis("block", plan.base, plan.versions, {}, library)};
            const int step = swept_step(plan.base);
            const KernelSource& source = library.find(version.steps[std::size_t(step)].kernel);
            const std::vector<SweepItem> items = sweep_items(plan, library);
            EXPECT_FALSE(items.empty()) << lab->id << " V" << version.number;
            for (const SweepItem& item : items)
                EXPECT_EQ(fitted(source, item.work.block(step)), item.work.block(step));
        }
    }
}

TEST(SweepPlans, CombineAxesGpusAndVersions) {
    const KernelLibrary library;
    SweepPlan plan;
    plan.base = simulated(lab_named("transpose"), 6);
    plan.versions = {6, 7};
    plan.gpus = {"GTX 280", "H200"};
    plan.axes = {{"size", {"128 x 64", "64 x 64"}}, {"block", {"32 x 8", "16 x 16", "8 x 8"}}};
    const std::vector<SweepItem> items = sweep_items(plan, library);
    ASSERT_EQ(items.size(), 24u);
    EXPECT_EQ(items.front().work.target_gpu, "GTX 280");
    EXPECT_EQ(items.front().work.size, (Extent{128, 64}));
    EXPECT_EQ(items.front().work.version, 6);
    EXPECT_EQ(items[3].work.version, 7) << "an input is made once for all versions";
    EXPECT_EQ(items[6].work.size, (Extent{64, 64}));
    EXPECT_EQ(items[12].work.target_gpu, "H200");
    EXPECT_EQ(items[4].at, (std::vector<std::string>{"128 x 64", "16 x 16"}));
}

TEST(SweepPlans, NameTheAxesThatThereAre) {
    const KernelLibrary library;
    const Work work = simulated(filters::lab(), 5);
    try {
        (void)sweep_axis("nonsense", work, {5}, {}, library);
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("block, size, threads"), std::string::npos) << error.what();
    }
    EXPECT_EQ(sweep_axis("size", work, {5}, {1920, 1080}, library).places.size(), 3u);
    EXPECT_THROW((void)sweep_axis("size", work, {5}, {100, 100}, library), UsageError);
}

class Sweeps : public ::testing::Test {
  protected:
    Sweeps() : engine_(EngineOptions{}) {
        std::filesystem::create_directories(folder_);
        engine_.set_picture(small_picture(), "small");
        plan_.base = simulated(filters::lab(), 1);
        plan_.versions = {1};
        plan_.axes = {{"block", {"32 x 2", "8 x 8", "64 x 4"}}};
        plan_.picture = small_picture();
        plan_.picture_name = "small";
    }
    ~Sweeps() override { std::filesystem::remove_all(folder_); }
    void SetUp() override {
        if (engine_.snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
    }
    std::vector<SweepPoint> run(std::span<const Record> known = {}) {
        std::vector<SweepPoint> points;
        SweepOptions options;
        options.known = known;
        options.took = [&](SweepPoint point, int, int) { points.push_back(std::move(point)); };
        run_sweep(engine_, {&plan_, 1}, library_, options);
        return points;
    }
    // The record of a time that a GPU would have taken.
    Record measured(double ms) {
        engine_.prepare(plan_.base);
        engine_.wait_for_counts();
        Record record = engine_.record();
        record.place.kind = Kind::measured;
        record.total_ms = {ms, ms, ms, 20};
        return record;
    }

    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("sweep_test." + std::to_string(getpid()));
    KernelLibrary library_;
    Engine engine_;
    SweepPlan plan_;
};

TEST_F(Sweeps, TakeATimeAtEachPlace) {
    const std::vector<SweepPoint> points = run();
    ASSERT_EQ(points.size(), 3u);
    for (const SweepPoint& point : points) {
        EXPECT_GT(point.record.total_ms.median, 0) << point.at[0];
        EXPECT_EQ(point.record.place.kind, Kind::estimated);
        EXPECT_EQ(point.record.key.size, (Extent{200, 120}));
        ASSERT_EQ(point.record.key.kernels.size(), 3u);
        EXPECT_EQ(to_string(point.record.key.kernels[1].block), point.at[0]);
        double sum = 0;
        for (const double ms : point.record.step_ms) sum += ms;
        EXPECT_NEAR(sum, point.record.total_ms.median, 1e-9);
    }
    EXPECT_NE(points[0].record.total_ms.median, points[1].record.total_ms.median);
}

TEST_F(Sweeps, DoNotRepeatWhatIsKnown) {
    std::vector<SweepPoint> first = run();
    ASSERT_EQ(first.size(), 3u);
    Record known = first[1].record;
    known.total_ms.median = 123;  // so that it can be told from one that was made again
    Record other = first[2].record;
    other.place.compiler = "NVRTC 1.0";
    const std::vector<Record> records{known, other};
    const std::vector<SweepPoint> points = run(records);
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points[1].record.total_ms.median, 123);
    EXPECT_TRUE(points[1].known);
    EXPECT_FALSE(points[0].known || points[2].known) << "another compiler, another result";
}

TEST_F(Sweeps, CutSizesOutOfThePicture) {
    plan_.axes = {{"size", {"100 x 60", "200 x 120"}}};
    const std::vector<SweepPoint> points = run();
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[0].record.key.size, (Extent{100, 60}));
    EXPECT_EQ(points[1].record.key.size, (Extent{200, 120}));
    EXPECT_NE(points[0].record.place.content, points[1].record.place.content);
}

TEST_F(Sweeps, ReplayedTimesStandForTheirOwnWorkAlone) {
    engine_.prepare(plan_.base);
    const std::string gpu = engine_.snapshot().target.gpu.name;
    Replay replay = replay_of({measured(1.25)}, GpuTable(), library_, "test");
    EXPECT_TRUE(replay.notes.empty());
    engine_.replay(std::make_shared<const Recordings>(replay.recordings));
    engine_.prepare(plan_.base);
    engine_.wait_for_counts();
    const std::optional<TimeFigure> time = time_of(engine_.snapshot().told.now);
    ASSERT_TRUE(time);
    EXPECT_EQ(time->kind, Kind::recorded);
    EXPECT_EQ(time->ms, 1.25);
    const auto is_estimated = [&](const Work& work) {
        engine_.prepare(work);
        engine_.wait_for_counts();
        const std::optional<TimeFigure> other = time_of(engine_.snapshot().told.now);
        return other && other->kind == Kind::estimated;
    };
    Work work = plan_.base;
    work.block(filters::step::blur) = {16, 16};
    EXPECT_TRUE(is_estimated(work)) << "another block";
    work = plan_.base;
    work.target_gpu = "GTX 980";
    EXPECT_TRUE(is_estimated(work)) << "another GPU than " << gpu;
    engine_.set_picture(std::make_shared<const RgbaImage>(draw_test_picture({201, 120})), "other");
    EXPECT_TRUE(is_estimated(plan_.base)) << "another size";
}

TEST_F(Sweeps, RecordingsOfOtherKernelsOrGpusAreRefused) {
    Record record = measured(1);
    record.key.kernels[1].text ^= 1;
    try {
        (void)replay_of({record}, GpuTable(), library_, "test");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(record.key.kernels[1].name + ".cu"), std::string::npos)
            << error.what();
    }
    record = measured(1);
    record.place.gpu = "GTX 9999";
    EXPECT_THROW((void)replay_of({record}, GpuTable(), library_, "test"), Error);
    record = measured(1);
    record.place.kind = Kind::estimated;
    EXPECT_THROW((void)replay_of({record}, GpuTable(), library_, "test"), Error) << "nothing was measured";
    try {
        (void)replay_of({}, GpuTable(), library_, "test");
        ADD_FAILURE() << "there is nothing to show";
    } catch (const Error& error) {
        EXPECT_NE(std::string_view(error.what()).find("no record in this file"), std::string_view::npos)
            << error.what();
    }
    record = measured(1);
    record.place.gpu = "NVIDIA GeForce RTX 3060";
    EXPECT_EQ(replay_of({record}, GpuTable(), library_, "test").recordings.gpus().front(), "RTX 3060");
}

TEST_F(Sweeps, RunBesideTheFramesStopAndGoOn) {
    const auto records = folder_ / "records.jsonl";
    const SweepSubject subject =
        subject_of(plan_.base, input_key(picture_problem(filters::lab(), plan_.picture)));
    std::size_t before = 0;
    {
        SweepService service({}, records);
        EXPECT_EQ(service.find(subject), nullptr);
        service.start({subject}, plan_.picture, "small");
        while (!service.find(subject) || service.find(subject)->cells.size() < 3) {
            (void)service.update();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        service.stop();
        const SweepResult& result = *service.find(subject);
        before = result.cells.size();
        EXPECT_FALSE(result.running);
        EXPECT_LT(before, 66u);
        EXPECT_EQ(result.all, 98) << "66 shapes, and 32 rows of lanes";
        EXPECT_EQ(result.problem, "");
    }
    EXPECT_EQ(read_record_file(records).records.size(), before);
    // As after a program that was killed: what it had is there at once.
    SweepService service({}, records);
    service.start({subject}, plan_.picture, "small");
    while (!service.find(subject) || service.find(subject)->cells.size() < before + 1) {
        ASSERT_TRUE(service.running()) << service.find(subject)->problem;
        (void)service.update();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    service.stop();
    const SweepResult& result = *service.find(subject);
    EXPECT_EQ(read_record_file(records).records.size(), result.cells.size()) << "none was made twice";
    ASSERT_TRUE(result.fastest() && result.slowest());
    EXPECT_LT(result.fastest()->ms, result.slowest()->ms);
}

TEST_F(Sweeps, ThatCannotBeginSayWhy) {
    const SweepSubject subject = subject_of(plan_.base, {});
    SweepService service({}, folder_);  // no file
    service.start({subject}, plan_.picture, "small");
    while (service.running()) (void)service.update();
    EXPECT_NE(service.find(subject)->problem.find(folder_.string()), std::string::npos);
}

TEST_F(Sweeps, OfARecordedGpuNeedNoRun) {
    std::vector<Record> records;
    for (const Block block : {Block{32, 2}, Block{8, 8}, Block{1024, 1}}) {
        records.push_back(measured(block.x));
        records.back().key.kernels[1].block = block;
        records.back().step_ms = {1, double(block.x), 1};
    }
    Record gray = records.back();
    gray.key.kernels[0].block = {1, 1};  // not as the gray kernel runs
    records.push_back(gray);
    Recordings recordings;
    recordings.add(records);
    const SweepSubject subject = subject_of(plan_.base, engine_.input());
    const SweepResult result = recorded_sweep(recordings, subject, engine_.plan_of(subject.work));
    EXPECT_EQ(result.kind, Kind::recorded);
    EXPECT_EQ(result.cells.size(), 3u);
    ASSERT_TRUE(result.fastest());
    EXPECT_EQ(result.fastest()->block, (Block{8, 8}));
}

}  // namespace
}  // namespace ws
