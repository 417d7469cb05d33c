// What the debugger shows besides the source: an expression in 32 lanes, the warps, the variables.

#include <algorithm>
#include <bit>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/debugger_parts.h"
#include "app/views/parts.h"

namespace ws {
namespace {

using debug::WarpScene;
constexpr int kLanesAcross = 8;  // lanes in a row
constexpr float kWarpRow = 33;
constexpr float kCardHead = 46;
constexpr float kCardFoot = 8;

// As many rows as fit, around the one that is looked at.
int first_shown(int count, int visible, int looked_at) {
    return std::clamp(looked_at - visible / 2, 0, std::max(0, count - visible));
}

// The lanes of a warp as cells: those that take the next instruction, those that wait for them.
void draw_mask(Canvas& canvas, Box box, const WarpScene& warp) {
    const float cell = box.w / float(debug::kSceneLanes);
    for (unsigned lane = 0; lane < debug::kSceneLanes; ++lane) {
        const Box one{box.x + float(lane) * cell, box.y, std::max(1.0f, cell - 1), box.h};
        const bool active = (warp.active >> lane & 1u) != 0;
        const bool inactive = (warp.inactive >> lane & 1u) != 0;
        canvas.mark(active ? one : one.inset(0, box.h * 0.3f), active     ? Ink::now_fill
                                                               : inactive ? Ink::context_strong
                                                                          : Ink::context_soft);
    }
}

std::string_view warp_state_text(const WarpScene& warp) {
    if (warp.state == WarpScene::State::ended) return say("debug.state.ended");
    if (warp.frozen) return say("debug.state.frozen");
    if (warp.state == WarpScene::State::ready) return say("debug.state.ready");
    return say("debug.state.barrier", warp.arrived, warp.expected);
}

}  // namespace

Box debug_card(Canvas& canvas, Box card, std::string_view title) {
    canvas.card(card);
    const Box in = card.inset(canvas.px(16), 0);
    canvas.text(in.top(canvas.px(kCardHead)), title, Font::strong, Ink::text);
    return in.below(canvas.px(kCardHead)).above(canvas.px(kCardFoot));
}

float debugged_warps_height(const DebugStage& debug) {
    const Canvas& canvas = debug.stage.canvas;
    return canvas.px(kCardHead + kCardFoot + 1 + kWarpRow * float(debug.now().warps.size()));
}

void draw_debugged_lanes(const DebugStage& debug, Box card) {
    Canvas& canvas = debug.stage.canvas;
    canvas.slot("lanes", card);
    canvas.card(card);
    const debug::LanesScene& lanes = debug.now().lanes;
    const Box in = card.inset(canvas.px(16), canvas.px(8));
    const Box head = in.top(canvas.px(36));
    tip(debug.stage, head, "tip.debug.lanes");
    const std::string_view whose = say("debug.lanes", debug.now().focus.warp);
    const float wide = canvas.width(whose, Font::axis);
    canvas.text(head.right_part(wide + 1), whose, Font::axis, Ink::dim, Align::right);
    const Box name = head.before(wide + canvas.px(16));
    canvas.text(name, shortened(canvas, lanes.text, Font::code_strong, name.w), Font::code_strong, Ink::text);
    const Box body = in.below(canvas.px(40));
    if (!lanes.problem.empty()) {
        canvas.paragraph(body, lanes.problem, Font::body, Ink::dim);
        return;
    }
    const WarpScene& warp = debug.now().warps[std::size_t(debug.now().focus.warp)];
    const float label = canvas.px(38);
    for (int lane = 0; lane < int(debug::kSceneLanes); ++lane) {
        const int rows = int(debug::kSceneLanes) / kLanesAcross;
        const Box row = body.row(lane / kLanesAcross, rows, canvas.px(3));
        if (lane % kLanesAcross == 0)
            canvas.text(row.left(label - canvas.px(8)), text("{}", lane), Font::axis, Ink::dim, Align::right);
        if ((lanes.lanes >> unsigned(lane) & 1u) == 0) continue;
        const Box cell = row.after(label).column(lane % kLanesAcross, kLanesAcross, canvas.px(3));
        const bool active = (warp.active >> unsigned(lane) & 1u) != 0;
        const bool focus = lane == debug.now().focus.lane;
        ImGui::PushID(lane);
        const Touch touch = canvas.touch("lane", cell);
        ImGui::PopID();
        if (touch.clicked) debug.stage.edits.add(StepDebugged{0, lane - debug.now().focus.lane});
        canvas.fill(cell, active ? Ink::now_soft : Ink::panel, 3);
        if (focus || touch.hovered) canvas.frame(cell, focus ? Ink::now_fill : Ink::line, 3, focus ? 3 : 2);
        const std::string& value = lanes.values[std::size_t(lane)];
        const std::string_view shown = value.empty() ? "?" : std::string_view(value);
        const float room = cell.w - canvas.px(12);
        const std::string_view said = active ? shown : text("({})", shown);
        canvas.text({cell.x + canvas.px(4), cell.y, room + canvas.px(4), cell.h},
                    shortened(canvas, said, focus ? Font::axis_strong : Font::axis, room),
                    focus ? Font::axis_strong : Font::axis, active ? Ink::text : Ink::dim, Align::right);
    }
}

void draw_debugged_warps(const DebugStage& debug, Box card) {
    Canvas& canvas = debug.stage.canvas;
    canvas.slot("warps", card);
    const Box in = debug_card(canvas, card, say("debug.warps"));
    tip(debug.stage, card.top(canvas.px(kCardHead)), "tip.debug.warps");
    const auto& warps = debug.now().warps;
    const float high = canvas.px(kWarpRow);
    const int visible = std::max(1, int(in.h / high));
    const int first = first_shown(int(warps.size()), visible, debug.now().focus.warp);
    for (int i = 0; i < visible && first + i < int(warps.size()); ++i) {
        const int number = first + i;
        const WarpScene& warp = warps[std::size_t(number)];
        const Box row{in.x - canvas.px(8), in.y + float(i) * high, in.w + canvas.px(16), high};
        const bool focus = number == debug.now().focus.warp;
        ImGui::PushID(number);
        const Touch touch = canvas.touch("warp", row);
        ImGui::PopID();
        if (touch.clicked) debug.stage.edits.add(StepDebugged{number - debug.now().focus.warp, 0});
        if (focus) canvas.fill(row, Ink::now_soft, 4);
        if (touch.hovered) canvas.frame(row, Ink::line, 4);
        const Box line = row.inset(canvas.px(8), 0);
        const float mask = std::min(canvas.px(160), line.w * 0.34f);
        canvas.text(line.left(canvas.px(38)), text("{}", number), focus ? Font::strong : Font::body,
                    focus ? Ink::now : Ink::text);
        draw_mask(canvas, {line.x + canvas.px(42), line.center_y() - canvas.px(9), mask, canvas.px(18)},
                  warp);
        const Box rest = line.after(canvas.px(42) + mask + canvas.px(10));
        const bool ended = warp.state == WarpScene::State::ended;
        const Box at = rest.left(canvas.px(48));
        if (!ended && warp.at.line > 0)
            canvas.text(at, text("{}", warp.at.line), Font::axis, Ink::text, Align::right);
        const Box state = rest.after(canvas.px(58));
        canvas.text(state, shortened(canvas, warp_state_text(warp), Font::axis, state.w), Font::axis,
                    ended ? Ink::dim : Ink::text);
    }
}

void draw_debugged_values(const DebugStage& debug, Box card) {
    Canvas& canvas = debug.stage.canvas;
    canvas.slot("variables", card);
    const debug::Scene& now = debug.now();
    const Box in = debug_card(
        canvas, card, say(now.knows_variables ? "debug.variables" : "debug.registers", now.focus.lane));
    tip(debug.stage, card.top(canvas.px(kCardHead)), "tip.debug.variables");
    const float high = canvas.px(32);
    const int visible = std::max(1, int(in.h / high));
    const int count = int(now.values.size());
    const int shown = count > visible ? visible - 1 : count;
    for (int i = 0; i < shown; ++i) {
        const debug::ValueScene& one = now.values[std::size_t(i)];
        const Box row{in.x, in.y + float(i) * high, in.w, high};
        ImGui::PushID(i);
        const Touch touch = canvas.touch("value", row.inset(-canvas.px(8), 0));
        ImGui::PopID();
        if (touch.clicked) debug.stage.edits.add(DebugCommand{"print/w " + one.name});
        if (touch.hovered) canvas.frame(touch.box, Ink::line, 4);
        const std::string_view name = shortened(canvas, one.name, Font::code, row.w * 0.5f);
        const Box drawn = canvas.text(row.left(row.w * 0.5f + 1), name, Font::code,
                                      one.is_parameter ? Ink::dim : Ink::text);
        const Box rest = row.after(drawn.w + canvas.px(16));
        const std::string_view value =
            one.value.empty() ? std::string_view("–") : std::string_view(one.value);
        canvas.text(rest, shortened(canvas, value, Font::axis_strong, rest.w), Font::axis_strong,
                    one.value.empty() ? Ink::dim : Ink::text, Align::right);
    }
    if (count > shown)
        canvas.text({in.x, in.y + float(shown) * high, in.w, high}, say("debug.more", count - shown),
                    Font::axis, Ink::dim);
}

}  // namespace ws
