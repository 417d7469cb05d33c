// The three panels below the story: the block, the occupancy that it reaches, and what limits the kernel.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/block_edit.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

// A slider over the sides that the kernel takes, with the side beside it.
void draw_side(const Stage& stage, const StepSnapshot& step, bool along_x, Box row, Block& block) {
    Canvas& canvas = stage.canvas;
    canvas.text(row.left(canvas.px(44)), along_x ? "x" : "y", Font::strong, Ink::text);
    const Box number = row.right_part(canvas.px(110));
    const Box track = row.after(canvas.px(34)).before(canvas.px(116));
    const SideSteps steps = side_steps(step.source, along_x, along_x ? block.x : block.y);
    const int side = along_x ? block.x : block.y;
    if (steps.count < 2) {
        canvas.text(track, say("block.fixed"), Font::body, Ink::dim);
    } else {
        const float at = float(steps.now) / float(steps.count - 1);
        const float moved = slider(canvas, along_x ? "x" : "y", track, at, std::min(steps.count, 11));
        const int chosen = int(std::lround(moved * float(steps.count - 1)));
        if (moved != at && chosen != steps.now)
            block = with_side(block, along_x, steps.sides[std::size_t(chosen)]);
    }
    side_field(along_x ? "typed x" : "typed y", canvas, number, step.source, along_x, block);
    if (steps.count < 2) canvas.text(number, text("{}", side), Font::figure, Ink::text, Align::right);
}

void draw_presets(const Stage& stage, const StepSnapshot& step, Box row, Block& block) {
    Canvas& canvas = stage.canvas;
    std::array<Block, 5> fitting{};
    int count = 0;
    for (const Block preset : stage.snapshot.work.lab->presets) {
        if (count < int(fitting.size()) && fitted(step.source, preset) == preset)
            fitting[std::size_t(count++)] = preset;
    }
    for (int i = 0; i < count; ++i) {
        const Block preset = fitting[std::size_t(i)];
        ImGui::PushID(i);
        const Box box = row.column(i, int(fitting.size()), canvas.px(10));
        const Touch touch = canvas.touch("preset", box);
        const bool chosen = preset == block;
        canvas.fill(box, chosen ? Ink::now_soft : Ink::panel, 8);
        canvas.frame(box, chosen || touch.hovered ? Ink::now_fill : Ink::line, 8);
        canvas.text(box.inset(canvas.px(2), 0), block_text(preset), chosen ? Font::axis_strong : Font::axis,
                    chosen ? Ink::now : Ink::text, Align::center);
        if (touch.clicked) block = preset;
        ImGui::PopID();
    }
}

// The parts of the estimate in a fixed order: what a row takes together is told by its tip.
struct Limit {
    std::string_view key;  // of its name
    Parts parts;
};
constexpr std::array kLimits{
    Limit{"limit.arithmetic", bit(Part::issue) | bit(Part::fma) | bit(Part::alu) | bit(Part::conversion) |
                                  bit(Part::xu) | bit(Part::fp64) | bit(Part::adu)},
    Limit{"limit.lsu", bit(Part::lsu) | bit(Part::texture)},
    Limit{"limit.shared", bit(Part::shared)},
    Limit{"limit.caches", bit(Part::l1) | bit(Part::l2) | bit(Part::transactions) | bit(Part::constant)},
    Limit{"limit.memory", bit(Part::memory)},
    Limit{"limit.latency", bit(Part::latency)}};

// Counts alone say nothing of what limits a kernel.
bool has_estimate(const WorkFigures& figures) {
    return figures.estimated().has_value();
}

// Of the estimated time of all steps, 0 to 1.
double share_of(const WorkFigures& figures, const Limit& limit) {
    const std::optional<double> all = figures.estimated();
    if (!all || *all <= 0) return 0;
    double sum = 0;
    for (const StepResult& step : figures.steps) sum += step.estimate->longest(limit.parts);
    return std::min(1.0, sum / *all);
}

void draw_limit(const Stage& stage, const Limit& limit, Box row) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    const bool known = has_estimate(snapshot.told.now);
    const double share = known ? share_of(snapshot.told.now, limit) : 0;
    const Ink ink = snapshot.told.stale || !known ? Ink::dim : Ink::text;
    const float label = canvas.px(212);
    const float value = canvas.px(84);
    canvas.text(row.left(label), say(limit.key), Font::axis, ink);
    const Box track{row.x + label, row.center_y() - canvas.px(10), row.w - label - value, canvas.px(20)};
    canvas.fill(track, Ink::context_soft, 3);
    if (share > 0)
        canvas.fill(track.left(track.w * float(share)), share >= 0.6 ? Ink::now_fill : Ink::context_strong,
                    3);
    if (snapshot.told.baseline && has_estimate(*snapshot.told.baseline)) {
        const float x = track.x + track.w * float(share_of(*snapshot.told.baseline, limit));
        canvas.fill({x - canvas.px(3), track.y - canvas.px(3), canvas.px(6), track.h + canvas.px(6)},
                    Ink::base_fill, 2);
    }
    canvas.text(row.right_part(value), known ? text("{:.0f} %", 100 * share) : std::string_view("–"),
                Font::axis_strong, ink, Align::right);
    ImGui::PushID(limit.key.data());
    canvas.tooltip(canvas.touch("limit", row), say(text("{}.tip", limit.key)));
    ImGui::PopID();
}

}  // namespace

void draw_block_slot(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box card = stage.slots.block;
    canvas.slot("block", card);
    canvas.card(card);
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    const Box in = card.inset(canvas.px(20), 0);
    const Box head = in.below(canvas.px(6)).top(canvas.px(48));
    Block block = step.shape.block;
    const int warps = (block.threads() + 31) / 32;
    const std::string_view threads =
        warps == 1 ? say("block.threads.one", block.threads()) : say("block.threads", block.threads(), warps);
    const float wide = canvas.width(threads, Font::body) + canvas.px(4);
    canvas.text(head.right_part(wide), threads, Font::body, Ink::dim, Align::right);
    canvas.text(head.before(wide + canvas.px(10)), say("block.title", translated(step.name)), Font::strong,
                Ink::text);
    tip(stage, head, "tip.block");
    const float presets = canvas.px(44);
    const Box rows{in.x, in.y + canvas.px(54), in.w, in.h - canvas.px(54) - presets - canvas.px(18)};
    draw_side(stage, step, true, rows.row(0, 2, 0), block);
    draw_side(stage, step, false, rows.row(1, 2, 0), block);
    draw_presets(stage, step, {in.x, in.bottom() - presets - canvas.px(14), in.w, presets}, block);
    if (!(block == step.shape.block)) stage.edits.add(ChooseBlock{step.step, block});
}

namespace {

// How much of the plot the curve leaves between two places of its axis, in per cent of its height.
struct Room {
    float above = 100;
    float below = 100;
};
Room room_beside(const OccupancyCurve& curve, float from, float to) {
    Room room;
    for (std::size_t i = 1; i < curve.x.size(); ++i) {
        if (curve.x[i] < from || curve.x[i - 1] > to) continue;
        for (const float percent : {curve.percent[i - 1], curve.percent[i]}) {
            room.above = std::min(room.above, 100 - percent);
            room.below = std::min(room.below, percent);
        }
    }
    return room;
}

}  // namespace

void draw_occupancy_slot(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    const Box card = stage.slots.occupancy;
    canvas.slot("occupancy", card);
    card_title(canvas, card, say("occupancy.title"), Kind::calculated);
    const StepSnapshot& step = chosen_step(snapshot, stage.view.preferences.step);
    const Box in = card.inset(canvas.px(20), 0);
    const float axis = canvas.px(92);
    const Box plot{in.x + axis, in.y + canvas.px(66), in.w - axis - canvas.px(6),
                   in.h - canvas.px(66) - canvas.px(54)};
    for (const int percent : {0, 50, 100}) {
        const float y = plot.bottom() - plot.h * float(percent) / 100;
        canvas.line(plot.x, y, plot.right(), y, percent == 0 ? Ink::context_strong : Ink::grid);
        canvas.text({in.x, y - canvas.px(16), axis - canvas.px(12), canvas.px(32)},
                    percent == 100 ? std::string_view("100 %") : text("{}", percent), Font::axis, Ink::dim,
                    Align::right);
    }
    const OccupancyCurve& curve = step.occupancy.curves[0];
    const float most = curve.x.empty() ? 1024 : curve.x.back();
    const auto at = [&](float threads, float percent) {
        return ImVec2(plot.x + plot.w * threads / most, plot.bottom() - plot.h * percent / 100);
    };
    for (const int threads : {128, 256, 512}) {
        if (2 * float(threads) > most) break;  // there the end of the axis is written
        const float x = at(float(threads), 0).x;
        canvas.text({x - canvas.px(40), plot.bottom() + canvas.px(4), canvas.px(80), canvas.px(34)},
                    text("{}", threads), Font::axis, Ink::dim, Align::center);
    }
    const std::string_view last = say("occupancy.threads", int(most));
    canvas.text({in.x, plot.bottom() + canvas.px(4), in.w, canvas.px(34)}, last, Font::axis, Ink::dim,
                Align::right);
    for (std::size_t i = 1; i < curve.x.size(); ++i) {
        const ImVec2 from = at(curve.x[i - 1], curve.percent[i - 1]);
        const ImVec2 to = at(curve.x[i], curve.percent[i]);
        canvas.line(from.x, from.y, to.x, from.y, Ink::now_fill, 4);
        canvas.line(to.x, from.y, to.x, to.y, Ink::now_fill, 4);
    }
    const StepResult* before = base_result(snapshot, step);
    const Box words{plot.x + plot.w * 0.27f, plot.y, plot.w * 0.72f, plot.h};
    // The values themselves stand above or below the curve, where it leaves more room.
    const auto value_box = [&](int column) {
        const Box box = words.column(column, 2, 0);
        const Room room =
            room_beside(curve, (box.x - plot.x) / plot.w * most, (box.right() - plot.x) / plot.w * most);
        const float y = room.above > room.below ? box.y - canvas.px(8) : box.bottom() - canvas.px(40);
        return Box{box.x, y, box.w, canvas.px(36)};
    };
    if (before && before->occupancy) {
        const ImVec2 p = at(float(before->key.launch.block.threads()), float(before->occupancy->percent));
        canvas.circle(p.x, p.y, 10, Ink::panel);
        canvas.ring(p.x, p.y, 9, Ink::base_fill, 4);
        canvas.text(value_box(1), text("{}  {:.0f} %", base_name(stage), before->occupancy->percent),
                    Font::axis_strong, Ink::base, Align::right);
    }
    if (step.occupancy.now) {
        const ImVec2 p = at(float(step.occupancy.now->resources.threads), float(step.occupancy.now->percent));
        canvas.dotted(p.x, p.y, p.x, plot.bottom(), Ink::now_fill);
        canvas.circle(p.x, p.y, 12, Ink::panel);
        canvas.circle(p.x, p.y, 10, Ink::now_fill);
        canvas.text(value_box(0), text("{}  {:.0f} %", asked_name(stage), step.occupancy.now->percent),
                    Font::axis_strong, Ink::now);
    }
    const Touch touch = canvas.touch("occupancy", plot);
    if (touch.held && step.shape.block.x > 0) {
        const float threads = (ImGui::GetIO().MousePos.x - plot.x) / plot.w * most;
        const Block wished = with_side(step.shape.block, false,
                                       std::max(1, int(std::lround(threads / float(step.shape.block.x)))));
        if (fitted(step.source, wished) == wished && !(wished == step.shape.block))
            stage.edits.add(ChooseBlock{step.step, wished});
    }
    const std::string_view meaning = say("tip.occupancy");
    canvas.tooltip({touch.hovered, touch.held, false, false, card},
                   step.occupancy.next_step.empty()
                       ? meaning
                       : say("tip.occupancy.next", meaning, said(step.occupancy.next_step)));
}

void draw_limits_slot(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box card = stage.slots.limits;
    canvas.slot("limits", card);
    card_title(canvas, card, say("limits.title"), Kind::estimated,
               error_tip(stage.snapshot, Kind::estimated));
    tip(stage, card.top(canvas.px(54)).before(badge_width(canvas, Kind::estimated) + canvas.px(24)),
        "tip.limits");
    const Box in = card.inset(canvas.px(20), 0);
    if (stage.snapshot.told.baseline && has_estimate(*stage.snapshot.told.baseline)) {
        const float x = in.x + canvas.width(say("limits.title"), Font::strong) + canvas.px(28);
        canvas.fill({x, in.y + canvas.px(18), canvas.px(6), canvas.px(26)}, Ink::base_fill, 2);
        canvas.text({x + canvas.px(14), in.y + canvas.px(6), canvas.px(70), canvas.px(48)}, base_name(stage),
                    Font::axis_strong, Ink::base);
    }
    const Box rows{in.x, in.y + canvas.px(56), in.w, in.h - canvas.px(64)};
    for (std::size_t i = 0; i < kLimits.size(); ++i)
        draw_limit(stage, kLimits[i], rows.row(int(i), int(kLimits.size()), 0));
}

}  // namespace ws
