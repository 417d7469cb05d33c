#include "app/views/scroll.h"

#include <imgui.h>

#include <algorithm>

namespace ws {

float scrolled(float now, bool hovered, bool held, float row, int most) {
    const ImGuiIO& io = ImGui::GetIO();
    constexpr float kRowsOfWheel = 3;
    if (hovered) now -= kRowsOfWheel * io.MouseWheel;
    if (held) now -= io.MouseDelta.y / row;
    return std::clamp(now, 0.0f, float(std::max(0, most)));
}

int scrolled_beside(const Stage& stage, const Touch& touch, float row, int opening, int most) {
    const float now = stage.view.source.beside_scroll;
    const auto begin = float(std::clamp(opening, 0, std::max(0, most)));
    const float scroll = scrolled(begin + now, touch.hovered, touch.held, row, most);
    if (scroll - begin != now) stage.edits.add(ScrollBeside{scroll - begin});
    return int(scroll);
}

void draw_scroll_bar(Canvas& canvas, Box body, int rows, int visible, int first) {
    if (rows <= visible) return;
    const Box track = body.right_part(canvas.px(10)).inset(canvas.px(2), 0);
    canvas.fill(track, Ink::context_soft, 3);
    const float part = track.h / float(rows);
    canvas.fill({track.x, track.y + part * float(first), track.w, part * float(visible)}, Ink::context, 3);
}

}  // namespace ws
