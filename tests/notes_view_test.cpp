// What the lecturer sees: all of it fits, in both languages, and nothing moves because a note is longer.

#include "app/views/notes_view.h"

#include "app/lecture/lecture.h"
#include "app/texts/texts.h"
#include "render/screens.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

constexpr Extent kNotesSizes[] = {{640, 400},  {960, 600},   {1024, 768},
                                  {1280, 720}, {1920, 1080}, {3840, 2160}};

std::string words(std::size_t letters) {
    std::string made;
    while (made.size() + 7 <= letters) made += "letter ";
    return made;
}

Playing longest(const Work& work) {
    LectureStep step;
    step.title = std::string(kMostTitle, 'm');
    step.sentence = words(kMostSentence);
    step.note = words(kMostNote);
    step.work = work;
    step.asks = askable_named("wavefronts");
    Lecture lecture;
    lecture.title = std::string(kMostTitle, 'e');
    lecture.steps.assign(40, step);
    return first_step(std::make_shared<const Lecture>(lecture));
}

class Notes : public Views {
  protected:
    ~Notes() override { use_language({}); }

    const Drawing& drawn(const Playing& playing, Extent size, Theme theme) {
        const float unit = notes_unit(size);
        load_fonts(unit);
        unsigned char* pixels = nullptr;
        int width = 0;
        int height = 0;
        ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
        ImGui::GetIO().DisplaySize = {float(size.width), float(size.height)};
        ImGui::NewFrame();
        begin_frame_texts();
        drawing_.clear();
        {
            const StageWindow window;
            Canvas canvas(*ImGui::GetWindowDrawList(), theme, unit, drawing_);
            draw_notes(canvas, size, {playing, "23:59", "10:00:00"});
        }
        ImGui::Render();
        return drawing_;
    }
    [[nodiscard]] bool says(std::string_view words) const {
        for (const DrawnText& text : drawing_.texts) {
            if (text.text.find(words) != std::string_view::npos) return true;
        }
        return false;
    }
};

TEST_F(Notes, OfTheLongestStepFitEverywhere) {
    const Work work = first_work(filters::lab());
    for (const std::string& language : languages()) {
        speak(language);
        for (const Extent size : kNotesSizes) {
            for (const Theme theme : {Theme::light, Theme::dark}) {
                const std::string where = fmt::format("{} {}x{}", language, size.width, size.height);
                Playing playing = longest(work);
                walk(drawn(playing, size, theme), theme, size, where + " asking");
                const auto slots = slots_in(drawing_);
                playing = pointed(std::move(playing), 123456);
                playing = turned(std::move(playing), 1);
                walk(drawn(playing, size, theme), theme, size, where + " told");
                EXPECT_EQ(slots_in(drawing_), slots) << "nothing moves";
            }
        }
    }
}

TEST_F(Notes, OfEveryBuiltInLectureFit) {
    Work start = first_work(filters::lab());
    for (const std::string_view file : builtin_lectures()) {
        const std::string name(file.substr(0, file.rfind('.')));
        const Lecture lecture = load_lecture(name, "en", start);
        speak(lecture.language);
        Playing playing = first_step(std::make_shared<const Lecture>(lecture));
        for (int step = 0; step < playing.count(); ++step) {
            playing = at_step(std::move(playing), step);
            const DrawnText* note = nullptr;
            walk(drawn(playing, {960, 600}, Theme::light), Theme::light, {960, 600},
                 name + " " + playing.step().title);
            for (const DrawnText& text : drawing_.texts) {
                if (playing.step().note.starts_with(text.text)) note = &text;
            }
            ASSERT_TRUE(note) << name << " " << playing.step().title;
            EXPECT_EQ(note->font, Font::slide_text) << "a note that a lecturer can read while standing";
            const bool last = step + 1 == playing.count();
            EXPECT_EQ(says(say("notes.last")), last);
            EXPECT_TRUE(last || says(playing.lecture->steps[std::size_t(step + 1)].title));
        }
    }
}

// "8 x" on one line and "4" on the next is no size.
TEST_F(Notes, SizesStayOnOneLine) {
    LectureStep step;
    step.title = "sizes";
    while (step.note.size() + 20 <= kMostNote)
        step.note += step.note.empty() ? "tiles" : " of 8 x 4 x 2, tiles";
    step.work = first_work(filters::lab());
    Lecture lecture;
    lecture.steps = {step};
    const Playing playing = first_step(std::make_shared<const Lecture>(lecture));
    int sizes = 0;
    for (const Extent size : kNotesSizes) {
        for (const DrawnText& text : drawn(playing, size, Theme::light).texts) {
            EXPECT_FALSE(text.text.starts_with("x ") || text.text.ends_with(" x"))
                << size.width << ": " << text.text;
            sizes += text.text.find("8 x 4 x 2") != std::string_view::npos;
        }
    }
    EXPECT_GT(sizes, 20);
}

TEST_F(Notes, SayWhatWasGuessed) {
    Playing playing = longest(first_work(filters::lab()));
    drawn(playing, {1280, 720}, Theme::dark);
    EXPECT_TRUE(says("The class is to guess."));
    playing = turned(pointed(std::move(playing), 12.5), 1);
    drawn(playing, {1280, 720}, Theme::dark);
    EXPECT_TRUE(says("Guessed: 12.5"));
    playing = turned(at_step(std::move(playing), 3), 1);
    drawn(playing, {1280, 720}, Theme::dark);
    EXPECT_TRUE(says("without a guess"));
}

TEST(Screens, TheSecondIsOneThatShowsSomethingElse) {
    const Screen laptop{0, 0, {1920, 1080}};
    const Screen projector{1920, 0, {1280, 720}};
    const std::vector<Screen> both{laptop, projector};
    EXPECT_EQ(screen_beside(both, laptop), projector);
    EXPECT_EQ(screen_beside(both, projector), laptop);
    EXPECT_EQ(screen_beside(std::vector{laptop}, laptop), std::nullopt);
    const Screen mirror{0, 0, {1280, 720}};
    EXPECT_EQ(screen_beside(std::vector{laptop, mirror}, laptop), std::nullopt)
        << "a mirrored screen is the class's";
    EXPECT_EQ(screen_beside(std::vector{laptop, mirror, projector}, mirror), projector);
    const Screen above{0, -1080, {1920, 1080}};
    EXPECT_EQ(screen_beside(std::vector{laptop, above}, laptop), above);
}

}  // namespace
}  // namespace ws
