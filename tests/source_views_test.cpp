// The view of the source and of the machine code as it is drawn: the chosen line, and the column of shares.

#include <algorithm>
#include <set>
#include <utility>

#include "app/texts/texts.h"
#include "app/views/picture_parts.h"
#include "app/views/source_rows.h"
#include "app/views/words.h"
#include "app/window/stage.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

// A line whose first row is above the table has its last row there: nobody points at it for that.
TEST_F(Views, TheCardSpeaksOfTheChosenLineHoweverFarTheCodeIsScrolled) {
    const Snapshot& snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    constexpr int kLine = 45;
    ViewState view = view_of(Theme::dark, Tab::source);
    view.source.line = kLine;
    for (int row = 0; row < 80; ++row) {
        view.source.scroll = float(row);
        const Drawing& drawing = draw(snapshot, view, {1280, 720});
        EXPECT_TRUE(std::ranges::any_of(
            drawing.texts, [&](const DrawnText& text) { return text.text == say("warp.title", kLine); }))
            << "scrolled by " << row;
    }
}

// Whatever line is chosen, of every step's machine code, in every language.
TEST_F(Views, MachineCodeFitsBesideTheSource) {
    const Snapshot& snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    MachineReader reader;
    int bows = 0;
    for (const std::string& language : languages()) {
        speak(language);
        for (const StepSnapshot& step : snapshot.steps) {
            if (!step.runs) continue;
            machine_ = reader.of(step.built.machine_code);
            EXPECT_TRUE(machine_) << step.name;
            if (!machine_) continue;
            for (const LoadWait& bow : machine_->flight.waits) bows += bow.wait >= 0;
            ViewState view = view_of(Theme::dark, Tab::source);
            view.preferences.step = step.name;
            view.source.beside = SidePanel::machine;
            std::set<int> lines{0};
            for (const MachineInstruction& one : machine_->code.instructions) lines.insert(one.line);
            // As if it spilled.
            MachineListing spilling = *machine_;
            for (std::size_t i = 0; i < spilling.code.instructions.size(); i += 7)
                spilling.code.instructions[i].space = MemorySpace::local;
            spilling.local = {9, 99};
            const std::string words(say("machine.local", 9, 99));
            for (const Extent size : kSizes) {
                const MachineListing* const read = std::exchange(machine_, &spilling);
                const Drawing& drawing = draw(snapshot, view, size);
                EXPECT_TRUE(std::ranges::any_of(drawing.texts, [&](const DrawnText& text) {
                    return text.text == words;
                })) << size.width;
                walk(drawing, Theme::dark, size, fmt::format("{} spills {}", language, size.width));
                machine_ = read;
            }
            for (const Extent size : kSizes) {
                for (view.source.line = 0; view.source.line < 100; ++view.source.line) {
                    if (!lines.contains(view.source.line)) continue;
                    for (view.page = 0; view.page < (slots_of(size).narrow ? 2 : 1); ++view.page)
                        walk(draw(snapshot, view, size), Theme::dark, size,
                             fmt::format("{} {} line {} {}", language, step.name, view.source.line,
                                         size.width));
                }
            }
        }
    }
    use_language({});
    EXPECT_GT(bows, 0);
}

// The column of shares: of instructions, of time, and of instructions where time was wished for and no clock
// ran; the places stay.
TEST_F(Views, SharesOfTimeFitAndAddUp) {
    const Snapshot& snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const StepSnapshot& step = chosen_step(snapshot, "");
    ASSERT_TRUE(step.counts.result && step.counts.result->clocked);
    ASSERT_TRUE(before_result(snapshot, step) && before_result(snapshot, step)->clocked);
    Snapshot none = snapshot;
    for (StepSnapshot& one : none.steps) {
        if (one.counts.result) one.counts.result->clocked.reset();
    }
    Snapshot old = none;
    old.target.gpu.limits.capability = {6, 1};
    Snapshot stale = snapshot;
    stale.told.stale = true;
    const auto shows = [](const Drawing& drawing, std::string_view words) {
        return std::ranges::any_of(drawing.texts, [&](const DrawnText& text) { return text.text == words; });
    };
    const auto tells = [](const Drawing& drawing, std::string_view words) {
        return std::ranges::any_of(drawing.tips, [&](const Drawing::Tip& tip) { return tip.text == words; });
    };
    // What the column has, in the order of its rows.
    const auto column = [](const Drawing& drawing) {
        const auto code = std::ranges::find(drawing.slots, "code", &Drawing::Slot::name);
        std::vector<std::string> found;
        for (const DrawnText& text : drawing.texts) {
            if (text.box.right() > code->box.x + 0.1f * code->box.w && text.font != Font::code &&
                text.box.right() < code->box.x + 0.18f * code->box.w &&
                text.text.find('.') == text.text.size() - 2)
                found.emplace_back(text.text);
        }
        return found;
    };
    for (const std::string& language : languages()) {
        speak(language);
        for (const Theme theme : {Theme::light, Theme::dark}) {
            for (const Extent size : kSizes) {
                const std::string where = fmt::format("{} {}x{}", language, size.width, size.height);
                ViewState view = view_of(theme, Tab::source);
                const auto by_instructions = slots_in(draw(snapshot, view, size));
                const auto instructions = column(drawing_);
                EXPECT_TRUE(shows(drawing_, say("source.share"))) << where;
                view = edited(view, ChooseLineShare{LineShare::time}, {});
                for (const Snapshot* shown : {&snapshot, static_cast<const Snapshot*>(&stale)}) {
                    walk(draw(*shown, view, size), theme, size, where + " of time");
                    EXPECT_TRUE(shows(drawing_, say("source.time"))) << where;
                    EXPECT_TRUE(shows(drawing_, say("kind.estimated"))) << where << ": of the waits";
                    EXPECT_TRUE(tells(drawing_, say("source.time.tip"))) << where;
                    EXPECT_EQ(slots_in(drawing_), by_instructions) << where;
                    EXPECT_GT(column(drawing_).size(), 2u);
                    EXPECT_NE(column(drawing_), instructions) << where;
                }
                for (const auto& [shown, key] :
                     {std::pair{&none, "source.time.none.tip"}, {&old, "source.time.old.tip"}}) {
                    walk(draw(*shown, view, size), theme, size, where + " without a clock");
                    EXPECT_TRUE(shows(drawing_, say("source.share"))) << where;
                    EXPECT_TRUE(tells(drawing_, say(key))) << where << " " << key;
                    EXPECT_EQ(column(drawing_), instructions) << where;
                }
            }
        }
    }
    speak("en");
    // All lines unfolded: every share that is written is that of its line.
    ViewState view = view_of(Theme::light, Tab::source);
    view.preferences.line_share = LineShare::time;
    view.preferences.changes_only = view.preferences.removed_lines = false;
    std::multiset<std::string> wanted;
    double sum = 0;
    const ClockedLaunch& clocked = *step.counts.result->clocked;
    for (const SourceLine& line : step.built.lines->lines) {
        if (line.change == LineChange::removed) continue;
        const double share = time_share(clocked, line.counted);
        sum += share;
        if (share >= 0.0005) wanted.insert(fmt::format("{:.1f}", 100 * share));
    }
    const double of_no_line =
        double(clocks_of(clocked.at_line.front())) / double(clocks_of(all_states(clocked)));
    EXPECT_NEAR(sum + of_no_line, 1, 1e-9);
    const auto drawn = column(draw(snapshot, view, {1920, 1080}));
    EXPECT_GT(drawn.size(), 3u);
    for (const std::string& share : drawn) EXPECT_TRUE(wanted.contains(share)) << share;
}

TEST_F(Views, AClickOnTheHeadingTakesTheOtherShare) {
    const Snapshot& snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    ViewState view = view_of(Theme::light, Tab::source);
    for (const LineShare wanted : {LineShare::time, LineShare::instructions}) {
        const std::string_view label = phrase(wanted == LineShare::time ? "source.share" : "source.time");
        draw(snapshot, view, {1920, 1080});
        const auto heading = std::ranges::find(drawing_.texts, label, &DrawnText::text);
        ASSERT_NE(heading, drawing_.texts.end()) << label;
        ImGui::GetIO().MousePos = {heading->box.center_x(), heading->box.center_y()};
        draw(snapshot, view, {1920, 1080});
        edits_.clear();
        for (const bool down : {true, false}) {
            ImGui::GetIO().MouseDown[0] = down;
            draw(snapshot, view, {1920, 1080});
        }
        for (const Edit& edit : edits_.all()) {
            if (const auto* looked = std::get_if<ViewEdit>(&edit)) view = edited(view, *looked, {});
        }
        EXPECT_EQ(view.preferences.line_share, wanted) << label;
    }
}

}  // namespace
}  // namespace ws
