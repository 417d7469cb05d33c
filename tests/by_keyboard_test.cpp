// Everything that can be asked for can be asked for by keys: all keys are pressed on every page, and each
// kind of edit must come of one of them, of a row of a list, or have its reason not to.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>

#include "app/lecture/player.h"
#include "app/texts/texts.h"
#include "app/views/words.h"
#include "app/window/key_sheet.h"
#include "app/window/keys.h"
#include "app/window/steps.h"
#include "tests/drawn_views.h"

namespace ws {
namespace {

using Key = KeyPress::Key;

template <typename T, typename... Kinds>
constexpr std::size_t place_in(const std::variant<Kinds...>*) {
    constexpr bool kSame[] = {std::is_same_v<T, Kinds>...};
    return std::size_t(std::find(std::begin(kSame), std::end(kSame), true) - std::begin(kSame));
}
// A kind of edit: the variant that it is in, and its place there.
using EditKind = std::pair<std::size_t, std::size_t>;
template <typename Group, typename T>
EditKind kind() {
    return {place_in<Group>(static_cast<const Edit*>(nullptr)),
            place_in<T>(static_cast<const Group*>(nullptr))};
}
EditKind kind_of(const Edit& edit) {
    return {edit.index(), std::visit([](const auto& group) { return group.index(); }, edit)};
}

std::vector<KeyPress> every_key() {
    std::vector<KeyPress> keys;
    for (unsigned character = ' '; character < 127; ++character) {
        keys.push_back({Key::character, character});
        if (character >= 'a' && character <= 'z') keys.push_back({Key::character, character, true});
        if (character >= '1' && character <= '9') keys.push_back({Key::character, character, true});
    }
    for (int key = int(Key::escape); key <= int(Key::zero); ++key) {
        for (const bool control : {false, true}) {
            for (const bool shift : {false, true}) keys.push_back({Key(key), 0, control, shift});
        }
    }
    return keys;
}

std::vector<ViewState> every_place() {
    std::vector<ViewState> places;
    for (int tab = 0; tab < kTabs; ++tab) {
        ViewState view;
        view.preferences.tab = Tab(tab);
        places.push_back(view);
    }
    for (const Compare compare : {Compare::single, Compare::beside, Compare::difference}) {
        ViewState view;
        view.preferences.comparison.how = compare;
        places.push_back(view);
    }
    ViewState slide;
    slide.slide.on = true;
    places.push_back(slide);
    ViewState sweep;
    sweep.preferences.tab = Tab::occupancy;
    sweep.occupancy.part = OccupancyPart::sweep;
    places.push_back(sweep);
    ViewState latency = sweep;
    latency.occupancy.part = OccupancyPart::latency;
    places.push_back(latency);
    ViewState advice;
    advice.story.advice = true;
    places.push_back(advice);
    ViewState curves;
    curves.story.curves = true;
    places.push_back(curves);
    ViewState experiment;
    experiment.experiment.shown = experiments().front();
    places.push_back(experiment);
    const Work start = first_work(filters::lab());
    Playing asking = first_step(std::make_shared<const Lecture>(
        read_lecture("title: A\nlanguage: en\nstep: B\nsentence: C\npredict: time\nend\n", "a", {}, start)));
    ViewState lecture;
    lecture.playing = asking;
    places.push_back(lecture);
    lecture.playing = turned(asking, 1);
    places.push_back(lecture);
    ViewState list;
    list.list.list = List::gpus;
    places.push_back(list);
    return places;
}

class ByKeyboard : public Views {
  protected:
    // Draws until the edits of lists and keys have settled; returns all that were asked for.
    std::vector<Edit> settle(const Snapshot& snapshot, ViewState& view) {
        std::vector<Edit> asked;
        for (int i = 0; i < 4; ++i) {
            draw(snapshot, view, {1280, 720});
            std::vector<Edit> drawn = edits_.all();
            edits_.clear();
            for (const Edit& edit : drawn) {
                if (const auto* looked = std::get_if<ViewEdit>(&edit)) view = edited(view, *looked, {});
                asked.push_back(edit);
            }
        }
        return asked;
    }
    void press(const Snapshot& snapshot, ViewState& view, const KeyPress& key) {
        Edits edits;
        handle_key(key, snapshot.work, view, edits);
        for (const Edit& edit : edits.all()) {
            if (const auto* looked = std::get_if<ViewEdit>(&edit)) view = edited(view, *looked, {});
        }
    }
};

// Esc leaves what a key has opened over the page, the last first.
TEST(Escape, LeavesWhatAKeyHasOpened) {
    ViewState view;
    EXPECT_FALSE(stepped_out(view));
    view.story.advice = true;
    view.story.curves = true;
    view.only_a = true;
    for (int opened = 3; opened > 0; --opened) {
        const std::optional<ViewEdit> out = stepped_out(view);
        ASSERT_TRUE(out) << opened;
        view = edited(view, *out, {});
        EXPECT_EQ(int(view.story.advice) + int(view.story.curves) + int(view.only_a), opened - 1);
    }
    EXPECT_FALSE(stepped_out(view));
    view.story.curves = true;
    view.preferences.tab = Tab::memory;
    EXPECT_FALSE(stepped_out(view)) << "it is not shown there";
}

TEST_F(ByKeyboard, EveryKindOfEditHasAKeyOrARow) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    std::set<EditKind> reached;
    for (const ViewState& view : every_place()) {
        for (const KeyPress& key : every_key()) {
            Edits edits;
            handle_key(key, filters_5_against_3().work, view, edits);
            for (const Edit& edit : edits.all()) reached.insert(kind_of(edit));
        }
    }
    // Rows of lists, taken one after the other.
    Snapshot matrix = filters_5_against_3();
    matrix.work = first_work(lab_named("transpose"));
    engine().prepare(matrix.work);
    matrix = engine().snapshot();
    for (const Snapshot* snapshot : {&filters_5_against_3(), static_cast<const Snapshot*>(&matrix)}) {
        for (const List list :
             {List::versions, List::gpus, List::block, List::baselines, List::sizes, List::a}) {
            if (list == List::sizes && snapshot->work.lab->takes_picture()) continue;
            for (int row = 0; row < 40; ++row) {
                ViewState view;
                view.preferences.pins = {{"V3", {snapshot->work, {}}, "a.jpg"}};
                view.preferences.baseline = 0;
                view.list = {list, row, 1, true};
                for (const Edit& edit : settle(*snapshot, view)) reached.insert(kind_of(edit));
            }
        }
    }
    // What other edits bring about, and what only a pointer can want.
    const std::map<EditKind, const char*> by_others{
        {kind<ViewEdit, KeepPin>(), "p (PinNow)"},
        {kind<ViewEdit, ChooseOver>(), "x on the curves (StepAxis)"},
        {kind<ViewEdit, ChooseResident>(), "< and > (StepResident)"},
        {kind<ViewEdit, KeepTry>(), "Enter tries an advice (TryAdvice)"},
        {kind<ViewEdit, NoteOutcome>(), "the figures of what was tried"},
        {kind<ViewEdit, NamePin>(), "typed in the field of the list of baselines, which Enter goes into"},
        {kind<ViewEdit, KeepRecent>(), "a picture that was opened"},
        {kind<ViewEdit, InspectLine>(), "[ and ] (StepAccess)"},
        {kind<ViewEdit, InspectAccess>(), "{ and } (StepAccess)"},
        {kind<ViewEdit, HoldPlace>(), "a card that a pointer holds"},
        {kind<ViewEdit, RevealLine>(), "Up and Down (JumpInSource)"},
        {kind<ViewEdit, OpenFold>(), "a line that a key leads to opens its fold; c shows all"},
        {kind<ViewEdit, ScrollSource>(), "a line that a key leads to comes into view"},
        {kind<ViewEdit, ScrollDebugger>(), "every command of the debugger: the focus's line comes into view"},
        {kind<ViewEdit, TypeCommand>(), "typed in the field that Enter goes into"},
        {kind<ViewEdit, ChooseWatched>(), "< and > on the page of the debugger (StepWatched)"},
        {kind<ViewEdit, ChooseDebugPanel>(), "m and M on the page of the debugger (StepDebugPanel)"},
        {kind<ViewEdit, ScrollValues>(), "info locals and info registers, typed: the console has them all"},
        {kind<Action, ChooseDebugged>(), "[ ] and { } (StepDebugged), or a typed 'cuda block'"},
        {kind<ViewEdit, ScrollBeside>(), "Up and Down: the line that is chosen comes to the top"},
        {kind<ViewEdit, LeaveSource>(), "another version"},
        {kind<ViewEdit, PointGuess>(), "Left and Right (NudgeGuess)"},
        {kind<WorkEdit, ChooseBlock>(), "Ctrl with arrows (StepBlock)"},
        {kind<Action, SetControl>(), "Left and Right (StepControl)"},
        {kind<Action, StopExperiment>(), "Esc (StepBack)"},
        {kind<Action, OpenPicture>(), "the open dialog"},
        {kind<Action, CloseNotice>(), "Esc (StepBack)"}};
    const auto expect_all = [&](std::size_t group, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const EditKind one{group, i};
            EXPECT_TRUE(reached.count(one) || by_others.count(one))
                << "no key asks for edit " << i << " of group " << group;
            EXPECT_FALSE(reached.count(one) && by_others.count(one)) << "a needless exception: " << i;
        }
    };
    expect_all(0, std::variant_size_v<WorkEdit>);
    expect_all(1, std::variant_size_v<ViewEdit>);
    expect_all(2, std::variant_size_v<Action>);
}

TEST_F(ByKeyboard, AListIsWalkedAndARowTaken) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot& snapshot = filters_5_against_3();
    ViewState view;
    press(snapshot, view, {Key::character, 'g', true});
    EXPECT_EQ(view.list.list, List::gpus);
    settle(snapshot, view);
    EXPECT_EQ(view.list.row, 0) << "the keys begin at what is chosen: the automatic choice";
    for (int i = 0; i < 3; ++i) {
        press(snapshot, view, {Key::down});
        settle(snapshot, view);
    }
    EXPECT_EQ(view.list.row, 3);
    press(snapshot, view, {Key::enter});
    std::string chosen;
    for (const Edit& edit : settle(snapshot, view)) {
        const auto* work = std::get_if<WorkEdit>(&edit);
        if (work && std::holds_alternative<ChooseGpu>(*work)) chosen = std::get<ChooseGpu>(*work).name;
    }
    EXPECT_EQ(chosen, snapshot.target.names[2]);
    EXPECT_EQ(view.list.list, List::none) << "what was taken closes the list";
    // Beyond the ends there is nothing.
    press(snapshot, view, {Key::character, 'g', true});
    press(snapshot, view, {Key::end});
    settle(snapshot, view);
    EXPECT_EQ(view.list.row, int(snapshot.target.names.size()) + 1 + 4 - 1);
    press(snapshot, view, {Key::home});
    press(snapshot, view, {Key::up});
    settle(snapshot, view);
    EXPECT_EQ(view.list.row, 0);
    press(snapshot, view, {Key::character, 'g', true});
    EXPECT_EQ(view.list.list, List::none) << "its key closes it";
}

// The machine's GPUs stand behind the kinds of devices, told apart by number and address.
TEST_F(ByKeyboard, GpusOfOneNameHaveARowEach) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    Snapshot snapshot = filters_5_against_3();
    for (int number = 0; number < 2; ++number) {
        DeviceFacts gpu;
        gpu.kind = DeviceKind::cuda;
        gpu.name = "NVIDIA H200";
        gpu.place = {.number = number, .of = 2, .pci_address = "0000:0" + std::to_string(number) + ":00.0"};
        snapshot.target.here.push_back(gpu);
    }
    ViewState view;
    view.list = {List::gpus, int(snapshot.target.names.size()) + 1 + 4 + 1, 0, true};
    std::optional<ChooseDevice> chosen;
    for (const Edit& edit : settle(snapshot, view)) {
        const auto* work = std::get_if<WorkEdit>(&edit);
        if (work && std::holds_alternative<ChooseDevice>(*work)) chosen = std::get<ChooseDevice>(*work);
    }
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->kind, DeviceKind::cuda);
    EXPECT_EQ(chosen->gpu, 1);
    EXPECT_EQ(view.list.list, List::none) << "what was taken closes the list";
}

// The lab has a tick, and the keys begin at its version: labs stand above.
TEST_F(ByKeyboard, TheListOfVersionsBeginsAtTheVersion) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot& snapshot = filters_5_against_3();
    ViewState view;
    press(snapshot, view, {Key::character, 'l', true});
    settle(snapshot, view);
    EXPECT_EQ(view.list.row, int(labs().size() + experiments().size()) + 5);
    view.list.row = 1;
    view.list.take = true;
    std::string lab;
    for (const Edit& edit : settle(snapshot, view)) {
        const auto* work = std::get_if<WorkEdit>(&edit);
        if (work && std::holds_alternative<ChooseLab>(*work)) lab = std::get<ChooseLab>(*work).id;
    }
    EXPECT_EQ(lab, labs()[1]->id);
    EXPECT_EQ(view.list.list, List::none) << "a lab that was taken closes the list";
}

// A presenter's remote has no key that closes the sheet but those that turn pages.
TEST_F(ByKeyboard, TurningOnClosesTheKeySheet) {
    Snapshot snapshot;
    snapshot.work = first_work(lab_named("filters"));
    for (const Key key : {Key::page_down, Key::page_up, Key::left, Key::enter}) {
        ViewState view;
        press(snapshot, view, {Key::character, '?'});
        ASSERT_TRUE(view.key_sheet);
        Edits edits;
        handle_key({key}, snapshot.work, view, edits);
        ASSERT_EQ(edits.all().size(), 1u) << "and does nothing else";
        press(snapshot, view, {key});
        EXPECT_FALSE(view.key_sheet);
    }
}

// All keys at once, without scrolling, in letters that can still be read.
TEST_F(ByKeyboard, TheKeySheetFits) {
    for (const Extent size : {Extent{1024, 768}, Extent{1280, 720}, Extent{1920, 1080}}) {
        const auto sheet = [](const Stage& stage) {
            draw_key_sheet(stage.view.preferences.theme, stage.edits);
            ImGui::Begin("###keys");
            EXPECT_LT(ImGui::GetScrollMaxY(), 1) << ImGui::GetIO().DisplaySize.x;
            EXPECT_LE(ImGui::GetWindowHeight(), ImGui::GetIO().DisplaySize.y);
            ImGui::End();
        };
        draw(Snapshot(), ViewState(), size, sheet);
        draw(Snapshot(), ViewState(), size, sheet);
    }
}

TEST_F(ByKeyboard, ABaselineIsNamed) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot& snapshot = filters_5_against_3();
    ViewState view;
    view.preferences.pins = {{"V3", {snapshot.work, {}}, "a.jpg"}};
    view.preferences.baseline = 0;
    press(snapshot, view, {Key::character, 'p', true});
    settle(snapshot, view);
    EXPECT_EQ(view.list.row, 1) << "the keys begin at what is chosen: the pin";
    press(snapshot, view, {Key::down});
    settle(snapshot, view);
    press(snapshot, view, {Key::enter});
    settle(snapshot, view);
    ImGui::GetIO().AddInputCharactersUTF8("vor");
    settle(snapshot, view);
    EXPECT_EQ(view.preferences.pins[0].given, "vor");
    EXPECT_EQ(view.list.list, List::baselines) << "what is typed does not close it";
}

TEST_F(ByKeyboard, BlocksStepThroughWhatTheKernelTakes) {
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) {
            engine().prepare(with_version(first_work(*lab), version));
            for (const StepSnapshot& step : engine().snapshot().steps) {
                if (!step.exists) continue;
                for (const bool along_x : {true, false}) {
                    StepSnapshot at = step;
                    int steps = 0;
                    for (const int by : {-1, 1}) {
                        for (int i = 0; i < 40; ++i) {
                            const auto edit = stepped_block(at, {along_x, by});
                            if (!edit) break;
                            const ws::Block next = std::get<ChooseBlock>(*edit).block;
                            EXPECT_EQ(fitted(at.source, next), next) << lab->id << " V" << version.number;
                            EXPECT_EQ(along_x ? next.y : next.x,
                                      along_x ? at.shape.block.y : at.shape.block.x);
                            EXPECT_EQ((along_x ? next.x > at.shape.block.x : next.y > at.shape.block.y),
                                      by > 0);
                            at.shape.block = next;
                            ++steps;
                        }
                    }
                    EXPECT_LT(steps, 40) << "an end is an end";
                }
            }
        }
    }
    // A typed side in between goes to its neighbours.
    engine().prepare(first_work(filters::lab()));
    StepSnapshot odd = engine().snapshot().steps[std::size_t(filters::step::blur)];
    odd.shape.block = {10, 4};
    EXPECT_EQ(std::get<ChooseBlock>(*stepped_block(odd, {true, 1})).block, (ws::Block{12, 4}));
    EXPECT_EQ(std::get<ChooseBlock>(*stepped_block(odd, {true, -1})).block, (ws::Block{8, 4}));
}

TEST_F(ByKeyboard, GpusAndKernelsGoRound) {
    engine().prepare(first_work(filters::lab()));
    Snapshot snapshot = engine().snapshot();
    std::set<std::string> seen;
    for (std::size_t i = 0; i <= snapshot.target.names.size(); ++i) {
        seen.insert(snapshot.work.target_gpu);
        snapshot.work.target_gpu = std::get<ChooseGpu>(stepped_gpu(snapshot, 1)).name;
    }
    EXPECT_EQ(seen.size(), snapshot.target.names.size() + 1);
    EXPECT_EQ(snapshot.work.target_gpu, "");
    EXPECT_EQ(std::get<ChooseGpu>(stepped_gpu(snapshot, -1)).name, snapshot.target.names.back());
    ViewState view;
    std::set<std::string> steps;
    for (int i = 0; i < 8; ++i) {
        const ViewEdit edit = stepped_kernel(snapshot, view, 1);
        steps.insert(std::get<InspectStep>(edit).step);
        view = edited(view, edit, {});
    }
    EXPECT_EQ(steps, (std::set<std::string>{"gray", "blur", "edge"}));
    EXPECT_FALSE(zoomed_picture({}, view, {640, 480}, 2)) << "no picture is shown";
    PictureParts parts;
    parts.count = 1;
    parts.parts[0].area = {0, 0, 640, 480};
    view = edited(view, *zoomed_picture(parts, view, {640, 480}, 2), {640, 480});
    EXPECT_FLOAT_EQ(view.preferences.camera.zoom, 2);
    const float before = view.preferences.camera.center_x;
    view = edited(view, *panned_picture(parts, view, {640, 480}, {0.1f, 0}), {640, 480});
    EXPECT_GT(view.preferences.camera.center_x, before) << "to the right is what lies at the right";
}

// An experiment has pages of its own, which Tab turns in a lecture.
TEST_F(ByKeyboard, AStepWithAnExperimentIsHeldWithTheSameKeys) {
    const Work start = first_work(filters::lab());
    ViewState view;
    view.playing = first_step(std::make_shared<const Lecture>(
        read_lecture("title: A\nlanguage: en\nstep: B\nsentence: C\nlab: amdahl\nend\n", "a", {}, start)));
    view.experiment.shown = experiment_named("amdahl");
    const auto asked = [&](const KeyPress& key) {
        Edits edits;
        handle_key(key, start, view, edits);
        return edits.all();
    };
    const auto turn = [&](const KeyPress& key) {
        for (const Edit& edit : asked(key)) {
            const auto* action = std::get_if<Action>(&edit);
            if (action && std::holds_alternative<TurnStep>(*action)) return std::get<TurnStep>(*action).by;
        }
        return 0;
    };
    EXPECT_EQ(turn({Key::page_down}), 1);
    EXPECT_EQ(turn({Key::page_up}), -1);
    const auto only = [&](const KeyPress& key) { return asked(key).at(0); };
    EXPECT_TRUE(std::holds_alternative<TurnPage>(std::get<ViewEdit>(only({Key::tab}))));
    EXPECT_TRUE(std::holds_alternative<ReturnToStep>(std::get<Action>(only({Key::backspace}))));
    EXPECT_TRUE(std::holds_alternative<StepControl>(std::get<Action>(only({Key::right}))));
    EXPECT_TRUE(std::holds_alternative<RunExperiment>(std::get<Action>(only({Key::enter}))));
    EXPECT_TRUE(
        std::holds_alternative<BlankSlide>(std::get<ViewEdit>(only({Key::character, unsigned('.')}))));
    EXPECT_TRUE(std::holds_alternative<ShowNotes>(std::get<ViewEdit>(only({Key::character, unsigned('P')}))));
    EXPECT_TRUE(asked({Key::character, unsigned('5')}).empty()) << "which would choose a version unseen";
}

// As presenter remotes send them: Page Up and Page Down for steps, '.' for a black screen.
TEST_F(ByKeyboard, ALectureIsHeldWithARemoteAlone) {
    const Work start = first_work(filters::lab());
    const std::string step = "step: B\nsentence: C\nversion: 1\n";
    ViewState view;
    view.playing = first_step(std::make_shared<const Lecture>(read_lecture(
        "title: A\nlanguage: en\n" + step + step + "predict: time\n" + step + "end\n", "a", {}, start)));
    const auto press_key = [&](const KeyPress& key) {
        Edits edits;
        handle_key(key, start, view, edits);
        std::vector<Edit> asked = edits.all();
        for (const Edit& edit : asked) {
            if (const auto* looked = std::get_if<ViewEdit>(&edit)) view = edited(view, *looked, {});
            const auto* action = std::get_if<Action>(&edit);
            if (action && std::holds_alternative<TurnStep>(*action))
                view.playing = turned(*view.playing, std::get<TurnStep>(*action).by);
            EXPECT_FALSE(std::holds_alternative<WorkEdit>(edit)) << "the step's version stays";
        }
        return asked.size();
    };
    const auto letter = [](char one) { return KeyPress{Key::character, unsigned(one)}; };
    press_key({Key::page_down});
    EXPECT_EQ(view.playing->at, 1);
    EXPECT_TRUE(view.playing->asking());
    press_key(letter('.'));
    EXPECT_TRUE(view.slide.blank) << "black, whatever is asked";
    press_key(letter('.'));
    EXPECT_FALSE(view.slide.blank);
    press_key(letter('4'));
    press_key(letter('.'));
    press_key(letter('5'));
    EXPECT_FALSE(view.slide.blank) << "within a number it is a point";
    EXPECT_EQ(view.playing->typed, "4.5");
    press_key({Key::backspace});
    press_key({Key::enter});
    EXPECT_EQ(view.playing->answer().guess, 4);
    EXPECT_FALSE(view.playing->asking());
    press_key(letter('.'));
    EXPECT_TRUE(view.slide.blank);
    press_key({Key::page_down});
    EXPECT_FALSE(view.slide.blank) << "the next step is to be seen";
    EXPECT_EQ(view.playing->at, 2);
    press_key({Key::page_up});
    press_key({Key::page_up});
    EXPECT_EQ(view.playing->at, 0);
    EXPECT_EQ(press_key({Key::f5}), 1u);
    EXPECT_TRUE(view.slide.on);
    press_key({Key::page_down});
    EXPECT_EQ(view.playing->at, 1) << "slides have the same steps";
}

}  // namespace
}  // namespace ws
