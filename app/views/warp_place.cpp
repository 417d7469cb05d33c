// The elements that a request goes to, drawn on the picture or the matrix with its blocks.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/warp_parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

// The elements of a request: of each lane the first, none twice, and how many lie beside it.
struct Elements {
    std::array<Element2d, kLanes> at{};
    std::array<std::int8_t, kLanes> lane{};
    int count = 0;
    int across = 1;
    Element2d low, high;  // the last one is within

    Elements() = default;
    Elements(const AccessExample& access, const Plane& plane)
        : across(elements_across(access, plane.element_bytes)) {
        for (int one = 0; one < kLanes; ++one) {
            const auto element = element_of(access, one, plane.size.width, plane.element_bytes);
            if (!element || std::find(at.begin(), at.begin() + count, *element) != at.begin() + count)
                continue;
            if (count == 0) low = high = *element;
            low = {std::min(low.x, element->x), std::min(low.y, element->y)};
            high = {std::max(high.x, element->x + across - 1), std::max(high.y, element->y)};
            lane[std::size_t(count)] = std::int8_t(one);
            at[std::size_t(count++)] = *element;
        }
    }
    [[nodiscard]] bool rectangle() const {
        return count * across == (high.x - low.x + 1) * (high.y - low.y + 1);
    }
};

// Elements on the screen.
struct Patch {
    Box box;
    float zoom = 14;
    float left = 0, top = 0;  // the element at the box's corner

    [[nodiscard]] Box of(Element2d low, Element2d high) const {
        const float x0 = std::floor(box.x + (float(low.x) - left) * zoom);
        const float y0 = std::floor(box.y + (float(low.y) - top) * zoom);
        return {x0, y0, std::floor(box.x + (float(high.x + 1) - left) * zoom) - x0,
                std::floor(box.y + (float(high.y + 1) - top) * zoom) - y0};
    }
};

constexpr float kLeastZoom = 5;
constexpr float kMostZoom = 14;

// The zoom at which these elements and a few around them fit beside the overview.
float zoom_for(const Canvas& canvas, Box box, Element2d low, Element2d high) {
    constexpr float kMargin = 3;
    const float wide = box.w - overview_room(canvas, box);
    return std::min(wide / (float(high.x - low.x + 1) + 2 * kMargin),
                    box.h / (float(high.y - low.y + 1) + 2 * kMargin));
}

// What there is to see in the middle of what the overview leaves free, in whole elements; smaller where it
// would not fit.
Patch patch_around(const Canvas& canvas, Box box, Element2d low, Element2d high) {
    Patch made{box, 0, 0, 0};
    const float wide = box.w - overview_room(canvas, box);
    made.zoom = std::clamp(zoom_for(canvas, box, low, high), canvas.px(kLeastZoom), canvas.px(kMostZoom));
    made.left = std::round((float(low.x + high.x + 1) - wide / made.zoom) / 2);
    made.top = std::round((float(low.y + high.y + 1) - box.h / made.zoom) / 2);
    return made;
}

struct Range {
    int x0, y0, x1, y1;  // the last ones are outside
};
Range visible(const Patch& patch, const Plane& plane) {
    return {std::max(0, int(std::floor(patch.left))), std::max(0, int(std::floor(patch.top))),
            std::min(plane.size.width, int(std::ceil(patch.left + patch.box.w / patch.zoom))),
            std::min(plane.size.height, int(std::ceil(patch.top + patch.box.h / patch.zoom)))};
}

void draw_pixels(const Stage& stage, const Patch& patch, const Plane& plane) {
    const Range range = visible(patch, plane);
    if (range.x1 <= range.x0 || range.y1 <= range.y0) return;
    const int count = (range.x1 - range.x0) * (range.y1 - range.y0);
    const std::uint8_t* bytes = stage.snapshot.problem.input->data();
    ImDrawList& list = stage.canvas.list();
    list.PrimReserve(6 * count, 4 * count);
    for (int y = range.y0; y < range.y1; ++y) {
        for (int x = range.x0; x < range.x1; ++x) {
            const std::uint8_t* p =
                bytes + 4 * (std::size_t(y) * std::size_t(plane.size.width) + std::size_t(x));
            const Box box = patch.of({x, y}, {x, y});
            list.PrimRect({box.x, box.y}, {box.right(), box.bottom()}, IM_COL32(p[0], p[1], p[2], 255));
        }
    }
}

// The blocks of a matrix, of two shades in turn.
void draw_matrix(const Stage& stage, const Patch& patch, const Plane& plane, Extent tile) {
    const Range range = visible(patch, plane);
    for (int by = range.y0 / tile.height; by * tile.height < range.y1; ++by) {
        for (int bx = range.x0 / tile.width; bx * tile.width < range.x1; ++bx) {
            const Element2d low{bx * tile.width, by * tile.height};
            const Element2d high{std::min(plane.size.width, low.x + tile.width) - 1,
                                 std::min(plane.size.height, low.y + tile.height) - 1};
            stage.canvas.fill(patch.of(low, high), (bx + by) % 2 == 0 ? Ink::context_soft : Ink::panel);
        }
    }
}

void draw_block_grid(const Stage& stage, const Patch& patch, const Plane& plane, Extent tile) {
    Canvas& canvas = stage.canvas;
    const Range range = visible(patch, plane);
    const Ink ink = plane.picture ? Ink::shade : Ink::line;
    for (int x = (range.x0 + tile.width - 1) / tile.width * tile.width; x < range.x1; x += tile.width) {
        const float at = patch.of({x, 0}, {x, 0}).x;
        canvas.line(at, patch.box.y, at, patch.box.bottom(), ink);
    }
    for (int y = (range.y0 + tile.height - 1) / tile.height * tile.height; y < range.y1; y += tile.height) {
        const float at = patch.of({0, y}, {0, y}).y;
        canvas.line(patch.box.x, at, patch.box.right(), at, ink);
    }
}

// White dashes on black: they can be seen on every picture.
void dashed(Canvas& canvas, Box box) {
    canvas.frame(box, Ink::shade, 0, 4);
    const Box in = box.inset(canvas.px(2));
    canvas.dotted(in.x, in.y, in.right(), in.y, Ink::on_shade, 3);
    canvas.dotted(in.x, in.bottom(), in.right(), in.bottom(), Ink::on_shade, 3);
    canvas.dotted(in.x, in.y, in.x, in.bottom(), Ink::on_shade, 3);
    canvas.dotted(in.right(), in.y, in.right(), in.bottom(), Ink::on_shade, 3);
}

// What the same block's stores write to a plane of the same orientation.
template <typename Function>
void for_computed(const Stage& stage, const RequestSide& side, const Plane& plane, const Function& function) {
    if (side.kind->store) return;
    const AccessExample& one = side.access ? *side.access : *side.kind;
    for (const AccessExample& other : side.beside) {
        if (other.shared || !other.store) continue;
        if (!side.of_one_warp && (other.block_x != one.block_x || other.block_y != one.block_y)) continue;
        RequestSide its = side;
        its.kind = &other;
        const Plane written = plane_of(stage, its);
        if (!(written.size == plane.size) || written.turned != plane.turned) continue;
        function(Elements(other, written));
    }
}

void draw_elements(const Stage& stage, const Patch& patch, const Elements& elements, bool is_now, int lane) {
    Canvas& canvas = stage.canvas;
    const Ink fill = is_now ? Ink::now_fill : Ink::base_fill;
    for (int i = 0; i < elements.count; ++i) {
        const Element2d at = elements.at[std::size_t(i)];
        const Box box = patch.of(at, {at.x + elements.across - 1, at.y});
        canvas.list().AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, canvas.color(fill, 0.72f));
        if (!elements.rectangle()) canvas.frame(box, Ink::shade, 0, 1);
        if (elements.lane[std::size_t(i)] == lane)
            canvas.frame(box.inset(-canvas.px(3)), Ink::on_shade, 0, 3);
    }
    if (elements.count == 0 || !elements.rectangle()) return;
    const Box all = patch.of(elements.low, elements.high);
    canvas.frame(all.inset(-canvas.px(2)), Ink::shade, 0, 7);
    canvas.frame(all.inset(-canvas.px(1)), fill, 0, 4);
}

void draw_legend(const Stage& stage, Box card, const RequestSide& side, bool computed) {
    Canvas& canvas = stage.canvas;
    const std::string_view read = side.kind->store ? say("warp.written") : say("warp.read");
    const std::string_view made = computed ? say("warp.computed") : std::string_view{};
    const float mark = canvas.px(26);
    const float gap = canvas.px(12);
    float wide = canvas.width(read, Font::axis) + mark + 3 * gap;
    if (computed) wide += canvas.width(made, Font::axis) + mark + 2 * gap;
    if (wide > card.w - 2 * gap) computed = false;
    if (!computed) wide = canvas.width(read, Font::axis) + mark + 3 * gap;
    const Box box{card.right() - gap - wide, card.bottom() - gap - canvas.px(42), wide, canvas.px(42)};
    canvas.fill(box, Ink::shade, 6);
    Box room = box.after(gap);
    const auto sign = [&] {
        return Box{room.x, room.center_y() - canvas.px(11), canvas.px(22), canvas.px(22)};
    };
    canvas.fill(sign(), side.is_now ? Ink::now_fill : Ink::base_fill, 2);
    room = room.after(mark + canvas.px(4));
    canvas.text(room.left(canvas.width(read, Font::axis) + 1), read, Font::axis, Ink::on_shade);
    if (!computed) return;
    room = room.after(canvas.width(read, Font::axis) + gap);
    dashed(canvas, sign());
    room = room.after(mark + canvas.px(4));
    canvas.text(room.left(canvas.width(made, Font::axis) + 1), made, Font::axis, Ink::on_shade);
}

}  // namespace

Plane plane_of(const Stage& stage, const RequestSide& side) {
    if (!side.kind || side.kind->buffer < 0) return {};
    // Counts may be older than what they would be drawn on.
    const Problem& problem = stage.snapshot.problem;
    if (!problem || side.key->lab != problem.lab->id || side.key->input.size != problem.size) return {};
    const Lab& lab = *problem.lab;
    if (side.kind->buffer >= int(lab.buffers.size())) return {};
    const Buffer& buffer = lab.buffers[std::size_t(side.kind->buffer)];
    return {extent_of(buffer, problem.size), bytes_of(buffer.element), buffer.turned, lab.takes_picture()};
}

namespace {

Extent flipped(Extent size, bool turned) {
    return turned ? Extent{size.height, size.width} : size;
}
Element2d flipped(Element2d at, bool turned) {
    return turned ? Element2d{at.y, at.x} : at;
}

// What is to be seen: the request, what its warp computes and lies near enough, or, of a warp that does
// neither, its block.
struct Focus {
    Elements read;
    Element2d low, high;
    bool computed = false;
};
Focus focus_of(const Stage& stage, Box card, const RequestSide& side, const Plane& plane, Extent tile) {
    Focus made;
    bool any = false;
    const auto take = [&](const Elements& elements) {
        if (elements.count == 0) return false;
        const Element2d low =
            any ? Element2d{std::min(made.low.x, elements.low.x), std::min(made.low.y, elements.low.y)}
                : elements.low;
        const Element2d high =
            any ? Element2d{std::max(made.high.x, elements.high.x), std::max(made.high.y, elements.high.y)}
                : elements.high;
        if (any && zoom_for(stage.canvas, card, low, high) < stage.canvas.px(kLeastZoom)) return false;
        made.low = low;
        made.high = high;
        any = true;
        return true;
    };
    if (side.access) made.read = Elements(*side.access, plane);
    (void)take(made.read);
    for_computed(stage, side, plane, [&](const Elements& elements) { made.computed |= take(elements); });
    if (any || !side.of_one_warp) return made;
    const Element2d corner = flipped(side.warp->grid.tile_at(side.warp->at), plane.turned);
    made.low = {std::min(corner.x, plane.size.width - 1), std::min(corner.y, plane.size.height - 1)};
    made.high = {std::min(corner.x + tile.width, plane.size.width) - 1,
                 std::min(corner.y + tile.height, plane.size.height) - 1};
    return made;
}

// The card shows what it did when the button went down, as long as it is held: what lies under the pointer
// does not run away.
Patch held_patch(const Stage& stage, Box card, const RequestSide& side, const Focus& focus, bool held) {
    const std::optional<HeldPlace>& kept = stage.view.held_place;
    const bool here = kept && kept->is_now == side.is_now;
    if (held && here) return patch_around(stage.canvas, card, kept->low, kept->high);
    if (held) stage.edits.add(HoldPlace{HeldPlace{side.is_now, focus.low, focus.high}});
    if (!held && here) stage.edits.add(HoldPlace{});
    return patch_around(stage.canvas, card, focus.low, focus.high);
}

void choose_at_pointer(const Stage& stage, const Patch& patch, const RequestSide& now, const Plane& plane) {
    const ImVec2 at = ImGui::GetIO().MousePos;
    const Element2d element{int(std::floor(patch.left + (at.x - patch.box.x) / patch.zoom)),
                            int(std::floor(patch.top + (at.y - patch.box.y) / patch.zoom))};
    const std::optional<WarpPlace> place = warp_at(stage, now, plane, element);
    if (place && place != stage.view.preferences.warp) stage.edits.add(ChooseWarp{place});
}

}  // namespace

std::optional<WarpPlace> warp_at(const Stage& stage, const RequestSide& now, const Plane& plane,
                                 Element2d element) {
    if (!now.grid || !(flipped(plane.size, plane.turned) == now.grid->size)) return std::nullopt;
    WarpPlace place = now.grid->holding(flipped(element, plane.turned));
    // Every block does the like of the one whose addresses are there.
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    const BlockExamples* block = step.counts.warp.examples.get();
    if (!block || !step.counts.result || !(block->key.counts == step.counts.result->key)) return place;
    const Element2d there = now.grid->tile_at(place);
    const Element2d known = now.grid->tile_at({block->key.block_x, block->key.block_y, 0});
    Element2d wanted = flipped(element, plane.turned);
    wanted = flipped(Element2d{wanted.x - there.x + known.x, wanted.y - there.y + known.y}, plane.turned);
    bool stored = false;
    bool read = false;
    for (const AccessExample& access : block->accesses) {
        const bool shown = now.kind && access.site == now.kind->site;
        if (access.shared || stored || (!access.store && (read || !shown))) continue;
        RequestSide its = now;
        its.kind = &access;
        const Plane goes = plane_of(stage, its);
        if (!(goes.size == plane.size) || goes.turned != plane.turned) continue;
        const Elements elements(access, goes);
        for (int i = 0; i < elements.count; ++i) {
            const Element2d at = elements.at[std::size_t(i)];
            if (at.y != wanted.y || wanted.x < at.x || wanted.x >= at.x + elements.across) continue;
            place.warp = access.warp;
            (access.store ? stored : read) = true;
        }
    }
    return place;
}

void draw_place(const Stage& stage, Box card, const RequestSide& side, const RequestSide& now, int lane) {
    Canvas& canvas = stage.canvas;
    canvas.slot(side.is_now ? "place" : "base place", card);
    const Plane plane = plane_of(stage, side);
    const Extent block_tile = side.key ? side.key->launch.tile : Extent{};
    if (plane.size.width == 0 || block_tile.width <= 0 || block_tile.height <= 0) {
        canvas.card(card);
        canvas.text(card, "–", Font::body, Ink::dim, Align::center);
        return;
    }
    if (side.is_now) touch_overview(stage, card, now, plane);
    const Touch touch = canvas.touch(side.is_now ? "place" : "base place", card);
    const Extent tile = flipped(block_tile, plane.turned);
    const Focus focus = focus_of(stage, card, side, plane, tile);
    const Patch patch = held_patch(stage, card, side, focus, touch.held);
    if (touch.held) choose_at_pointer(stage, patch, now, plane);
    canvas.fill(card, Ink::panel);
    canvas.list().PushClipRect({card.x, card.y}, {card.right(), card.bottom()}, true);
    if (plane.picture)
        draw_pixels(stage, patch, plane);
    else
        draw_matrix(stage, patch, plane, tile);
    draw_block_grid(stage, patch, plane, tile);
    draw_elements(stage, patch, focus.read, side.is_now, lane);
    for_computed(stage, side, plane,
                 [&](const Elements& elements) { dashed(canvas, patch.of(elements.low, elements.high)); });
    canvas.list().PopClipRect();
    const float gap = canvas.px(12);
    picture_label(canvas, card.x + gap, card.y + gap, Align::left, say("warp.blocks_of", size_text(tile)));
    draw_legend(stage, card, side, focus.computed);
    if (side.is_now) draw_overview(stage, card, side, plane);
    tip(stage, card, "tip.place");
}

}  // namespace ws
