// Every version of a lab over its sizes: a curve each, with published figures as rings.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/size_parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

constexpr int kMostPoints = 64;
constexpr int kMostCurves = 64;

// Sizes on a logarithmic axis by their columns, values on a linear one.
struct Plot {
    Box box;
    double low = 9, high = 12;  // powers of two
    double top = 1;
    [[nodiscard]] float x(Extent size) const { return x(double(size.width)); }
    [[nodiscard]] float x(double columns) const {
        return box.x + box.w * float((std::log2(columns) - low) / (high - low));
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
    std::sort(made.cells.begin(), made.cells.begin() + made.count,
              [](const SweepCell* a, const SweepCell* b) { return a->size.width < b->size.width; });
    return made;
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
    for (const SizeCurve& curve : stage.sweep->sizes) {
        const SweepCell* cell = curve.result ? curve.result->find(figure.size) : nullptr;
        if (curve.version == figure.version && cell && cell->ms > 0)
            return cell->gb_s * cell->ms / figure.value;
    }
    return 0;
}

template <typename Function>
void for_published(const Stage& stage, const Function& function) {
    for (const PublishedFigure& figure : stage.snapshot.work.lab->figures) {
        const double value = value_of(stage, figure);
        if (value > 0) function(figure, value);
    }
}

// Solid where it was timed, dotted where it is estimated.
void draw_curve(const Stage& stage, const Plot& plot, const SweepResult& result, Role role) {
    Canvas& canvas = stage.canvas;
    const Points points = points_of(result);
    const Lab& lab = *stage.snapshot.work.lab;
    const float thick = role == Role::now ? 5.0f : role == Role::base ? 4.0f : 2.0f;
    for (int i = 0; i < points.count; ++i) {
        const SweepCell& cell = *points.cells[std::size_t(i)];
        const float x = plot.x(cell.size);
        const float y = plot.y(value_of(lab, cell));
        if (i > 0) {
            const SweepCell& before = *points.cells[std::size_t(i) - 1];
            const float from = plot.x(before.size);
            const float at = plot.y(value_of(lab, before));
            if (result.kind == Kind::estimated && role == Role::context)
                canvas.dotted(from, at, x, y, fill_of(role), thick);
            else
                canvas.line(from, at, x, y, fill_of(role), thick);
        }
        if (role != Role::context) canvas.circle(x, y, role == Role::now ? 5.0f : 4.0f, fill_of(role));
    }
}

// The names at the right ends, pushed apart; those of now and the baseline always, others where there is
// room.
struct Name {
    int version = 0;
    Role role = Role::context;
    float y = 0;
};
void draw_names(const Stage& stage, const Plot& plot, Box room) {
    Canvas& canvas = stage.canvas;
    std::array<Name, kMostCurves> names;
    int count = 0;
    for (const SizeCurve& curve : stage.sweep->sizes) {
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

void draw_grid(const Stage& stage, const Plot& plot, double step) {
    Canvas& canvas = stage.canvas;
    for (int i = 0; double(i) * step <= plot.top * 1.001; ++i) {
        const float y = plot.y(double(i) * step);
        canvas.line(plot.box.x, y, plot.box.right(), y, i == 0 ? Ink::context_strong : Ink::grid);
        canvas.text({plot.box.x - canvas.px(100), y - canvas.px(16), canvas.px(88), canvas.px(32)},
                    step < 1 ? text("{:.1f}", double(i) * step) : text("{:.0f}", double(i) * step),
                    Font::axis, Ink::dim, Align::right);
    }
    for (int power = int(std::ceil(plot.low)); power <= int(std::floor(plot.high)); ++power) {
        const float x = plot.x(std::exp2(power));
        canvas.line(x, plot.box.bottom(), x, plot.box.bottom() + canvas.px(8), Ink::context_strong);
        canvas.text({x - canvas.px(60), plot.box.bottom() + canvas.px(8), canvas.px(120), canvas.px(34)},
                    text("{}", 1 << power), Font::axis, Ink::dim, Align::center);
    }
}

Extent nearest_size(const Stage& stage, const Plot& plot) {
    const float x = ImGui::GetIO().MousePos.x;
    const std::vector<Extent>& sizes = stage.snapshot.work.lab->sizes.swept;
    return *std::min_element(sizes.begin(), sizes.end(), [&](Extent a, Extent b) {
        return std::abs(plot.x(a) - x) < std::abs(plot.x(b) - x);
    });
}

// A click or a drag chooses a size; the pointer reads the curve of now there.
void touch_plot(const Stage& stage, const Plot& plot, const SweepResult* now) {
    const Touch touch = stage.canvas.touch("size curves", plot.box);
    if (!touch.hovered && !touch.held) return;
    const Extent size = nearest_size(stage, plot);
    if (touch.held && !(stage.snapshot.work.size == size)) stage.edits.add(ChooseSize{size});
    const SweepCell* cell = now ? now->find(size) : nullptr;
    const std::string_view at = size_text(size);
    const Lab& lab = *stage.snapshot.work.lab;
    if (cell && cell->ms > 0)
        stage.canvas.tooltip(touch,
                             say("sizes.cell", version_name(stage.snapshot.work.version), at,
                                 text("{:.1f}", value_of(lab, *cell)),
                                 say(lab.bandwidth ? "sizes.gb_s" : "sizes.elements"), short_time(cell->ms)));
    else
        stage.canvas.tooltip(touch, at);
}

void draw_size_of_now(const Stage& stage, const Plot& plot, const SweepResult* now) {
    Canvas& canvas = stage.canvas;
    const Extent size = stage.snapshot.work.size;
    if (size.width <= 0) return;
    const float x = plot.x(size);
    if (x < plot.box.x - 1 || x > plot.box.right() + 1) return;
    canvas.dotted(x, plot.box.y, x, plot.box.bottom(), Ink::dim, 2);
    const SweepCell* cell = now ? now->find(size) : nullptr;
    if (!cell || cell->ms <= 0) return;
    const double value = value_of(*stage.snapshot.work.lab, *cell);
    const float y = plot.y(value);
    canvas.circle(x, y, 12, Ink::panel);
    canvas.circle(x, y, 10, Ink::now_fill);
}

}  // namespace

void draw_size_curves(const Stage& stage, Box card) {
    Canvas& canvas = stage.canvas;
    canvas.slot("size curves", card);
    const Lab& lab = *stage.snapshot.work.lab;
    const std::span<const SizeCurve> curves = stage.sweep ? stage.sweep->sizes : std::span<const SizeCurve>();
    const SweepResult* now = nullptr;
    Plot plot;
    double most = 0;
    for (const SizeCurve& curve : curves) {
        if (!curve.result) continue;
        if (curve.version == stage.snapshot.work.version) now = curve.result;
        for (const SweepCell& cell : curve.result->cells) most = std::max(most, value_of(lab, cell));
    }
    const std::string_view unit = say(lab.bandwidth ? "sizes.gb_s" : "sizes.elements");
    const std::string_view title = say("sizes.title", unit, gpu_name(stage.snapshot));
    const bool any = now && !now->cells.empty();
    const Box in = any ? card_title(canvas, card, title, now->kind, error_note(stage.snapshot, now->kind))
                       : card_title(canvas, card, title);
    if (stage.sweep)
        for_published(stage, [&](const PublishedFigure&, double value) { most = std::max(most, value); });
    const float names = canvas.px(70);
    const float label = canvas.px(40);
    plot.box = {in.x + canvas.px(96), in.y + canvas.px(16), in.w - canvas.px(96) - names,
                in.h - canvas.px(16) - 2 * label - canvas.px(8)};
    // The axis is the lab's, whatever has been swept so far.
    double low = 1 << 30;
    double high = 1;
    for (const Extent size : lab.sizes.swept) {
        low = std::min(low, double(size.width));
        high = std::max(high, double(size.width));
    }
    plot.low = std::log2(low) - 0.1;
    plot.high = std::log2(std::max(high, 2 * low)) + 0.1;
    const double step = most > 0 ? nice_step(most, 4) : 1;
    plot.top = step * std::max(1.0, std::ceil(most / step - 0.02));
    draw_grid(stage, plot, step);
    const Box foot{in.x, in.bottom() - label, in.w, label};
    bool published = false;
    for (const Role role : {Role::context, Role::base, Role::now}) {
        for (const SizeCurve& curve : curves) {
            if (curve.result && role_of(stage, curve.version) == role)
                draw_curve(stage, plot, *curve.result, role);
        }
    }
    if (stage.sweep)
        for_published(stage, [&](const PublishedFigure& figure, double value) {
            published = true;
            canvas.ring(plot.x(figure.size), plot.y(value), 8, fill_of(role_of(stage, figure.version)), 3);
        });
    canvas.text(foot.left(foot.w * 0.5f), say(published ? "sizes.published" : "sizes.estimated"), Font::axis,
                Ink::dim);
    canvas.text(foot.after(foot.w * 0.5f), say("sizes.axis"), Font::axis, Ink::dim, Align::right);
    if (most <= 0)
        canvas.text(plot.box, say("sizes.none"), Font::body, Ink::dim, Align::center);
    else
        draw_names(stage, plot,
                   {plot.box.right() + canvas.px(12), in.y, names - canvas.px(12), plot.box.bottom() - in.y});
    draw_size_of_now(stage, plot, now);
    touch_plot(stage, plot, now);
    tip(stage, card, "tip.sizes");
}

}  // namespace ws
