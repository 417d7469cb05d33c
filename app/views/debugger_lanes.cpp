// Expressions in the 32 lanes of the focus's warp: one is shown, the others are tabs above it.

#include <algorithm>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/debugger_parts.h"
#include "app/views/parts.h"

namespace ws {
namespace {

constexpr int kLanesAcross = 8;  // lanes in a row
constexpr float kMostTab = 260;  // pixels at 1080 lines, as all here
constexpr float kTabGap = 6;
constexpr float kTabSign = 36;   // of what keeps the expression, or takes it away
constexpr float kMoreTabs = 50;  // of how many there are besides

float tab_width(const Canvas& canvas, const debug::LanesScene& watched) {
    return std::min(canvas.px(kMostTab), canvas.width(watched.text, Font::code_strong) + canvas.px(32));
}

// As many as fit, from the first on with which the one that is shown is among them.
struct WatchTabs {
    std::size_t first = 0, end = 0;
};
WatchTabs tabs_of(const DebugStage& debug, float room, std::size_t shown) {
    const std::vector<debug::LanesScene>& all = debug.now().watched;
    const auto width = [&](std::size_t i) {
        return tab_width(debug.stage.canvas, all[i]) + debug.stage.canvas.px(kTabGap);
    };
    float used = 0;
    WatchTabs made;
    for (std::size_t i = 0; i <= shown; ++i) used += width(i);
    for (; used > room && made.first < shown; ++made.first) used -= width(made.first);
    made.end = shown + 1;
    while (made.end < all.size() && used + width(made.end) <= room) used += width(made.end++);
    return made;
}

// "+" keeps what was only asked for, "×" takes away what was kept.
void draw_tab_sign(const DebugStage& debug, Box box, bool kept) {
    Canvas& canvas = debug.stage.canvas;
    const Touch touch = canvas.touch("keep", box);
    if (touch.clicked) debug.stage.edits.add(KeepWatched{});
    canvas.tooltip(touch, say(kept ? "debug.watch.drop" : "debug.watch.keep"));
    const float r = canvas.px(8);
    const float x = box.center_x();
    const float y = box.center_y();
    const Ink ink = touch.hovered ? Ink::now : Ink::text;
    canvas.frame(box.inset(canvas.px(3)), touch.hovered ? Ink::now_fill : Ink::line, 4);
    if (kept) {
        canvas.line(x - r, y - r, x + r, y + r, ink, 2);
        canvas.line(x - r, y + r, x + r, y - r, ink, 2);
    } else {
        canvas.line(x - r, y, x + r, y, ink, 2);
        canvas.line(x, y - r, x, y + r, ink, 2);
    }
}

void draw_watch_tab(const DebugStage& debug, Box tab, const debug::LanesScene& watched, bool shown) {
    Canvas& canvas = debug.stage.canvas;
    const Touch touch = canvas.touch("watched", tab);
    if (touch.clicked) debug.stage.edits.add(ChooseWatched{{watched.number, debug.now().asks}});
    if (shown) canvas.fill(tab, Ink::now_soft, 4);
    if (touch.hovered && !shown) canvas.frame(tab, Ink::line, 4);
    if (watched.values.changed != 0) draw_changed(canvas, tab);
    const Box name = tab.inset(canvas.px(15), 0);
    const Font font = shown ? Font::code_strong : Font::code;
    const std::string_view said = shortened(canvas, watched.text, font, name.w);
    if (said.size() < watched.text.size()) canvas.tooltip(touch, watched.text);
    canvas.text(name, said, font, Ink::text);
}

void draw_watch_tabs(const DebugStage& debug, Box head, std::size_t shown) {
    Canvas& canvas = debug.stage.canvas;
    const std::vector<debug::LanesScene>& all = debug.now().watched;
    draw_tab_sign(debug, head.right_part(canvas.px(kTabSign)), all[shown].number > 0);
    const Box room = head.before(canvas.px(kTabSign));
    WatchTabs tabs = tabs_of(debug, room.w, shown);
    const bool fits = tabs.first == 0 && tabs.end == all.size();
    if (!fits) tabs = tabs_of(debug, room.w - canvas.px(kMoreTabs), shown);
    float x = room.x;
    for (std::size_t i = tabs.first; i < tabs.end; ++i) {
        const float left = std::max(0.0f, room.right() - (fits ? 0 : canvas.px(kMoreTabs)) - x);
        const Box tab{x, room.y, std::min(left, tab_width(canvas, all[i])), room.h};
        ImGui::PushID(int(i));
        draw_watch_tab(debug, tab, all[i], i == shown);
        ImGui::PopID();
        x = tab.right() + canvas.px(kTabGap);
    }
    if (!fits)
        canvas.text(room.right_part(canvas.px(kMoreTabs)), text("+{}", all.size() - (tabs.end - tabs.first)),
                    Font::axis, Ink::dim, Align::center);
}

void draw_lane(const DebugStage& debug, Box cell, int lane, const debug::LaneValues& values) {
    Canvas& canvas = debug.stage.canvas;
    const debug::WarpScene& warp = debug.now().warps[std::size_t(debug.now().focus.warp)];
    const bool active = (warp.active >> unsigned(lane) & 1u) != 0;
    const bool changed = (values.changed >> unsigned(lane) & 1u) != 0;
    const bool focus = lane == debug.now().focus.lane;
    ImGui::PushID(lane);
    const Touch touch = canvas.touch("lane", cell);
    ImGui::PopID();
    if (touch.clicked) debug.stage.edits.add(StepDebugged{0, lane - debug.now().focus.lane});
    canvas.fill(cell, active ? Ink::now_soft : Ink::panel, 3);
    if (focus || touch.hovered) canvas.frame(cell, focus ? Ink::now_fill : Ink::line, 3, focus ? 3 : 2);
    if (changed) draw_changed(canvas, cell);
    const std::string& value = values.values[std::size_t(lane)];
    const std::string_view shown = value.empty() ? "?" : std::string_view(value);
    const float room = cell.w - canvas.px(12);
    const std::string_view said = active ? shown : text("({})", shown);
    const Font font = changed ? Font::axis_strong : Font::axis;
    canvas.text({cell.x + canvas.px(4), cell.y, room + canvas.px(4), cell.h},
                shortened(canvas, said, font, room), font, active || changed ? Ink::text : Ink::dim,
                Align::right);
}

}  // namespace

void draw_debugged_lanes(const DebugStage& debug, Box card) {
    Canvas& canvas = debug.stage.canvas;
    canvas.slot("lanes", card);
    canvas.card(card);
    const std::size_t shown = shown_watch(debug.now(), debug.stage.view.debugger.watch);
    const debug::LaneValues& values = debug.now().watched[shown].values;
    const Box in = card.inset(canvas.px(16), canvas.px(8));
    const Box head = in.top(canvas.px(36));
    const std::string_view whose = say("debug.lanes", debug.now().focus.warp);
    const float wide = canvas.width(whose, Font::axis);
    canvas.text(head.right_part(wide + 1), whose, Font::axis, Ink::dim, Align::right);
    draw_watch_tabs(debug, head.before(wide + canvas.px(16)), shown);
    tip(debug.stage, head, "tip.debug.lanes");
    const Box body = in.below(canvas.px(40));
    if (!values.problem.empty()) {
        canvas.paragraph(body, values.problem, Font::body, Ink::dim);
        return;
    }
    const float label = canvas.px(38);
    for (int lane = 0; lane < int(debug::kSceneLanes); ++lane) {
        const int rows = int(debug::kSceneLanes) / kLanesAcross;
        const Box row = body.row(lane / kLanesAcross, rows, canvas.px(3));
        if (lane % kLanesAcross == 0)
            canvas.text(row.left(label - canvas.px(8)), text("{}", lane), Font::axis, Ink::dim, Align::right);
        if ((values.lanes >> unsigned(lane) & 1u) == 0) continue;
        draw_lane(debug, row.after(label).column(lane % kLanesAcross, kLanesAcross, canvas.px(3)), lane,
                  values);
    }
}

}  // namespace ws
