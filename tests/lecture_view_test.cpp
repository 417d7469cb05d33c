// What a lecture draws: its words fit everywhere, and nothing of a truth is drawn before it is told.

#include <algorithm>

#include "app/texts/texts.h"
#include "app/views/picture_parts.h"
#include "app/views/words.h"
#include "app/window/look.h"
#include "app/window/picture_loader.h"
#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
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
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    for (const Extent size : {Extent{1024, 768}, Extent{1280, 720}, Extent{1920, 1080}}) {
        for (const Askable& asked : askables()) {
            for (const bool slide : {false, true}) {
                ViewState view = at_a_question(snapshot, std::string(asked.name));
                view.slide.on = slide;
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

// Its page lies above the lecture's band, and slide mode waits for a step that has a slide.
TEST_F(Views, AStepWithAnExperimentFits) {
    Snapshot snapshot;
    snapshot.work = first_work(filters::lab());
    ExperimentScene scene;
    scene.experiment = experiment_named("amdahl");
    scene.values = scene.ran = first_values(*scene.experiment);
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named("H200"), 1);
    scene.outcome = scene.experiment->run({.session = *session, .values = scene.values, .axis = 1});
    experiment_ = &scene;
    for (const Extent size : {Extent{1024, 768}, Extent{1280, 720}, Extent{1920, 1080}}) {
        for (const bool slide : {false, true}) {
            ViewState view = at_a_question(snapshot, "time");
            Lecture lecture = *view.playing->lecture;
            for (LectureStep& step : lecture.steps) {
                step.asks = nullptr;
                step.experiment = scene.experiment;
                step.controls = scene.values;
            }
            view.playing = first_step(std::make_shared<const Lecture>(lecture));
            view.slide.on = slide;
            view = edited(std::move(view), ShowExperiment{scene.experiment}, {});
            EXPECT_EQ(view.slide.on, slide);
            const std::string where = fmt::format("{}x{} {}", size.width, size.height, slide);
            const auto says = [](const Drawing& drawing, std::string_view words) {
                return std::any_of(drawing.texts.begin(), drawing.texts.end(),
                                   [&](const DrawnText& text) { return text.text.starts_with(words); });
            };
            for (int page = 0; page < experiment_pages(scene); ++page) {
                view.page = page;
                const Drawing& drawing = draw(snapshot, view, size);
                expect_fits(drawing, size, where);
                EXPECT_TRUE(says(drawing, "eeee")) << where << ": the title of the step";
                EXPECT_TRUE(says(drawing, said(scene.outcome->headline))) << where;
                EXPECT_EQ(says(drawing, say("lecture.exploring")), page != 0) << where;
            }
        }
    }
    experiment_ = nullptr;
}

TEST_F(Views, ATruthIsDrawnOnceItIsTold) {
    const Snapshot& snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
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

// A step that names all that it can, as somebody who has changed nothing sees it.
ViewState at_a_step(const std::string& lines, const std::string& version = "version: 5\n") {
    const std::string text = "title: A\nlanguage: en\nstep: B\nsentence: C\n" + version + lines + "end\n";
    ViewState view;
    view.playing =
        first_step(std::make_shared<const Lecture>(read_lecture(text, "a", {}, first_work(filters::lab()))));
    const LectureStep& step = view.playing->step();
    view = edited(std::move(view), ShowExperiment{step.experiment}, {});
    for (const ViewEdit& edit : edits_of(step.look)) view = edited(std::move(view), edit, {});
    view.picture = step.picture;
    return view;
}

TEST(Exploring, OfAnExperimentIsOtherValuesAndPages) {
    const ViewState view = at_a_step("lab: amdahl\nset: parallel=90\npage: 2\n", "");
    const LectureStep& step = view.playing->step();
    const ControlValues values = step.controls;
    EXPECT_EQ(view.experiment.shown, experiment_named("amdahl"));
    EXPECT_FALSE(explores(view, step.work, values));
    ControlValues other = values;
    ++other.front();
    EXPECT_TRUE(explores(view, step.work, other));
    const auto after = [&](const ViewEdit& edit) {
        return explores(edited(view, edit, {}), step.work, values);
    };
    EXPECT_TRUE(after(TurnPage{0}));
    EXPECT_TRUE(after(ShowExperiment{experiment_named("metrics")}));
    EXPECT_TRUE(after(ShowExperiment{})) << "the lab behind it";
    EXPECT_FALSE(after(ChooseTab{Tab::memory})) << "which is not seen";
    Work work = step.work;
    work.target_gpu = "GTX 280";
    EXPECT_TRUE(explores(view, work, values));
}

TEST(Exploring, IsWhateverTheStepDoesNotShow) {
    const auto work = [](const ViewState& view) { return view.playing->step().work; };
    const ViewState story = at_a_step("tab: story\n");
    EXPECT_FALSE(explores(story, work(story)));
    EXPECT_FALSE(explores({}, work(story))) << "there is no lecture";
    Work other = work(story);
    other.version = 6;
    EXPECT_TRUE(explores(story, other));
    const auto after = [&](const ViewState& from, const ViewEdit& edit) {
        return explores(edited(from, edit, {}), work(from));
    };
    EXPECT_TRUE(after(story, ChooseTab{Tab::memory}));
    EXPECT_TRUE(after(story, ShowAdvice{true}));
    EXPECT_TRUE(after(story, ChooseCompare{Compare::difference}));
    EXPECT_TRUE(after(story, ShowExperiment{experiments().front()}));
    EXPECT_TRUE(after(story, KeepPin{{"V1", {work(story), {}}, "a.jpg"}}));
    EXPECT_FALSE(after(story, ShowSlide{true})) << "how it is shown";
    EXPECT_FALSE(after(story, ChooseTheme{Theme::dark}));
    EXPECT_FALSE(after(story, ChooseLanguage{"de"}));
    EXPECT_TRUE(after(story, MoveCamera{{Framing::free, 8, 100, 100}}));
    EXPECT_FALSE(after(story, InspectLine{12})) << "the story shows none";
    const ViewState source = at_a_step("tab: source\nline: 30\naccess: 2\n");
    EXPECT_FALSE(explores(source, work(source)));
    EXPECT_TRUE(after(source, InspectLine{12}));
    EXPECT_TRUE(after(source, InspectAccess{0}));
    const ViewState detail = at_a_step("zoom: 40x30+10+20\n");
    EXPECT_FALSE(explores(detail, work(detail)));
    ViewState another = story;
    another.picture = "somebody's.jpg";
    EXPECT_TRUE(explores(another, work(another)));

    const ViewState sweep = at_a_step("sweep: on\n");
    EXPECT_FALSE(explores(sweep, work(sweep))) << "which brings its page";
    EXPECT_TRUE(after(sweep, ShowOccupancy{}));
    EXPECT_TRUE(after(sweep, ChooseTab{Tab::story}));
    const ViewState advice = at_a_step("advice: on\n");
    EXPECT_FALSE(explores(advice, work(advice)));
    EXPECT_TRUE(after(advice, ShowAdvice{false}));
    const ViewState curves = at_a_step("over: PAD\n");
    EXPECT_FALSE(explores(curves, work(curves)));
    EXPECT_TRUE(after(curves, ShowCurves{false}));
    EXPECT_TRUE(after(curves, ChooseOver{sweep_over("ROWS")}));
    const ViewState page = at_a_step("tab: memory\npage: 2\n");
    EXPECT_EQ(page.page, 1);
    EXPECT_FALSE(explores(page, work(page)));
    EXPECT_TRUE(after(page, TurnPage{0}));
    EXPECT_FALSE(after(sweep, TurnPage{1})) << "the step names none";
    EXPECT_EQ(at_a_step("over: PAD\npage: 2\n").page, 1) << "of the curves";
    const ViewState picture = at_a_step("image: test\n");
    EXPECT_FALSE(explores(picture, work(picture)));

    // A baseline that the step names, once it is pinned, and another one.
    ViewState against = at_a_step("against: 3\n");
    EXPECT_FALSE(explores(against, work(against)));
    Work baseline = work(against);
    baseline.version = 3;
    EXPECT_FALSE(after(against, KeepPin{{"V3", {baseline, {}}, "a.jpg"}}));
    baseline.version = 2;
    EXPECT_TRUE(after(against, KeepPin{{"V2", {baseline, {}}, "a.jpg"}}));
}

TEST(Exploring, APictureThatIsAskedForWhileAnotherIsReadWins) {
    PictureLoader loader;
    loader.open("scene");
    loader.open("");  // the built-in one, by no name
    std::vector<std::string> opened;
    const auto start = std::chrono::steady_clock::now();
    while (opened.size() < 2 && std::chrono::steady_clock::now() - start < std::chrono::minutes(2)) {
        if (const auto loaded = loader.update()) opened.push_back(loaded->path);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_EQ(opened, (std::vector<std::string>{"scene", ""}));
}

}  // namespace
}  // namespace ws
