// Every block shape of the heaviest kernel: which is fastest, and what theoretical occupancy has to do with
// it.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/error_line.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/sweep_parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

std::string_view sentence_of(const Stage& stage, const SweepResult& result, const SweepCell& best) {
    const Block now = chosen_step(stage.snapshot, {}).shape.block;
    const SweepCell* own = result.find(now);
    if (!result.problem.empty()) return say("sweep.failed", said_line(result.problem));
    if (!own) return say("sweep.progress", result.done, result.all);
    if (own->ms <= 0) return say("sweep.selected.none", block_text(now), own->refused);
    if (own == &best) {
        const SweepCell& worst = *result.slowest();
        return say("sweep.selected.fastest", block_text(worst.block), short_time(worst.ms));
    }
    const std::string_view selected =
        say("sweep.selected", block_text(now), short_time(own->ms), text("{:.2f}", own->ms / best.ms));
    const SweepResult* base = stage.sweep ? stage.sweep->base : nullptr;
    const SweepCell* beside = base ? base->find(now) : nullptr;
    if (!beside || beside->ms <= 0) return selected;
    return text("{} {}", selected,
                say("sweep.beside", base_version(stage), short_time(beside->ms), block_text(now)));
}

Headline headline_of(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    const SweepResult* result = stage.sweep ? stage.sweep->now : nullptr;
    const std::string_view name = version_name(snapshot.work.version);
    if (!runs_anything(snapshot.work))
        return {say("sweep.none", name), say("sweep.no_run"), Kind::calculated};
    if (snapshot.compiler.missing)
        return {say("sweep.none", name), say("sweep.no_compiler", snapshot.compiler.name), Kind::calculated};
    const SweepCell* best = result ? result->fastest() : nullptr;
    if (!best) {
        if (result && !result->problem.empty())
            return {say("sweep.none", name), say("sweep.failed", said_line(result->problem)), result->kind};
        return {say("sweep.none", name),
                say("sweep.none.sentence", translated(chosen_step(snapshot, {}).name), gpu_name(snapshot)),
                Kind::estimated};
    }
    return {say("sweep.headline", block_text(best->block), short_time(best->ms)),
            sentence_of(stage, *result, *best), result->kind, error_note(snapshot, result->kind)};
}

// ---- the curves

// The points of blocks that are so wide, by threads.
struct Curve {
    std::array<const SweepCell*, kMaxThreadsPerBlock> cells{};
    int count = 0;
};
Curve curve_of(const SweepResult& result, int width) {
    Curve curve;
    for (const SweepCell& cell : result.cells) {
        if (cell.block.x == width && cell.ms > 0 && curve.count < kMaxThreadsPerBlock)
            curve.cells[std::size_t(curve.count++)] = &cell;
    }
    std::sort(curve.cells.begin(), curve.cells.begin() + curve.count,
              [](const SweepCell* a, const SweepCell* b) { return a->block.y < b->block.y; });
    return curve;
}

// Time on a logarithmic axis, threads on a linear one.
struct Plot {
    Box box;
    double low = 0, high = 1;  // decades
    [[nodiscard]] float x(int threads) const {
        return box.x + box.w * float(threads) / float(kMaxThreadsPerBlock);
    }
    [[nodiscard]] float y(double ms) const {
        const double at = (std::log10(ms) - low) / std::max(1e-9, high - low);
        return box.bottom() - box.h * float(std::clamp(at, 0.0, 1.0));
    }
};

constexpr std::array kMarks{1.0, 2.0, 5.0};

// The marks at or around all points.
void fit(Plot& plot, const Curve& curve) {
    for (int i = 0; i < curve.count; ++i) {
        const double decade = std::log10(curve.cells[std::size_t(i)]->ms);
        if (plot.low > plot.high) plot.low = plot.high = decade;
        plot.low = std::min(plot.low, decade);
        plot.high = std::max(plot.high, decade);
    }
}
double mark_below(double decade) {
    const double power = std::floor(decade + 1e-9);
    double best = power;
    for (const double mark : kMarks) {
        if (power + std::log10(mark) <= decade + 1e-9) best = power + std::log10(mark);
    }
    return best;
}
double mark_above(double decade) {
    const double power = std::floor(decade);
    for (const double mark : kMarks) {
        if (power + std::log10(mark) >= decade - 1e-9) return power + std::log10(mark);
    }
    return power + 1;
}

void draw_time_grid(const Stage& stage, const Plot& plot, const TimeScale& scale) {
    Canvas& canvas = stage.canvas;
    float last = plot.box.bottom() + canvas.px(100);
    for (double decade = std::floor(plot.low); decade <= plot.high; ++decade) {
        for (const double mark : kMarks) {
            const double ms = mark * std::pow(10, decade);
            if (std::log10(ms) < plot.low - 1e-6 || std::log10(ms) > plot.high + 1e-6) continue;
            const float y = plot.y(ms);
            canvas.line(plot.box.x, y, plot.box.right(), y, Ink::grid);
            if (last - y < canvas.px(32)) continue;
            last = y;
            const double value = ms * scale.factor;
            canvas.text({plot.box.x - canvas.px(100), y - canvas.px(16), canvas.px(88), canvas.px(32)},
                        value < 1 ? text("{:.2g}", value) : text("{:.0f}", value), Font::axis, Ink::dim,
                        Align::right);
        }
    }
}

void draw_curve(const Stage& stage, const Plot& plot, const Curve& curve, Ink ink, bool points) {
    Canvas& canvas = stage.canvas;
    for (int i = 0; i < curve.count; ++i) {
        const SweepCell& cell = *curve.cells[std::size_t(i)];
        const float x = plot.x(cell.block.threads());
        const float y = plot.y(cell.ms);
        if (i > 0) {
            const SweepCell& before = *curve.cells[std::size_t(i) - 1];
            canvas.line(plot.x(before.block.threads()), plot.y(before.ms), x, y, ink, points ? 3.0f : 5.0f);
        }
        if (points) canvas.ring(x, y, 6, ink, 3);
    }
}

void draw_occupancy_curve(const Stage& stage, Box plot, const Curve& curve, Ink ink, float thickness) {
    Canvas& canvas = stage.canvas;
    const auto at_x = [&](int threads) {
        return plot.x + plot.w * float(threads) / float(kMaxThreadsPerBlock);
    };
    const auto at_y = [&](double percent) { return plot.bottom() - plot.h * float(percent) / 100; };
    for (int i = 0; i + 1 < curve.count; ++i) {
        const SweepCell& from = *curve.cells[std::size_t(i)];
        const SweepCell& to = *curve.cells[std::size_t(i) + 1];
        const float x = at_x(to.block.threads());
        canvas.line(at_x(from.block.threads()), at_y(from.occupancy), x, at_y(from.occupancy), ink,
                    thickness);
        canvas.line(x, at_y(from.occupancy), x, at_y(to.occupancy), ink, thickness);
    }
}

void draw_thread_axis(const Stage& stage, Box plot) {
    Canvas& canvas = stage.canvas;
    for (const int threads : {128, 256, 512, 768}) {
        const float x = plot.x + plot.w * float(threads) / float(kMaxThreadsPerBlock);
        canvas.text({x - canvas.px(40), plot.bottom() + canvas.px(4), canvas.px(80), canvas.px(34)},
                    text("{}", threads), Font::axis, Ink::dim, Align::center);
    }
    canvas.text(
        {plot.x + plot.w * 0.78f, plot.bottom() + canvas.px(4), plot.w * 0.22f + canvas.px(8), canvas.px(34)},
        say("sweep.threads", kMaxThreadsPerBlock), Font::axis, Ink::dim, Align::right);
}

// A click or a drag chooses the block at that many threads.
void touch_curves(const Stage& stage, Box plots, const SweepResult& result, const Curve& curve) {
    const Touch touch = stage.canvas.touch("sweep curves", plots);
    if (curve.count == 0 || !(touch.held || touch.hovered)) return;
    const float threads = (ImGui::GetIO().MousePos.x - plots.x) / plots.w * float(kMaxThreadsPerBlock);
    const auto nearest = std::min_element(curve.cells.begin(), curve.cells.begin() + curve.count,
                                          [&](const SweepCell* a, const SweepCell* b) {
                                              return std::abs(float(a->block.threads()) - threads) <
                                                     std::abs(float(b->block.threads()) - threads);
                                          });
    const SweepCell& cell = **nearest;
    stage.canvas.tooltip(touch, say("sweep.cell", block_text(cell.block), short_time(cell.ms),
                                    text("{:.0f}", cell.occupancy)));
    if (touch.held && !(chosen_step(stage.snapshot, {}).shape.block == cell.block))
        stage.edits.add(ChooseBlock{result.step, cell.block});
}

void draw_selected(const Stage& stage, const Plot& plot, Box occupancy, const SweepResult& result) {
    const SweepCell* cell = result.find(chosen_step(stage.snapshot, {}).shape.block);
    if (!cell || cell->ms <= 0) return;
    Canvas& canvas = stage.canvas;
    const float x = plot.x(cell->block.threads());
    canvas.dotted(x, plot.box.y, x, plot.box.bottom(), Ink::dim, 2);
    canvas.dotted(x, occupancy.y, x, occupancy.bottom(), Ink::dim, 2);
    for (const float y :
         {plot.y(cell->ms), occupancy.bottom() - occupancy.h * float(cell->occupancy) / 100}) {
        canvas.circle(x, y, 12, Ink::panel);
        canvas.circle(x, y, 10, Ink::now_fill);
    }
}

}  // namespace

void draw_sweep_curves(const Stage& stage, Box card, const SweepPage& page) {
    Canvas& canvas = stage.canvas;
    canvas.slot("sweep curves", card);
    const Block now = chosen_step(stage.snapshot, {}).shape.block;
    const std::string_view title = say("sweep.curves", now.x);
    const Box in =
        page.now ? card_title(canvas, card, title, page.now->kind) : card_title(canvas, card, title);
    const Curve curve = page.now ? curve_of(*page.now, now.x) : Curve{};
    const Curve base = page.base ? curve_of(*page.base, now.x) : Curve{};
    const float left = canvas.px(96);
    const float label = canvas.px(34);
    const Box names = in.top(label);
    const float room = in.h - 5 * label - canvas.px(26);
    Plot plot{{in.x + left, in.y + 2.5f * label, in.w - left - canvas.px(14), room * 0.6f}, 1, 0};
    fit(plot, curve);
    fit(plot, base);
    if (plot.low > plot.high) plot.low = -2, plot.high = 0;
    plot.low = mark_below(plot.low - 0.02);
    plot.high = mark_above(plot.high + 0.02);
    const TimeScale scale = scale_of(std::pow(10, plot.low));
    const Box occupancy{plot.box.x, plot.box.bottom() + 1.5f * label + canvas.px(10), plot.box.w,
                        room * 0.4f - canvas.px(2)};
    canvas.text(names.column(0, 2, 0),
                text("{}  {}", version_name(stage.snapshot.work.version),
                     page.now ? std::string_view(page.now->gpu) : gpu_name(stage.snapshot)),
                Font::axis_strong, Ink::now);
    if (page.base)
        canvas.text(names.column(1, 2, 0), text("{}  {}", base_version(stage), page.base->gpu),
                    Font::axis_strong, Ink::base, Align::right);
    canvas.text({in.x, names.bottom(), in.w, label}, say("sweep.time", scale.unit), Font::axis, Ink::dim);
    draw_time_grid(stage, plot, scale);
    canvas.text({in.x, plot.box.bottom() + canvas.px(6), in.w, label}, say("sweep.occupancy"), Font::axis,
                Ink::dim);
    for (const int percent : {0, 50, 100}) {
        const float y = occupancy.bottom() - occupancy.h * float(percent) / 100;
        canvas.line(occupancy.x, y, occupancy.right(), y, percent == 0 ? Ink::context_strong : Ink::grid);
        canvas.text({occupancy.x - canvas.px(100), y - canvas.px(16), canvas.px(88), canvas.px(32)},
                    text("{}", percent), Font::axis, Ink::dim, Align::right);
    }
    draw_thread_axis(stage, occupancy);
    draw_curve(stage, plot, base, Ink::base_fill, true);
    draw_occupancy_curve(stage, occupancy, base, Ink::base_fill, 3);
    draw_curve(stage, plot, curve, Ink::now_fill, false);
    draw_occupancy_curve(stage, occupancy, curve, Ink::now_fill, 5);
    if (!page.now) return;
    draw_selected(stage, plot, occupancy, *page.now);
    touch_curves(stage, {plot.box.x, plot.box.y, plot.box.w, occupancy.bottom() - plot.box.y}, *page.now,
                 curve);
}

void draw_run(const Stage& stage, ButtonRow& row, const SweepResult* result, const RunWords& words) {
    const bool running = result && result->running;
    const bool half = result && !running && result->done < result->all;
    const std::string_view key = running ? "sweep.stop" : half ? "sweep.resume" : "sweep.run";
    if (row.add(words.id, say(key), ButtonLook::outlined).clicked) stage.edits.add(RunSweep{});
    if (!running || result->all == 0) return;
    const int minutes = int(result->seconds_left) / 60;
    const std::string_view left =
        minutes > 0 ? text("{} min", minutes) : text("{:.0f} s", std::ceil(result->seconds_left));
    const std::string_view whole = say(words.left, result->done, result->all, left);
    const bool fits = stage.canvas.width(whole, Font::axis) <= row.rest().w;
    stage.canvas.text(
        row.rest(), result->seconds_left > 0 && fits ? whole : say(words.progress, result->done, result->all),
        Font::axis, Ink::dim);
}

// Runs the line through the clocks, or stops it.
void draw_play(const Stage& stage, ButtonRow& row) {
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    if (!step.counts.clock.many) return;
    const bool playing = stage.view.occupancy.latency.playing;
    const Touch touch =
        row.add("play", say(playing ? "latency.pause" : "latency.play"), ButtonLook::outlined);
    stage.canvas.tooltip(touch, say("latency.play.tip"));
    if (touch.clicked) stage.edits.add(PlayClock{!playing});
}

// What stands above: few blocks of the kernel, or the baseline's kernel.
void draw_above(const Stage& stage, ButtonRow& row) {
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    if (!step.counts.clock.many || !stage.snapshot.told.baseline) return;
    const bool on = step.counts.clock.baseline;
    const Touch touch =
        row.add("above", say("latency.above"), on ? ButtonLook::baseline : ButtonLook::outlined);
    stage.canvas.tooltip(touch, say("latency.above.tip", base_name(stage)));
    if (touch.clicked) stage.edits.add(ClockBaseline{!stage.view.occupancy.latency.baseline});
}

void draw_occupancy_controls(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.controls;
    const OccupancyPart now = stage.view.occupancy.part;
    const auto choose = [&](const Touch& touch, OccupancyPart part, std::string_view tip_key) {
        canvas.tooltip(touch, say(tip_key));
        if (touch.clicked) stage.edits.add(ShowOccupancy{part});
    };
    if (now == OccupancyPart::now) {
        draw_step_controls(stage);
        const std::string_view latency = say("latency.all");
        const std::string_view sweep = say("sweep.all");
        const Box right = room.right_part(button_width(canvas, latency));
        choose(button(canvas, "occ latency", right, latency, ButtonLook::outlined), OccupancyPart::latency,
               "tip.latency");
        const Box left = room.before(right.w + canvas.px(8)).right_part(button_width(canvas, sweep));
        choose(button(canvas, "occ sweep", left, sweep, ButtonLook::outlined), OccupancyPart::sweep,
               "tip.sweep");
        return;
    }
    canvas.slot("controls", room);
    ButtonRow row(canvas, room);
    const auto look = [&](OccupancyPart part) {
        return part == now ? ButtonLook::chosen : ButtonLook::plain;
    };
    choose(row.add("occ now", say("sweep.now"), ButtonLook::plain), OccupancyPart::now, "tip.occupancy");
    choose(row.add("occ sweep", say("sweep.all"), look(OccupancyPart::sweep)), OccupancyPart::sweep,
           "tip.sweep");
    choose(row.add("occ latency", say("latency.all"), look(OccupancyPart::latency)), OccupancyPart::latency,
           "tip.latency");
    row.skip(canvas.px(16));
    if (now == OccupancyPart::latency) {
        draw_play(stage, row);
        draw_above(stage, row);
        return;
    }
    const SweepResult* result = stage.sweep ? stage.sweep->now : nullptr;
    if (result && result->kind == Kind::recorded) return;
    draw_run(stage, row, result, {"run sweep", "sweep.left", "sweep.progress"});
}

void draw_sweep(const Stage& stage) {
    draw_headline(stage, stage.slots.page_headline, headline_of(stage));
    const SweepPage nothing;
    const SweepPage& page = stage.sweep ? *stage.sweep : nothing;
    Box room = stage.slots.page;
    const int shown = turn_pages(stage, room, 2);
    if (shown == 0) draw_heat_map(stage, room, page.now);
    if (shown == 1) draw_sweep_curves(stage, room, page);
    if (shown >= 0) return;
    const float gap = stage.canvas.px(24);
    const Box left = room.left(std::round(room.w * 0.534f));
    draw_heat_map(stage, left, page.now);
    draw_sweep_curves(stage, room.after(left.w + gap), page);
}

}  // namespace ws
