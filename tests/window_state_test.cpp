// What the window asks for, keeps and does beside its frames, without a window: keys, edits, settings,
// notices, pictures that are read, the walk through all versions.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "app/window/keys.h"
#include "app/window/notices.h"
#include "app/window/picture_loader.h"
#include "app/window/saved_state.h"
#include "app/window/settings_store.h"
#include "gpu/core/files.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/transpose/transpose.h"
#include "gpu/picture/picture_file.h"
#include "gpu/picture/test_picture.h"

#include "render/viewer.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

const KernelLibrary& kernels() {
    static const KernelLibrary library;
    return library;
}

Work applied(Work work, const Edits& edits) {
    for (const Edit& edit : edits.all()) {
        if (const auto* asked = std::get_if<WorkEdit>(&edit)) work = edited(work, *asked, kernels());
    }
    return work;
}

Work press(const Work& work, const KeyPress& key) {
    Edits edits;
    handle_key(key, work, {}, edits);
    return applied(work, edits);
}

Work press(const Work& work, char character) {
    return press(work, {KeyPress::Key::character, static_cast<unsigned char>(character)});
}

PerStep<ws::Block> own_blocks(const Version& version) {
    PerStep<ws::Block> blocks{};
    for (std::size_t i = 0; i < version.steps.size(); ++i) blocks[i] = version.steps[i].block;
    return blocks;
}

TEST(Keys, ChooseEveryVersion) {
    const std::string keys = "0123456789-=";
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Work work = press(initial_work(), keys[i]);
        EXPECT_EQ(work.version, int(i));
        EXPECT_EQ(work.blocks, own_blocks(filters::lab().versions[i])) << "a version brings its own blocks";
    }
}

TEST(Keys, StepStopsAtTheEnds) {
    Work work = press(initial_work(), {KeyPress::Key::up});
    EXPECT_EQ(work.version, 0);
    for (int i = 0; i < 40; ++i) work = press(work, {KeyPress::Key::down});
    EXPECT_EQ(work.version, filters::lab().versions.back().number);
}

TEST(Keys, ShowThePicturesOfTheOriginalProgram) {
    Work work = initial_work();
    EXPECT_EQ(work.view, filters::view::edge) << "edges after blur";
    work = press(work, 'b');
    EXPECT_EQ(work.view, filters::view::edge_of_gray);
    EXPECT_EQ(press(work, 'b').view, filters::view::edge);
    work = press(work, 'e');
    EXPECT_EQ(work.view, filters::view::gray) << "both filters off: gray";
    work = press(work, 'b');
    EXPECT_EQ(work.view, filters::view::blur);
    EXPECT_EQ(press(work, 'b').view, filters::view::gray);
    work = press(work, 'e');
    EXPECT_EQ(work.view, filters::view::edge);
    EXPECT_EQ(press(work, 'e').view, filters::view::blur);
    EXPECT_EQ(press(work, 'r').view, filters::view::original);
    EXPECT_EQ(press(work, 'g').view, filters::view::gray);
}

template <typename Wanted, typename Kind>
const Wanted* first_of(const Edits& edits) {
    const Kind* kind = edits.empty() ? nullptr : std::get_if<Kind>(&edits.all().front());
    return kind ? std::get_if<Wanted>(kind) : nullptr;
}

TEST(Keys, EveryBindingIsDescribed) {
    for (const KeyBinding& binding : key_bindings()) {
        EXPECT_STRNE(binding.keys, "");
        EXPECT_STRNE(binding.meaning, "");
    }
    const auto asked = [](const KeyPress& key, const ViewState& view = {}) {
        Edits edits;
        handle_key(key, initial_work(), view, edits);
        return edits;
    };
    EXPECT_TRUE((first_of<SavePictures, Action>(asked({KeyPress::Key::f12}))));
    EXPECT_TRUE((first_of<AskToQuit, Action>(asked({KeyPress::Key::character, 'q'}))));
    EXPECT_FALSE((first_of<Quit, Action>(asked({KeyPress::Key::character, 'q'}))));
    EXPECT_TRUE((first_of<Quit, Action>(asked({KeyPress::Key::character, 'q', true}))));
    EXPECT_TRUE((first_of<ChooseTab, ViewEdit>(asked({KeyPress::Key::tab}))));
    EXPECT_EQ((first_of<ChooseTab, ViewEdit>(asked({KeyPress::Key::tab, 0, false, true}))->tab),
              Tab::debugger);
    EXPECT_EQ((first_of<ChooseTab, ViewEdit>(asked({KeyPress::Key::character, '3', true}))->tab), Tab::warp);
    EXPECT_TRUE((first_of<PinNow, Action>(asked({KeyPress::Key::character, 'p'}))));
    EXPECT_FALSE((first_of<Quit, Action>(asked({KeyPress::Key::character, 's'}))));
    const Edits larger = asked({KeyPress::Key::plus, 0, true});
    ASSERT_TRUE((first_of<ScaleText, ViewEdit>(larger)));
    EXPECT_FLOAT_EQ((first_of<ScaleText, ViewEdit>(larger)->scale), 1.1f);
    ViewState with_sheet;
    with_sheet.key_sheet = true;
    const Edits hide = asked({KeyPress::Key::f1}, with_sheet);
    ASSERT_TRUE((first_of<ShowKeySheet, ViewEdit>(hide)));
    EXPECT_FALSE((first_of<ShowKeySheet, ViewEdit>(hide)->on));
}

TEST(ViewEdits, KeepTheirRanges) {
    const Extent picture{640, 480};
    ViewState view = edited(ViewState{}, ScaleText{99}, picture);
    EXPECT_EQ(view.preferences.font_scale, kMostFontScale);
    EXPECT_EQ(edited(view, ScaleText{-1}, picture).preferences.font_scale, kLeastFontScale);
    EXPECT_EQ(edited(view, InspectStep{"edge"}, picture).preferences.step, "edge");
    EXPECT_EQ(edited(view, InspectLine{-3}, picture).source.line, 0);
    view = edited(view, OneToOne{}, picture);
    EXPECT_EQ(view.preferences.camera.framing, Framing::free);
    EXPECT_EQ(view.preferences.camera.center_x, 320);
    EXPECT_EQ(edited(view, MoveCamera{}, picture).preferences.camera.framing, Framing::fill);
    EXPECT_EQ(edited(view, MoveWipe{7}, picture).preferences.comparison.wipe, 1);
    EXPECT_EQ(edited(view, Amplify{1000}, picture).preferences.comparison.amplification, kMostAmplification);
}

Pin pin_of(int version) {
    const Version& row = version_of(filters::lab(), version);
    return {"V" + std::to_string(version),
            {with_version(initial_work(), row), {0xFEDCBA9876543210u, {640, 480}}},
            "a.jpg"};
}

TEST(ViewEdits, BaselinesAreKeptOnceAndInOrder) {
    ViewState view;
    EXPECT_EQ(view.preferences.pin(), nullptr);
    for (const int version : {3, 5, 3}) view = edited(view, KeepPin{pin_of(version)}, {});
    ASSERT_EQ(view.preferences.pins.size(), 2u);
    EXPECT_EQ(view.preferences.pin()->name, "V3");
    view = edited(view, ChooseBaseline{1}, {});
    EXPECT_EQ(view.preferences.pin()->name, "V5");
    view = edited(view, DropPin{0}, {});
    EXPECT_EQ(view.preferences.pin()->name, "V5") << "another one was dropped";
    view = edited(view, DropPin{0}, {});
    EXPECT_EQ(view.preferences.pin(), nullptr);
    for (int version = 0; version < 12; ++version) view = edited(view, KeepPin{pin_of(version)}, {});
    EXPECT_EQ(view.preferences.pins.size(), kMostPins);
    EXPECT_EQ(edited(view, ChooseBaseline{99}, {}).preferences.baseline, int(kMostPins) - 1);
}

TEST(ViewEdits, RecentPicturesAreKeptOnceTheLatestFirst) {
    ViewState view;
    for (int i = 0; i < 12; ++i) view = edited(view, KeepRecent{"/" + std::to_string(i) + ".jpg"}, {});
    view = edited(view, KeepRecent{"/7.jpg"}, {});
    ASSERT_EQ(view.preferences.recent.size(), kMostRecent);
    EXPECT_EQ(view.preferences.recent.front(), "/7.jpg");
    EXPECT_EQ(view.preferences.recent[1], "/11.jpg");
    EXPECT_EQ(view.preferences.recent.back(), "/4.jpg");
}

class Saved : public ::testing::Test {
  protected:
    Saved() : folder_(fs::temp_directory_path() / ("warpscope_window_state_" + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~Saved() override { fs::remove_all(folder_); }
    fs::path folder_;
};

SavedState made_of(const RestoredState& restored) {
    ViewState view;
    for (const ViewEdit& edit : restored.view) view = edited(view, edit, {});
    return {edited(initial_work(), restored.work, kernels()), view.preferences, restored.window,
            restored.picture};
}

TEST_F(Saved, SettingsComeBack) {
    SavedState state;
    state.work =
        edited(initial_work(),
               {ChooseVersion{8}, ChooseView{filters::view::edge_of_gray},
                ChooseBlock{filters::step::edge, {64, 4}}, ChooseKnob{"MIN_BLOCKS", 3}, ChooseGpu{"GTX 280"}},
               kernels());
    state.preferences.step = "edge";
    state.preferences.font_scale = 1.3f;
    state.preferences.theme = Theme::dark;
    state.preferences.tab = Tab::warp;
    state.preferences.comparison.how = Compare::difference;
    state.preferences.comparison.wipe = 0.25f;
    state.preferences.comparison.amplification = 8;
    state.preferences.line_share = LineShare::time;
    state.preferences.ink = false;
    state.preferences.camera = {Framing::free, 2.5f, 100, 50};
    state.preferences.comparison.places = PlaceAxis::both;
    state.preferences.warp = WarpPlace{40, 217, 3};
    state.preferences.comparison.a = {ChosenA::Kind::version, "", 3};
    state.preferences.pins = {pin_of(3), pin_of(12)};
    state.preferences.recent = {"/somewhere/a.jpg", "/elsewhere/b.png"};
    state.preferences.pins[1].given = "vor der Pause, äöü";
    state.preferences.baseline = 1;
    state.picture = "/somewhere/a.jpg";
    state.window = {{1234, 777}, true};
    save_state(folder_ / "settings.json", state);
    const RestoredState read = load_state(folder_ / "settings.json");
    EXPECT_EQ(read.problem, "");
    EXPECT_TRUE(made_of(read) == state);
    EXPECT_FALSE(made_of(read) == (SavedState{initial_work(), {}, {}, {}}));
    state.preferences.comparison.a = {ChosenA::Kind::view, "blur", 0};
    state.preferences.camera = {Framing::detail, 1, 100, 50, 40, 30};
    save_state(folder_ / "settings.json", state);
    EXPECT_TRUE(made_of(load_state(folder_ / "settings.json")) == state);
    // Another lab's work, with its size.
    state.work = edited(initial_work(), {ChooseLab{"transpose"}, ChooseVersion{7}, ChooseSize{{1000, 500}}},
                        kernels());
    save_state(folder_ / "settings.json", state);
    EXPECT_TRUE(made_of(load_state(folder_ / "settings.json")) == state);
}

// Files of programs that had no labs: the view and what it leaves out stood apart.
TEST_F(Saved, SettingsOfEarlierProgramsAreRead) {
    const auto work_of = [this](const char* pipeline) {
        write_file(folder_ / "settings.json", "{\"pipeline\": {" + std::string(pipeline) + "}}");
        const RestoredState read = load_state(folder_ / "settings.json");
        EXPECT_EQ(read.problem, "") << pipeline;
        return made_of(read).work;
    };
    const Work old = work_of(
        "\"version\": 5, \"show\": \"edge\", \"blur_first\": false, \"blocks\": {\"blur\": [16, 8]}, "
        "\"inspected\": \"blur\"");
    EXPECT_EQ(old.lab, &filters::lab());
    EXPECT_EQ(old.version, 5);
    EXPECT_EQ(old.view, filters::view::edge_of_gray);
    EXPECT_EQ(old.block(filters::step::blur), (ws::Block{16, 8}));
    EXPECT_EQ(work_of("\"show\": \"edge\", \"blur_first\": true").view, filters::view::edge);
    EXPECT_EQ(work_of("\"show\": \"blur\", \"blur_first\": false").view, filters::view::blur);
    EXPECT_EQ(work_of("\"show\": \"nothing that there is\"").view, first_view(filters::lab()));
    EXPECT_EQ(work_of("\"lab\": \"no such lab\", \"version\": 5").version, 5);
}

TEST_F(Saved, DamagedSettingsStartWithDefaults) {
    for (const char* text :
         {"", "{", "[]", "{\"pipeline\": 7}", "{\"pipeline\": {\"version\": \"x\"}}",
          "{\"pipeline\": {\"version\": 4294967301}}",
          "{\"pipeline\": {\"blocks\": {\"blur\": [4294967328, 8]}}}",
          "{\"pipeline\": {\"knobs\": {\"MIN_BLOCKS\": 1e300}}}", "{\"window\": {\"width\": 1e300}}",
          "{\"pipeline\": {\"lab\": 3}}", "{\"window\": {\"recent\": [3]}}",
          "{\"pipeline\": {\"lab\": \"transpose\", \"size\": [1e300, 2]}}"}) {
        write_file(folder_ / "settings.json", text);
        const RestoredState read = load_state(folder_ / "settings.json");
        EXPECT_NE(read.problem, "") << text;
        EXPECT_EQ(made_of(read).work, initial_work());
    }
    // A version and blocks that do not exist, a knob that the version has not.
    write_file(folder_ / "settings.json",
               "{\"pipeline\": {\"version\": 77, \"blocks\": {\"blur\": [0, 9999]}, \"knobs\": {\"X\": 1}}}");
    const RestoredState read = load_state(folder_ / "settings.json");
    EXPECT_EQ(read.problem, "");
    EXPECT_EQ(made_of(read).work, initial_work());
    save_state({}, made_of(read));  // nowhere to keep it: nothing is written
}

TEST_F(Saved, AreWrittenOnceTheyRest) {
    const fs::path path = folder_ / "settings.json";
    const SavedState start{initial_work(), {}, {}, {}};
    SettingsStore store(path, start);
    Work work = start.work;
    EXPECT_EQ(store.update(work, {}, {}, {}, 1), "");
    EXPECT_FALSE(store.busy());
    work.view = filters::view::gray;
    EXPECT_EQ(store.update(work, {}, {}, {}, 2), "");
    EXPECT_TRUE(store.busy());
    work.view = filters::view::blur;
    EXPECT_EQ(store.update(work, {}, {}, {}, 2.25), "");
    EXPECT_EQ(store.update(work, {}, {}, {}, 2.5), "");
    EXPECT_FALSE(fs::exists(path)) << "a slider that moves writes no file for every step";
    EXPECT_EQ(store.update(work, {}, {}, {}, 2.6), "");
    EXPECT_FALSE(store.busy());
    EXPECT_EQ(made_of(load_state(path)).work, work);
    // A folder that is a file is reported once.
    write_file(folder_ / "file", "x");
    SettingsStore refused(folder_ / "file" / "settings.json", start);
    EXPECT_EQ(refused.update(work, {}, {}, {}, 1), "");
    EXPECT_NE(refused.update(work, {}, {}, {}, 2).find("cannot save"), std::string::npos);
    EXPECT_FALSE(refused.busy());
    EXPECT_EQ(refused.update(work, {}, {}, {}, 3), "");
    EXPECT_THROW(refused.finish(), Error);
    // Without a file nothing is kept and nothing waits.
    SettingsStore nowhere({}, start);
    EXPECT_EQ(nowhere.update(work, {}, {}, {}, 1), "");
    EXPECT_FALSE(nowhere.busy());
}

TEST(Notices, PassOrStay) {
    Notices notices;
    notices.update(100);
    notices.tell("news", false);
    notices.tell("news", false);
    notices.tell("an error", true);
    ASSERT_EQ(notices.all().size(), 2u) << "the same is not said twice";
    EXPECT_TRUE(notices.passing());
    notices.update(107);
    EXPECT_EQ(notices.all().size(), 2u);
    notices.update(109);
    ASSERT_EQ(notices.all().size(), 1u);
    EXPECT_EQ(notices.all().front().text, "an error");
    EXPECT_FALSE(notices.passing());
    for (int i = 0; i < 9; ++i) notices.tell(std::to_string(i), true);
    EXPECT_EQ(notices.all().size(), 4u);
    EXPECT_EQ(notices.all().back().text, "8") << "the newest stay";
    notices.close(99);
    notices.close(0);
    EXPECT_EQ(notices.all().size(), 3u);
}

TEST_F(Saved, PicturesAreReadBesideTheFrames) {
    write_png(folder_ / "a.png", draw_test_picture({20, 10}));
    write_png(folder_ / "b.png", draw_test_picture({30, 15}));
    PictureLoader loader;
    EXPECT_FALSE(loader.busy() || loader.update());
    loader.open((folder_ / "missing.png").string());
    loader.open((folder_ / "a.png").string());
    loader.open((folder_ / "b.png").string());
    const auto next = [&] {
        std::optional<LoadedPicture> loaded;
        while (!loaded) loaded = loader.update();
        return *loaded;
    };
    EXPECT_FALSE(next().picture.ok());
    const LoadedPicture last = next();
    EXPECT_EQ(last.path, (folder_ / "b.png").string()) << "of two that wait the last wins";
    ASSERT_TRUE(last.picture.ok());
    EXPECT_EQ(last.picture.value()->size, (Extent{30, 15}));
    EXPECT_FALSE(loader.busy());
}

}  // namespace
}  // namespace ws
