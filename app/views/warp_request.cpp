// Lanes over lines and sectors.

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

// Where things are in a card: the same whatever is drawn.
struct Layout {
    Box head, lanes, lines, labels;
};
Layout layout_of(const Canvas& canvas, Box card) {
    const Box in = card.inset(canvas.px(20), canvas.px(8));
    Layout made;
    made.head = in.top(canvas.px(42));
    made.lanes = in.below(canvas.px(46)).top(canvas.px(36));
    made.labels = in.bottom_part(canvas.px(32));
    made.lines = Box{in.x, made.labels.y - canvas.px(42), in.w, canvas.px(38)};
    return made;
}

Box lane_box(const Canvas& canvas, const Layout& layout, int lane) {
    return layout.lanes.column(lane, kLanes, canvas.px(3));
}

// Room for so many lines side by side: four, or as many as it takes.
int slots_for(int lines) {
    int slots = 4;
    while (slots < lines) slots *= 2;
    return slots;
}

Box line_box(const Canvas& canvas, const Layout& layout, int index, int slots) {
    return layout.lines.column(index, slots, canvas.px(slots == 4 ? 20.0f : slots == 8 ? 10.0f : 4.0f));
}

Box sector_box(const Canvas& canvas, Box line, int sector, int slots) {
    return line.column(sector, 4, canvas.px(slots <= 8 ? 3.0f : 1.0f));
}

struct Look {
    Ink fill, soft, mid, on_fill;
};
Look look_of(bool is_now) {
    if (is_now) return {Ink::now_fill, Ink::now_soft, Ink::now_mid, Ink::on_fill};
    return {Ink::base_fill, Ink::base_soft, Ink::base_mid, Ink::shade};
}

// Consecutive lanes in one sector are of one shade; the next ones of the other.
struct Shades {
    std::array<bool, kLanes> bright{};
    std::array<std::int8_t, kLanes> first{};  // lane of its run
    explicit Shades(const AccessExample& access) {
        std::uint64_t last = ~0ull;
        bool now = false;
        int from = 0;
        for (int lane = 0; lane < kLanes; ++lane) {
            if (!(access.mask >> lane & 1)) {
                last = ~0ull;
                continue;
            }
            const std::uint64_t sector = access.addresses[std::size_t(lane)] / kSectorBytes;
            if (sector != last) {
                now = !now;
                from = lane;
            }
            last = sector;
            bright[std::size_t(lane)] = now;
            first[std::size_t(lane)] = std::int8_t(from);
        }
    }
};

// Where the bytes of a lane lie on the screen.
Box bytes_box(const Canvas& canvas, const Layout& layout, const TouchedLines& lines, int slots,
              const AccessExample& access, int lane) {
    const std::uint64_t address = access.addresses[std::size_t(lane)];
    const Box line = line_box(canvas, layout, lines.index_of(address), slots);
    const int offset = int(address % kLineBytes);
    const Box sector = sector_box(canvas, line, offset / int(kSectorBytes), slots);
    const float byte = sector.w / float(kSectorBytes);
    const float from = std::floor(sector.x + byte * float(offset % int(kSectorBytes)));
    const float to = std::ceil(sector.x + byte * float(offset % int(kSectorBytes) + access.bytes));
    return {from, sector.y, std::max(1.0f, std::min(to, line.right()) - from), sector.h};
}

void draw_wedges(const Stage& stage, const Layout& layout, const TouchedLines& lines, int slots,
                 const AccessExample& access, const Shades& shades, const Look& look) {
    Canvas& canvas = stage.canvas;
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!(access.mask >> lane & 1) || shades.first[std::size_t(lane)] != lane) continue;
        Box bytes = bytes_box(canvas, layout, lines, slots, access, lane);
        int last = lane;
        for (int next = lane + 1;
             next < kLanes && (access.mask >> next & 1) && shades.first[std::size_t(next)] == lane; ++next) {
            const Box more = bytes_box(canvas, layout, lines, slots, access, next);
            const float right = std::max(bytes.right(), more.right());
            bytes.x = std::min(bytes.x, more.x);
            bytes.w = right - bytes.x;
            last = next;
        }
        const Box from = lane_box(canvas, layout, lane);
        const Box to = lane_box(canvas, layout, last);
        const Ink ink = shades.bright[std::size_t(lane)] ? look.mid : look.soft;
        canvas.list().AddQuadFilled({from.x, from.bottom()}, {to.right(), to.bottom()},
                                    {bytes.right(), bytes.y}, {bytes.x, bytes.y}, canvas.color(ink, 0.7f));
    }
}

void draw_lanes(const Stage& stage, const Layout& layout, const AccessExample* access, const Shades* shades,
                const Look& look, int hovered) {
    Canvas& canvas = stage.canvas;
    for (int lane = 0; lane < kLanes; ++lane) {
        const Box box = lane_box(canvas, layout, lane);
        const bool on = access && (access->mask >> lane & 1);
        const bool bright = on && shades->bright[std::size_t(lane)];
        if (on)
            canvas.fill(box, bright ? look.fill : look.soft, 3);
        else
            canvas.frame(box, Ink::context, 3);
        canvas.text(box, text("{}", lane), Font::axis,
                    bright ? look.on_fill
                    : on   ? Ink::text
                           : Ink::dim,
                    Align::center);
        if (lane == hovered) canvas.frame(box, Ink::text, 3, 3);
    }
}

void dashed_frame(Canvas& canvas, Box box, Ink ink) {
    canvas.dotted(box.x, box.y, box.right(), box.y, ink);
    canvas.dotted(box.x, box.bottom(), box.right(), box.bottom(), ink);
    canvas.dotted(box.x, box.y, box.x, box.bottom(), ink);
    canvas.dotted(box.right(), box.y, box.right(), box.bottom(), ink);
}

// Colour: used. Gray: moved for nothing. Outline: not moved.
void draw_lines(const Stage& stage, const Layout& layout, const TouchedLines& lines, int slots) {
    Canvas& canvas = stage.canvas;
    for (int i = 0; i < slots; ++i) {
        const Box line = line_box(canvas, layout, i, slots);
        if (i >= lines.count()) {
            if (slots == 4) dashed_frame(canvas, line, Ink::line);
            continue;
        }
        for (int sector = 0; sector < 4; ++sector) {
            const Box box = sector_box(canvas, line, sector, slots);
            if (lines[i].moved >> sector & 1)
                canvas.fill(box, Ink::context);
            else
                canvas.frame(box, Ink::line, 0, slots > 16 ? 1.0f : 2.0f);
        }
    }
}

void draw_labels(const Stage& stage, const Layout& layout, const TouchedLines& lines, int slots) {
    Canvas& canvas = stage.canvas;
    if (slots > 4) {
        const Box room = layout.labels;
        canvas.text(room.left(room.w * 0.5f), text("0x{:X}", lines[0].number * kLineBytes), Font::axis,
                    Ink::dim);
        canvas.text(room.right_part(room.w * 0.5f),
                    say("warp.many_lines", lines.count(), lines.moved_sectors()), Font::axis, Ink::dim,
                    Align::right);
        return;
    }
    for (int i = 0; i < slots; ++i) {
        const Box line = line_box(canvas, layout, i, slots);
        const Box room{line.x, layout.labels.y, line.w, layout.labels.h};
        if (i >= lines.count()) {
            canvas.text(room, say("warp.untouched"), Font::axis, Ink::dim, Align::center);
            continue;
        }
        canvas.text(room.left(room.w * 0.64f), text("0x{:X}", lines[i].number * kLineBytes), Font::axis,
                    Ink::dim);
        canvas.text(room.right_part(room.w * 0.36f), say("warp.of_four", std::popcount(lines[i].moved)),
                    Font::axis, Ink::dim, Align::right);
    }
}

std::string_view counted(std::string_view key, int count) {
    return count == 1 ? say(text("{}.one", key)) : say(key, count);
}

// In fewer words where the room is small.
std::string_view facts_of(const Stage& stage, const RequestSide& side, const TouchedLines& lines, Box room) {
    const AccessExample& access = *side.access;
    if (stage.snapshot.target.gpu.limits.capability.major < 3)
        return say("warp.request.old", counted("warp.transactions", access.sectors), access.bytes_requested,
                   access.bytes_transferred);
    const std::string_view sectors = counted("warp.sectors", access.sectors);
    const std::string_view of_lines = counted("warp.lines", lines.count());
    const std::string_view whole =
        say("warp.request", sectors, of_lines, access.bytes_requested, access.bytes_transferred);
    if (stage.canvas.width(whole, Font::body) <= room.w) return whole;
    return say("warp.request.short", sectors, of_lines, access.bytes_requested, access.bytes_transferred);
}

}  // namespace

std::string_view rows_text(int rows) {
    return counted("warp.rows", rows);
}
std::string_view wavefronts_text(int wavefronts) {
    return counted("warp.count.wavefronts", wavefronts);
}

int hovered_lane(const Stage& stage, Box card) {
    const Layout layout = layout_of(stage.canvas, card);
    if (!ImGui::IsWindowHovered()) return -1;
    const ImVec2 at = ImGui::GetIO().MousePos;
    for (int lane = 0; lane < kLanes; ++lane) {
        if (lane_box(stage.canvas, layout, lane).contains(at.x, at.y)) return lane;
    }
    return -1;
}

void draw_request(const Stage& stage, Box card, const RequestSide& side, int lane) {
    Canvas& canvas = stage.canvas;
    canvas.slot(side.is_now ? "request" : "base request", card);
    canvas.card(card);
    const Layout layout = layout_of(canvas, card);
    const Look look = look_of(side.is_now);
    const bool stale = stage.snapshot.told.stale || side.stale();
    const Ink ink = stale ? Ink::dim : side.is_now ? Ink::now : Ink::base;
    const float wide = canvas.width(side.name, Font::strong) + canvas.px(28);
    canvas.text(layout.head, side.name, Font::strong, ink);
    if (!side.access) {
        const std::string_view why = side.kind ? say("warp.idle", side.kind->line)
                                     : !side.is_now && !stage.snapshot.told.baseline ? say("bar.no_baseline")
                                                                                     : say("warp.none");
        canvas.text(layout.head.after(wide), why, Font::body, Ink::dim);
        draw_lanes(stage, layout, nullptr, nullptr, look, -1);
        return;
    }
    const AccessExample& access = *side.access;
    const TouchedLines lines(access, stage.snapshot.target.gpu.limits.capability);
    const Shades shades(access);
    const int slots = slots_for(lines.count());
    canvas.text(layout.head.after(wide), facts_of(stage, side, lines, layout.head.after(wide)), Font::body,
                stale ? Ink::dim : Ink::text);
    draw_lines(stage, layout, lines, slots);
    draw_wedges(stage, layout, lines, slots, access, shades, look);
    for (int one = 0; one < kLanes; ++one) {
        if (!(access.mask >> one & 1)) continue;
        canvas.fill(bytes_box(canvas, layout, lines, slots, access, one),
                    shades.bright[std::size_t(one)] ? look.fill : look.mid);
    }
    draw_lanes(stage, layout, &access, &shades, look, lane);
    if (lane >= 0 && (access.mask >> lane & 1))
        canvas.frame(bytes_box(canvas, layout, lines, slots, access, lane).inset(-canvas.px(3)), Ink::text, 2,
                     3);
    draw_labels(stage, layout, lines, slots);
    tip(stage, card, "tip.request");
}

}  // namespace ws
