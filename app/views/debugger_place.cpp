// Where the focus stands in the picture or the matrix: its block, what its warp stores, and what its lane
// does.

#include <algorithm>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/debugger_parts.h"
#include "app/views/parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

constexpr float kPlaceWords = 84;  // the height that they take at the bottom

// Elements on the screen.
struct DebugPatch {
    Box box;
    float zoom = 14;
    float left = 0, top = 0;  // the element at the box's corner

    [[nodiscard]] Box of(Element2d low, Element2d high) const {
        const float x0 = std::floor(box.x + (float(low.x) - left) * zoom);
        const float y0 = std::floor(box.y + (float(low.y) - top) * zoom);
        return {x0, y0, std::floor(box.x + (float(high.x + 1) - left) * zoom) - x0,
                std::floor(box.y + (float(high.y + 1) - top) * zoom) - y0};
    }
    [[nodiscard]] Element2d at(ImVec2 place) const {
        return {int(std::floor(left + (place.x - box.x) / zoom)),
                int(std::floor(top + (place.y - box.y) / zoom))};
    }
};

Extent as_it_lies(Extent size, bool on) {
    return on ? Extent{size.height, size.width} : size;
}
Element2d as_it_lies(Element2d at, bool on) {
    return on ? Element2d{at.y, at.x} : at;
}

// The block's tile as it lies on the plane that the launch fills.
Element2d tile_corner(const DebugScene& scene) {
    const debug::Scene& now = scene.now;
    return as_it_lies(scene.grid.tile_at({now.block[0], now.block[1], 0}), scene.plane->turned);
}

// The block in the middle, as large as fits; of a large one what the focus's lane does.
DebugPatch patch_of(const DebugScene& scene, const Canvas& canvas, Box box) {
    const Extent tile = as_it_lies(scene.grid.tile, scene.plane->turned);
    const Element2d corner = tile_corner(scene);
    const Box free = box.above(std::min(canvas.px(kPlaceWords), box.h * 0.45f));  // of the words below
    constexpr float kAround = 1.5f;
    DebugPatch made{box, 0, 0, 0};
    made.zoom =
        std::clamp(std::min(free.w / (kAround * float(tile.width)), free.h / (kAround * float(tile.height))),
                   canvas.px(6), canvas.px(34));
    float x = float(corner.x) + float(tile.width) / 2;
    float y = float(corner.y) + float(tile.height) / 2;
    if (!scene.own.empty()) {
        const Element2d own = scene.own.front().at;
        if (float(tile.width) * made.zoom > free.w * 0.9f) x = float(own.x) + 0.5f;
        if (float(tile.height) * made.zoom > free.h * 0.9f) y = float(own.y) + 0.5f;
    }
    made.left = std::round(x - free.w / made.zoom / 2);
    made.top = std::round(y - free.h / made.zoom / 2);
    return made;
}

struct SeenElements {
    int x0, y0, x1, y1;  // the last ones are outside
};
SeenElements seen_of(const DebugPatch& patch, Extent size) {
    return {std::max(0, int(std::floor(patch.left))), std::max(0, int(std::floor(patch.top))),
            std::min(size.width, int(std::ceil(patch.left + patch.box.w / patch.zoom))),
            std::min(size.height, int(std::ceil(patch.top + patch.box.h / patch.zoom)))};
}

bool lies_on_photo(const Stage& stage, const DebugScene& scene) {
    const Problem& problem = stage.snapshot.problem;
    return problem && problem.lab->takes_picture() && problem.input && problem.size == scene.plane->size;
}

void draw_ground(const Stage& stage, const DebugScene& scene, const DebugPatch& patch) {
    const Extent size = scene.plane->size;
    const SeenElements seen = seen_of(patch, size);
    if (seen.x1 <= seen.x0 || seen.y1 <= seen.y0) return;
    if (!lies_on_photo(stage, scene)) {
        const Box all = patch.of({seen.x0, seen.y0}, {seen.x1 - 1, seen.y1 - 1});
        stage.canvas.fill(all, Ink::context_soft);
        return;
    }
    const int count = (seen.x1 - seen.x0) * (seen.y1 - seen.y0);
    const std::uint8_t* bytes = stage.snapshot.problem.input->data();
    ImDrawList& list = stage.canvas.list();
    list.PrimReserve(6 * count, 4 * count);
    for (int y = seen.y0; y < seen.y1; ++y) {
        for (int x = seen.x0; x < seen.x1; ++x) {
            const std::uint8_t* p = bytes + 4 * (std::size_t(y) * std::size_t(size.width) + std::size_t(x));
            const Box box = patch.of({x, y}, {x, y});
            list.PrimRect({box.x, box.y}, {box.right(), box.bottom()}, IM_COL32(p[0], p[1], p[2], 255));
        }
    }
}

void draw_blocks(const Stage& stage, const DebugScene& scene, const DebugPatch& patch) {
    Canvas& canvas = stage.canvas;
    const Extent tile = as_it_lies(scene.grid.tile, scene.plane->turned);
    const Element2d corner = tile_corner(scene);
    const Extent size = scene.plane->size;
    const SeenElements seen = seen_of(patch, size);
    const Ink ink = lies_on_photo(stage, scene) ? Ink::shade : Ink::line;
    for (int x = seen.x0 + ((corner.x - seen.x0) % tile.width + tile.width) % tile.width; x <= seen.x1;
         x += tile.width)
        canvas.line(patch.of({x, 0}, {x, 0}).x, patch.box.y, patch.of({x, 0}, {x, 0}).x, patch.box.bottom(),
                    ink, 1);
    for (int y = seen.y0 + ((corner.y - seen.y0) % tile.height + tile.height) % tile.height; y <= seen.y1;
         y += tile.height)
        canvas.line(patch.box.x, patch.of({0, y}, {0, y}).y, patch.box.right(), patch.of({0, y}, {0, y}).y,
                    ink, 1);
    const Element2d last{std::min(size.width, corner.x + tile.width) - 1,
                         std::min(size.height, corner.y + tile.height) - 1};
    const Box block = patch.of(corner, last);
    canvas.frame(block.inset(-canvas.px(3)), Ink::shade, 0, 6);
    canvas.frame(block.inset(-canvas.px(2)), Ink::now_fill, 0, 3);
}

// What the focus's warp stores, and, of its lane, what and whether it has.
void draw_stores(const Stage& stage, const DebugScene& scene, const DebugPatch& patch) {
    Canvas& canvas = stage.canvas;
    if (scene.stores) {
        for (const debug::LaneStore& one : scene.stores->stores) {
            if (one.warp != scene.now.focus.warp) continue;
            const Element2d first = element_at(*scene.plane, one.offset);
            const int across = std::max(1, int(one.bytes) / bytes_of(scene.plane->element));
            canvas.mark(patch.of(first, {first.x + across - 1, first.y}), Ink::now_fill, 0.45f);
        }
    }
    for (const ElementStore& one : scene.own) {
        const Box box = patch.of(one.at, one.at);
        canvas.frame(box.inset(-canvas.px(4)), Ink::shade, 0, 8);
        canvas.frame(box.inset(-canvas.px(3)), Ink::on_shade, 0, 5);
    }
}

// Where, and what.
struct PlaceWords {
    std::string_view where, what;
};

PlaceWords words_of(const DebugScene& scene) {
    const std::string_view lane = say("debug.place.lane", scene.now.focus.lane);
    if (!scene.stores) return {lane, say("debug.place.waiting")};
    if (scene.own.empty())
        return {lane, say(scene.stores->complete ? "debug.place.none" : "debug.place.unknown")};
    const ElementStore& one = scene.own.front();
    const std::string_view key = one.state == ElementStore::State::stored    ? "debug.place.stored"
                                 : one.state == ElementStore::State::to_come ? "debug.place.to_come"
                                                                             : "debug.place.other";
    const std::string_view at = text("({}, {})", one.at.x, one.at.y);
    return {scene.own.size() > 1 ? say("debug.place.several", at, scene.own.size() - 1) : at,
            say(key, one.value)};
}

// In the room left of the overview.
void draw_place_words(const Stage& stage, Box card, const PlaceWords& words) {
    Canvas& canvas = stage.canvas;
    const float gap = canvas.px(12);
    const float pad = canvas.px(14);
    const float line = canvas.px(30);
    const float most = card.w - 2 * gap - 2 * pad;
    const std::string_view where = shortened(canvas, words.where, Font::axis, most);
    const std::string_view what = shortened(canvas, words.what, Font::axis_strong, most);
    const float wide =
        std::max(canvas.width(where, Font::axis), canvas.width(what, Font::axis_strong)) + 2 * pad + 2;
    const float high = 2 * line + canvas.px(12);
    const Box label{card.x + gap, card.bottom() - gap - high, wide, high};
    canvas.fill(label, Ink::shade, 6);
    tip(stage, label, "tip.debug.place");
    const Box in = label.inset(pad, canvas.px(6));
    canvas.text(in.top(line), where, Font::axis, Ink::on_shade);
    canvas.text(in.below(line), what, Font::axis_strong, Ink::on_shade);
}

// The whole plane, small, in a corner: where the block is, and a click for another one.
void draw_whole(const Stage& stage, const DebugScene& scene, Box box) {
    Canvas& canvas = stage.canvas;
    const Extent size = scene.plane->size;
    if (lies_on_photo(stage, scene)) {
        const float cell = canvas.px(3);
        const int across = std::max(1, int(box.w / cell));
        const int down = std::max(1, int(box.h / cell));
        const std::uint8_t* bytes = stage.snapshot.problem.input->data();
        ImDrawList& list = canvas.list();
        list.PrimReserve(6 * across * down, 4 * across * down);
        for (int y = 0; y < down; ++y) {
            for (int x = 0; x < across; ++x) {
                const auto column = std::size_t((2 * x + 1) * std::int64_t(size.width) / (2 * across));
                const auto row = std::size_t((2 * y + 1) * std::int64_t(size.height) / (2 * down));
                const std::uint8_t* p = bytes + 4 * (row * std::size_t(size.width) + column);
                list.PrimRect(
                    {box.x + box.w * float(x) / float(across), box.y + box.h * float(y) / float(down)},
                    {box.x + box.w * float(x + 1) / float(across),
                     box.y + box.h * float(y + 1) / float(down)},
                    IM_COL32(p[0], p[1], p[2], 255));
            }
        }
    } else {
        canvas.fill(box, Ink::context_soft);
    }
    canvas.frame(box.inset(-canvas.px(2)), Ink::shade, 0, 3);
    const Element2d corner = tile_corner(scene);
    const float x = box.x + box.w * (float(corner.x) + 0.5f) / float(size.width);
    const float y = box.y + box.h * (float(corner.y) + 0.5f) / float(size.height);
    canvas.circle(x, y, 6, Ink::shade);
    canvas.circle(x, y, 4.5f, Ink::now_fill);
}

// Beside the words, below the block.
Box whole_box(const Canvas& canvas, Box card, Extent size) {
    const float most_high = std::min(canvas.px(72), card.h * 0.4f);
    const float scale = std::min(card.w * 0.22f / float(size.width), most_high / float(size.height));
    const float wide = std::max(canvas.px(24), std::floor(scale * float(size.width)));
    const float high = std::max(canvas.px(24), std::floor(scale * float(size.height)));
    const float gap = canvas.px(12);
    return {std::floor(card.right() - gap - wide), std::floor(card.bottom() - gap - high), wide, high};
}

}  // namespace

bool has_debugged_place(const DebugStage& debug) {
    const std::optional<FilledPlane>& plane = debug.scene.plane;
    return plane && plane->size.width > 1 && plane->size.height > 1 && debug.scene.grid.covers();
}

void draw_debugged_place(const DebugStage& debug, Box card) {
    const Stage& stage = debug.stage;
    const DebugScene& scene = debug.scene;
    Canvas& canvas = stage.canvas;
    canvas.slot("place", card);
    const Extent size = scene.plane->size;
    const Box whole = whole_box(canvas, card, size);
    const DebugPatch patch = patch_of(scene, canvas, card);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (canvas.touch("whole", whole).clicked) {
        const float x = std::clamp((mouse.x - whole.x) / whole.w, 0.0f, 1.0f);
        const float y = std::clamp((mouse.y - whole.y) / whole.h, 0.0f, 1.0f);
        stage.edits.add(ChooseDebugged{{std::min(size.width - 1, int(x * float(size.width))),
                                        std::min(size.height - 1, int(y * float(size.height)))}});
    }
    if (canvas.touch("place", card).clicked) {
        const Element2d at = patch.at(mouse);
        if (at.x >= 0 && at.y >= 0 && at.x < size.width && at.y < size.height)
            stage.edits.add(ChooseDebugged{at});
    }
    canvas.fill(card, Ink::panel);
    canvas.list().PushClipRect({card.x, card.y}, {card.right(), card.bottom()}, true);
    draw_ground(stage, scene, patch);
    draw_blocks(stage, scene, patch);
    draw_stores(stage, scene, patch);
    canvas.list().PopClipRect();
    draw_whole(stage, scene, whole);
    draw_place_words(stage, card.before(card.right() - whole.x), words_of(scene));
}

}  // namespace ws
