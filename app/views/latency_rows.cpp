// The warps of one scheduler over the clocks: a row a warp, a span a state. Where several clocks fall on a
// point of the screen, it shows the state that most of them are in, and how many of them issue.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/texts/texts.h"
#include "app/views/latency_parts.h"
#include "app/views/parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

struct Shape {
    std::string_view key;
    Ink ink;
    float height;         // of its row
    bool hollow = false;  // two lines
};
// In the order of WarpState.
constexpr std::array<Shape, kWarpStates> kShapes{{
    {"latency.state.issuing", Ink::now_fill, 1},
    {"latency.state.not_selected", Ink::now_mid, 0.8f},
    {"latency.state.memory", Ink::wait_memory, 0.4f},
    {"latency.state.barrier", Ink::wait_barrier, 0.4f},
    {"latency.state.dependency", Ink::context_strong, 0.26f},
    {"latency.state.pipe", Ink::wait_pipe, 0.66f, true},
    {"latency.state.fetch", Ink::wait_memory, 0.9f, true},
    {"latency.state.drain", Ink::context_strong, 0.5f, true},
}};
const Shape& shape_of(WarpState state) {
    return kShapes[std::size_t(state)];
}

constexpr std::size_t kMostColumns = 1536;
constexpr float kStaleAlpha = 0.45f;

// The clocks of a plot's columns.
struct ClockColumns {
    Box plot;
    SeenClocks range;
    std::size_t count = 1;
    ClockColumns(Box place, const SeenClocks& seen)
        : plot(place), range(seen), count(std::clamp<std::size_t>(std::size_t(place.w), 1, kMostColumns)) {}
    [[nodiscard]] float x(double clock) const {
        return plot.x + plot.w * float((clock - range.from) / range.clocks);
    }
    // Of a column's left edge.
    [[nodiscard]] float edge(std::size_t column) const {
        return std::round(plot.x + plot.w * float(column) / float(count));
    }
    [[nodiscard]] double clock(std::size_t column) const {
        return range.from + range.clocks * double(column) / double(count);
    }
    [[nodiscard]] double each() const { return range.clocks / double(count); }
};

using Shares = std::array<float, kMostColumns>;

std::vector<TimelineSpan>::const_iterator first_after(const TimelineRow& row, double clock) {
    return std::lower_bound(row.spans.begin(), row.spans.end(), clock,
                            [](const TimelineSpan& span, double at) { return double(span.until) <= at; });
}

// A clock is at least as wide as a column: each span is drawn.
void draw_spans(Canvas& canvas, const ClockColumns& columns, const TimelineRow& row, Box place, Box issue,
                float alpha) {
    for (auto span = first_after(row, columns.range.from);
         span != row.spans.end() && double(span->from) < columns.range.until(); ++span) {
        const float from = std::max(columns.plot.x, std::round(columns.x(double(span->from))));
        const float until =
            std::min(columns.plot.right(), std::max(from + 1, std::round(columns.x(double(span->until)))));
        if (until <= from) continue;
        draw_state(canvas, {from, place.y, until - from, place.h}, span->state, alpha);
        if (span->state == WarpState::issuing)
            canvas.mark({from, issue.y, until - from, issue.h}, Ink::now_fill, alpha);
    }
}

// What a column of a row shows: a state that the warp waits in, and in how many of its clocks it issues.
struct Summary {
    std::optional<WarpState> waits;
    int issues = 0;  // of kLevels
    friend bool operator==(const Summary&, const Summary&) = default;
};
constexpr int kLevels = 4;

Summary summary_of(const std::array<double, kWarpStates>& clocks, double each) {
    Summary made;
    double most = 0;
    for (std::size_t i = 1; i < kWarpStates; ++i) {
        if (clocks[i] <= most) continue;
        most = clocks[i];
        made.waits = WarpState(i);
    }
    made.issues = std::min(kLevels, int(std::ceil(clocks[0] / each * kLevels - 1e-6)));
    return made;
}

void draw_summary(Canvas& canvas, Box part, const Summary& summary, float alpha) {
    if (summary.issues > 0)
        draw_state(canvas, part, WarpState::issuing,
                   alpha * (0.3f + 0.7f * float(summary.issues) / float(kLevels)));
    if (summary.waits && summary.issues < kLevels) draw_state(canvas, part, *summary.waits, alpha);
}

// Several clocks to a column; columns that show the same are one.
void draw_summaries(Canvas& canvas, const ClockColumns& columns, const TimelineRow& row, Box place,
                    Shares& issued, float alpha) {
    auto span = first_after(row, columns.range.from);
    Summary now;
    std::size_t begin = 0;
    const auto finish = [&](std::size_t end) {
        const float x = columns.edge(begin);
        draw_summary(canvas, {x, place.y, columns.edge(end) - x, place.h}, now, alpha);
    };
    for (std::size_t column = 0; column < columns.count; ++column) {
        const double from = columns.clock(column);
        const double until = from + columns.each();
        std::array<double, kWarpStates> clocks{};
        for (; span != row.spans.end() && double(span->from) < until; ++span) {
            clocks[std::size_t(span->state)] +=
                std::min(until, double(span->until)) - std::max(from, double(span->from));
            if (double(span->until) > until) break;
        }
        issued[column] += float(clocks[0] / columns.each());
        const Summary next = summary_of(clocks, columns.each());
        if (column == 0) now = next;
        if (next == now) continue;
        finish(column);
        now = next;
        begin = column;
    }
    finish(columns.count);
}

// The share of each column's slots that are used, as a height.
void draw_shares(Canvas& canvas, const ClockColumns& columns, const Shares& issued, Box place, float alpha) {
    const auto height = [&](std::size_t column) {
        return std::round(place.h * std::clamp(issued[column], 0.0f, 1.0f));
    };
    for (std::size_t column = 0; column < columns.count;) {
        std::size_t end = column + 1;
        while (end < columns.count && height(end) == height(column)) ++end;
        const float x = columns.edge(column);
        if (height(column) > 0)
            canvas.mark(Box{x, place.y, columns.edge(end) - x, place.h}.bottom_part(height(column)),
                        Ink::now_fill, alpha);
        column = end;
    }
}

// The number of every row, or of every second or fourth where they are lower than its digits and a gap.
void draw_numbers(const Stage& stage, const PanelParts& parts, std::size_t rows, float pitch) {
    Canvas& canvas = stage.canvas;
    const float digits = 0.85f * canvas.height(Font::axis);
    std::size_t every = 1;
    while (pitch * float(every) < digits) every *= 2;
    for (std::size_t row = 0; row < rows; row += every)
        canvas.text({parts.side.right(), parts.rows.y + pitch * float(row) + pitch / 2 - canvas.px(15),
                     parts.rows.x - parts.side.right() - canvas.px(12), canvas.px(30)},
                    text("{}", row), Font::axis, Ink::dim, Align::right);
}

void draw_clock_axis(const Stage& stage, Box place, Box plot, const SeenClocks& range) {
    Canvas& canvas = stage.canvas;
    const std::string_view unit = say("latency.clocks");
    const float wide = canvas.width(unit, Font::axis);
    canvas.text(place.right_part(wide), unit, Font::axis, Ink::dim, Align::right);
    tip(stage, place, "tip.latency.rows");
    const double step = std::max(1.0, nice_step(range.clocks, canvas.px(1) * 1200 > plot.w ? 5 : 8));
    for (double clock = std::ceil(range.from / step) * step; clock <= range.until() + 1e-6; clock += step) {
        const float x = plot.x + plot.w * float((clock - range.from) / range.clocks);
        canvas.line(x, place.y - canvas.px(2), x, place.y + canvas.px(5), Ink::context_strong);
        const std::string_view number = grouped_number(std::uint64_t(clock));
        const float half = canvas.width(number, Font::axis) / 2;
        const float left = std::max(x - half, plot.x - canvas.px(30));
        if (left + 2 * half > place.right() - wide - canvas.px(14)) continue;
        canvas.text({left, place.y, 2 * half + 1, place.h}, number, Font::axis, Ink::dim);
    }
}

void draw_side(const Stage& stage, Box side, const ClockPanel& panel) {
    Canvas& canvas = stage.canvas;
    const Ink ink = panel.stale || !panel.kernel ? Ink::dim : panel.is_now ? Ink::now : Ink::base;
    const std::string_view warps = panel.kernel ? warps_text(panel.kernel->warps()) : "–";
    canvas.text(side.top(canvas.px(34)), panel.name.empty() ? warps : panel.name, Font::strong, ink);
    canvas.text(side.below(canvas.px(36)).top(canvas.px(62)),
                panel.kernel ? text("{:.0f} %", panel.kernel->timeline.issue_percent) : "–", Font::headline,
                ink);
    Box below = side.below(canvas.px(108));
    if (!panel.name.empty()) {
        canvas.text(below.top(canvas.px(34)), warps, Font::axis, ink);
        below = below.below(canvas.px(36));
    }
    if (panel.axis) canvas.paragraph(below.top(canvas.px(96)), say("latency.of_slots"), Font::axis, Ink::dim);
    tip(stage, side, "tip.latency.slots");
}

}  // namespace

std::string_view state_key(WarpState state) {
    return shape_of(state).key;
}

void draw_state(Canvas& canvas, Box part, WarpState state, float alpha) {
    const Shape& shape = shape_of(state);
    const float high = std::max(1.0f, std::round(part.h * shape.height));
    const Box box{part.x, std::round(part.center_y() - high / 2), part.w, high};
    if (!shape.hollow) {
        canvas.mark(box, shape.ink, alpha);
        return;
    }
    const float line = std::max(1.0f, std::round(part.h * 0.18f));
    canvas.mark(box.top(line), shape.ink, alpha);
    canvas.mark(box.bottom_part(line), shape.ink, alpha);
}

float row_pitch(const ClockPanel& panel, const PanelParts& parts, std::size_t rows) {
    return parts.rows.h / float(std::max(panel.places, int(rows)));
}

PanelParts panel_parts(const Canvas& canvas, Box card, bool axis) {
    const Box in = card.inset(canvas.px(20), canvas.px(10));
    const Box side = in.left(canvas.px(190));
    Box plot = in.after(canvas.px(278));
    const Box numbers = plot.bottom_part(canvas.px(30));
    if (axis) plot = plot.above(canvas.px(34));
    const float slots = canvas.px(26);
    return {side, plot.above(slots + canvas.px(8)), plot.bottom_part(slots), axis ? numbers : Box{}};
}

void draw_clock_panel(const Stage& stage, Box card, const ClockPanel& panel, const SeenClocks& range,
                      const ClockMarks& marks) {
    Canvas& canvas = stage.canvas;
    canvas.slot(panel.is_now ? "latency many" : "latency few", card);
    canvas.card(card);
    const PanelParts parts = panel_parts(canvas, card, panel.axis);
    draw_side(stage, parts.side, panel);
    const float left = parts.side.right() - canvas.px(20);
    const Box name{left, parts.issue.y, parts.rows.x - left - canvas.px(12), parts.issue.h};
    canvas.text(name, say("latency.issue"), Font::axis, Ink::text, Align::right);
    tip(stage, name, "tip.latency.slots");
    canvas.fill(parts.issue, Ink::context_soft);
    if (panel.axis) draw_clock_axis(stage, parts.axis, parts.rows, range);
    if (!panel.kernel) return;
    const std::vector<TimelineRow>& rows = panel.kernel->timeline.rows;
    const float pitch = row_pitch(panel, parts, rows.size());
    draw_numbers(stage, parts, rows.size(), pitch);
    const float gap = pitch >= canvas.px(12) ? std::max(1.0f, std::round(pitch * 0.12f)) : 0;
    const float alpha = panel.stale ? kStaleAlpha : 1;
    const ClockColumns columns(parts.rows, range);
    const bool wide = columns.each() <= 1;
    Shares issued;
    std::fill_n(issued.begin(), columns.count, 0.0f);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const float top = std::round(parts.rows.y + pitch * float(i));
        const Box row{parts.rows.x, top, parts.rows.w,
                      std::max(1.0f, std::round(parts.rows.y + pitch * float(i + 1)) - top - gap)};
        if (wide)
            draw_spans(canvas, columns, rows[i], row, parts.issue, alpha);
        else
            draw_summaries(canvas, columns, rows[i], row, issued, alpha);
    }
    if (!wide) draw_shares(canvas, columns, issued, parts.issue, alpha);
    const float low = parts.issue.bottom();
    if (marks.under) {
        const float x = columns.x(*marks.under);
        canvas.dotted(x, parts.rows.y, x, low, Ink::dim, 2);
    }
    if (!marks.at || *marks.at < range.from || *marks.at > range.until()) return;
    const float x = columns.x(*marks.at);
    canvas.line(x, parts.rows.y - canvas.px(4), x, low, Ink::text, 3);
}

}  // namespace ws
