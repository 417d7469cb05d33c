// The warps of the block in the debugger: their active lanes, their line and their state.

#include <algorithm>

#include "app/texts/texts.h"
#include "app/views/debugger_parts.h"
#include "app/views/parts.h"

namespace ws {
namespace {

using debug::WarpScene;
constexpr float kWarpRow = 33;

// As many rows as fit, around the one that is looked at.
int first_shown(int count, int visible, int looked_at) {
    return std::clamp(looked_at - visible / 2, 0, std::max(0, count - visible));
}

}  // namespace

void draw_lane_mask(Canvas& canvas, Box box, std::uint32_t active_lanes, std::uint32_t inactive_lanes) {
    const float cell = box.w / float(debug::kSceneLanes);
    for (unsigned lane = 0; lane < debug::kSceneLanes; ++lane) {
        const Box one{box.x + float(lane) * cell, box.y, std::max(1.0f, cell - 1), box.h};
        const bool active = (active_lanes >> lane & 1u) != 0;
        const bool inactive = (inactive_lanes >> lane & 1u) != 0;
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

float debugged_warps_height(const DebugStage& debug) {
    const Canvas& canvas = debug.stage.canvas;
    return canvas.px(kDebugCardHead + kDebugCardFoot + 1 + kWarpRow * float(debug.now().warps.size()));
}

void draw_debugged_warps(const DebugStage& debug, Box card) {
    Canvas& canvas = debug.stage.canvas;
    canvas.slot("warps", card);
    const Box in = debug_card(canvas, card, say("debug.warps"));
    tip(debug.stage, card.top(canvas.px(kDebugCardHead)), "tip.debug.warps");
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
        draw_lane_mask(canvas, {line.x + canvas.px(42), line.center_y() - canvas.px(9), mask, canvas.px(18)},
                       warp.active, warp.inactive);
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

}  // namespace ws
