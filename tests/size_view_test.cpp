// All versions of a lab over its sizes: drawn so that all of it can be read, whatever is known so far; swept,
// and found in recordings.

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/texts/texts.h"
#include "app/views/picture_parts.h"
#include "app/views/size_parts.h"
#include "app/window/sweep_desk.h"
#include "gpu/engine/record_of.h"
#include "gpu/engine/sweep.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

const Lab& lab() {
    return lab_named("transpose");
}

const Snapshot& transpose_7_against_3() {
    static const Snapshot kSnapshot = snapshot_of(lab(), 7, 3);
    return kSnapshot;
}

// A version that reaches so many GB/s on large matrices; one size is refused.
SweepResult swept(int version, Kind kind, double gb_s, std::size_t sizes) {
    SweepResult result;
    result.subject =
        subject_of(with_version(first_work(lab()), version_of(lab(), version)), {}, SweepOver::size);
    result.gpu = "RTX 3060";
    result.kind = kind;
    for (std::size_t i = 0; i < std::min(sizes, lab().sizes.swept.size()); ++i) {
        SweepCell cell;
        cell.size = lab().sizes.swept[i];
        cell.gb_s = gb_s * (1 - 100.0 / cell.size.width);
        cell.ms = 8 * double(cell.size.pixels()) / cell.gb_s / 1e6;
        if (i == 3) cell = {{}, 0, 0, 0, "the launch was refused", cell.size, 0};
        result.put(cell);
    }
    result.done = int(result.cells.size());
    result.all = int(lab().sizes.swept.size());
    result.running = sizes < lab().sizes.swept.size();
    result.seconds_left = result.running ? 754 : 0;
    return result;
}

class Sizes : public Views {
  protected:
    // All versions, as fast as each other but for their order.
    void know(Kind kind, double gb_s, std::size_t sizes) {
        results_.clear();
        curves_.clear();
        for (const Version& version : lab().versions)
            results_.push_back(swept(version.number, version.number % 2 == 0 ? kind : Kind::estimated,
                                     gb_s * version.number / 10, sizes));
        for (const SweepResult& result : results_) curves_.push_back({result.subject.work.version, &result});
        sweep_.sizes = curves_;
    }
    ViewState page(Theme theme) {
        ViewState view = view_of(theme, Tab::story);
        view.story.sizes = true;
        return view;
    }
    std::vector<SweepResult> results_;
    std::vector<SizeCurve> curves_;
};

TEST_F(Sizes, FitWhateverIsKnown) {
    const Snapshot& snapshot = transpose_7_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    Snapshot others[] = {snapshot, snapshot, snapshot};
    others[1].target.gpu = engine().gpus().named("GTX 280");
    others[1].work.size = {2048, 2048};
    others[2].told.now = {};
    others[2].told.now.work = snapshot.work;
    others[2].steps[0].counts.result.reset();
    others[2].steps[1].counts.result.reset();
    for (const std::string_view language : {"en", "de"}) {
        speak(language);
        for (const Extent size : kSizes) {
            for (const Theme theme : {Theme::light, Theme::dark}) {
                ViewState view = page(theme);
                std::vector<std::pair<std::string, Box>> places;
                for (const Snapshot& one : others) {
                    for (int known = 0; known < 4; ++known) {
                        if (known == 0) sweep_ = {};
                        if (known == 1) know(Kind::measured, 4800, 99);
                        if (known == 2) know(Kind::recorded, 0.9, 99);
                        if (known == 3) know(Kind::estimated, 320, 2);
                        for (view.page = 0; view.page < (slots_of(size).narrow ? 2 : 1); ++view.page)
                            walk(draw(one, view, size), theme, size,
                                 fmt::format("sizes {} {} {}x{}", language, known, size.width, size.height));
                        view.page = 0;
                        const auto now = slots_in(draw(one, view, size));
                        if (!places.empty()) {
                            EXPECT_EQ(now, places) << "nothing moves";
                        }
                        places = now;
                    }
                }
            }
        }
    }
    speak("en");
    sweep_ = {};
}

// Each version's curve goes through its values: the drawing says what the sweep found.
TEST_F(Sizes, ADragChoosesASize) {
    Snapshot snapshot = transpose_7_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    know(Kind::measured, 4800, 99);
    const ViewState view = page(Theme::light);
    draw(snapshot, view, {1920, 1080});
    const auto card = std::find_if(drawing_.slots.begin(), drawing_.slots.end(),
                                   [](const Drawing::Slot& slot) { return slot.name == "size curves"; });
    ASSERT_NE(card, drawing_.slots.end());
    const Box box = card->box;
    ImGuiIO& io = ImGui::GetIO();
    const auto chosen_at = [&](float x) {
        Extent size{};
        for (const bool down : {false, true, true}) {
            io.MousePos = {box.x + box.w * x, box.center_y()};
            io.MouseDown[0] = down;
            edits_.clear();
            draw(snapshot, view, {1920, 1080});
            for (const Edit& edit : edits_.all()) {
                const auto* work = std::get_if<WorkEdit>(&edit);
                if (work && std::holds_alternative<ChooseSize>(*work))
                    size = std::get<ChooseSize>(*work).size;
            }
        }
        io.MouseDown[0] = false;
        io.MousePos = {-1, -1};
        edits_.clear();
        draw(snapshot, view, {1920, 1080});
        return size;
    };
    const Extent left = chosen_at(0.15f);
    const Extent right = chosen_at(0.85f);
    EXPECT_GT(left.width, 0);
    EXPECT_GT(right.width, 4 * left.width);
    sweep_ = {};
}

TEST_F(Sizes, TakeThePlaceOfTheStory) {
    const Work matrix = first_work(lab());
    const ViewState view = page(Theme::light);
    EXPECT_TRUE(shows_sizes(view, matrix));
    EXPECT_EQ(picture_parts(slots_of({1920, 1080}), view, matrix).count, 0);
    EXPECT_FALSE(shows_sizes(view, first_work(filters::lab()))) << "it has none";
    ViewState elsewhere = view;
    elsewhere.preferences.tab = Tab::warp;
    EXPECT_FALSE(shows_sizes(elsewhere, matrix));
}

// A sweep of two versions over small sizes: what each finds is what the work itself has.
TEST_F(Sizes, AreSweptSizeBySize) {
    if (!transpose_7_against_3().told.now.counted()) GTEST_SKIP() << "there is no compiler here";
    Lab small = lab();
    small.sizes.swept = {{64, 64}, {96, 96}};
    std::vector<SweepSubject> subjects;
    for (const int version : {3, 7}) {
        Work work = with_version(first_work(small), version_of(small, version));
        work.device = DeviceKind::simt;
        work.target_gpu = "RTX 3060";
        subjects.push_back(subject_of(work, {}, SweepOver::size));
    }
    SweepService service({}, {});
    service.start(subjects, nullptr, {});
    while (service.running()) {
        (void)service.update();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
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

TEST(SizesWithin, LeaveOutWhatIsTooLarge) {
    const std::vector<Extent> all = sizes_within(lab(), std::size_t(1) << 40);
    EXPECT_EQ(all, lab().sizes.swept);
    const std::vector<Extent> some = sizes_within(lab(), std::size_t(4) * 1024 * 1024);
    ASSERT_FALSE(some.empty());
    EXPECT_LT(some.size(), all.size());
    for (const Extent size : some) EXPECT_LE(size.pixels(), 1024u * 1024u);
}

// Recorded times need no sweep, whatever the size; other blocks are other work.
TEST(SizesRecorded, AreFoundByEverythingButTheSize) {
    Engine& one = engine();
    Work work = with_version(first_work(lab()), version_of(lab(), 7));
    work.size = {64, 64};
    work.device = DeviceKind::simt;
    one.prepare(work);
    if (one.snapshot().compiler.missing) GTEST_SKIP() << "there is no compiler here";
    const SweepSubject subject = subject_of(work, {}, SweepOver::size);
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
