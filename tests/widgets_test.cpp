// The window's parts without a window: keys, block editing, camera, captions, settings.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "app/panels/panels.h"
#include "app/widgets/block_editor.h"
#include "app/widgets/text.h"
#include "app/window/caption.h"
#include "app/window/capture.h"
#include "app/window/keys.h"
#include "app/window/notices.h"
#include "app/window/picture_loader.h"
#include "app/window/saved_state.h"
#include "app/window/settings_store.h"
#include "app/window/tour.h"
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
    EXPECT_EQ(press(work, ' ').view, filters::view::original);
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
    EXPECT_TRUE((first_of<Quit, Action>(asked({KeyPress::Key::character, 'q'}))));
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

// Every lab, every version, every step, every knob, and values on both sides of what they take.
TEST(WorkEdits, BecomeWhatTheKernelsTake) {
    for (const Lab* lab : labs()) {
        const Work first = edited(initial_work(), ChooseLab{std::string(lab->id)}, kernels());
        EXPECT_EQ(first.lab, lab);
        for (const Version& version : lab->versions) {
            const Work own = edited(first, ChooseVersion{version.number}, kernels());
            EXPECT_EQ(own.version, version.number);
            EXPECT_EQ(own.blocks, own_blocks(version));
            for (std::size_t step = 0; step < lab->steps.size(); ++step) {
                const std::string_view kernel = version.steps[step].kernel;
                for (const Block block : {ws::Block{1, 1},
                                          {33, 5},
                                          {1024, 1},
                                          {1, 1024},
                                          {2'000'000'000, 2'000'000'000},
                                          {-7, 0}}) {
                    const ws::Block taken =
                        edited(own, ChooseBlock{int(step), block}, kernels()).block(int(step));
                    EXPECT_TRUE(taken.valid()) << to_string(taken);
                    if (kernel.empty()) continue;
                    const KernelSource& source = kernels().find(kernel);
                    EXPECT_EQ(fitted(source, taken), taken) << version.number << ", " << to_string(block);
                    if (block.valid() && fitted(source, block) == block) {
                        EXPECT_EQ(taken, block);
                    }
                }
                if (kernel.empty()) continue;
                for (const Knob& knob : kernels().find(kernel).knobs) {
                    const auto value_of = [&](int asked) {
                        return edited(own, ChooseKnob{knob.name, asked}, kernels()).knobs.at(knob.name);
                    };
                    EXPECT_EQ(value_of(knob.high), knob.high) << knob.name;
                    EXPECT_LE(value_of(1'000'000), 1024) << knob.name;
                    EXPECT_GE(value_of(-1'000'000), 0) << knob.name;
                }
            }
        }
    }
}

TEST(WorkEdits, WhatDoesNotExistChangesNothing) {
    const Work work = edited(initial_work(), ChooseVersion{8}, kernels());
    for (const WorkEdit& edit :
         {WorkEdit(ChooseVersion{77}), WorkEdit(ChooseVersion{-1}), WorkEdit(ChooseKnob{"NO_SUCH_KNOB", 3}),
          WorkEdit(ChooseGpu{"GTX 9"}), WorkEdit(ChooseLab{"no such lab"}), WorkEdit(ChooseView{99}),
          WorkEdit(ChooseView{-1}), WorkEdit(ChooseBlock{int(work.lab->steps.size()), {8, 8}}),
          WorkEdit(ChooseBlock{-1, {8, 8}}), WorkEdit(ChooseSize{{512, 512}})})
        EXPECT_EQ(edited(work, edit, kernels()), work);
    EXPECT_EQ(edited(work, ChooseGpu{"gtx 280"}, kernels()).target_gpu, "GTX 280") << "as the table has it";
}

TEST(WorkEdits, AnotherLabBeginsAnewOnTheSameGpu) {
    const Work work =
        edited(initial_work(),
               {ChooseVersion{8}, ChooseBlock{filters::step::blur, {64, 4}}, ChooseKnob{"MIN_BLOCKS", 3},
                ChooseDevice{DeviceKind::simt}, ChooseGpu{"GTX 280"}},
               kernels());
    Work expected = first_work(transpose::lab());
    expected.device = DeviceKind::simt;
    expected.target_gpu = "GTX 280";
    EXPECT_EQ(edited(work, ChooseLab{"transpose"}, kernels()), expected);
    EXPECT_EQ(edited(work, ChooseLab{"filters"}, kernels()), work) << "it is there already";
    // A size is the work's own where no picture decides, within what there may be.
    EXPECT_EQ(edited(expected, ChooseSize{{500, 300}}, kernels()).size, (Extent{500, 300}));
    EXPECT_EQ(edited(expected, ChooseSize{{0, 2'000'000'000}}, kernels()).size, (Extent{1, kMaxSide}));
}

TEST(WorkEdits, MakeAnyWorkAnew) {
    const std::vector<std::vector<WorkEdit>> cases{
        {ChooseVersion{8}, ChooseView{filters::view::edge_of_gray}, ChooseBlock{filters::step::edge, {64, 4}},
         ChooseKnob{"MIN_BLOCKS", 3}, ChooseDevice{DeviceKind::simt}, ChooseGpu{"GTX 280"}},
        {ChooseVersion{8}, ChooseView{filters::view::blur}},
        {ChooseLab{"transpose"}, ChooseVersion{7}, ChooseSize{{1000, 500}},
         ChooseBlock{transpose::step::transpose, {32, 4}}, ChooseDevice{DeviceKind::cpu}}};
    for (const std::vector<WorkEdit>& asked : cases) {
        const Work work = edited(initial_work(), asked, kernels());
        EXPECT_FALSE(work == initial_work());
        EXPECT_EQ(edited(initial_work(), edits_of(work), kernels()), work);
    }
}

TEST(ViewEdits, KeepTheirRanges) {
    const Extent picture{640, 480};
    ViewState view = edited(ViewState{}, ScaleText{99}, picture);
    EXPECT_EQ(view.preferences.font_scale, kMostFontScale);
    EXPECT_EQ(edited(view, ScaleText{-1}, picture).preferences.font_scale, kLeastFontScale);
    EXPECT_EQ(edited(view, InspectStep{"edge"}, picture).preferences.step, "edge");
    EXPECT_EQ(edited(view, InspectLine{-3}, picture).line, 0);
    view = edited(view, OneToOne{}, picture);
    EXPECT_FALSE(view.camera.fit);
    EXPECT_EQ(view.camera.center_x, 320);
    EXPECT_TRUE(edited(view, MoveCamera{}, picture).camera.fit);
}

TEST(Block, OneSideNeverChangesTheOther) {
    EXPECT_EQ(with_side({32, 8}, true, 512), (ws::Block{128, 8}));
    EXPECT_EQ(with_side({32, 8}, true, 64), (ws::Block{64, 8}));
    EXPECT_EQ(with_side({32, 8}, false, 1024), (ws::Block{32, 32}));
    EXPECT_EQ(with_side({32, 8}, true, 0), (ws::Block{1, 8}));
    EXPECT_EQ(with_side({1, 1}, true, 9999), (ws::Block{1024, 1}));
    EXPECT_EQ(with_side({33, 1}, false, 1024), (ws::Block{33, 31}));
    for (const int x : kBlockSides) {
        for (const int y : kBlockSides) {
            const ws::Block wide = with_side({32, 8}, true, x);
            EXPECT_EQ(wide.y, 8);
            EXPECT_EQ(with_side(wide, false, y).x, wide.x);
            EXPECT_TRUE(with_side(wide, false, y).valid());
        }
    }
}

TEST(Camera, ZoomKeepsThePointUnderThePointer) {
    const Area area{0, 0, 800, 600};
    const Extent picture{3648, 2736};
    Camera camera;
    EXPECT_NEAR(zoom_of(camera, area, picture), 800.0f / 3648, 1e-5);
    const PicturePoint before = picture_point(camera, area, picture, 200, 150);
    camera = zoomed(camera, area, picture, 200, 150, 4);
    const PicturePoint after = picture_point(camera, area, picture, 200, 150);
    EXPECT_NEAR(before.x, after.x, 0.01);
    EXPECT_NEAR(before.y, after.y, 0.01);
    EXPECT_FALSE(camera.fit);
    for (int i = 0; i < 100; ++i) camera = panned(camera, area, picture, 1000, 1000);
    const PicturePoint middle = picture_point(camera, area, picture, 400, 300);
    EXPECT_NEAR(middle.x, 0, 0.01) << "a corner at most reaches the middle";
    EXPECT_NEAR(middle.y, 0, 0.01);
}

TEST(Text, TimesHaveUnits) {
    EXPECT_EQ(time_text(0.0357), "35.7 µs");
    EXPECT_EQ(time_text(12.345), "12.35 ms");
    EXPECT_EQ(time_text(524), "524 ms");
    EXPECT_EQ(time_text(0.00025), "0.25 µs");
}

TEST(Text, LivesUntilTheFrameEnds) {
    begin_frame_texts();
    // More than a piece of the store, and one that is longer than a piece by itself.
    std::vector<std::string_view> texts;
    for (int i = 0; i < 5000; ++i) texts.push_back(text("text number {}", i));
    const std::string_view large = text("{}", std::string(100000, 'x'));
    for (std::size_t i = 0; i < texts.size(); ++i) {
        ASSERT_EQ(texts[i], "text number " + std::to_string(i));
        ASSERT_EQ(texts[i].data()[texts[i].size()], 0) << "it ends with a null character";
    }
    EXPECT_EQ(large, std::string(100000, 'x'));
    EXPECT_EQ(large.data()[large.size()], 0);
    // The next frame uses the same memory again.
    const char* first = texts.front().data();
    begin_frame_texts();
    EXPECT_EQ(text("new").data(), first);
}

TEST(Panels, AreAllThere) {
    for (const Panel& panel : panels()) {
        EXPECT_NE(panel.draw, nullptr);
        EXPECT_STRNE(panel.title, "");
    }
    EXPECT_GE(panels().size(), 8u);
}

class Saved : public ::testing::Test {
  protected:
    Saved() : folder_(fs::temp_directory_path() / ("warpscope_widgets_" + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~Saved() override { fs::remove_all(folder_); }
    fs::path folder_;
};

SavedState made_of(const RestoredState& restored) {
    ViewState view;
    for (const ViewEdit& edit : restored.view) view = edited(view, edit, {});
    return {edited(initial_work(), restored.work, kernels()), view.preferences, restored.window};
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
    state.preferences.open_panels["Times"] = false;
    state.window = {{1234, 777}, true};
    save_state(folder_ / "settings.json", state);
    const RestoredState read = load_state(folder_ / "settings.json");
    EXPECT_EQ(read.problem, "");
    EXPECT_TRUE(made_of(read) == state);
    EXPECT_FALSE(made_of(read) == (SavedState{initial_work(), {}, {}}));
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
    EXPECT_EQ(work_of("\"show\": \"nothing that there is\"").view, filters::lab().first_view);
    EXPECT_EQ(work_of("\"lab\": \"no such lab\", \"version\": 5").version, 5);
}

TEST_F(Saved, DamagedSettingsStartWithDefaults) {
    for (const char* text :
         {"", "{", "[]", "{\"pipeline\": 7}", "{\"pipeline\": {\"version\": \"x\"}}",
          "{\"pipeline\": {\"version\": 4294967301}}",
          "{\"pipeline\": {\"blocks\": {\"blur\": [4294967328, 8]}}}",
          "{\"pipeline\": {\"knobs\": {\"MIN_BLOCKS\": 1e300}}}", "{\"window\": {\"width\": 1e300}}",
          "{\"pipeline\": {\"lab\": 3}}", "{\"pipeline\": {\"lab\": \"transpose\", \"size\": [1e300, 2]}}"}) {
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
    const SavedState start{initial_work(), {}, {}};
    SettingsStore store(path, start);
    Work work = start.work;
    EXPECT_EQ(store.update(work, {}, {}, 1), "");
    EXPECT_FALSE(store.busy());
    work.view = filters::view::gray;
    EXPECT_EQ(store.update(work, {}, {}, 2), "");
    EXPECT_TRUE(store.busy());
    work.view = filters::view::blur;
    EXPECT_EQ(store.update(work, {}, {}, 2.25), "");
    EXPECT_EQ(store.update(work, {}, {}, 2.5), "");
    EXPECT_FALSE(fs::exists(path)) << "a slider that moves writes no file for every step";
    EXPECT_EQ(store.update(work, {}, {}, 2.6), "");
    EXPECT_FALSE(store.busy());
    EXPECT_EQ(made_of(load_state(path)).work, work);
    // A folder that is a file is reported once.
    write_file(folder_ / "file", "x");
    SettingsStore refused(folder_ / "file" / "settings.json", start);
    EXPECT_EQ(refused.update(work, {}, {}, 1), "");
    EXPECT_NE(refused.update(work, {}, {}, 2).find("cannot save"), std::string::npos);
    EXPECT_FALSE(refused.busy());
    EXPECT_EQ(refused.update(work, {}, {}, 3), "");
    EXPECT_THROW(refused.finish(), Error);
    // Without a file nothing is kept and nothing waits.
    SettingsStore nowhere({}, start);
    EXPECT_EQ(nowhere.update(work, {}, {}, 1), "");
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

TEST(Tour, VisitsEveryVersionAndComesBack) {
    Snapshot snapshot;
    snapshot.device.kind = DeviceKind::cuda;
    snapshot.device.can.measures_time = true;
    ViewState view;
    Work work = edited(initial_work(), ChooseVersion{5}, kernels());
    Edits edits;
    snapshot.work = work;
    snapshot.total_ms.samples = 100;
    update_tour(snapshot, work, view, edits);
    EXPECT_TRUE(edits.empty()) << "nobody asked for a walk";
    view.measuring_from = 5;
    work = edited(work, ChooseVersion{filters::lab().versions.front().number}, kernels());
    std::vector<int> visited;
    for (int frame = 0; frame < 1000 && view.measuring_from; ++frame) {
        edits.clear();
        update_tour(snapshot, work, view, edits);
        for (const Edit& edit : edits.all()) {
            if (const auto* asked = std::get_if<ViewEdit>(&edit)) view = edited(view, *asked, {});
        }
        work = applied(work, edits);
        // The engine needs a frame to follow, and some more for the times.
        snapshot.total_ms.samples = snapshot.work == work ? snapshot.total_ms.samples + 10 : 0;
        snapshot.work = work;
        if (visited.empty() || visited.back() != work.version) visited.push_back(work.version);
    }
    ASSERT_EQ(visited.size(), filters::lab().versions.size() + 1);
    for (std::size_t i = 0; i < filters::lab().versions.size(); ++i)
        EXPECT_EQ(visited[i], filters::lab().versions[i].number);
    EXPECT_EQ(visited.back(), 5);
}

// The first `size` pixels of every row from (left, top) on, as they lie in a file.
RgbaImage part_of(const RgbaImage& image, int left, int top, Extent size) {
    RgbaImage part(size);
    for (int y = 0; y < size.height; ++y) {
        const auto from = image.bytes.begin() + std::ptrdiff_t(4) * ((top + y) * image.size.width + left);
        std::copy_n(from, 4 * size.width, part.bytes.begin() + std::ptrdiff_t(4) * y * size.width);
    }
    return part;
}

RgbaImage widened(const GrayImage& gray) {
    RgbaImage image(gray.size);
    for (std::size_t i = 0; i < image.bytes.size(); ++i)
        image.bytes[i] = i % 4 == 3 ? 255 : gray.bytes[i / 4];
    return image;
}

// Of a picture with an alpha of 255, which the built-in one has.
GrayImage diagonal(Extent size) {
    GrayImage image(size);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = std::uint8_t(i % 251);
    return image;
}

TEST_F(Saved, EveryPixelIsTheOneThatWasShown) {
    CaptureRequest request;
    request.original = std::make_shared<const RgbaImage>(draw_test_picture({203, 101}));
    request.current = diagonal({203, 101});
    request.caption = {"V5"};
    request.label = "gray";
    request.folder = folder_;
    request.stem = "shot";
    const std::vector<fs::path> paths = write_capture(request);
    ASSERT_EQ(paths.size(), 3u);
    EXPECT_EQ(read_picture(paths[0]).bytes, request.original->bytes);
    EXPECT_EQ(read_picture(paths[1]).bytes, widened(*request.current).bytes);
    const RgbaImage both = read_picture(paths[2]);
    const int right = 203 + 4;  // behind a gap of 4 pixels
    EXPECT_EQ(part_of(both, 0, 0, {203, 101}).bytes, request.original->bytes);
    EXPECT_EQ(part_of(both, right, 0, {203, 101}).bytes, widened(*request.current).bytes);
    // Where the original itself is shown, it stands on both sides.
    request.current.reset();
    request.stem = "original";
    const std::vector<fs::path> without = write_capture(request);
    ASSERT_EQ(without.size(), 2u);
    EXPECT_EQ(read_picture(without[0]).bytes, request.original->bytes);
    EXPECT_EQ(part_of(read_picture(without[1]), right, 0, {203, 101}).bytes, request.original->bytes);
}

TEST_F(Saved, ALargePictureIsReducedByAWholeFactor) {
    // 5000 pixels beside 5000 are reduced by 3: each pixel is the mean of nine.
    CaptureRequest request;
    request.original = std::make_shared<const RgbaImage>(draw_test_picture({5000, 33}));
    request.current = diagonal({5000, 33});
    request.caption = {"V5"};
    request.label = "gray";
    const RgbaImage both = side_by_side(request);
    const int part = 5000 / 3;
    const int right = part + part / 100;
    const auto mean = [&](int x, int y, const auto& at) {
        int sum = 0;
        for (int dy = 0; dy < 3; ++dy)
            for (int dx = 0; dx < 3; ++dx)
                sum += at(std::size_t(3 * y + dy) * 5000 + std::size_t(3 * x + dx));
        return sum / 9;
    };
    for (int y = 0; y < 11; ++y) {
        for (int x = 0; x < part; ++x) {
            const std::size_t left_at = 4 * (std::size_t(y) * std::size_t(both.size.width) + std::size_t(x));
            const std::size_t right_at = left_at + 4 * std::size_t(right);
            for (std::size_t channel = 0; channel < 3; ++channel) {
                ASSERT_EQ(
                    both.bytes[left_at + channel],
                    mean(x, y, [&](std::size_t i) { return int(request.original->bytes[4 * i + channel]); }))
                    << x << ", " << y;
            }
            ASSERT_EQ(both.bytes[right_at],
                      mean(x, y, [&](std::size_t i) { return int(request.current->bytes[i]); }))
                << x << ", " << y;
        }
    }
}

TEST_F(Saved, BeforeAndAfter) {
    CaptureRequest request;
    request.original = std::make_shared<const RgbaImage>(draw_test_picture({200, 100}));
    request.current = GrayImage({200, 100}, 77);
    request.caption = {"V5 shared memory", "12.3 µs"};
    request.label = "edges after blur";
    request.folder = folder_;
    request.stem = "shot";
    EXPECT_EQ(write_capture(request).size(), 3u);
    EXPECT_TRUE(fs::exists(folder_ / "shot_original.png"));
    EXPECT_TRUE(fs::exists(folder_ / "shot_edges-after-blur.png"));
    EXPECT_TRUE(fs::exists(folder_ / "shot_both.png"));
    EXPECT_EQ(write_capture(request).back().filename(), "shot-2_both.png") << "nothing is overwritten";
    const RgbaImage both = side_by_side(request);
    EXPECT_GE(both.size.width, 400);
    EXPECT_GT(both.size.height, 100) << "room for the caption";
    EXPECT_EQ(both.bytes[4 * std::size_t(both.size.width * 50 + 250)], 77) << "right: the current picture";
    // There is ink in the caption.
    int bright = 0;
    for (std::size_t i = 4 * std::size_t(both.size.width) * 102; i < both.bytes.size(); i += 4)
        bright += both.bytes[i] > 200;
    EXPECT_GT(bright, 100);
    // A folder that is a file: reported, not thrown into the window.
    write_file(folder_ / "file", "x");
    request.folder = folder_ / "file";
    CaptureWriter writer;
    writer.start(request);
    std::optional<CaptureWriter::Outcome> outcome;
    while (!outcome) outcome = writer.poll();
    EXPECT_TRUE(outcome->failed);
    EXPECT_NE(outcome->message.find("not saved"), std::string::npos);
}

}  // namespace
}  // namespace ws
