// What a lecture draws: its words fit everywhere, and nothing of a truth is drawn before it is told.

#include "app/views/picture_parts.h"
#include "tests/drawn_views.h"

namespace ws {
namespace {

ViewState at_a_question(const Snapshot& snapshot, const std::string& asked) {
    Lecture lecture;
    LectureStep step;
    step.title = std::string(kMostTitle, 'e');
    for (std::size_t i = 0; i < kMostSentence / 5; ++i) step.sentence += "four ";
    step.work = snapshot.work;
    step.asks = askable_named(asked);
    lecture.steps.assign(18, step);
    ViewState view;
    view.playing = first_step(std::make_shared<const Lecture>(lecture));
    return view;
}

void expect_fits(const Drawing& drawing, Extent size, const std::string& where) {
    for (const DrawnText& text : drawing.texts) {
        EXPECT_FALSE(text.cut) << where << ": '" << text.text << "' is cut off";
        EXPECT_TRUE(text.box.x >= -1 && text.box.right() <= float(size.width) + 1 &&
                    text.box.bottom() <= float(size.height) + 1)
            << where << ": '" << text.text << "' lies outside";
    }
}

TEST_F(Views, AStepOfALectureFits) {
    const Snapshot& snapshot = filters_5_against_3();
    if (!snapshot.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    for (const Extent size : {Extent{1024, 768}, Extent{1280, 720}, Extent{1920, 1080}}) {
        for (const Askable& asked : askables()) {
            for (const bool slide : {false, true}) {
                ViewState view = at_a_question(snapshot, std::string(asked.name));
                view.slide = slide;
                const std::string where =
                    fmt::format("{} {}x{} {}", asked.name, size.width, size.height, slide);
                EXPECT_EQ(picture_parts(slots_for(size, view), view, snapshot.work).count, 0);
                expect_fits(draw(snapshot, view, size), size, where + " asking");
                view = edited(view, TypeGuess{'7'}, {});
                view = edited(view, FixGuess{}, {});
                EXPECT_FALSE(view.playing->asking());
                EXPECT_GT(picture_parts(slots_for(size, view), view, snapshot.work).count, 0);
                expect_fits(draw(snapshot, view, size), size, where + " told");
            }
        }
    }
}

TEST_F(Views, ATruthIsDrawnOnceItIsTold) {
    const Snapshot& snapshot = filters_5_against_3();
    if (!snapshot.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    for (const Askable& asked : askables()) {
        const std::optional<Truth> truth = asked.truth(snapshot);
        ASSERT_TRUE(truth) << asked.name;
        ViewState view = at_a_question(snapshot, std::string(asked.name));
        const auto says_ratio = [&] {
            for (const DrawnText& text : draw(snapshot, view, {1920, 1080}).texts) {
                if (text.text.find("×)") != std::string_view::npos) return true;
            }
            return false;
        };
        EXPECT_FALSE(says_ratio());
        view = edited(view, TypeGuess{'7'}, {});
        EXPECT_FALSE(says_ratio());
        view = edited(view, FixGuess{}, {});
        EXPECT_TRUE(says_ratio()) << asked.name;
        // Of something else that is looked at there is no truth.
        Snapshot other = snapshot;
        other.work.version = 6;
        bool told = false;
        for (const DrawnText& text : draw(other, view, {1920, 1080}).texts)
            told |= text.text.find("×)") != std::string_view::npos;
        EXPECT_FALSE(told);
    }
}

}  // namespace
}  // namespace ws
