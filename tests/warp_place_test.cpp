// Any warp in the window: chosen by pointer and keys, at every edge, in both labs, and drawn so that all of
// it can be read.

#include <algorithm>
#include <set>

#include "app/texts/texts.h"
#include "app/views/warp_parts.h"
#include "app/views/words.h"
#include "app/window/keys.h"
#include "app/window/stage.h"
#include "app/window/steps.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

// As the engine has it with a warp of the main step chosen.
Snapshot with_warp(const Lab& lab, int number, int against, std::optional<WarpPlace> at) {
    Work work = with_version(first_work(lab), version_of(lab, number));
    if (!lab.takes_picture()) work.size = {250, 130};
    work.device = DeviceKind::simt;
    engine().prepare(work);
    const PinnedWork pinned{with_version(work, version_of(lab, against)), engine().input()};
    Beside beside{&pinned, false, false};
    beside.warp = WarpWish{chosen_step(engine().snapshot(), {}).step, at};
    engine().prepare(work, beside);
    engine().wait_for_counts();
    return engine().snapshot();
}

ViewState warp_page(Theme theme, std::optional<WarpPlace> at) {
    ViewState view = view_of(theme, Tab::warp);
    view.preferences.warp = at;
    return view;
}

class Warps : public Views {
  protected:
    // Presses the button at a place of a card, holds it in the next frame at another one, and lets go.
    ViewState drag(const Snapshot& snapshot, ViewState view, const char* slot, float x0, float y0, float x1,
                   float y1) {
        constexpr Extent kSize{1920, 1080};
        draw(snapshot, view, kSize);
        const auto found = std::find_if(drawing_.slots.begin(), drawing_.slots.end(),
                                        [&](const Drawing::Slot& one) { return one.name == slot; });
        if (found == drawing_.slots.end()) return view;
        const Box box = found->box;
        ImGuiIO& io = ImGui::GetIO();
        const auto frame = [&](float x, float y, bool down) {
            io.MousePos = {box.x + x * box.w, box.y + y * box.h};
            io.MouseDown[0] = down;
            edits_.clear();
            draw(snapshot, view, kSize);
            for (const Edit& edit : edits_.all()) {
                if (const auto* asked = std::get_if<ViewEdit>(&edit)) view = edited(view, *asked, {});
            }
            edits_.clear();
        };
        frame(x0, y0, false);
        frame(x0, y0, true);
        frame(x1, y1, true);
        frame(x1, y1, false);
        io.MousePos = {-1, -1};
        return view;
    }
};

#define SKIP_WITHOUT_COMPILER()                                  \
    if (!filters_5_against_3().told.now.counted())               \
    GTEST_SKIP() << "there is no compiler here, and nothing to " \
                    "show"

// Corners and edges, where lanes, whole warps or whole rows of a block lie outside; also while it is stale.
TEST_F(Warps, EveryEdgeFits) {
    SKIP_WITHOUT_COMPILER();
    struct Case {
        const Lab* lab;
        int version, against;
    };
    for (const Case& one :
         {Case{&filters::lab(), 5, 3}, Case{&filters::lab(), 8, 0}, Case{&lab_named("transpose"), 7, 3}}) {
        for (const WarpPlace at : {WarpPlace{0, 0, 0}, WarpPlace{9999, 0, 0}, WarpPlace{9999, 9999, 9999},
                                   WarpPlace{1, 9999, 0}}) {
            Snapshot snapshot = with_warp(*one.lab, one.version, one.against, at);
            const StepSnapshot& step = chosen_step(snapshot, {});
            ASSERT_TRUE(step.counts.warp.examples) << one.lab->id;
            for (const bool stale : {false, true}) {
                for (StepSnapshot& each : snapshot.steps)
                    each.counts.warp.stale = each.counts.base_warp.stale = stale;
                for (const Extent size : {Extent{1024, 768}, Extent{1280, 720}, Extent{1920, 1080}}) {
                    const Theme theme = stale ? Theme::dark : Theme::light;
                    ViewState view = warp_page(theme, at);
                    const std::string where =
                        fmt::format("{} V{} block {}, {} {}x{}", one.lab->id, one.version, at.block_x,
                                    at.block_y, size.width, size.height);
                    for (view.page = 0; view.page < (slots_of(size).narrow ? 2 : 1); ++view.page)
                        walk(draw(snapshot, view, size), theme, size, where);
                }
            }
        }
    }
}

// Whatever is chosen, nothing moves.
TEST_F(Warps, NothingMoves) {
    SKIP_WITHOUT_COMPILER();
    constexpr Extent kSize{1920, 1080};
    const Snapshot usual = with_warp(filters::lab(), 5, 3, std::nullopt);
    const auto before = slots_in(draw(usual, warp_page(Theme::light, std::nullopt), kSize));
    const WarpPlace corner{9999, 9999, 9999};
    const Snapshot other = with_warp(filters::lab(), 5, 3, corner);
    EXPECT_EQ(slots_in(draw(other, warp_page(Theme::light, corner), kSize)), before);
    const StepSnapshot& step = chosen_step(other, {});
    const std::string_view named =
        say("warp.place", step.counts.warp.at.block_x, step.counts.warp.at.block_y, step.counts.warp.at.warp);
    EXPECT_TRUE(std::any_of(drawing_.texts.begin(), drawing_.texts.end(), [&](const DrawnText& text) {
        return text.text == named;
    })) << "the block that there is, not the one that was asked for";
}

// A press chooses the warp that computes what lies under the pointer; a drag another one; the card stays as
// it was while it is held.
TEST_F(Warps, AreChosenByThePointer) {
    SKIP_WITHOUT_COMPILER();
    for (const char* slot : {"place", "base place"}) {
        const Snapshot snapshot = with_warp(filters::lab(), 5, 3, WarpPlace{4, 10, 2});
        const ViewState view = warp_page(Theme::light, WarpPlace{4, 10, 2});
        const ViewState right = drag(snapshot, view, slot, 0.5f, 0.5f, 0.9f, 0.5f);
        ASSERT_TRUE(right.preferences.warp) << slot;
        EXPECT_GT(right.preferences.warp->block_x, 4) << slot;
        const ViewState up = drag(snapshot, view, slot, 0.5f, 0.5f, 0.5f, 0.05f);
        ASSERT_TRUE(up.preferences.warp) << slot;
        EXPECT_TRUE(up.preferences.warp->block_y < 10 || up.preferences.warp->warp < 2) << slot;
        EXPECT_FALSE(up.held_place) << "let go";
        const ViewState there_and_back = drag(snapshot, right, slot, 0.5f, 0.5f, 0.5f, 0.5f);
        EXPECT_EQ(there_and_back.preferences.warp->block_y, right.preferences.warp->block_y)
            << "the middle is what is chosen";
    }
}

// The element under the pointer is one that the chosen warp computes: for all of a tile, whole or partial.
TEST_F(Warps, ComputeWhatTheyAreChosenBy) {
    SKIP_WITHOUT_COMPILER();
    for (const auto& [lab, version, against] :
         {std::tuple{&filters::lab(), 5, 3}, {&filters::lab(), 16, 3}, {&lab_named("transpose"), 3, 1}}) {
        const Snapshot snapshot = with_warp(*lab, version, against, WarpPlace{1, 1, 0});
        const StepSnapshot& step = chosen_step(snapshot, {});
        ASSERT_TRUE(step.counts.warp.examples) << lab->id << version;
        const ViewState view = warp_page(Theme::light, step.counts.warp.at);
        draw(snapshot, view, {1920, 1080}, [](const Stage& stage) {
            const StepSnapshot& now = chosen_step(stage.snapshot, {});
            const Requests requests(*now.counts.result, now.counts.warp, true);
            RequestSide side;
            // The first store to global memory, in its own plane.
            for (const AccessExample& access : now.counts.warp.examples->accesses) {
                if (!access.shared && access.store && !side.kind) side.kind = &access;
            }
            ASSERT_NE(side.kind, nullptr);
            side.key = &now.counts.result->key;
            side.grid = &now.counts.warp.grid;
            const Plane plane = plane_of(stage, side);
            ASSERT_GT(plane.size.width, 0);
            std::set<int> warps;
            for (const AccessExample& access : now.counts.warp.examples->accesses) {
                if (access.shared || !access.store) continue;
                for (int lane = 0; lane < kLanes; ++lane) {
                    const auto at = element_of(access, lane, plane.size.width, plane.element_bytes);
                    if (!at) continue;
                    const auto place = warp_at(stage, side, plane, *at);
                    ASSERT_TRUE(place);
                    EXPECT_EQ(*place, (WarpPlace{now.counts.warp.at.block_x, now.counts.warp.at.block_y,
                                                 access.warp}))
                        << at->x << ", " << at->y;
                    warps.insert(place->warp);
                }
            }
            EXPECT_EQ(int(warps.size()), now.counts.warp.grid.warps());
        });
    }
}

TEST_F(Warps, AreChosenByKeys) {
    SKIP_WITHOUT_COMPILER();
    Snapshot snapshot = with_warp(filters::lab(), 5, 3, WarpPlace{4, 10, 2});
    StepSnapshot& step = snapshot.steps[std::size_t(chosen_step(snapshot, {}).step)];
    const WarpGrid& grid = step.counts.warp.grid;
    const int last = grid.warps() - 1;
    ViewState view = warp_page(Theme::light, WarpPlace{4, 10, 2});
    const auto press = [&](const KeyPress& key) {
        Edits edits;
        handle_key(key, snapshot.work, view, edits);
        for (const Edit& edit : edits.all()) {
            if (const auto* looked = std::get_if<ViewEdit>(&edit)) view = edited(view, *looked, {});
            const auto* action = std::get_if<Action>(&edit);
            if (!action || !std::holds_alternative<StepWarp>(*action)) continue;
            if (const auto asked = stepped_warp(step, std::get<StepWarp>(*action)))
                view = edited(view, *asked, {});
        }
        if (view.preferences.warp) step.counts.warp.at = grid.clamped(*view.preferences.warp);
        return view.preferences.warp.value_or(WarpPlace{-1, -1, -1});
    };
    using Key = KeyPress::Key;
    EXPECT_EQ(press({Key::down}), (WarpPlace{4, 10, 3}));
    EXPECT_EQ(press({Key::up}), (WarpPlace{4, 10, 2}));
    EXPECT_EQ(press({Key::right, 0, false, true}), (WarpPlace{5, 10, 2}));
    EXPECT_EQ(press({Key::down, 0, false, true}), (WarpPlace{5, 11, 2}));
    EXPECT_EQ(press({Key::left, 0, false, true}), (WarpPlace{4, 11, 2}));
    EXPECT_EQ(press({Key::up, 0, false, true}), (WarpPlace{4, 10, 2}));
    EXPECT_EQ(press({Key::home, 0, false, true}), (WarpPlace{0, 0, 2}));
    EXPECT_EQ(press({Key::left, 0, false, true}), (WarpPlace{0, 0, 2})) << "an end is an end";
    for (int i = 0; i < 3; ++i) press({Key::up});
    EXPECT_EQ(press({Key::up}), (WarpPlace{0, 0, 0}));
    EXPECT_EQ(press({Key::end, 0, false, true}), (WarpPlace{grid.grid.width - 1, grid.grid.height - 1, 0}));
    for (int i = 0; i <= last; ++i) press({Key::down});
    EXPECT_EQ(press({Key::down}), (WarpPlace{grid.grid.width - 1, grid.grid.height - 1, last}));
    press({Key::home, 0, false, true});
    EXPECT_EQ(press({Key::down}), (WarpPlace{1, 0, 0}))
        << "after the last warp of a block the next one's first";
    press({Key::backspace});
    EXPECT_FALSE(view.preferences.warp) << "the example again";
    // Elsewhere these keys mean what they always did.
    view.preferences.tab = Tab::memory;
    press({Key::down});
    EXPECT_FALSE(view.preferences.warp);
}

}  // namespace
}  // namespace ws
