// The page of the debugger: sessions as it draws them, walked, and the desk that carries its commands out.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "app/texts/texts.h"
#include "app/views/debug_scene.h"
#include "app/window/debug_desk.h"
#include "gpu/core/files.h"
#include "gpu/cpu/cpu_device.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

using debug::WarpScene;
using Why = debug::Stop::Why;

// The sum that lacks a barrier, of the documentation.
Options block_sum() {
    const std::string file = WARPSCOPE_SOURCE_DIR "/docs/debugger/block_sum.cu";
    const std::vector<const char*> words{"warpscope",     "debug",   file.c_str(),   "--kernel",
                                         "block_sum",     "--block", "128",          "--arg",
                                         "f32[128]=iota", "--arg",   "f32[1]=poison"};
    return parse_options(int(words.size()), words.data());
}

std::shared_ptr<Nvrtc> compiler() {
    Result<std::shared_ptr<Nvrtc>> opened = Nvrtc::open();
    return opened.ok() ? opened.value() : nullptr;
}

DebuggerPage page_of(const std::vector<std::string>& commands) {
    DebugSession session(debugged_file(block_sum(), *compiler()), std::make_shared<std::atomic<bool>>(false));
    session.carry_out(commands);
    DebuggerPage page;
    page.scene = session.scene(nullptr);
    page.file = "block_sum.cu";
    return page;
}

// A version's kernel on the picture of the tests, in a block with what it stores.
DebuggerPage page_of(const Snapshot& snapshot, const std::vector<std::string>& commands) {
    const auto library = std::make_shared<const KernelLibrary>(std::filesystem::path());
    const VersionStep named =
        version_step(snapshot.work, main_step(snapshot).step, library, snapshot.target.gpu);
    DebugSession session(debugged_version(*compiler(), named, snapshot.problem, snapshot.target.gpu, {}),
                         std::make_shared<std::atomic<bool>>(false));
    session.carry_out(commands);
    const std::uint64_t block = session.scene(nullptr)->now.block_index;
    DebuggerPage page;
    page.scene = session.scene(
        std::make_shared<const debug::BlockStores>(session.stores(block, std::atomic<bool>(false))));
    return page;
}

class DebuggerView : public Views {
  protected:
    void SetUp() override {
        if (!compiler() || !filters_5_against_3().told.now.counted())
            GTEST_SKIP() << "there is no compiler here, and nothing to debug";
    }
    void walk_everywhere(const DebuggerPage& page, const std::string& what) {
        debugger_ = &page;
        for (const std::string& language : languages()) {
            speak(language);
            for (const Theme theme : {Theme::light, Theme::dark}) {
                for (const Extent size : kSizes) {
                    for (int shown = 0; shown < (slots_of(size).narrow ? 2 : 1); ++shown) {
                        ViewState view = view_of(theme, Tab::debugger);
                        view.page = shown;
                        if (panel_) view.debugger.panel = {*panel_, page.scene ? page.scene->panel.asks : 0};
                        walk(draw(filters_5_against_3(), view, size), theme, size,
                             fmt::format("{} {} {}x{} page {}", what, language, size.width, size.height,
                                         shown));
                    }
                }
            }
        }
        use_language({});
    }
    std::optional<debug::Panel> panel_;
    ::testing::AssertionResult shows(std::string_view words) {
        std::string others;
        for (const DrawnText& one : drawing_.texts) {
            if (one.text == words) return ::testing::AssertionSuccess();
            others += fmt::format("{}; ", one.text);
        }
        return ::testing::AssertionFailure() << words << " is not among: " << others;
    }
};

TEST_F(DebuggerView, NothingIsCutOffOrCannotBeRead) {
    walk_everywhere(page_of({"start"}), "start");
    walk_everywhere(page_of({"set checks off", "break 14", "run", "watch part[0]", "reverse-continue 5",
                             "print/w part[t + apart]", "freeze others"}),
                    "a change");
    // More expressions than have room, one of them long; memory; a warp in two paths.
    const DebuggerPage watched =
        page_of({"set checks off", "display/w part[t]", "display/w apart", "display/w t",
                 "display/wx part[t + apart] * 2 + part[t] * threadIdx.x", "display/w t % 7",
                 "display/w sums[0]", "print/w blockIdx.x", "break 10", "run", "continue", "x/8xw part"});
    ASSERT_EQ(watched.scene->now.watched.size(), 7u);
    for (const debug::Panel panel :
         {debug::Panel::variables, debug::Panel::registers, debug::Panel::memory, debug::Panel::stack}) {
        panel_ = panel;
        walk_everywhere(watched, fmt::format("panel {}", int(panel)));
    }
    panel_.reset();
    walk_everywhere(page_of({"run"}), "a finding");
    walk_everywhere(page_of({"set checks off", "continue"}), "the end");
    walk_everywhere(page_of({"break 14 if part[0] > 0", "print/w nonsense", "run"}), "a problem");
    DebuggerPage running = page_of({"start"});
    running.running = true;
    walk_everywhere(running, "running");
    DebuggerPage none;
    none.problem = "the debugger needs the kernel compiler: libnvrtc.so is not there";
    walk_everywhere(none, "no session");
    walk_everywhere(page_of(filters_5_against_3(), {"cuda block (3,20)", "start", "next 6"}), "a picture");
}

TEST_F(DebuggerView, ShowsWhereItStandsAndWhatItStores) {
    const DebuggerPage page = page_of(
        {"set checks off", "break 14", "run", "print/w part[t]", "watch part[0]", "reverse-continue"});
    const debug::Scene& now = page.scene->now;
    EXPECT_EQ(now.at.line, 10);
    ASSERT_EQ(now.watched.size(), 1u);
    EXPECT_EQ(now.watched[0].text, "part[t]");
    EXPECT_EQ(now.watched[0].values.values[0], "2256");
    ASSERT_TRUE(page.scene->halt);
    EXPECT_EQ(page.scene->halt->stop.after, "4560");
    ASSERT_EQ(now.warps.size(), 4u);
    EXPECT_EQ(now.warps[0].active, 1u) << "only lane 0 adds in the last step";
    debugger_ = &page;
    draw(filters_5_against_3(), view_of(Theme::light, Tab::debugger), {1920, 1080});
    EXPECT_TRUE(shows("part[0]: 2256 → 4560"));
    EXPECT_TRUE(shows("2256"));

    DebuggerPage picture = page_of(filters_5_against_3(), {"cuda block (3,20)", "start"});
    ASSERT_FALSE(picture.scene->own.empty());
    const ElementStore own = picture.scene->own.front();
    EXPECT_EQ(own.state, ElementStore::State::to_come);
    debugger_ = &picture;
    draw(filters_5_against_3(), view_of(Theme::light, Tab::debugger), {1920, 1080});
    EXPECT_TRUE(shows(say("debug.place.to_come", own.value)));
    // Once it is stored it is said so, and it is what the check defines.
    picture = page_of(filters_5_against_3(), {"cuda block (3,20)", "run"});
    ASSERT_TRUE(picture.scene->now.ended);
    EXPECT_EQ(picture.scene->own.front().state, ElementStore::State::stored);
    EXPECT_EQ(picture.scene->own.front().value, own.value);
    const int buffer =
        output_of(arguments_of(filters_5_against_3().work, main_step(filters_5_against_3()).step));
    const HostBytes defined = reference_result(filters_5_against_3().problem, buffer);
    const std::size_t at =
        std::size_t(own.at.y) * std::size_t(picture.scene->plane->size.width) + std::size_t(own.at.x);
    EXPECT_EQ(own.value, std::to_string(defined[at]));
}

TEST_F(DebuggerView, AnExpressionThatIsAskedForIsShownUntilAPersonTurnsToAnother) {
    const DebuggerPage page =
        page_of({"set checks off", "break 10", "run", "display/w apart", "display/w part[t]", "continue"});
    const debug::Scene& now = page.scene->now;
    ViewState view = view_of(Theme::light, Tab::debugger);
    EXPECT_EQ(shown_watch(now, view.debugger.watch), 1u) << "the last that was asked for";
    const auto draws = [&](std::string_view words) {
        debugger_ = &page;
        draw(filters_5_against_3(), view, {1920, 1080});
        return shows(words);
    };
    EXPECT_TRUE(draws("66")) << "lane 1 of part[t]";
    view = edited(view, ChooseWatched{{now.watched[0].number, now.asks}}, {});
    EXPECT_EQ(shown_watch(now, view.debugger.watch), 0u);
    EXPECT_FALSE(draws("66"));
    EXPECT_TRUE(draws("32"));
    debug::Scene later = now;
    ++later.asks;
    EXPECT_EQ(shown_watch(later, view.debugger.watch), 1u) << "another one was asked for since";
    later.watched.erase(later.watched.begin() + 1);
    EXPECT_EQ(shown_watch(later, view.debugger.watch), 0u) << "it was taken away";
    // All lanes of the warp have another value than at the stop before, said by a corner and by the font.
    int strong = 0;
    view.debugger.watch = {};
    (void)draws("66");
    for (const DrawnText& one : drawing_.texts)
        strong += one.font == Font::axis_strong && one.text == "66" ? 1 : 0;
    EXPECT_EQ(strong, 1);
}

TEST_F(DebuggerView, TheCardHasRegistersMemoryAndTheStack) {
    const DebuggerPage page = page_of({"set checks off", "break 10", "run", "continue 3"});
    debugger_ = &page;
    const auto draw_panel = [&](debug::Panel panel) {
        draw(filters_5_against_3(),
             edited(view_of(Theme::light, Tab::debugger), ChooseDebugPanel{{panel, page.scene->panel.asks}},
                    {}),
             {1920, 1080});
    };
    draw_panel(debug::Panel::variables);
    EXPECT_TRUE(shows("apart"));
    draw_panel(debug::Panel::registers);
    EXPECT_TRUE(shows(page.scene->now.registers.front().name));
    ASSERT_FALSE(page.scene->now.its_registers.empty());
    EXPECT_FALSE(shows("apart"));
    draw_panel(debug::Panel::memory);
    EXPECT_TRUE(shows(page.scene->now.memory.cells[1]));
    draw_panel(debug::Panel::stack);
    ASSERT_EQ(page.scene->now.paths.size(), 2u) << "lanes that add, and those that do not";
    EXPECT_TRUE(shows(say("debug.path.line", 10, "block_sum")));
    EXPECT_TRUE(shows(say("debug.path.lanes")));
    // A command turns to what it asks for, until a person turns to something else.
    const DebuggerPage examined = page_of({"start", "info registers", "x/4fw numbers"});
    EXPECT_EQ(shown_panel(*examined.scene, {}), debug::Panel::memory);
    EXPECT_EQ(shown_panel(*examined.scene, {debug::Panel::stack, examined.scene->panel.asks}),
              debug::Panel::stack);
    EXPECT_EQ(shown_panel(*examined.scene, {debug::Panel::stack, examined.scene->panel.asks - 1}),
              debug::Panel::memory);
}

// ---- the desk

class Desk : public DebuggerView {
  protected:
    DebugWish wish() {
        const Snapshot& snapshot = filters_5_against_3();
        return {false,
                &snapshot.work,
                main_step(snapshot).step,
                input_key(snapshot.problem),
                &main_step(snapshot).source,
                &folder_};
    }
    // As frames do.
    void settle(DebugDesk& desk, const DebugWish& wanted) {
        const auto start = std::chrono::steady_clock::now();
        do {
            desk.update(&wanted, filters_5_against_3());
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        } while ((desk.running() || !desk.begun()) &&
                 std::chrono::steady_clock::now() - start < std::chrono::minutes(2));
        ASSERT_TRUE(desk.page().scene) << desk.page().problem;
    }
    std::filesystem::path folder_;
};

TEST_F(Desk, CarriesCommandsOutInTheirOrder) {
    DebugDesk desk(std::make_shared<const Options>(block_sum()), "set checks off; break 14; run");
    DebugWish file;
    file.file = true;
    file.kernels = &folder_;
    settle(desk, file);
    EXPECT_EQ(desk.page().scene->halt->stop.why, Why::breakpoint);
    EXPECT_EQ(desk.page().scene->now.at.line, 14);
    desk.toggle_breakpoint(0);  // away
    desk.toggle_breakpoint(6);
    desk.ask("run");
    settle(desk, file);
    ASSERT_EQ(desk.page().scene->now.breakpoints.size(), 1u);
    EXPECT_EQ(desk.page().scene->now.at.line, 6);
    desk.step_focus(-1, 5);
    settle(desk, file);
    EXPECT_EQ(desk.page().scene->now.focus.warp, 3);
    EXPECT_EQ(desk.page().scene->now.focus.lane, 5);
    desk.toggle_freeze();
    settle(desk, file);
    EXPECT_TRUE(desk.page().scene->now.warps[0].frozen);
    EXPECT_FALSE(desk.page().scene->now.warps[3].frozen);
    desk.toggle_freeze();
    settle(desk, file);
    EXPECT_FALSE(desk.page().scene->now.warps[0].frozen);
    // The expression that is shown stays, and no longer.
    desk.ask("print/wx threadIdx.x");
    settle(desk, file);
    desk.keep_watched({});
    settle(desk, file);
    ASSERT_EQ(desk.page().scene->now.watched.size(), 1u);
    EXPECT_EQ(desk.page().scene->now.watched[0].number, 1);
    EXPECT_EQ(desk.page().scene->now.watched[0].text, "/x threadIdx.x");
    desk.keep_watched({});
    settle(desk, file);
    EXPECT_EQ(desk.page().scene->now.watched[0].number, 0);
}

TEST_F(Desk, AClickOnThePictureFindsTheLane) {
    DebugDesk desk(nullptr, "");
    settle(desk, wish());
    const debug::Scene first = desk.page().scene->now;
    EXPECT_NE(first.block_index, 0u) << "it begins in the middle of the picture";
    ASSERT_TRUE(desk.page().scene->stores && desk.page().scene->stores->complete);
    // Far away, and within the block.
    for (const Element2d element : {Element2d{3, 5}, Element2d{6, 7}}) {
        desk.choose(element);
        settle(desk, wish());
        const DebugScene& scene = *desk.page().scene;
        const bool stores =
            std::ranges::any_of(scene.own, [&](const ElementStore& one) { return one.at == element; });
        EXPECT_TRUE(stores) << element.x << ", " << element.y << ": block " << scene.now.block[0];
    }
}

// What goes on ends where it is, and nothing waits for it.
TEST_F(Desk, PausesAndBeginsAnew) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / fmt::format("warpscope_endless_{}.cu", std::uintptr_t(this));
    write_file(file,
               "extern \"C\" __global__ void forever(volatile int* x) {\n    while (*x >= 0) *x = 1;\n}\n");
    const std::string path = file.string();
    const std::vector<const char*> words{"warpscope", "debug", path.c_str(), "--kernel",
                                         "forever",   "--arg", "i32[1]=zero"};
    DebugDesk desk(std::make_shared<const Options>(parse_options(int(words.size()), words.data())), "");
    DebugWish wanted;
    wanted.file = true;
    wanted.kernels = &folder_;
    settle(desk, wanted);
    desk.ask("set checks off");
    desk.ask("continue");
    desk.update(&wanted, filters_5_against_3());
    EXPECT_TRUE(desk.running());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    desk.update(&wanted, filters_5_against_3());
    EXPECT_TRUE(desk.page().running);
    const auto start = std::chrono::steady_clock::now();
    desk.pause();
    settle(desk, wanted);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    ASSERT_TRUE(desk.page().scene->halt);
    EXPECT_EQ(desk.page().scene->halt->stop.why, Why::interrupted);
    // Another subject ends what goes on, too.
    desk.ask("continue");
    desk.update(&wanted, filters_5_against_3());
    settle(desk, wish());
    EXPECT_EQ(desk.page().scene->file, main_step(filters_5_against_3()).source.name + ".cu");
    std::filesystem::remove(file);
}

TEST_F(Desk, WhatDoesNotCompileIsSaid) {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / fmt::format("warpscope_broken_{}.cu", std::uintptr_t(this));
    write_file(file, "extern \"C\" __global__ void broken() { nothing(); }\n");
    const std::string path = file.string();
    const std::vector<const char*> words{"warpscope", "debug", path.c_str(), "--kernel", "broken"};
    DebugDesk desk(std::make_shared<const Options>(parse_options(int(words.size()), words.data())), "");
    DebugWish wanted;
    wanted.file = true;
    wanted.kernels = &folder_;
    do {
        desk.update(&wanted, filters_5_against_3());
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (desk.running());
    EXPECT_FALSE(desk.page().scene);
    EXPECT_NE(desk.page().problem.find("does not compile"), std::string::npos) << desk.page().problem;
    desk.ask("step");  // of no session: nothing
    desk.update(&wanted, filters_5_against_3());
    EXPECT_FALSE(desk.running());
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace ws
