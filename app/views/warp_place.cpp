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

// What there is to see in the middle, in whole elements; smaller where it would not fit.
Patch patch_around(const Canvas& canvas, Box box, Element2d low, Element2d high) {
    Patch made{box, canvas.px(14), 0, 0};
    const float margin = 3;
    made.zoom = std::min(made.zoom, box.w / (float(high.x - low.x + 1) + 2 * margin));
    made.zoom = std::min(made.zoom, box.h / (float(high.y - low.y + 1) + 2 * margin));
    made.zoom = std::max(made.zoom, canvas.px(5));
    made.left = std::round((float(low.x + high.x + 1) - box.w / made.zoom) / 2);
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
    if (side.access->store) return;
    for (const AccessExample& other : side.counters->accesses) {
        if (other.shared || !other.store || other.block_x != side.access->block_x ||
            other.block_y != side.access->block_y)
            continue;
        RequestSide its = side;
        its.access = &other;
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
    if (!elements.rectangle()) return;
    const Box all = patch.of(elements.low, elements.high);
    canvas.frame(all.inset(-canvas.px(2)), Ink::shade, 0, 7);
    canvas.frame(all.inset(-canvas.px(1)), fill, 0, 4);
}

void draw_legend(const Stage& stage, Box card, const RequestSide& side, bool computed) {
    Canvas& canvas = stage.canvas;
    const std::string_view read = side.access->store ? say("warp.written") : say("warp.read");
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
    if (!side.access || side.access->buffer < 0) return {};
    // Counts may be older than what they would be drawn on.
    const Problem& problem = stage.snapshot.problem;
    if (!problem || side.key->lab != problem.lab->id || side.key->input.size != problem.size) return {};
    const Lab& lab = *problem.lab;
    if (side.access->buffer >= int(lab.buffers.size())) return {};
    const Buffer& buffer = lab.buffers[std::size_t(side.access->buffer)];
    return {extent_of(buffer, problem.size), bytes_of(buffer.element), buffer.turned, lab.takes_picture()};
}

void draw_place(const Stage& stage, Box card, const RequestSide& side, int lane) {
    Canvas& canvas = stage.canvas;
    canvas.slot(side.is_now ? "place" : "base place", card);
    const Plane plane = plane_of(stage, side);
    const Extent block_tile = side.key ? side.key->launch.tile : Extent{};
    if (plane.size.width == 0 || block_tile.width <= 0 || block_tile.height <= 0) {
        canvas.card(card);
        canvas.text(card, "–", Font::body, Ink::dim, Align::center);
        return;
    }
    const Elements read(*side.access, plane);
    Element2d low = read.low;
    Element2d high = read.high;
    bool computed = false;
    for_computed(stage, side, plane, [&](const Elements& elements) {
        computed = true;
        low = {std::min(low.x, elements.low.x), std::min(low.y, elements.low.y)};
        high = {std::max(high.x, elements.high.x), std::max(high.y, elements.high.y)};
    });
    const Extent tile = plane.turned ? Extent{block_tile.height, block_tile.width} : block_tile;
    const Patch patch = patch_around(canvas, card, low, high);
    canvas.fill(card, Ink::panel);
    canvas.list().PushClipRect({card.x, card.y}, {card.right(), card.bottom()}, true);
    if (plane.picture)
        draw_pixels(stage, patch, plane);
    else
        draw_matrix(stage, patch, plane, tile);
    draw_block_grid(stage, patch, plane, tile);
    draw_elements(stage, patch, read, side.is_now, lane);
    for_computed(stage, side, plane,
                 [&](const Elements& elements) { dashed(canvas, patch.of(elements.low, elements.high)); });
    canvas.list().PopClipRect();
    const float gap = canvas.px(12);
    picture_label(canvas, card.x + gap, card.y + gap, Align::left, say("warp.blocks_of", size_text(tile)));
    draw_legend(stage, card, side, computed);
    tip(stage, card, "tip.place");
}

}  // namespace ws
