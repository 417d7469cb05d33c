#include "app/views/occupancy_parts.h"

#include <algorithm>
#include <array>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/words.h"
#include "gpu/analysis/occupancy.h"

namespace ws {
namespace {

constexpr std::array<std::string_view, kLimiters> kNames{"occ.blocks", "occ.warps", "occ.registers",
                                                         "occ.shared"};
constexpr std::array<std::string_view, kLimiters> kShortNames{"occ.blocks", "occ.warps", "occ.registers",
                                                              "occ.over.shared"};
constexpr std::array<std::string_view, kLimiters> kTips{"tip.limit_blocks", "tip.limit_warps",
                                                        "tip.limit_registers", "tip.limit_shared"};

}  // namespace

std::string_view limiter_name(Limiter limiter) {
    return kNames[std::size_t(limiter)];
}
std::string_view limiter_short_name(Limiter limiter) {
    return kShortNames[std::size_t(limiter)];
}
std::string_view limiter_tip(Limiter limiter) {
    return kTips[std::size_t(limiter)];
}

std::string_view grouped(int value) {
    return value < 10000 ? text("{}", value) : text("{} {:03}", value / 1000, value % 1000);
}

const Occupancy* base_occupancy(const Stage& stage, const StepSnapshot& step) {
    const StepResult* result = base_result(stage.snapshot, step);
    return result && result->occupancy ? &*result->occupancy : nullptr;
}

std::string_view excess_text(const Occupancy& o) {
    return said(why_not_launched(o));
}

namespace {

// ---- the multiprocessor

// A cell for each warp that fits: those of a block are of one shade, what stays free is an outline.
void draw_cells(const Stage& stage, Box room, const Occupancy& o, bool is_now) {
    Canvas& canvas = stage.canvas;
    const int most = o.limits.warps_per_multiprocessor;
    const int across = most % 16 == 0 ? 16 : 12;
    const int down = (most + across - 1) / across;
    const Box grid = room.top(std::min(room.h, canvas.px(44) * float(down)));
    for (int warp = 0; warp < most; ++warp) {
        const Box cell =
            grid.row(warp / across, down, canvas.px(3)).column(warp % across, across, canvas.px(3));
        if (warp >= o.active_warps) {
            canvas.frame(cell, Ink::context, 3);
            continue;
        }
        const int block = warp / o.warps_per_block;
        const bool bright = block % 2 == 0;
        const Ink fill =
            is_now ? (bright ? Ink::now_fill : Ink::now_soft) : (bright ? Ink::base_fill : Ink::base_soft);
        const Ink ink = !bright ? Ink::text : is_now ? Ink::on_fill : Ink::shade;
        canvas.fill(cell, fill, 3);
        if (warp % o.warps_per_block == 0 && cell.h >= canvas.height(Font::axis))
            canvas.text(cell, text("{}", block), Font::axis, ink, Align::center);
    }
}

void draw_holding(const Stage& stage, Box room, std::string_view name, const Occupancy* o, bool is_now) {
    Canvas& canvas = stage.canvas;
    const Ink ink = is_now ? Ink::now : Ink::base;
    const Box head = room.top(canvas.px(34));
    const float wide = std::max(canvas.px(64), canvas.width(name, Font::axis_strong) + canvas.px(16));
    canvas.text(head.left(wide), name, Font::axis_strong, ink);
    if (!o) {
        const bool none = !is_now && !stage.snapshot.told.baseline;
        canvas.text(head.after(wide), none ? say("bar.no_baseline") : std::string_view("–"), Font::axis,
                    Ink::dim);
        return;
    }
    const Box rest = room.below(canvas.px(40));
    if (o->active_blocks == 0) {
        canvas.warning({rest.x, rest.y + canvas.px(6), canvas.px(36), canvas.px(32)}, Ink::alarm);
        canvas.paragraph(rest.after(canvas.px(50)), excess_text(*o), Font::body, Ink::alarm);
        return;
    }
    canvas.text(head.after(wide),
                say("occ.holds", blocks_text(o->active_blocks), warps_text(o->warps_per_block),
                    o->active_warps, o->limits.warps_per_multiprocessor),
                Font::axis, ink);
    draw_cells(stage, rest, *o, is_now);
}

}  // namespace

void draw_multiprocessor(const Stage& stage, Box card, const StepSnapshot& step) {
    Canvas& canvas = stage.canvas;
    canvas.slot("multiprocessor", card);
    const Box in = card_title(canvas, card, say("occ.multiprocessor"));
    tip(stage, card, "tip.multiprocessor");
    const Box rows = in.above(canvas.px(2));
    draw_holding(stage, rows.row(0, 2, canvas.px(12)), base_name(stage), base_occupancy(stage, step), false);
    draw_holding(stage, rows.row(1, 2, canvas.px(12)), asked_name(stage),
                 step.occupancy.now ? &*step.occupancy.now : nullptr, true);
}

// ---- what a block takes

namespace {

std::string_view taken(const Occupancy& o, Limiter limiter) {
    switch (limiter) {
        case Limiter::blocks:
            return "1";
        case Limiter::warps:
            return text("{}", o.warps_per_block);
        case Limiter::registers:
            return grouped(o.registers_per_block);
        case Limiter::shared:
            return grouped(o.shared_per_block);
    }
    return {};
}

int available(const KernelResources& kernel, const GpuLimits& limits, Limiter limiter) {
    const int all[] = {limits.blocks_per_multiprocessor, limits.warps_per_multiprocessor,
                       limits.registers_per_multiprocessor, shared_of_multiprocessor(kernel, limits)};
    return all[std::size_t(limiter)];
}

std::string_view blocks_text_of(const Occupancy* o, Limiter limiter) {
    if (!o || blocks_by(*o, limiter) == kNoLimit) return "–";
    return text("{}", blocks_by(*o, limiter));
}

// Of registers also how those of a thread become those of a block.
void draw_row_tip(const Stage& stage, Box row, Limiter limiter, const Occupancy* now) {
    if (limiter != Limiter::registers || !now) {
        tip(stage, row, limiter_tip(limiter));
        return;
    }
    const bool over =
        ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({row.x, row.y}, {row.right(), row.bottom()});
    stage.canvas.tooltip({.hovered = over, .box = row},
                         text("{} {}",
                              say("occ.registers.tip", now->resources.registers, now->resources.threads,
                                  grouped(now->registers_per_block)),
                              say(limiter_tip(limiter))));
}

}  // namespace

void draw_resources(const Stage& stage, Box card, const StepSnapshot& step) {
    Canvas& canvas = stage.canvas;
    canvas.slot("resources", card);
    canvas.card(card);
    const Box in = card.inset(canvas.px(20), canvas.px(10));
    const Box rows = in.top(std::min(in.h, canvas.px(240)));
    const auto cell = [&](Box row, float from, float to) {
        return Box{row.x + row.w * from, row.y, row.w * (to - from), row.h};
    };
    const Occupancy* now = step.occupancy.now ? &*step.occupancy.now : nullptr;
    const Occupancy* before = base_occupancy(stage, step);
    const KernelResources kernel = now ? now->resources : KernelResources{};
    // A row more where something spills.
    const CodeFacts code = step.built.machine_code ? step.built.machine_code->report.code : CodeFacts{};
    const bool spills = code.spill_bytes() > 0;
    const int most = spills ? 6 : 5;
    const Box head = rows.row(0, most, 0);
    canvas.text(cell(head, 0, .25f), say("occ.limiter"), Font::axis, Ink::dim);
    canvas.text(cell(head, .20f, .47f), say("occ.takes"), Font::axis, Ink::dim, Align::right);
    canvas.text(cell(head, .47f, .67f), say("occ.of"), Font::axis, Ink::dim, Align::right);
    const Box fit = cell(head, .67f, .85f);
    // The name that tells it from the baseline, unless it is too long.
    const std::string_view told = say("occ.fit", asked_name(stage));
    canvas.text(fit,
                canvas.width(told, Font::axis_strong) <= fit.w
                    ? told
                    : say("occ.fit", version_name(stage.snapshot.work.version)),
                Font::axis_strong, Ink::now, Align::right);
    canvas.text(cell(head, .85f, 1), base_name(stage), Font::axis_strong, Ink::base, Align::right);
    tip(stage, head, "tip.resources");
    for (std::size_t i = 0; i < kLimiters; ++i) {
        const auto limiter = Limiter(i);
        const Box row = rows.row(int(i) + 1, most, 0);
        const bool decides = now && binds(*now, limiter);
        if (decides)
            canvas.fill({row.x - canvas.px(8), row.y, row.w + canvas.px(16), row.h}, Ink::now_soft, 4);
        const Font font = decides ? Font::axis_strong : Font::axis;
        const Ink ink = decides ? Ink::now : Ink::text;
        canvas.text(cell(row, 0, .25f), say(limiter_short_name(Limiter(i))), font, ink);
        canvas.text(cell(row, .25f, .47f), now ? taken(*now, limiter) : std::string_view("–"), font, ink,
                    Align::right);
        canvas.text(cell(row, .47f, .67f),
                    grouped(available(kernel, stage.snapshot.target.gpu.limits, limiter)), font, ink,
                    Align::right);
        canvas.text(cell(row, .67f, .85f), blocks_text_of(now, limiter), font, ink, Align::right);
        const bool base_decides = before && binds(*before, limiter);
        canvas.text(cell(row, .85f, 1), blocks_text_of(before, limiter),
                    base_decides ? Font::axis_strong : Font::axis,
                    base_decides && !decides ? Ink::base : Ink::text, Align::right);
        draw_row_tip(stage, row, limiter, now);
    }
    if (!spills) return;
    const Box row = rows.row(5, most, 0);
    canvas.text(row, say("occ.spills", grouped(code.spill_store_bytes), grouped(code.spill_load_bytes)),
                Font::axis_strong, Ink::alarm);
    tip(stage, row, "tip.spills");
}

}  // namespace ws
