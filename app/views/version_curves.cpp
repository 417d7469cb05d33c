// Every version of a lab over an axis: a curve each, with published figures as rings.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/error_line.h"
#include "app/texts/texts.h"
#include "app/views/curve_axis.h"
#include "app/views/curve_parts.h"
#include "app/views/parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

constexpr int kMostPoints = 64;
constexpr int kMostCurves = 64;
constexpr int kFewPoints = 8;  // which are drawn as points: there is nothing between them

// Sizes on a logarithmic axis by their columns, values of a knob on a linear one; what is reached on a linear
// one.
struct AxisPlot {
    Box box;
    SweepOver over;
    double low = 0, high = 1;  // powers of two, or values
    double margin = 0;         // beyond either
    double top = 1;
    [[nodiscard]] double at(Extent size) const { return std::log2(double(size.width)); }
    [[nodiscard]] double at(const SweepCell& cell) const {
        return over.kind == SweepOver::Kind::knob ? double(cell.value) : at(cell.size);
    }
    [[nodiscard]] float x(double at) const {
        return box.x + box.w * float((at - low + margin) / (high - low + 2 * margin));
    }
    [[nodiscard]] float y(double value) const { return box.bottom() - box.h * float(value / top); }
};

struct Points {
    std::array<const SweepCell*, kMostPoints> cells{};
    int count = 0;
};
Points points_of(const SweepResult& result) {
    Points made;
    for (const SweepCell& cell : result.cells) {
        if (cell.ms > 0 && made.count < kMostPoints) made.cells[std::size_t(made.count++)] = &cell;
    }
    // Along a knob all are of one size, and along sizes of no value.
    std::sort(made.cells.begin(), made.cells.begin() + made.count,
              [](const SweepCell* a, const SweepCell* b) {
                  return a->value != b->value ? a->value < b->value : a->size.width < b->size.width;
              });
    return made;
}

// Of a knob, in any version that has it.
std::span<const int> values_of(const Stage& stage) {
    return stage.sweep ? stage.sweep->values : std::span<const int>();
}

enum class Role : std::uint8_t { context, base, now };
Role role_of(const Stage& stage, int version) {
    if (version == stage.snapshot.work.version) return Role::now;
    const auto& base = stage.snapshot.told.baseline;
    return base && base->work.version == version ? Role::base : Role::context;
}
Ink fill_of(Role role) {
    return role == Role::now ? Ink::now_fill : role == Role::base ? Ink::base_fill : Ink::context_strong;
}
Ink ink_of(Role role) {
    return role == Role::now ? Ink::now : role == Role::base ? Ink::base : Ink::dim;
}

// Of the GPU that is shown, in the unit of the plot; 0 for one that is not.
double value_of(const Stage& stage, const PublishedFigure& figure) {
    if (figure.gpu != stage.snapshot.target.gpu.name || figure.value <= 0 || !figure.knobs.empty()) return 0;
    const Lab& lab = *stage.snapshot.work.lab;
    if (lab.bandwidth && figure.quantity == PublishedQuantity::bandwidth) return figure.value;
    if (figure.quantity != PublishedQuantity::time) return 0;
    if (!lab.bandwidth) return double(figure.size.pixels()) / figure.value / 1e6;
    // The bytes are those of any version that computes the same: as many as a result of this size has.
    for (const VersionCurve& curve : stage.sweep->curves) {
        const SweepCell* cell = curve.result ? curve.result->find(figure.size) : nullptr;
        if (curve.version == figure.version && cell && cell->ms > 0)
            return cell->gb_s * cell->ms / figure.value;
    }
    return 0;
}

// Figures are published over sizes.
template <typename Function>
void for_published(const Stage& stage, const AxisPlot& plot, const Function& function) {
    if (!stage.sweep || plot.over.kind != SweepOver::Kind::size) return;
    for (const PublishedFigure& figure : stage.snapshot.work.lab->figures) {
        const double value = value_of(stage, figure);
        if (value > 0) function(figure, value);
    }
}

// Solid where it was timed, dotted where it is estimated.
void draw_curve(const Stage& stage, const AxisPlot& plot, const SweepResult& result, Role role) {
    Canvas& canvas = stage.canvas;
    const Points points = points_of(result);
    const Lab& lab = *stage.snapshot.work.lab;
    const float thick = role == Role::now ? 5.0f : role == Role::base ? 4.0f : 2.0f;
    for (int i = 0; i < points.count; ++i) {
        const SweepCell& cell = *points.cells[std::size_t(i)];
        const float x = plot.x(plot.at(cell));
        const float y = plot.y(value_of(lab, cell));
        if (i > 0) {
            const SweepCell& before = *points.cells[std::size_t(i) - 1];
            const float from = plot.x(plot.at(before));
            const float high = plot.y(value_of(lab, before));
            if (result.kind == Kind::estimated)
                canvas.dotted(from, high, x, y, fill_of(role), thick);
            else
                canvas.line(from, high, x, y, fill_of(role), thick);
        }
        if (role != Role::context || points.count <= kFewPoints)
            canvas.circle(x, y, role == Role::now ? 5.0f : 4.0f, fill_of(role));
    }
}

// The names at the right ends, pushed apart; those of now and the baseline always, others where there is
// room.
struct Name {
    int version = 0;
    Role role = Role::context;
    float y = 0;
};
void draw_names(const Stage& stage, const AxisPlot& plot, Box room) {
    Canvas& canvas = stage.canvas;
    std::array<Name, kMostCurves> names;
    int count = 0;
    for (const VersionCurve& curve : stage.sweep->curves) {
        if (!curve.result || count == kMostCurves) continue;
        const Points points = points_of(*curve.result);
        if (points.count == 0) continue;
        const SweepCell& last = *points.cells[std::size_t(points.count) - 1];
        names[std::size_t(count++)] = {curve.version, role_of(stage, curve.version),
                                       plot.y(value_of(*stage.snapshot.work.lab, last))};
    }
    const auto end = names.begin() + count;
    std::sort(names.begin(), end,
              [](const Name& a, const Name& b) { return a.role != b.role ? a.role > b.role : a.y < b.y; });
    const float high = canvas.px(30);
    std::array<float, kMostCurves> taken{};
    int placed = 0;
    for (auto name = names.begin(); name != end; ++name) {
        // At its height, else as near as there is room.
        float best = -1;
        for (float off = 0; off < room.h && best < 0; off += canvas.px(6)) {
            for (const float y : {name->y - off, name->y + off}) {
                const bool inside = y - high / 2 >= room.y && y + high / 2 <= room.bottom();
                const bool free = std::all_of(taken.begin(), taken.begin() + placed,
                                              [&](float other) { return std::abs(other - y) >= high; });
                if (inside && free && best < 0) best = y;
            }
            if (name->role == Role::context && off > canvas.px(60)) break;
        }
        if (best < 0) continue;
        taken[std::size_t(placed++)] = best;
        const Font font = name->role == Role::context ? Font::axis : Font::axis_strong;
        canvas.text({room.x, best - high / 2, room.w, high}, version_name(name->version), font,
                    ink_of(name->role));
    }
}

// Round steps to an end that is a round number, else powers of two.
int value_step(int low, int high) {
    constexpr int kMostSteps = 10;
    if (high % 10 == 0) return std::max(1, int(std::lround(nice_step(high - low, kMostSteps))));
    int step = 1;
    while ((high - low) / step > kMostSteps) step *= 2;
    return step;
}

void draw_place(const Stage& stage, const AxisPlot& plot, double at, int label) {
    Canvas& canvas = stage.canvas;
    const float x = plot.x(at);
    canvas.line(x, plot.box.bottom(), x, plot.box.bottom() + canvas.px(8), Ink::context_strong);
    canvas.text({x - canvas.px(60), plot.box.bottom() + canvas.px(8), canvas.px(120), canvas.px(34)},
                text("{}", label), Font::axis, Ink::dim, Align::center);
}

void draw_place_axis(const Stage& stage, const AxisPlot& plot) {
    const int low = int(std::ceil(plot.low));
    const int high = int(std::floor(plot.high));
    if (plot.over.kind == SweepOver::Kind::size) {
        for (int power = low; power <= high; ++power) draw_place(stage, plot, power, 1 << power);
        return;
    }
    const int step = value_step(low, high);
    const int first = int(std::ceil(double(low) / step)) * step;
    for (int value = first; value <= high; value += step) draw_place(stage, plot, value, value);
    if (low != first && plot.x(first) - plot.x(low) > stage.canvas.px(60)) draw_place(stage, plot, low, low);
}

void draw_grid(const Stage& stage, const AxisPlot& plot, double step) {
    Canvas& canvas = stage.canvas;
    for (int i = 0; double(i) * step <= plot.top * 1.001; ++i) {
        const float y = plot.y(double(i) * step);
        canvas.line(plot.box.x, y, plot.box.right(), y, i == 0 ? Ink::context_strong : Ink::grid);
        canvas.text({plot.box.x - canvas.px(100), y - canvas.px(16), canvas.px(88), canvas.px(32)},
                    text("{:g}", double(i) * step), Font::axis, Ink::dim, Align::right);
    }
    draw_place_axis(stage, plot);
}

// What a person chooses by a place on the axis.
Extent nearest_size(const Stage& stage, const AxisPlot& plot) {
    const float x = ImGui::GetIO().MousePos.x;
    const std::vector<Extent>& sizes = stage.snapshot.work.lab->sizes.swept;
    return *std::min_element(sizes.begin(), sizes.end(), [&](Extent a, Extent b) {
        return std::abs(plot.x(plot.at(a)) - x) < std::abs(plot.x(plot.at(b)) - x);
    });
}
// Of those that a sweep takes and the version does, too.
std::optional<int> nearest_value(const Stage& stage, const AxisPlot& plot, const Knob& knob) {
    const float x = ImGui::GetIO().MousePos.x;
    const auto far = [&](int value) { return std::abs(plot.x(value) - x); };
    std::optional<int> best;
    for (const int value : values_of(stage)) {
        if (value < knob.low || value > knob.high) continue;
        if (!best || far(value) < far(*best)) best = value;
    }
    return best;
}

void tell_cell(const Stage& stage, const Touch& touch, const SweepCell* cell, std::string_view at) {
    const Lab& lab = *stage.snapshot.work.lab;
    if (cell && cell->ms > 0)
        stage.canvas.tooltip(
            touch, say("curves.cell", version_name(stage.snapshot.work.version), at,
                       text("{:.1f}", value_of(lab, *cell)),
                       say(lab.bandwidth ? "curves.gb_s" : "curves.elements"), short_time(cell->ms)));
    else if (cell)
        stage.canvas.tooltip(touch, say("sweep.cell.refused", at, said_line(cell->refused)));
    else
        stage.canvas.tooltip(touch, at);
}

// A click or a drag chooses a place; the pointer reads the curve of now there.
void touch_plot(const Stage& stage, const AxisPlot& plot, const SweepResult* now) {
    const Touch touch = stage.canvas.touch("version curves", plot.box);
    if (!touch.hovered && !touch.held) return;
    if (plot.over.kind == SweepOver::Kind::size) {
        const Extent size = nearest_size(stage, plot);
        if (touch.held && !(stage.snapshot.work.size == size)) stage.edits.add(ChooseSize{size});
        tell_cell(stage, touch, now ? now->find(size) : nullptr, size_text(size));
        return;
    }
    const Knob* knob = shown_knob(stage.snapshot, plot.over.knob);
    if (!knob) return;
    const std::optional<int> value = nearest_value(stage, plot, *knob);
    if (!value) return;
    if (touch.held && knob_value(stage.snapshot, knob->name) != value)
        stage.edits.add(ChooseKnob{knob->name, *value});
    tell_cell(stage, touch, now ? now->find(*value) : nullptr, say("curves.knob", knob->name, *value));
}

// The place of what is shown, and its point on the curve.
void draw_place_of_now(const Stage& stage, const AxisPlot& plot, const SweepResult* now) {
    Canvas& canvas = stage.canvas;
    double at = 0;
    const SweepCell* cell = nullptr;
    if (plot.over.kind == SweepOver::Kind::size) {
        const Extent size = stage.snapshot.work.size;
        if (size.width <= 0) return;
        at = plot.at(size);
        cell = now ? now->find(size) : nullptr;
    } else {
        const std::optional<int> value = knob_value(stage.snapshot, plot.over.knob);
        if (!value) return;
        at = *value;
        cell = now ? now->find(*value) : nullptr;
    }
    const float x = plot.x(at);
    if (x < plot.box.x - 1 || x > plot.box.right() + 1) return;
    canvas.dotted(x, plot.box.y, x, plot.box.bottom(), Ink::dim, 2);
    if (!cell || cell->ms <= 0) return;
    const float y = plot.y(value_of(*stage.snapshot.work.lab, *cell));
    canvas.circle(x, y, 12, Ink::panel);
    canvas.circle(x, y, 10, Ink::now_fill);
}

// The axis is the lab's or the knob's, whatever has been swept so far.
void fit(const Stage& stage, AxisPlot& plot) {
    if (plot.over.kind == SweepOver::Kind::size) {
        const std::vector<Extent>& sizes = stage.snapshot.work.lab->sizes.swept;  // ascending
        plot.low = plot.at(sizes.front());
        plot.high = std::max(plot.at(sizes.back()), plot.low + 1);
        plot.margin = 0.1;
        return;
    }
    if (const std::span<const int> values = values_of(stage); !values.empty()) {
        plot.low = values.front();
        plot.high = std::max(values.back(), values.front() + 1);
    }
    plot.margin = 0.03 * (plot.high - plot.low);
}

// What the axis is: of a knob its name, and where there is room what it means.
std::string_view axis_text(const Stage& stage, const SweepOver& over, float room) {
    if (over.kind == SweepOver::Kind::size) return say("curves.axis");
    const Knob* knob = shown_knob(stage.snapshot, over.knob);
    const std::string_view name = text("{}", over.knob);
    if (!knob) return name;
    const std::string_view whole = text("{}: {}", name, translated(knob->meaning));
    return stage.canvas.width(whole, Font::axis) <= room ? whole : name;
}

}  // namespace

void draw_version_curves(const Stage& stage, Box card) {
    Canvas& canvas = stage.canvas;
    canvas.slot("version curves", card);
    const Lab& lab = *stage.snapshot.work.lab;
    const std::optional<SweepOver> over = curve_axis(stage.view, stage.snapshot);
    const std::span<const VersionCurve> curves =
        stage.sweep ? stage.sweep->curves : std::span<const VersionCurve>();
    const SweepResult* now = nullptr;
    double most = 0;
    for (const VersionCurve& curve : curves) {
        if (!curve.result) continue;
        if (curve.version == stage.snapshot.work.version) now = curve.result;
        for (const SweepCell& cell : curve.result->cells) most = std::max(most, value_of(lab, cell));
    }
    const std::string_view unit = say(lab.bandwidth ? "curves.gb_s" : "curves.elements");
    const bool any = now && !now->cells.empty();
    // The curve may be from another source than the figures of now.
    const std::string_view gpu = any ? gpu_name(stage.snapshot, now->kind) : gpu_name(stage.snapshot);
    const std::string_view title = say("curves.title", unit, gpu);
    const Box in = any ? card_title(canvas, card, title, now->kind, error_note(stage.snapshot, now->kind))
                       : card_title(canvas, card, title);
    if (!over) {
        canvas.paragraph(in, no_axis(stage), Font::body, Ink::dim);
        return;
    }
    AxisPlot plot;
    plot.over = *over;
    for_published(stage, plot, [&](const PublishedFigure&, double value) { most = std::max(most, value); });
    const float names = canvas.px(70);
    const float label = canvas.px(40);
    plot.box = {in.x + canvas.px(96), in.y + canvas.px(16), in.w - canvas.px(96) - names,
                in.h - canvas.px(16) - 2 * label - canvas.px(8)};
    fit(stage, plot);
    const double step = most > 0 ? nice_step(most, 4) : 1;
    plot.top = step * std::max(1.0, std::ceil(most / step - 0.02));
    if (most > 0) draw_grid(stage, plot, step);
    const Box foot{in.x, in.bottom() - label, in.w, label};
    bool published = false;
    for (const Role role : {Role::context, Role::base, Role::now}) {
        for (const VersionCurve& curve : curves) {
            if (curve.result && role_of(stage, curve.version) == role)
                draw_curve(stage, plot, *curve.result, role);
        }
    }
    for_published(stage, plot, [&](const PublishedFigure& figure, double value) {
        published = true;
        canvas.ring(plot.x(plot.at(figure.size)), plot.y(value), 8, fill_of(role_of(stage, figure.version)),
                    3);
    });
    const std::string_view legend = say(published ? "curves.published" : "curves.estimated");
    const float left = canvas.width(legend, Font::axis) + canvas.px(24);
    canvas.text(foot.left(left), legend, Font::axis, Ink::dim);
    canvas.text(foot.after(left), axis_text(stage, *over, foot.w - left), Font::axis, Ink::dim, Align::right);
    if (most <= 0) {
        canvas.text(plot.box, say("curves.none"), Font::body, Ink::dim, Align::center);
    } else {
        draw_names(stage, plot,
                   {plot.box.right() + canvas.px(12), in.y, names - canvas.px(12), plot.box.bottom() - in.y});
        draw_place_of_now(stage, plot, now);
    }
    touch_plot(stage, plot, now);
    tip(stage, card, over->kind == SweepOver::Kind::size ? "tip.curves.size" : "tip.curves.knob");
}

}  // namespace ws
