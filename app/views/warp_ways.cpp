// What a warp of a kernel touches on its way: elements that it reads, words of shared memory, elements that
// it writes.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/curve_parts.h"
#include "app/views/parts.h"
#include "app/views/warp_parts.h"
#include "app/views/words.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

constexpr int kTiles = 3;      // of a side of what is drawn of a plane
constexpr int kMostRows = 66;  // of shared memory: a tile of 64 x 64 words, and more is not drawn
constexpr int kFewestRows = 32;

// The first access of each kind: of a loop these belong together.
struct Way {
    const AccessExample* load = nullptr;
    const AccessExample* shared_store = nullptr;
    const AccessExample* shared_load = nullptr;
    const AccessExample* store = nullptr;
    bool stale = false;
};
Way way_of(const Requests& requests) {
    Way way;
    for (const AccessExample& access : requests.of_warp()) {
        if (access.mask == 0 || (!access.shared && access.buffer < 0)) continue;
        const AccessExample*& place = access.shared ? (access.store ? way.shared_store : way.shared_load)
                                                    : (access.store ? way.store : way.load);
        if (!place) place = &access;
    }
    return way;
}

Extent turned(Extent size, bool is_turned) {
    return is_turned ? Extent{size.height, size.width} : size;
}

// The part of a plane with the tile of an access in its middle, as far as the plane goes.
struct TileView {
    Box box;
    float scale = 1;
    int left = 0, top = 0;  // element at the corner
    Extent shown;           // elements
    [[nodiscard]] Box of(int x, int y, int w, int h) const {
        return {box.x + float(x - left) * scale, box.y + float(y - top) * scale, float(w) * scale,
                float(h) * scale};
    }
};
TileView tile_view_on(Box room, const Plane& plane, Extent tile, Element2d at) {
    const Extent most{std::min(plane.size.width, kTiles * tile.width),
                      std::min(plane.size.height, kTiles * tile.height)};
    const auto begin = [](int place, int side, int shown, int whole) {
        const int first = (place / side - kTiles / 2) * side;
        return std::clamp(first, 0, std::max(0, (whole - shown + side - 1) / side * side));
    };
    TileView made;
    made.left = begin(at.x, tile.width, most.width, plane.size.width);
    made.top = begin(at.y, tile.height, most.height, plane.size.height);
    made.shown = {std::min(most.width, plane.size.width - made.left),
                  std::min(most.height, plane.size.height - made.top)};
    made.scale = std::min(room.w / float(most.width), room.h / float(most.height));
    const float wide = made.scale * float(made.shown.width);
    const float high = made.scale * float(made.shown.height);
    made.box = {room.center_x() - wide / 2, room.center_y() - high / 2, wide, high};
    return made;
}

// The blocks of a plane, that of the access framed, and the elements that its lanes ask for.
void draw_plane(const Stage& stage, Box room, const Plane& plane, Extent tile, const AccessExample& access,
                Ink ink) {
    Canvas& canvas = stage.canvas;
    std::optional<Element2d> first;
    for (int lane = 0; lane < kLanes && !first; ++lane)
        first = element_of(access, lane, plane.size.width, plane.element_bytes);
    if (!first) return;
    const TileView window = tile_view_on(room, plane, tile, *first);
    canvas.fill(window.box, Ink::context_soft);
    for (int x = 0; x <= window.shown.width; x += tile.width) {
        const float at = window.box.x + float(x) * window.scale;
        canvas.line(at, window.box.y, at, window.box.bottom(), Ink::line, 1);
    }
    for (int y = 0; y <= window.shown.height; y += tile.height) {
        const float at = window.box.y + float(y) * window.scale;
        canvas.line(window.box.x, at, window.box.right(), at, Ink::line, 1);
    }
    canvas.list().PushClipRect({window.box.x, window.box.y}, {window.box.right(), window.box.bottom()}, true);
    const int across = elements_across(access, plane.element_bytes);
    const float least = canvas.px(5);
    for (int lane = 0; lane < kLanes; ++lane) {
        const auto at = element_of(access, lane, plane.size.width, plane.element_bytes);
        if (!at) continue;
        Box box = window.of(at->x, at->y, across, 1);
        box.w = std::max(box.w, least);
        box.h = std::max(box.h, least);
        canvas.list().AddRectFilled({box.x, box.y}, {box.right(), box.bottom()}, canvas.color(ink));
    }
    canvas.list().PopClipRect();
    const Box block = window.of(first->x / tile.width * tile.width, first->y / tile.height * tile.height,
                                tile.width, tile.height);
    canvas.frame(block.inset(-canvas.px(4)), ink, 0, 3);
}

// Words of shared memory, a column for each bank.
void draw_shared(const Stage& stage, Box room, const Way& way, int banks) {
    Canvas& canvas = stage.canvas;
    std::uint64_t last = 0;
    for (const AccessExample* access : {way.shared_store, way.shared_load}) {
        for (int lane = 0; access && lane < kLanes; ++lane) {
            if (access->mask >> lane & 1)
                last = std::max(
                    last, (access->addresses[std::size_t(lane)] + std::uint64_t(access->bytes) - 1) / 4);
        }
    }
    const int rows = std::clamp(int(std::min<std::uint64_t>(last / std::uint64_t(banks) + 1, kMostRows)),
                                kFewestRows, kMostRows);
    const float cell = std::floor(std::min(room.w / float(banks), room.h / float(rows)));
    const Box box{std::round(room.center_x() - cell * float(banks) / 2),
                  std::round(room.center_y() - cell * float(rows) / 2), cell * float(banks),
                  cell * float(rows)};
    canvas.fill(box, Ink::context_soft);
    const float gap = cell >= 4 ? 1 : 0;
    const auto fill = [&](const AccessExample* access, Ink ink, float inset) {
        for (int lane = 0; access && lane < kLanes; ++lane) {
            if (!(access->mask >> lane & 1)) continue;
            const std::uint64_t from = access->addresses[std::size_t(lane)] / 4;
            const std::uint64_t to =
                (access->addresses[std::size_t(lane)] + std::uint64_t(access->bytes) - 1) / 4;
            for (std::uint64_t word = from; word <= to; ++word) {
                const int row = int(word / std::uint64_t(banks));
                if (row >= rows) continue;
                const Box one{box.x + cell * float(word % std::uint64_t(banks)), box.y + cell * float(row),
                              cell - gap, cell - gap};
                const Box in = one.inset(inset);
                canvas.list().AddRectFilled({in.x, in.y}, {in.right(), in.bottom()}, canvas.color(ink));
            }
        }
    };
    fill(way.shared_store, Ink::now_fill, 0);
    fill(way.shared_load, Ink::text, cell >= 6 ? 1.0f : 0.0f);
}

void draw_arrow(Canvas& canvas, float x0, float x1, float y, Ink ink) {
    canvas.line(x0, y, x1 - canvas.px(8), y, ink, 3);
    const float r = canvas.px(9);
    canvas.triangle({x1 - r, y - r * 0.7f}, {x1, y}, {x1 - r, y + r * 0.7f}, ink);
}

}  // namespace

void draw_ways(const Stage& stage, Box card) {
    Canvas& canvas = stage.canvas;
    canvas.slot("ways", card);
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    const std::string_view title = say("ways.title", version_name(stage.snapshot.work.version));
    const Box in = card_title(canvas, card, title, Kind::counted);
    const Ink dim =
        stage.snapshot.told.stale || step.counts.stale || step.counts.warp.stale ? Ink::dim : Ink::text;
    if (!step.counts.result || step.counts.result->counters->accesses.empty()) {
        canvas.text(in, "–", Font::body, Ink::dim, Align::center);
        return;
    }
    const Requests requests(*step.counts.result, step.counts.warp, stage.view.preferences.warp.has_value());
    const Way way = way_of(requests);
    const bool shared = way.shared_store || way.shared_load;
    const int count = shared ? 3 : 2;
    const float label = canvas.px(36);
    const float gap = canvas.px(48);
    // What is drawn is about as high as wide, in the middle of what the words leave.
    const float room = in.h - 5 * label - canvas.px(20);
    const float high = std::min(room, in.column(0, count, gap).w * 1.04f);
    const Box group{in.x, in.y + (room - high) / 2, in.w, high + 4 * label + canvas.px(12)};
    const Box pictures = group.below(label + canvas.px(6)).top(high);
    const Extent tile = step.counts.result->key.launch.tile;
    const float arrow_y = pictures.center_y();
    const auto column = [&](Box box, int i) { return box.column(i, count, gap); };
    struct Words {
        std::string_view first, second, third;
    };
    const auto captions = [&](int i, std::string_view name, const Words& words) {
        canvas.text(column(group.top(label), i), name, Font::axis, Ink::dim, Align::center);
        const Box below = group.bottom_part(3 * label);
        const Box wide = column(below, i).inset(-gap / 2 + canvas.px(6), 0);
        canvas.text(wide.row(0, 3, 0), words.first, Font::axis_strong, dim, Align::center);
        canvas.text(wide.row(1, 3, 0), words.second, Font::axis, dim, Align::center);
        canvas.text(wide.row(2, 3, 0), words.third, Font::axis, dim, Align::center);
    };
    const auto plane_side = [&](const AccessExample* access, int i, std::string_view name,
                                std::string_view does, Ink ink) {
        if (!access || tile.width <= 0) {
            captions(i, name, {"–", "", ""});
            return;
        }
        RequestSide side;
        side.access = side.kind = access;
        side.key = &step.counts.result->key;
        const Plane plane = plane_of(stage, side);
        if (plane.size.width == 0) {
            captions(i, name, {"–", "", ""});
            return;
        }
        draw_plane(stage, column(pictures, i), plane, turned(tile, plane.turned), *access, ink);
        captions(i, name,
                 {does, rows_text(rows_touched(*access, plane.size.width, plane.element_bytes)),
                  moved_words(access->sectors, step.counts.result->key.gpu.limits.capability)});
    };
    plane_side(way.load, 0, say("ways.input"), say("ways.reads"), Ink::now_fill);
    plane_side(way.store, count - 1, say("ways.output"), say("ways.writes"), Ink::text);
    const Box first = column(pictures, 0);
    const Box second = column(pictures, 1);
    draw_arrow(canvas, first.right() + canvas.px(4), second.x - canvas.px(4), arrow_y, Ink::now_fill);
    const WarpPlace at = requests.block ? step.counts.warp.at
                                        : WarpPlace{step.counts.result->counters->accesses.front().block_x,
                                                    step.counts.result->counters->accesses.front().block_y,
                                                    step.counts.result->counters->accesses.front().warp};
    canvas.text(in.bottom_part(label), say("warp.place", at.block_x, at.block_y, at.warp), Font::axis,
                Ink::dim, Align::center);
    tip(stage, card, "tip.ways");
    if (!shared) return;
    const int banks = std::clamp(step.counts.result->key.gpu.limits.shared_banks, 1, 32);
    draw_shared(stage, second, way, banks);
    draw_arrow(canvas, second.right() + canvas.px(4), column(pictures, 2).x - canvas.px(4), arrow_y,
               Ink::text);
    const int written = way.shared_store ? way.shared_store->sectors : 0;
    const int read = way.shared_load ? way.shared_load->sectors : 0;
    captions(1, say("ways.banks", banks),
             {say("ways.in", written), say("ways.out", read), say("warp.unit.wavefronts")});
}

}  // namespace ws
