#include "app/views/scroll.h"

#include <imgui.h>

#include <algorithm>

namespace ws {

int scrolled_beside(const Stage& stage, const Touch& touch, float row, int opening, int most) {
    const ImGuiIO& io = ImGui::GetIO();
    const float now = stage.view.source.beside_scroll;
    float scroll = now;
    if (touch.hovered) scroll -= 3 * io.MouseWheel;
    if (touch.held) scroll -= io.MouseDelta.y / row;
    const auto last = float(std::max(0, most));
    const float begin = std::min(float(opening), last);
    scroll = std::clamp(begin + scroll, 0.0f, last) - begin;
    if (scroll != now) stage.edits.add(ScrollBeside{scroll});
    return int(begin + scroll);
}

void draw_scroll_bar(Canvas& canvas, Box body, int rows, int visible, int first) {
    if (rows <= visible) return;
    const Box track = body.right_part(canvas.px(10)).inset(canvas.px(2), 0);
    canvas.fill(track, Ink::context_soft, 3);
    const float part = track.h / float(rows);
    canvas.fill({track.x, track.y + part * float(first), track.w, part * float(visible)}, Ink::context, 3);
}

}  // namespace ws
