// How many warps a multiprocessor holds at once, over what a block takes; what keeps it from more, and the
// blocks themselves as they fill it.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/block_edit.h"
#include "app/views/occupancy_parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

constexpr std::array<std::string_view, 3> kAxes{"occ.axis.threads", "occ.axis.registers", "occ.axis.shared"};
constexpr std::array<std::string_view, 3> kAxisButtons{"occ.over.threads", "occ.over.registers",
                                                       "occ.over.shared"};

// The first of those that decide.
Limiter limiter_of(const Occupancy& o) {
    for (std::size_t i = 0; i < kLimiters; ++i) {
        if (binds(o, Limiter(i))) return Limiter(i);
    }
    return Limiter::blocks;
}

Headline headline_of(const Stage& stage, const StepSnapshot& step) {
    if (!step.occupancy.now)
        return {say("story.waiting"),
                stage.snapshot.compiler.missing ? say("occ.no_compiler", stage.snapshot.compiler.name)
                                                : say("occ.compiling"),
                Kind::calculated};
    const Occupancy& o = *step.occupancy.now;
    const Occupancy* before = base_occupancy(stage, step);
    const std::string_view figure =
        before ? say("occ.headline.both", text("{:.0f}", before->percent), text("{:.0f}", o.percent))
               : say("occ.headline", text("{:.0f}", o.percent));
    if (o.active_blocks == 0) return {figure, excess_text(o), Kind::calculated};
    const std::string_view limit = say(limiter_name(limiter_of(o)));
    const bool one = o.active_blocks == 1;
    const std::string_view blocks = blocks_text(o.active_blocks);
    if (step.occupancy.next_step.empty())
        return {figure,
                say(one ? "occ.sentence.full.one" : "occ.sentence.full", blocks,
                    warps_text(o.warps_per_block), limit),
                Kind::calculated};
    return {figure,
            say(one ? "occ.sentence.one" : "occ.sentence", limit, blocks, said(step.occupancy.next_step)),
            Kind::calculated};
}

// ---- the curve

struct Plot {
    Box box;
    float most_x = 1;
    [[nodiscard]] float x(float value) const { return box.x + box.w * std::min(1.0f, value / most_x); }
    [[nodiscard]] float y(float percent) const {
        return box.bottom() - box.h * std::clamp(percent, 0.0f, 100.0f) / 100;
    }
};

// Round steps along an axis: powers of two, at most eight of them.
int tick_step(float most) {
    int step = 8;
    while (float(step) * 8 < most) step *= 2;
    return step;
}

float resource_of(const KernelResources& resources, int axis) {
    return float(axis == 0 ? resources.threads : axis == 1 ? resources.registers : resources.shared_bytes);
}

// In the unit of the axis: KiB of shared memory.
std::string_view value_on(int axis, int value) {
    return axis == 2 ? figure_text(value / 1024.0) : grouped(value);
}

void draw_grid(const Stage& stage, const Plot& plot, Box ticks, int axis) {
    Canvas& canvas = stage.canvas;
    for (const int percent : {0, 25, 50, 75, 100}) {
        const float y = plot.y(float(percent));
        canvas.line(plot.box.x, y, plot.box.right(), y, percent == 0 ? Ink::context_strong : Ink::grid);
        canvas.text({plot.box.x - canvas.px(120), y - canvas.px(16), canvas.px(108), canvas.px(32)},
                    text("{} %", percent), Font::axis, Ink::dim, Align::right);
    }
    const int step = tick_step(plot.most_x);
    for (int value = 0; float(value) <= plot.most_x * 1.01f; value += step) {
        const float x = plot.x(float(value));
        canvas.line(x, plot.box.bottom(), x, plot.box.bottom() + canvas.px(7), Ink::context_strong);
        canvas.text({x - canvas.px(44), ticks.y, canvas.px(88), ticks.h}, value_on(axis, value), Font::axis,
                    Ink::dim, Align::center);
    }
}

// The value of a sample stands until the next one.
void draw_steps(Canvas& canvas, const Plot& plot, const std::vector<float>& x, const std::vector<float>& y,
                Ink ink, float thickness) {
    for (std::size_t i = 1; i < x.size(); ++i) {
        const float from = plot.y(y[i - 1]);
        const float to = plot.y(y[i]);
        canvas.line(plot.x(x[i - 1]), from, plot.x(x[i]), from, ink, thickness);
        if (from != to) canvas.line(plot.x(x[i]), from, plot.x(x[i]), to, ink, thickness);
    }
}

// A row for each limiter, filled where it is the one that decides.
void draw_bands(const Stage& stage, const OccupancyCurve& curve, const Plot& plot, Box bands,
                const Occupancy& o) {
    Canvas& canvas = stage.canvas;
    for (std::size_t i = 0; i < kLimiters; ++i) {
        const Box row = bands.row(int(i), int(kLimiters), canvas.px(4));
        const bool now = binds(o, Limiter(i));
        canvas.text({row.x, row.y, plot.box.x - row.x - canvas.px(12), row.h},
                    say(limiter_short_name(Limiter(i))), now ? Font::axis_strong : Font::axis,
                    now ? Ink::now : Ink::dim, Align::right);
        const Box track{plot.box.x, row.y + row.h * 0.2f, plot.box.w, row.h * 0.6f};
        canvas.fill(track, Ink::context_soft, 2);
        for (std::size_t at = 0; at < curve.x.size();) {
            const auto decides = [&](std::size_t k) {
                return curve.limits[i][k] <= curve.percent[k] + 0.01f;
            };
            std::size_t end = at;
            while (end < curve.x.size() && decides(end)) ++end;
            if (end > at) {
                const float from = plot.x(curve.x[at]);
                const float to = end < curve.x.size() ? plot.x(curve.x[end]) : plot.box.right();
                canvas.fill({from, track.y, std::max(canvas.px(3), to - from), track.h}, Ink::now_mid, 2);
            }
            at = std::max(end, at + 1);
        }
        tip(stage, row, limiter_tip(Limiter(i)));
    }
}

void draw_points(const Stage& stage, const Plot& plot, Box bands, const Occupancy& o, const Occupancy* before,
                 int axis) {
    Canvas& canvas = stage.canvas;
    const float x = plot.x(resource_of(o.resources, axis));
    // The axis' numbers stand between.
    canvas.dotted(x, plot.y(float(o.percent)), x, plot.box.bottom(), Ink::now_fill, 3);
    canvas.dotted(x, bands.y, x, bands.bottom(), Ink::now_fill, 3);
    if (before) {
        const float bx = plot.x(resource_of(before->resources, axis));
        const float by = plot.y(float(before->percent));
        canvas.circle(bx, by, 13, Ink::panel);
        canvas.ring(bx, by, 12, Ink::base_fill, 5);
    }
    canvas.circle(x, plot.y(float(o.percent)), 13, Ink::panel);
    canvas.circle(x, plot.y(float(o.percent)), before ? 8 : 11, Ink::now_fill);
}

// The pointer tells the value under it; along the threads a drag moves the block's y.
void touch_plot(const Stage& stage, const StepSnapshot& step, const OccupancyCurve& curve, const Plot& plot,
                int axis) {
    const Touch touch = stage.canvas.touch("curve", plot.box);
    const float value = (ImGui::GetIO().MousePos.x - plot.box.x) / plot.box.w * plot.most_x;
    if (touch.hovered) {
        const auto next = std::upper_bound(curve.x.begin(), curve.x.end(), value);
        const std::size_t at = next == curve.x.begin() ? 0 : std::size_t(next - curve.x.begin()) - 1;
        stage.canvas.tooltip(touch, say("occ.under_pointer", say(kAxes[std::size_t(axis)]),
                                        value_on(axis, int(curve.x[at])), text("{:.0f}", curve.percent[at])));
    }
    if (!touch.held || axis != 0 || step.shape.block.x <= 0) return;
    const Block wished =
        with_side(step.shape.block, false, std::max(1, int(std::lround(value / float(step.shape.block.x)))));
    if (fitted(step.source, wished) == wished && !(wished == step.shape.block))
        stage.edits.add(ChooseBlock{step.step, wished});
}

void draw_axis_buttons(const Stage& stage, Box& head) {
    Canvas& canvas = stage.canvas;
    for (int i = 2; i >= 0; --i) {
        const std::string_view label = say(kAxisButtons[std::size_t(i)]);
        const float wide = button_width(canvas, label);
        ImGui::PushID(i);
        if (button(canvas, "axis", head.right_part(wide), label,
                   stage.view.occupancy.axis == i ? ButtonLook::chosen : ButtonLook::outlined)
                .clicked)
            stage.edits.add(ChooseAxis{i});
        ImGui::PopID();
        head = head.before(wide + canvas.px(10));
    }
}

void draw_curve_card(const Stage& stage, Box card, const StepSnapshot& step) {
    Canvas& canvas = stage.canvas;
    canvas.slot("curve", card);
    canvas.card(card);
    const Box in = card.inset(canvas.px(20), canvas.px(10));
    Box head = in.top(canvas.px(48));
    draw_axis_buttons(stage, head);
    const Occupancy* before = base_occupancy(stage, step);
    if (step.occupancy.now)
        canvas.text(head.column(0, 2, 0),
                    text("{}  {:.0f} %", asked_name(stage), step.occupancy.now->percent), Font::figure,
                    Ink::now);
    if (before)
        canvas.text(head.column(1, 2, 0), text("{}  {:.0f} %", base_name(stage), before->percent),
                    Font::figure, Ink::base);
    const float label = canvas.px(34);
    const float band = canvas.px(136);
    const Box caption = in.bottom_part(label);
    const Box bands{in.x, caption.y - band - canvas.px(4), in.w, band};
    const Box ticks{in.x, bands.y - label - canvas.px(8), in.w, label};
    const float left = canvas.px(150);
    const int axis = stage.view.occupancy.axis;
    const OccupancyCurve& curve = step.occupancy.curves[std::size_t(axis)];
    const float top = in.y + canvas.px(76);
    const Plot plot{{in.x + left, top, in.w - left - canvas.px(30), ticks.y - canvas.px(8) - top},
                    curve.x.empty() ? 1024 : curve.x.back()};
    draw_grid(stage, plot, ticks, axis);
    // With what the thin lines are, where there is room.
    const std::string_view quantity = say(kAxes[std::size_t(axis)]);
    const std::string_view explained = say("occ.alone", quantity);
    const bool fits = canvas.width(explained, Font::axis) <= plot.box.w;
    canvas.text(caption.after(left), fits ? explained : quantity, Font::axis, Ink::dim, Align::center);
    tip(stage, caption, "tip.occupancy.curve");
    if (!step.occupancy.now || curve.x.empty()) return;
    for (const std::vector<float>& limit : curve.limits)
        draw_steps(canvas, plot, curve.x, limit, Ink::context_strong, 2);
    draw_steps(canvas, plot, curve.x, curve.percent, Ink::now_fill, 5);
    draw_bands(stage, curve, plot, bands, *step.occupancy.now);
    draw_points(stage, plot, bands, *step.occupancy.now, before, axis);
    touch_plot(stage, step, curve, plot, axis);
}

}  // namespace

void draw_occupancy(const Stage& stage) {
    if (stage.view.occupancy.part == OccupancyPart::sweep) {
        draw_sweep(stage);
        return;
    }
    if (stage.view.occupancy.part == OccupancyPart::latency) {
        draw_latency(stage);
        return;
    }
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    draw_headline(stage, stage.slots.page_headline, headline_of(stage, step));
    Canvas& canvas = stage.canvas;
    Box page = stage.slots.page;
    const float gap = canvas.px(24);
    const int shown = turn_pages(stage, page, 2);
    if (shown == 0) {
        draw_curve_card(stage, page, step);
        return;
    }
    if (shown == 1) {
        draw_multiprocessor(stage, page.column(0, 2, gap), step);
        draw_resources(stage, page.column(1, 2, gap), step);
        return;
    }
    const Box left = page.left(std::round(page.w * 0.6195f));
    const Box right = page.after(left.w + gap);
    draw_curve_card(stage, left, step);
    const float low = canvas.px(260);
    draw_multiprocessor(stage, right.above(low + gap / 2), step);
    draw_resources(stage, right.bottom_part(low), step);
}

}  // namespace ws
