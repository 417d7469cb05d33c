// The whole picture or matrix, small, to find any block in.

#include <algorithm>
#include <cmath>

#include "app/views/parts.h"
#include "app/views/warp_parts.h"

namespace ws {
namespace {

// At the right of the card's top, as wide as high things are allowed to be; empty where there is no room.
Box overview_box(const Canvas& canvas, Box card, const Plane& plane) {
    const float gap = canvas.px(12);
    const float most_high = std::min(card.h * 0.5f, card.h - 2 * gap - canvas.px(60));
    const float most_wide = overview_room(canvas, card) - gap;
    const float scale = std::min(most_wide / float(plane.size.width), most_high / float(plane.size.height));
    const float wide = std::max(canvas.px(24), std::floor(scale * float(plane.size.width)));
    const float high = std::max(canvas.px(24), std::floor(scale * float(plane.size.height)));
    if (most_high < canvas.px(24)) return {};
    return {std::floor(card.right() - gap - wide), std::floor(card.y + gap), wide, high};
}

void draw_picture(const Stage& stage, Box box, const Plane& plane) {
    const float cell = stage.canvas.px(3);
    const int across = std::max(1, int(box.w / cell));
    const int down = std::max(1, int(box.h / cell));
    const std::uint8_t* bytes = stage.snapshot.problem.input->data();
    ImDrawList& list = stage.canvas.list();
    list.PrimReserve(6 * across * down, 4 * across * down);
    for (int y = 0; y < down; ++y) {
        for (int x = 0; x < across; ++x) {
            const auto column = std::size_t((2 * x + 1) * std::int64_t(plane.size.width) / (2 * across));
            const auto row = std::size_t((2 * y + 1) * std::int64_t(plane.size.height) / (2 * down));
            const std::uint8_t* p = bytes + 4 * (row * std::size_t(plane.size.width) + column);
            list.PrimRect(
                {box.x + box.w * float(x) / float(across), box.y + box.h * float(y) / float(down)},
                {box.x + box.w * float(x + 1) / float(across), box.y + box.h * float(y + 1) / float(down)},
                IM_COL32(p[0], p[1], p[2], 255));
        }
    }
}

}  // namespace

float overview_room(const Canvas& canvas, Box card) {
    return std::min(card.w * 0.25f, canvas.px(164));
}

void touch_overview(const Stage& stage, Box card, const RequestSide& now, const Plane& plane) {
    const Box box = overview_box(stage.canvas, card, plane);
    if (box.w <= 0 || !now.grid) return;
    const Touch touch = stage.canvas.touch("overview", box);
    tip(stage, box, "tip.overview");
    if (!touch.held) return;
    const ImVec2 at = ImGui::GetIO().MousePos;
    const float x = std::clamp((at.x - box.x) / box.w, 0.0f, 1.0f);
    const float y = std::clamp((at.y - box.y) / box.h, 0.0f, 1.0f);
    const Element2d element{std::min(plane.size.width - 1, int(x * float(plane.size.width))),
                            std::min(plane.size.height - 1, int(y * float(plane.size.height)))};
    const std::optional<WarpPlace> place = warp_at(stage, now, plane, element);
    if (place && place != stage.view.preferences.warp) stage.edits.add(ChooseWarp{place});
}

void draw_overview(const Stage& stage, Box card, const RequestSide& now, const Plane& plane) {
    Canvas& canvas = stage.canvas;
    const Box box = overview_box(canvas, card, plane);
    if (box.w <= 0 || !now.grid) return;
    if (plane.picture)
        draw_picture(stage, box, plane);
    else
        canvas.fill(box, Ink::context_soft);
    canvas.frame(box.inset(-canvas.px(2)), Ink::shade, 0, 3);
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    Element2d at = now.grid->element_of(step.counts.warp.at);
    if (plane.turned) std::swap(at.x, at.y);
    const float x = box.x + box.w * (float(at.x) + 0.5f) / float(plane.size.width);
    const float y = box.y + box.h * (float(at.y) + 0.5f) / float(plane.size.height);
    canvas.list().PushClipRect({box.x, box.y}, {box.right(), box.bottom()}, true);
    canvas.line(x, box.y, x, box.bottom(), Ink::shade, 1);
    canvas.line(box.x, y, box.right(), y, Ink::shade, 1);
    canvas.list().PopClipRect();
    canvas.circle(x, y, canvas.px(6), Ink::shade);
    canvas.circle(x, y, canvas.px(4.5f), Ink::now_fill);
}

}  // namespace ws
