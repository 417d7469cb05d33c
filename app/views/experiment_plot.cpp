// Plots as an experiment gives them.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

// Values along a side of a plot, or their logarithms to the base of 2.
struct Range {
    double low = 0, high = 1;
    bool logarithmic = false;

    [[nodiscard]] double of(double value) const {
        return logarithmic ? std::log2(std::max(value, 1e-9)) : value;
    }
    [[nodiscard]] double back(double inner) const { return logarithmic ? std::exp2(inner) : inner; }
    [[nodiscard]] double part(double value) const { return (of(value) - low) / (high - low); }
};

// From values to places of a plot.
struct Scale {
    Box plot;
    Range x, y;

    [[nodiscard]] ImVec2 at(double value_x, double value_y) const {
        return {plot.x + plot.w * float(x.part(value_x)), plot.bottom() - plot.h * float(y.part(value_y))};
    }
};

Range x_range(const ResultPlot& plot) {
    Range range{0, 1, plot.x.logarithmic};
    bool first = true;
    for (const PlotSeries& series : plot.series) {
        for (const PlotPoint& point : series.points) {
            const double x = range.of(point.x);
            range.low = first ? x : std::min(range.low, x);
            range.high = first ? x : std::max(range.high, x);
            first = false;
        }
    }
    if (range.logarithmic) {  // from mark to mark
        range.low = std::floor(range.low);
        range.high = std::ceil(range.high);
    }
    if (range.high <= range.low) range.high = range.low + 1;
    return range;
}

// Where lines go across a plot: a frame has no list of its own, which it would have to allocate.
struct Lines {
    static constexpr std::size_t kMost = 12;
    std::array<double, kMost> at{};
    std::size_t count = 0;
    void add(double value) {
        if (count < kMost) at[count++] = value;
    }
    [[nodiscard]] const double* begin() const { return at.data(); }
    [[nodiscard]] const double* end() const { return at.data() + count; }
    [[nodiscard]] double front() const { return at.front(); }
    [[nodiscard]] double back() const { return at[count - 1]; }
};

// From 0 on, or at powers of 10 where the axis is logarithmic.
Lines lines_across(const ResultPlot& plot) {
    double most = 0;
    double least = 0;
    for (const PlotSeries& series : plot.series) {
        for (const PlotPoint& point : series.points) {
            most = std::max(most, point.y);
            if (point.y > 0) least = least > 0 ? std::min(least, point.y) : point.y;
        }
    }
    Lines lines;
    if (plot.y.logarithmic && least > 0) {
        constexpr int kSteps = 8;
        const int low = int(std::floor(std::log10(least)));
        const int high = std::max(low + 1, int(std::ceil(std::log10(most))));
        const int step = (high - low + kSteps - 1) / kSteps;
        for (int power = low; power < high + step; power += step) lines.add(std::pow(10, power));
        return lines;
    }
    constexpr int kSteps = 5;
    const double step = nice_step(most, kSteps);
    const int last = std::max(1, int(std::ceil(most / step)));
    for (int i = 0; i <= last; ++i) lines.add(i * step);
    return lines;
}

Scale scale_of(const ResultPlot& plot, Box box, const Lines& lines) {
    Range y{0, 1, plot.y.logarithmic && lines.front() > 0};
    y.low = y.of(lines.front());
    y.high = y.of(lines.back());
    return {box, x_range(plot), y};
}

double highest(const PlotSeries& series) {
    double most = 0;
    for (const PlotPoint& point : series.points) most = std::max(most, point.y);
    return most;
}

// Another sign for each series, so that no colour is needed to tell them apart.
void marker(Canvas& canvas, ImVec2 at, std::size_t number, Ink ink) {
    const float r = canvas.px(8);
    switch (number % 8) {
        case 0:
            canvas.circle(at.x, at.y, 8, ink);
            break;
        case 1:
            canvas.list().AddRectFilled({at.x - r * 0.85f, at.y - r * 0.85f},
                                        {at.x + r * 0.85f, at.y + r * 0.85f}, canvas.color(ink));
            break;
        case 2:
            canvas.triangle({at.x - r, at.y + r * 0.8f}, {at.x, at.y - r}, {at.x + r, at.y + r * 0.8f}, ink);
            break;
        case 3:
            canvas.ring(at.x, at.y, 7, ink, 3);
            break;
        case 4:
            canvas.line(at.x - r, at.y - r, at.x + r, at.y + r, ink, 3);
            canvas.line(at.x - r, at.y + r, at.x + r, at.y - r, ink, 3);
            break;
        case 5:
            canvas.line(at.x - r, at.y, at.x + r, at.y, ink, 3);
            canvas.line(at.x, at.y - r, at.x, at.y + r, ink, 3);
            break;
        case 6:
            canvas.triangle({at.x, at.y - r}, {at.x + r, at.y}, {at.x, at.y + r}, ink);
            canvas.triangle({at.x, at.y - r}, {at.x - r, at.y}, {at.x, at.y + r}, ink);
            break;
        default:
            canvas.frame({at.x - r * 0.8f, at.y - r * 0.8f, r * 1.6f, r * 1.6f}, ink, 0, 3);
            break;
    }
}

// From mark to mark along the axis below: the same ratio or difference everywhere, and whole where all points
// are, as of GPUs.
double mark_step(const ResultPlot& plot, const Range& range) {
    constexpr int kMarks = 4;
    const double width = range.high - range.low;
    if (range.logarithmic) return std::max(1.0, std::ceil(width / kMarks));
    bool whole = true;
    for (const PlotSeries& series : plot.series) {
        for (const PlotPoint& point : series.points) whole = whole && point.x == std::round(point.x);
    }
    const double step = nice_step(width, kMarks);
    return whole ? std::max(1.0, std::ceil(step)) : step;
}

void draw_axes(Canvas& canvas, const ResultPlot& plot, const Scale& scale, const Lines& lines, Box below,
               float left) {
    const Box& box = scale.plot;
    for (const double line : lines) {
        const float y = scale.at(scale.x.back(scale.x.low), line).y;
        canvas.line(box.x, y, box.right(), y, line == lines.front() ? Ink::context_strong : Ink::grid);
        canvas.text({left, y - canvas.px(16), box.x - left - canvas.px(12), canvas.px(32)},
                    text("{:g}", line), Font::axis, Ink::dim, Align::right);
    }
    const Box marks = below.top(canvas.px(34));
    const double step = mark_step(plot, scale.x);
    // From a whole number of steps on; a little more than the end, for what rounding takes.
    const double first = plot.x.logarithmic ? scale.x.low : std::ceil(scale.x.low / step) * step;
    for (int i = 0; first + i * step <= scale.x.high + step * 1e-6; ++i) {
        const double at = scale.x.back(first + i * step);
        const float x = std::clamp(scale.at(at, lines.front()).x, box.x, box.right());
        canvas.line(x, box.bottom(), x, box.bottom() + canvas.px(8), Ink::context_strong);
        const Box room{x - canvas.px(70), marks.y, canvas.px(140), marks.h};
        const std::string_view words = plot.x.unit == "bytes" ? byte_text(std::int64_t(at))
                                       : at == std::round(at) ? text("{:.0f}", at)
                                                              : text("{:g}", at);
        canvas.text(room, words, Font::axis, Ink::dim, Align::center);
    }
    canvas.text(below.below(canvas.px(34)),
                plot.x.unit == "bytes" || plot.x.unit.empty()
                    ? said(plot.x.title)
                    : text("{}, {}", said(plot.x.title), plot.x.unit),
                Font::axis, Ink::dim, Align::center);
}

// The series that is chosen, or that reaches most, is in the colour of what is shown; a limit is dotted.
Ink ink_of(const Stage& stage, const ResultPlot& plot, const PlotSeries& series) {
    if (stage.experiment->stale || series.limit) return Ink::dim;
    if (series.chosen) return Ink::now;
    const double most = highest(series);
    for (const PlotSeries& other : plot.series) {
        if (other.chosen || (!other.limit && highest(other) > most)) return Ink::text;
    }
    return Ink::now;
}

bool meet(Box a, Box b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

// What names of points must not lie over.
struct Taken {
    std::array<Box, 256> boxes{};
    std::size_t count = 0;
    [[nodiscard]] bool full() const { return count == boxes.size(); }
    void add(Box box) {
        if (!full()) boxes[count++] = box;
    }
    [[nodiscard]] bool meets(Box box) const {
        return std::any_of(boxes.begin(), boxes.begin() + std::ptrdiff_t(count),
                           [&](const Box& other) { return meet(box, other); });
    }
};

// Right or left of its point, above or below: where nothing else stands. What is chosen has its name in any
// case, over the points of others if it must.
void draw_name(Canvas& canvas, std::string_view name, ImVec2 at, Box plot, Ink ink, bool chosen,
               Taken& taken) {
    const Font font = ink == Ink::now ? Font::axis_strong : Font::axis;
    const float r = canvas.px(10);
    const float wide = canvas.width(name, font) + canvas.px(4);
    const float tall = canvas.px(28);
    const std::array rooms{
        Box{at.x + r, at.y - tall / 2, wide, tall}, Box{at.x - r - wide, at.y - tall / 2, wide, tall},
        Box{at.x - wide / 2, at.y - r - tall, wide, tall}, Box{at.x - wide / 2, at.y + r, wide, tall}};
    const auto inside = [&](const Box& room) {
        return room.x > plot.x && room.right() < plot.right() && room.y > plot.y &&
               room.bottom() < plot.bottom();
    };
    const auto put = [&](const Box& room) {
        canvas.text(room, name, font, ink, Align::center);
        taken.add(room);
    };
    for (const Box& room : rooms) {
        if (inside(room) && !taken.full() && !taken.meets(room)) return put(room);
    }
    if (!chosen) return;
    for (const Box& room : {rooms[2], rooms[3], rooms[0], rooms[1]}) {
        if (!inside(room)) continue;
        canvas.fill(room, Ink::panel, 3);
        return put(room);
    }
}

// What is chosen has its name first.
void draw_names(const Stage& stage, const ResultPlot& plot, const Scale& scale) {
    const float r = stage.canvas.px(10);
    Taken taken;
    for (const PlotSeries& series : plot.series) {
        if (!series.scattered) continue;
        for (const PlotPoint& point : series.points) {
            const ImVec2 at = scale.at(point.x, point.y);
            taken.add({at.x - r, at.y - r, 2 * r, 2 * r});
        }
    }
    for (const bool chosen : {true, false}) {
        for (const PlotSeries& series : plot.series) {
            if (!series.scattered || series.chosen != chosen) continue;
            for (const PlotPoint& point : series.points) {
                if (point.name.empty()) continue;
                draw_name(stage.canvas, text("{}", point.name), scale.at(point.x, point.y), scale.plot,
                          ink_of(stage, plot, series), chosen, taken);
            }
        }
    }
}

void draw_one(const Stage& stage, const ResultPlot& plot, const Scale& scale, std::size_t number) {
    Canvas& canvas = stage.canvas;
    const PlotSeries& series = plot.series[number];
    const Ink ink = ink_of(stage, plot, series);
    for (std::size_t k = 0; k < series.points.size(); ++k) {
        const ImVec2 to = scale.at(series.points[k].x, series.points[k].y);
        if (k > 0 && !series.scattered) {
            const ImVec2 from = scale.at(series.points[k - 1].x, series.points[k - 1].y);
            if (series.limit)
                canvas.dotted(from.x, from.y, to.x, to.y, ink, 3);
            else
                canvas.line(from.x, from.y, to.x, to.y, ink, ink == Ink::now ? 5 : 3);
        }
        if (!series.limit && (series.scattered || k % 2 == 0)) marker(canvas, to, number, ink);
        if (series.points[k].spread > 0) {
            const double half = series.points[k].spread / 2;
            const ImVec2 low = scale.at(series.points[k].x, std::max(0.0, series.points[k].y - half));
            const ImVec2 high = scale.at(series.points[k].x, series.points[k].y + half);
            canvas.line(low.x, low.y, high.x, high.y, ink, 2);
        }
    }
}

// What is chosen lies above the others.
void draw_series(const Stage& stage, const ResultPlot& plot, const Scale& scale) {
    for (const bool chosen : {false, true}) {
        for (std::size_t i = 0; i < plot.series.size(); ++i) {
            if (plot.series[i].chosen == chosen) draw_one(stage, plot, scale, i);
        }
    }
}

// Names with their signs, and the highest figure of each.
void draw_legend(const Stage& stage, const ResultPlot& plot, Box box) {
    Canvas& canvas = stage.canvas;
    int wanted = 1;
    for (const PlotSeries& series : plot.series) wanted += series.limit ? 2 : 1;
    const int rows = std::max(10, wanted);
    canvas.text(box.row(0, rows, 0), say("experiment.highest", plot.y.unit), Font::axis, Ink::dim,
                Align::right);
    float figure = canvas.px(90);
    for (const PlotSeries& series : plot.series)
        figure = std::max(figure, canvas.width(figure_text(highest(series)), Font::axis_strong));
    int row = 1;
    for (std::size_t i = 0; i < plot.series.size() && row < rows; ++i) {
        const PlotSeries& series = plot.series[i];
        const Ink ink = ink_of(stage, plot, series);
        const Box line = box.row(row, rows, 0);
        const Font font = ink == Ink::now ? Font::axis_strong : Font::axis;
        const float y = line.center_y();
        if (series.limit)
            canvas.dotted(line.x, y, line.x + canvas.px(36), y, ink, 3);
        else
            marker(canvas, {line.x + canvas.px(18), y}, i, ink);
        // The limit's name may be long: it takes a row of its own below the line's sign.
        canvas.text(line.after(canvas.px(48)).before(figure),
                    series.limit ? say("experiment.limit") : said(series.name), font, ink);
        canvas.text(line.right_part(figure),
                    series.points.empty() ? std::string_view("–") : figure_text(highest(series)), font, ink,
                    Align::right);
        if (series.limit && ++row < rows)
            canvas.text(box.row(row, rows, 0).after(canvas.px(48)), said(series.name), Font::axis, Ink::dim);
        ++row;
    }
}

}  // namespace

void draw_plot(const Stage& stage, Box card, const ResultPlot& plot) {
    Canvas& canvas = stage.canvas;
    const Kind kind = plot.series.empty() ? Kind::calculated : plot.series.front().kind;
    const Box in =
        card_title(canvas, card, text("{}: {}, {}", said(plot.title), said(plot.y.title), plot.y.unit), kind);
    const float legend = canvas.px(430);
    const Lines lines = lines_across(plot);
    float axis = canvas.px(84);
    for (const double line : lines)
        axis = std::max(axis, canvas.width(text("{:g}", line), Font::axis) + canvas.px(14));
    const float below = canvas.px(72);
    const Box box{in.x + axis, in.y + canvas.px(18), in.w - axis - legend - canvas.px(110),
                  in.h - canvas.px(18) - below};
    const Scale scale = scale_of(plot, box, lines);
    draw_axes(canvas, plot, scale, lines, {box.x, box.bottom() + canvas.px(6), box.w, below - canvas.px(6)},
              in.x);
    draw_series(stage, plot, scale);
    draw_names(stage, plot, scale);
    draw_legend(stage, plot, in.right_part(legend));
}

}  // namespace ws
