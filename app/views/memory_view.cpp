// What a kernel does to memory: four quantities in front, all counters behind them.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/words.h"
#include "gpu/analysis/comparison.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

// The results of the step that stand beside each other.
struct Sides {
    const StepResult* now = nullptr;
    const StepResult* base = nullptr;
};

// In the unit of the GPU's traffic.
std::string_view label_text(const Snapshot& snapshot, const Quantity& quantity) {
    const std::string_view unit = traffic_unit(snapshot.target.gpu.limits.capability);
    return text(fmt::runtime(translated(quantity.label)), translated(unit), translated(singular(unit)));
}

std::optional<double> value_of(const Quantity& quantity, const StepResult* result) {
    if (!result || !quantity.present(*result)) return std::nullopt;
    return quantity.of(*result);
}

struct Front {
    std::string_view title;     // the key of its text
    std::string_view quantity;  // its label in quantities()
    std::string_view tip;
    WriteValue write;
};

// As narrow columns have them: "0.33 M", "107 M".
std::string_view count_words(double value) {
    if (value >= 99.5e9) return text("{:.0f} G", value / 1e9);
    if (value >= 99.5e8) return text("{:.1f} G", value / 1e9);
    if (value >= 9.95e6) return text("{:.0f} M", value / 1e6);
    if (value >= 1e5) return text("{:.2g} M", value / 1e6);
    return value_text(Form::count, value);
}
std::string_view column_words(Form form, double value) {
    return form == Form::count ? count_words(value) : value_text(form, value);
}
// In front: one unit for both.
std::string_view front_count(double value, double most) {
    if (most < 1e5 || value == 0) return count_words(value);
    const bool billions = most >= 99.5e8;
    return text("{} {}", figure_text(value / (billions ? 1e9 : 1e6)), billions ? "G" : "M");
}
std::string_view front_ratio(double value, double) {
    return value_text(Form::ratio, value);
}
std::string_view front_bytes(double value, double most) {
    const bool millions = most >= 1e6;
    return text("{} {}", value == 0 ? std::string_view("0") : figure_text(value / (millions ? 1e6 : 1e3)),
                millions ? "MB" : "kB");
}

constexpr std::array kFront{Front{"mem.requests", "load requests", "tip.load_requests", front_count},
                            Front{"mem.per_request", "{} per load", "tip.sectors_per_request", front_ratio},
                            Front{"mem.bytes", "global bytes transferred", "tip.bytes", front_bytes},
                            Front{"mem.wavefronts", "shared wavefronts", "tip.wavefronts", front_count}};

const Quantity& quantity_named(std::string_view label) {
    const auto all = quantities();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Quantity& one) { return label == one.label; });
    return found == all.end() ? all.front() : *found;
}

// ---- the headline

// How far a quantity moved: the logarithm of its ratio; 0 where there is none.
double moved(const Quantity& quantity, const Sides& sides) {
    if (quantity.form == Form::time) return 0;
    const std::optional<double> now = value_of(quantity, sides.now);
    const std::optional<double> base = value_of(quantity, sides.base);
    if (!now || !base || change_of(quantity, *now, *base) == Change::same) return 0;
    return *now > 0 && *base > 0 ? std::abs(std::log(*now / *base)) : 0;
}

// Of the four in front; of all others where none of them moved.
const Quantity* most_moved(const Sides& sides) {
    const Quantity* most = nullptr;
    for (const Front& front : kFront) {
        const Quantity& quantity = quantity_named(front.quantity);
        const double by = moved(quantity, sides);
        if (by > 0 && (!most || by > moved(*most, sides))) most = &quantity;
    }
    if (most) return most;
    for (const Quantity& quantity : quantities()) {
        const double by = moved(quantity, sides);
        if (by > 0 && (!most || by > moved(*most, sides))) most = &quantity;
    }
    return most;
}

// What one of both has and the other has not.
const Quantity* appeared(const Sides& sides) {
    for (const Quantity& quantity : quantities()) {
        if (quantity.form == Form::count && (quantity.of(*sides.now) > 0) != (quantity.of(*sides.base) > 0))
            return &quantity;
    }
    return nullptr;
}

std::string_view factor_text(double factor) {
    return factor >= 9.95 ? text("{:.0f}", factor) : text("{:.2f}", factor);
}

Headline headline_of(const Stage& stage, const StepSnapshot& step, const Sides& sides) {
    const Snapshot& snapshot = stage.snapshot;
    if (!step.counts.problem.empty()) return {say("story.none"), said(step.counts.problem), Kind::counted};
    if (!sides.now) return {say("story.waiting"), say("story.counting"), Kind::counted};
    const std::string_view now = now_name(stage);
    const bool itself = snapshot.told.now_is_baseline();
    if (!sides.base || itself)
        return {say("mem.moves",
                    value_text(Form::count, double(sides.now->counters->total.global_bytes_transferred()))),
                itself                    ? say("baseline.itself", base_name(stage))
                : !snapshot.told.baseline ? say("mem.alone")
                : snapshot.told.baseline->problem.empty()
                    ? say("story.baseline.counting", base_name(stage))
                    : say("story.baseline.none", base_name(stage), said(snapshot.told.baseline->problem)),
                Kind::counted};
    const Quantity* moved_most = most_moved(sides);
    const Quantity* most = moved_most ? moved_most : appeared(sides);
    if (!most) return {say("mem.same"), say("mem.same.sentence", now, base_name(stage)), Kind::counted};
    const double value = most->of(*sides.now);
    const double old = most->of(*sides.base);
    const std::string_view sentence = say("mem.sentence", base_name(stage), value_text(most->form, old), now,
                                          value_text(most->form, value));
    if (!moved_most)
        return {say("mem.appear", value_text(most->form, value), label_text(snapshot, *most)), sentence,
                Kind::counted};
    const bool countable = most->form == Form::count;
    const std::string_view key =
        value < old ? (countable ? "mem.fewer" : "mem.lower") : (countable ? "mem.more" : "mem.higher");
    return {say(key, factor_text(std::max(value / old, old / value)), label_text(snapshot, *most)), sentence,
            Kind::counted};
}

// ---- four quantities

void draw_front(const Stage& stage, Box card, const Front& front, const Sides& sides) {
    Canvas& canvas = stage.canvas;
    canvas.slot(front.title, card);
    const bool old =
        stage.snapshot.target.gpu.limits.capability.major < 3 && front.title == "mem.per_request";
    const Box in = card_title(canvas, card, say(old ? "mem.per_request.old" : front.title));
    const Quantity& quantity = quantity_named(front.quantity);
    draw_pair(stage, in, {value_of(quantity, sides.now), value_of(quantity, sides.base)}, front.write);
    tip(stage, card, front.tip);
}

// ---- all of them

// "× 1.20", "÷ 8.2": against the baseline.
std::string_view change_text(const std::optional<double>& now, const std::optional<double>& base) {
    if (!now || !base) return "–";
    if (*now == *base) return "=";
    if (*now <= 0 || *base <= 0) return "–";
    const double factor = *now / *base;
    if (std::abs(factor - 1) < 0.005) return "=";
    return factor > 1 ? text("× {}", factor_text(factor)) : text("÷ {}", factor_text(1 / factor));
}

struct Columns {
    Box label, base, now, change;
    explicit Columns(Box row)
        : label(row.left(row.w * 0.51f)),
          base(row.after(row.w * 0.51f).left(row.w * 0.17f)),
          now(row.after(row.w * 0.68f).left(row.w * 0.17f)),
          change(row.after(row.w * 0.85f)) {}
};

// The better value of a quantity that is better or worse in itself stands in the colour of its side.
void draw_quantity(const Stage& stage, Box row, const Quantity& quantity, const Sides& sides) {
    Canvas& canvas = stage.canvas;
    const Columns columns(row);
    const std::optional<double> now = value_of(quantity, sides.now);
    const std::optional<double> base = value_of(quantity, sides.base);
    const Change change = now && base ? change_of(quantity, *now, *base) : Change::same;
    const bool stale = stage.snapshot.told.stale;
    const auto write = [&](Box room, const std::optional<double>& value, bool wins, Ink winner) {
        const Ink ink = stale ? Ink::dim : wins ? winner : Ink::text;
        canvas.text(room, value ? column_words(quantity.form, *value) : std::string_view("–"),
                    wins ? Font::axis_strong : Font::axis, ink, Align::right);
    };
    canvas.line(row.x, row.bottom(), row.right(), row.bottom(), Ink::grid, 1);
    canvas.text(columns.label, label_text(stage.snapshot, quantity), Font::axis, Ink::dim);
    write(columns.base, base, change == Change::worse, Ink::base);
    write(columns.now, now, change == Change::better, Ink::now);
    canvas.text(columns.change, change_text(now, base), Font::axis, Ink::dim, Align::right);
    tip(stage, row, text("tip.{}", quantity.label));
}

void draw_table(const Stage& stage, Box card, const Sides& sides) {
    Canvas& canvas = stage.canvas;
    canvas.slot("counters", card);
    canvas.card(card);
    const auto all = quantities();
    const int rows = (int(all.size()) + 1) / 2;
    for (int column = 0; column < 2; ++column) {
        const Box half = card.inset(canvas.px(20), canvas.px(8)).column(column, 2, canvas.px(48));
        const Columns head(half.row(0, rows + 1, 0));
        canvas.text(head.label, say("mem.whole_launch"), Font::axis, Ink::dim);
        tip(stage, head.label, "tip.whole_launch");
        canvas.text(head.base, base_name(stage), Font::axis_strong, Ink::base, Align::right);
        canvas.text(head.now, now_name(stage), Font::axis_strong, Ink::now, Align::right);
        for (int i = 0; i < rows && column * rows + i < int(all.size()); ++i)
            draw_quantity(stage, half.row(i + 1, rows + 1, 0),
                          all[std::size_t(column) * std::size_t(rows) + std::size_t(i)], sides);
    }
}

// What the checks found, and of how many blocks all of this was counted.
void draw_note(const Stage& stage, Box row, const Sides& sides) {
    Canvas& canvas = stage.canvas;
    canvas.slot("note", row);
    if (!sides.now) return;
    const KernelCounters& counters = *sides.now->counters;
    const std::string_view all = big_number(double(counters.blocks_total));
    const std::string_view sample = counters.blocks_simulated < counters.blocks_total
                                        ? say("mem.sample", counters.blocks_simulated, all)
                                        : say("mem.all", all);
    const float wide = canvas.width(sample, Font::axis) + canvas.px(8);
    canvas.text(row.right_part(wide), sample, Font::axis, Ink::dim, Align::right);
    const Box room = row.before(wide + canvas.px(24));
    tip(stage, row.right_part(wide), "tip.sample");
    if (counters.findings.empty()) {
        canvas.text(room, say("mem.clean"), Font::axis, Ink::dim);
        tip(stage, room, "tip.checks");
        return;
    }
    const Finding& first = counters.findings.front();
    const bool error = first.severity == Severity::error;
    if (error) canvas.warning({room.x, room.y + canvas.px(4), canvas.px(32), canvas.px(28)}, Ink::alarm);
    const std::string_view what = say("mem.finding", translated(name_of(first.kind)), first.line);
    const std::string_view words =
        counters.findings.size() == 1 ? what : say("mem.findings", what, counters.findings.size() - 1);
    canvas.text(room.after(error ? canvas.px(44) : 0), words, Font::axis, error ? Ink::alarm : Ink::text);
    // The whole message, which may be long.
    const bool over = ImGui::IsMouseHoveringRect({room.x, room.y}, {room.right(), room.bottom()});
    canvas.tooltip({.hovered = over, .box = room}, first.message);
}

}  // namespace

void draw_memory(const Stage& stage) {
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    const Sides sides{step.counts.result ? &*step.counts.result : nullptr, base_result(stage.snapshot, step)};
    Headline headline = headline_of(stage, step, sides);
    headline.note = sample_note(step.counters());
    draw_headline(stage, stage.slots.page_headline, headline);
    Canvas& canvas = stage.canvas;
    Box page = stage.slots.page;
    const int shown = turn_pages(stage, page, 2);
    const float gap = canvas.px(12);
    const float note = canvas.px(40);
    const int count = int(kFront.size());
    if (shown != 1) {
        const Box fronts = shown == 0 ? page.above(note + gap) : page.top(canvas.px(158));
        const int across = shown == 0 ? 2 : count;
        for (int i = 0; i < count; ++i)
            draw_front(stage, fronts.row(i / across, count / across, gap).column(i % across, across, gap),
                       kFront[std::size_t(i)], sides);
        draw_note(stage, page.bottom_part(note), sides);
    }
    if (shown == 1) draw_table(stage, page, sides);
    if (shown < 0) draw_table(stage, page.below(canvas.px(158) + gap).above(note + gap), sides);
}

}  // namespace ws
