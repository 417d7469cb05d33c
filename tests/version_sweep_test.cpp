// All versions of a lab over its sizes or a knob: swept place by place, and found in recordings.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "gpu/engine/record_of.h"
#include "gpu/engine/sweep.h"
#include "gpu/engine/sweep_service.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/transpose/transpose.h"
#include "gpu/records/record_file.h"
#include "tests/shared_engine.h"

namespace ws {
namespace {

const SweepOver kOverSizes{SweepOver::Kind::size};
SweepOver over(const char* knob) {
    return {SweepOver::Kind::knob, knob};
}

Engine& sweeping_engine() {
    return engine_with_picture({16, 16}, "none");
}

void run(SweepService& service, const std::vector<SweepSubject>& subjects) {
    service.start(subjects, nullptr, {});
    while (service.running()) {
        (void)service.update();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

// A sweep of two versions over small sizes: what each finds is what the work itself has.
TEST(VersionSweeps, GoSizeBySize) {
    if (sweeping_engine().snapshot().compiler.missing) GTEST_SKIP() << "there is no compiler here";
    Lab small = transpose::lab();
    small.sizes.swept = {{64, 64}, {96, 96}};
    std::vector<SweepSubject> subjects;
    for (const int version : {3, 7}) {
        Work work = with_version(first_work(small), version_of(small, version));
        work.device = DeviceKind::simt;
        work.target_gpu = "RTX 3060";
        subjects.push_back(subject_of(work, {}, kOverSizes));
    }
    SweepService service({}, {});
    run(service, subjects);
    for (const SweepSubject& subject : subjects) {
        const SweepResult* result = service.find(subject);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->problem, "");
        EXPECT_FALSE(result->running);
        EXPECT_EQ(result->done, 4);
        EXPECT_EQ(result->all, 4);
        ASSERT_EQ(result->cells.size(), 2u);
        for (const Extent size : small.sizes.swept) {
            const SweepCell* cell = result->find(size);
            ASSERT_TRUE(cell);
            EXPECT_GT(cell->ms, 0);
            EXPECT_NEAR(cell->gb_s, 8.0 * double(size.pixels()) / cell->ms / 1e6, 1e-6 * cell->gb_s)
                << "each element is read and written once";
        }
    }
}

// Two versions over a knob that both have: what each finds is what the work itself has with that value. What
// was recorded is not run again.
TEST(VersionSweeps, GoValueByValue) {
    if (sweeping_engine().snapshot().compiler.missing) GTEST_SKIP() << "there is no compiler here";
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("version_sweep_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::filesystem::path file = folder / "records.jsonl";
    const Lab& memory = lab_named("global-memory");
    std::vector<SweepSubject> subjects;
    for (const int version : {1, 2}) {
        Work work = with_version(first_work(memory), version_of(memory, version));
        work.device = DeviceKind::simt;
        work.target_gpu = "GTX 560 Ti";
        work.size = {64, 64};
        work.knobs["CACHED"] = version % 2;
        subjects.push_back(subject_of(work, {}, over("CACHED")));
        EXPECT_TRUE(subjects.back().work.knobs.empty()) << "its value is none of the subject";
    }
    for (int round = 0; round < 2; ++round) {
        SweepService service({}, file);
        run(service, subjects);
        for (const SweepSubject& subject : subjects) {
            const SweepResult* result = service.find(subject);
            ASSERT_TRUE(result);
            EXPECT_EQ(result->problem, "");
            EXPECT_EQ(result->done, 4);
            EXPECT_EQ(result->all, 4);
            ASSERT_EQ(result->cells.size(), 2u);
            for (const int value : {0, 1}) {
                const SweepCell* cell = result->find(value);
                ASSERT_TRUE(cell);
                Work work = subject.work;
                work.knobs["CACHED"] = value;
                sweeping_engine().prepare(work);
                sweeping_engine().wait_for_counts();
                ASSERT_TRUE(sweeping_engine().snapshot().told.now.estimated());
                EXPECT_NEAR(cell->ms / *sweeping_engine().snapshot().told.now.estimated(), 1, 1e-5);
                EXPECT_EQ(cell->size, (Extent{64, 64}));
                EXPECT_GT(cell->gb_s, 0);
            }
        }
        EXPECT_EQ(read_record_file(file).records.size(), 4u) << "none twice";
    }
    std::filesystem::remove_all(folder);
}

TEST(RecordedSweeps, AreFoundByEverythingButTheKnob) {
    Engine& one = sweeping_engine();
    const Lab& memory = lab_named("global-memory");
    Work work = with_version(first_work(memory), version_of(memory, 2));
    work.size = {512, 512};
    work.device = DeviceKind::simt;
    one.prepare(work);
    if (one.snapshot().compiler.missing) GTEST_SKIP() << "there is no compiler here";
    const SweepSubject subject = subject_of(work, {}, over("OFFSET"));
    const PlannedWork planned = one.plan_of(subject.work);
    std::vector<Record> records;
    for (const int value : {1, 8, 16}) {
        Record record;
        record.place.gpu = planned.gpu;
        Work at = work;
        at.knobs["OFFSET"] = value;
        record.key = record_key(one.plan_of(at), work.size);
        record.total_ms.median = value;
        record.step_ms = {double(value)};
        records.push_back(record);
    }
    Record other = records.back();
    other.key.size = {256, 256};
    other.key.kernels.front().knobs["OFFSET"] = 24;
    records.push_back(other);
    other = records.back();
    other.key.size = work.size;
    other.key.kernels.front().knobs = {{"OFFSET", 32}, {"CACHED", 0}};
    records.push_back(other);
    Recordings recordings;
    recordings.add(records);
    const SweepResult result = recorded_sweep(recordings, subject, planned);
    EXPECT_EQ(result.kind, Kind::recorded);
    ASSERT_EQ(result.cells.size(), 3u) << "another size and another knob are other work";
    for (const int value : {1, 8, 16}) {
        ASSERT_TRUE(result.find(value)) << "the file's own value is one, too";
        EXPECT_EQ(result.find(value)->ms, value);
        EXPECT_NEAR(result.find(value)->gb_s, 8.0 * 512 * 512 / value / 1e6, 1e-9);
    }
}

TEST(SizesWithin, LeaveOutWhatIsTooLarge) {
    const std::vector<Extent> all = sizes_within(transpose::lab(), std::size_t(1) << 40);
    EXPECT_EQ(all, transpose::lab().sizes.swept);
    const std::vector<Extent> some = sizes_within(transpose::lab(), std::size_t(4) * 1024 * 1024);
    ASSERT_FALSE(some.empty());
    EXPECT_LT(some.size(), all.size());
    for (const Extent size : some) EXPECT_LE(size.pixels(), 1024u * 1024u);
}

// Recorded times need no sweep, whatever the size; other blocks are other work.
TEST(RecordedSweeps, AreFoundByEverythingButTheSize) {
    Engine& one = sweeping_engine();
    Work work = with_version(first_work(transpose::lab()), version_of(transpose::lab(), 7));
    work.size = {64, 64};
    work.device = DeviceKind::simt;
    one.prepare(work);
    if (one.snapshot().compiler.missing) GTEST_SKIP() << "there is no compiler here";
    const SweepSubject subject = subject_of(work, {}, kOverSizes);
    const PlannedWork planned = one.plan_of(subject.work);
    std::vector<Record> records;
    for (const int side : {512, 1024}) {
        Record record;
        record.place.gpu = planned.gpu;
        record.key = record_key(planned, {side, side});
        record.total_ms.median = 1;
        record.step_ms = {1};
        records.push_back(record);
    }
    Record other = records.back();
    other.key.kernels.front().block = {16, 16};
    other.key.size = {2048, 2048};
    records.push_back(other);
    Recordings recordings;
    recordings.add(records);
    const SweepResult result = recorded_sweep(recordings, subject, planned);
    EXPECT_EQ(result.kind, Kind::recorded);
    ASSERT_EQ(result.cells.size(), 2u);
    ASSERT_TRUE(result.find(Extent{512, 512}));
    EXPECT_NEAR(result.find(Extent{512, 512})->gb_s, 8.0 * 512 * 512 / 1e6, 1e-9);
    EXPECT_FALSE(result.find(Extent{2048, 2048}));
}

}  // namespace
}  // namespace ws
