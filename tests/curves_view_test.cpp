// All versions of a lab over its sizes or a knob: drawn so that all of it can be read, whatever is known so
// far; chosen by keys and the pointer.

#include <algorithm>
#include <cmath>
#include <set>

#include "app/texts/texts.h"
#include "app/views/curve_axis.h"
#include "app/views/curve_parts.h"
#include "app/views/picture_parts.h"
#include "app/window/keys.h"
#include "app/window/look.h"
#include "app/window/steps.h"
#include "gpu/engine/sweep.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

const Lab& lab() {
    return lab_named("transpose");
}

const SweepOver kOverSizes{SweepOver::Kind::size};
SweepOver over_knob(const char* name) {
    return {SweepOver::Kind::knob, name};
}

const Snapshot& transpose_7_against_3() {
    static const Snapshot kSnapshot = snapshot_of(lab(), 7, 3);
    return kSnapshot;
}

// A version that reaches so many GB/s on large matrices; one size is refused.
SweepResult swept(int version, Kind kind, double gb_s, std::size_t sizes) {
    SweepResult result;
    result.subject = subject_of(with_version(first_work(lab()), version_of(lab(), version)), {}, kOverSizes);
    result.gpu = "RTX 3060";
    result.kind = kind;
    for (std::size_t i = 0; i < std::min(sizes, lab().sizes.swept.size()); ++i) {
        SweepCell cell;
        cell.size = lab().sizes.swept[i];
        cell.gb_s = gb_s * (1 - 100.0 / cell.size.width);
        cell.ms = 8 * double(cell.size.pixels()) / cell.gb_s / 1e6;
        if (i == 3) cell = {{}, 0, 0, 0, "the launch was refused", cell.size};
        result.put(cell);
    }
    result.done = int(result.cells.size());
    result.all = int(lab().sizes.swept.size());
    result.running = sizes < lab().sizes.swept.size();
    result.seconds_left = result.running ? 754 : 0;
    return result;
}

class Curves : public Views {
  protected:
    // All versions, as fast as each other but for their order.
    void know(Kind kind, double gb_s, std::size_t sizes) {
        results_.clear();
        curves_.clear();
        for (const Version& version : lab().versions)
            results_.push_back(swept(version.number, version.number % 2 == 0 ? kind : Kind::estimated,
                                     gb_s * version.number / lab().versions.back().number, sizes));
        for (const SweepResult& result : results_) curves_.push_back({result.subject.work.version, &result});
        sweep_ = {nullptr, nullptr, curves_, {}};
    }
    // The versions that have the knob, each value a little slower than the one before; the second is refused.
    void know_knob(const Snapshot& snapshot, const char* name, Kind kind, std::size_t most) {
        results_.clear();
        curves_.clear();
        std::set<int> all;
        const KernelLibrary library;
        for (const Version& version : snapshot.work.lab->versions) {
            const Work work = with_version(snapshot.work, version);
            const Knob* knob = running_knob(work, name, library);
            if (!knob) continue;
            SweepResult& result = results_.emplace_back();
            result.subject = subject_of(work, {}, over_knob(name));
            result.gpu = "RTX 3060";
            result.kind = version.number % 2 == 0 ? kind : Kind::estimated;
            for (const int value : values_of(*knob)) {
                all.insert(value);
                if (result.cells.size() >= most) continue;
                SweepCell cell;
                cell.value = value;
                cell.size = {2048, 2048};
                cell.ms = 0.1 + 0.01 * value + 0.001 * version.number;
                cell.gb_s = 33.5 / cell.ms;
                if (result.cells.size() == 1)
                    cell.ms = cell.gb_s = 0, cell.refused = "the launch was refused";
                result.put(cell);
            }
            result.all = 99;
            result.done = int(result.cells.size());
            result.running = most < 99;
            result.seconds_left = result.running ? 5940 : 0;
        }
        for (const SweepResult& result : results_) curves_.push_back({result.subject.work.version, &result});
        values_.assign(all.begin(), all.end());
        sweep_ = {nullptr, nullptr, curves_, values_};
    }
    ViewState page(Theme theme, std::optional<SweepOver> over = {}) {
        ViewState view = view_of(theme, Tab::story);
        view.story.curves = true;
        view.story.over = std::move(over);
        return view;
    }
    // All of it, on every page of a narrow window.
    void walk_pages(const Snapshot& snapshot, ViewState view, Extent size, const std::string& where) {
        for (view.page = 0; view.page < (slots_of(size).narrow ? 2 : 1); ++view.page)
            walk(draw(snapshot, view, size), view.preferences.theme, size,
                 fmt::format("{} {}x{}", where, size.width, size.height));
    }
    // What the drawing says somewhere.
    [[nodiscard]] bool says(std::string_view words) const {
        return std::any_of(drawing_.texts.begin(), drawing_.texts.end(), [&](const DrawnText& text) {
            return text.text.find(words) != std::string_view::npos;
        });
    }
    // The edits of a click at a share of the plot's card, or of a button by its words.
    template <typename Group, typename T>
    std::optional<T> clicked(const Snapshot& snapshot, const ViewState& view, ImVec2 at) {
        ImGuiIO& io = ImGui::GetIO();
        std::optional<T> asked;
        for (const bool down : {false, true, true, false}) {
            io.MousePos = at;
            io.MouseDown[0] = down;
            edits_.clear();
            draw(snapshot, view, {1920, 1080});
            for (const Edit& edit : edits_.all()) {
                const auto* group = std::get_if<Group>(&edit);
                if (group && std::holds_alternative<T>(*group)) asked = std::get<T>(*group);
            }
        }
        io.MousePos = {-1, -1};
        edits_.clear();
        draw(snapshot, view, {1920, 1080});
        return asked;
    }
    [[nodiscard]] ImVec2 in_plot(float share) const {
        const auto card =
            std::find_if(drawing_.slots.begin(), drawing_.slots.end(),
                         [](const Drawing::Slot& slot) { return slot.name == "version curves"; });
        if (card == drawing_.slots.end()) return {-1, -1};
        return {card->box.x + card->box.w * share, card->box.center_y()};
    }
    [[nodiscard]] ImVec2 on_words(std::string_view words) const {
        for (const DrawnText& text : drawing_.texts) {
            if (text.text == words) return {text.box.center_x(), text.box.center_y()};
        }
        return {-1, -1};
    }
    std::vector<SweepResult> results_;
    std::vector<VersionCurve> curves_;
    std::vector<int> values_;
};

TEST_F(Curves, FitWhateverIsKnown) {
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
                const ViewState view = page(theme);
                std::vector<std::pair<std::string, Box>> places;
                for (const Snapshot& one : others) {
                    for (int known = 0; known < 4; ++known) {
                        if (known == 0) sweep_ = {};
                        if (known == 1) know(Kind::measured, 4800, 99);
                        if (known == 2) know(Kind::recorded, 0.9, 99);
                        if (known == 3) know(Kind::estimated, 320, 2);
                        walk_pages(one, view, size, fmt::format("sizes {} {}", language, known));
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

TEST_F(Curves, SayWhatTheirLinesAre) {
    const Snapshot& snapshot = transpose_7_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const auto is_line = [&](const char* label) { return on_words(label).x >= 0; };
    know(Kind::measured, 9.5, 99);
    draw(snapshot, page(Theme::light), {1920, 1080});
    for (const char* label : {"0", "2.5", "5", "7.5", "10"}) EXPECT_TRUE(is_line(label)) << label;
    know(Kind::measured, 0.95, 99);
    draw(snapshot, page(Theme::light), {1920, 1080});
    for (const char* label : {"0", "0.25", "0.5", "0.75", "1"}) EXPECT_TRUE(is_line(label)) << label;
    sweep_ = {};
}

struct KnobPage {
    const char* lab;
    int version, against;
    const char* knob;
};

TEST_F(Curves, OverAKnobFitWhateverIsKnown) {
    if (!transpose_7_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    // One version's own knob, one that many share, two values, a long meaning, one that the version lacks.
    constexpr KnobPage kPages[]{{"global-memory", 2, 1, "OFFSET"},  {"global-memory", 4, 1, "CACHED"},
                                {"global-memory", 1, -1, "STRIDE"}, {"banks", 2, 1, "STRIDE"},
                                {"filters", 4, 3, "MIN_BLOCKS"},    {"filters", 17, 16, "WARPS"},
                                {"filters", 14, 13, "ROWS"},        {"reduction", 11, 10, "HOT"},
                                {"divergence", 5, 4, "PATTERN"}};
    for (const KnobPage& one : kPages) {
        const Snapshot snapshot = snapshot_of(lab_named(one.lab), one.version, one.against);
        for (const std::string_view language : {"en", "de"}) {
            speak(language);
            for (const Extent size : kSizes) {
                const Theme theme = size.width < 1900 ? Theme::light : Theme::dark;
                const ViewState view = page(theme, over_knob(one.knob));
                std::vector<std::pair<std::string, Box>> places;
                for (int known = 0; known < 4; ++known) {
                    if (known == 0) sweep_ = {};
                    if (known == 1) know_knob(snapshot, one.knob, Kind::measured, 99);
                    if (known == 2) know_knob(snapshot, one.knob, Kind::recorded, 99);
                    if (known == 3) know_knob(snapshot, one.knob, Kind::estimated, 2);
                    walk_pages(
                        snapshot, view, size,
                        fmt::format("{} V{} {} {} {}", one.lab, one.version, one.knob, language, known));
                    EXPECT_TRUE(says(one.knob)) << "the axis has its name";
                    const auto now = slots_in(draw(snapshot, view, size));
                    if (!places.empty()) {
                        EXPECT_EQ(now, places) << "nothing moves";
                    }
                    places = now;
                }
            }
        }
        speak("en");
    }
    sweep_ = {};
}

// A version without knobs in a lab without sizes says so, and what has another version's knob, too.
TEST_F(Curves, SayWhatThereIsNoAxisFor) {
    if (!filters_5_against_3().told.now.counted()) GTEST_SKIP() << "there is no compiler here";
    for (const std::string_view language : {"en", "de"}) {
        speak(language);
        for (const Extent size : kSizes) walk_pages(filters_5_against_3(), page(Theme::light), size, "none");
    }
    speak("en");
    draw(filters_5_against_3(), page(Theme::light), {1920, 1080});
    EXPECT_TRUE(says("The kernels of V5 have no knob"));
    EXPECT_FALSE(says("run  R")) << "there is nothing to run";
    draw(filters_5_against_3(), page(Theme::light, over_knob("PAD")), {1920, 1080});
    EXPECT_TRUE(says("V5 has no knob PAD"));
    Snapshot original = filters_5_against_3();
    original.work.view = view_named(filters::lab(), "original");
    for (StepSnapshot& step : original.steps) step.runs = false;
    draw(original, page(Theme::light), {1920, 1080});
    EXPECT_TRUE(says("needs no kernel"));
}

TEST_F(Curves, GoOverWhatIsChosen) {
    const Lab& memory = lab_named("global-memory");
    const Snapshot snapshot = snapshot_of(memory, 2, 1);
    ViewState view = page(Theme::light);
    EXPECT_EQ(curve_axis(view, snapshot), kOverSizes) << "the first that there is";
    ASSERT_EQ(axis_count(snapshot), 3) << "the size, OFFSET and CACHED";
    // Round all of them by steps, either way.
    std::vector<std::string> seen;
    for (int i = 0; i < 3; ++i) {
        view = edited(view, *stepped_axis(snapshot, view, 1), {});
        seen.push_back(curve_axis(view, snapshot)->knob);
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, (std::vector<std::string>{"", "CACHED", "OFFSET"}));
    EXPECT_EQ(curve_axis(view, snapshot), kOverSizes);
    ViewState back = edited(view, *stepped_axis(snapshot, view, -1), {});
    EXPECT_NE(curve_axis(back, snapshot), kOverSizes);
    back = edited(back, *stepped_axis(snapshot, back, 1), {});
    EXPECT_EQ(curve_axis(back, snapshot), kOverSizes);
    // By the key, and by a button: one for each axis, or one that goes round them where there is no room.
    Edits edits;
    handle_key({KeyPress::Key::character, 'x'}, snapshot.work, view, edits);
    ASSERT_EQ(edits.all().size(), 1u);
    EXPECT_TRUE(std::holds_alternative<StepAxis>(std::get<Action>(edits.all().front())));
    const Snapshot many = snapshot_of(lab_named("transpose"), 10, 1);
    draw(many, view, {1920, 1080});
    const auto round = clicked<Action, StepAxis>(many, view, on_words("size  x"));
    ASSERT_TRUE(round);
    EXPECT_EQ(round->by, 1);
    draw(snapshot, view, {1920, 1080});
    const auto chosen = clicked<ViewEdit, ChooseOver>(snapshot, view, on_words("OFFSET"));
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->over, over_knob("OFFSET"));
    // Of a version that lacks it, it stays; of a lab without sizes, the first knob stands for the size.
    view.story.over = over_knob("OFFSET");
    const Snapshot first = snapshot_of(memory, 1, -1);
    EXPECT_EQ(curve_axis(view, first), over_knob("OFFSET"));
    EXPECT_EQ(shown_knob(first, "OFFSET"), nullptr);
    EXPECT_EQ(curve_axis(page(Theme::light, kOverSizes), snapshot_of(filters::lab(), 4, -1)),
              over_knob("MIN_BLOCKS"));
    EXPECT_EQ(curve_axis(page(Theme::light), filters_5_against_3()), std::nullopt);
}

TEST_F(Curves, AClickChoosesAValue) {
    const Snapshot snapshot = snapshot_of(lab_named("global-memory"), 2, 1);
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    know_knob(snapshot, "OFFSET", Kind::measured, 99);
    const ViewState view = page(Theme::light, over_knob("OFFSET"));
    draw(snapshot, view, {1920, 1080});
    int before = -1;
    for (const float share : {0.2f, 0.5f, 0.85f}) {
        const std::optional<ChooseKnob> chosen =
            clicked<WorkEdit, ChooseKnob>(snapshot, view, in_plot(share));
        ASSERT_TRUE(chosen) << share;
        EXPECT_EQ(chosen->name, "OFFSET");
        EXPECT_GT(chosen->value, before);
        EXPECT_LE(chosen->value, 32);
        before = chosen->value;
    }
    EXPECT_GT(before, 20);
    EXPECT_EQ(knob_value(snapshot, "OFFSET"), 1) << "the value in force";
    sweep_ = {};
}

// Each version's curve goes through its values: the drawing says what the sweep found.
TEST_F(Curves, ADragChoosesASize) {
    const Snapshot& snapshot = transpose_7_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    know(Kind::measured, 4800, 99);
    const ViewState view = page(Theme::light);
    draw(snapshot, view, {1920, 1080});
    const std::optional<ChooseSize> left = clicked<WorkEdit, ChooseSize>(snapshot, view, in_plot(0.15f));
    const std::optional<ChooseSize> right = clicked<WorkEdit, ChooseSize>(snapshot, view, in_plot(0.85f));
    ASSERT_TRUE(left && right);
    EXPECT_GT(left->size.width, 0);
    EXPECT_GT(right->size.width, 4 * left->size.width);
    sweep_ = {};
}

TEST_F(Curves, TakeThePlaceOfTheStory) {
    const Work matrix = first_work(lab());
    const ViewState view = page(Theme::light);
    EXPECT_TRUE(shows_curves(view));
    EXPECT_EQ(picture_parts(slots_of({1920, 1080}), view, matrix).count, 0);
    ViewState elsewhere = view;
    elsewhere.preferences.tab = Tab::warp;
    EXPECT_FALSE(shows_curves(elsewhere));
    elsewhere = view;
    elsewhere.slide.on = true;
    EXPECT_FALSE(shows_curves(elsewhere));
    // As the command line and lectures say it.
    LookOptions look;
    const auto shown = [&](const char* over) {
        look.over = over;
        ViewState made;
        made.preferences.tab = Tab::warp;
        for (const ViewEdit& edit : edits_of(look)) made = edited(std::move(made), edit, {});
        return made;
    };
    EXPECT_TRUE(shows_curves(shown("OFFSET"))) << "which brings its page";
    EXPECT_EQ(shown("OFFSET").story.over, over_knob("OFFSET"));
    EXPECT_EQ(shown("size").story.over, kOverSizes);
    EXPECT_FALSE(shown("off").story.curves);
    EXPECT_EQ(shown("off").preferences.tab, Tab::warp);
}

}  // namespace
}  // namespace ws
