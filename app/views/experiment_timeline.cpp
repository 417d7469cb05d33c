// Timelines as an experiment gives them: bars in lanes, over milliseconds.

#include <algorithm>
#include <array>
#include <cstddef>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

struct TimelinePlace {
    Box plot;
    double last_ms = 0;
    int lanes = 1, rows = 1;
    [[nodiscard]] float x_of(double ms) const {
        return plot.x + plot.w * float(std::clamp(ms / last_ms, 0.0, 1.0));
    }
};

// What stands for a part of the work: its height in a lane says it, too.
struct PartInk {
    Ink fill, frame, words;
};
PartInk part_ink(const Stage& stage, const Timeline& timeline, int part) {
    constexpr std::array<PartInk, 4> kInks{{{Ink::base_soft, Ink::base_fill, Ink::base},
                                            {Ink::now_soft, Ink::now_fill, Ink::now},
                                            {Ink::context_soft, Ink::context_strong, Ink::text},
                                            {Ink::panel, Ink::context_strong, Ink::text}}};
    PartInk ink = kInks[timeline.parts.empty() ? 1 : std::size_t(part) % kInks.size()];
    if (stage.experiment->stale) ink.fill = Ink::context_soft, ink.words = Ink::dim;
    return ink;
}

void draw_bar(const Stage& stage, const Timeline& timeline, const TimelinePlace& place,
              const TimelineBar& bar) {
    if (bar.lane < 0 || bar.lane >= place.lanes) return;
    Canvas& canvas = stage.canvas;
    const PartInk ink = part_ink(stage, timeline, bar.part);
    const Box lane = place.plot.row(bar.lane, place.rows, canvas.px(10));
    const float from = place.x_of(bar.begin_ms);
    const float wide = std::max(canvas.px(2), place.x_of(bar.end_ms) - from);
    const auto parts = float(timeline.parts.size());
    const Box box = timeline.parts.empty()
                        ? Box{from, lane.y + lane.h * 0.2f, wide, lane.h * 0.6f}
                        : Box{from, lane.y + lane.h * float(bar.part) / parts, wide, lane.h / parts};
    canvas.fill(box, ink.fill, 4);
    canvas.frame(box, ink.frame, 4, 2);
    if (canvas.width(bar.name, Font::axis_strong) + canvas.px(10) < box.w &&
        canvas.height(Font::axis_strong) < box.h)
        canvas.text(box, bar.name, Font::axis_strong, ink.words, Align::center);
}

// What bars and dotted lines stand for, in one row.
void draw_parts(const Stage& stage, const Timeline& timeline, Box row) {
    Canvas& canvas = stage.canvas;
    const float sign = canvas.px(30);
    float x = row.x;
    const auto put = [&](std::string_view words) {
        const float wide = canvas.width(words, Font::axis) + canvas.px(4);
        canvas.text({x + sign + canvas.px(8), row.y, wide, row.h}, words, Font::axis, Ink::dim);
        x += sign + wide + canvas.px(36);
    };
    for (std::size_t i = 0; i < timeline.parts.size(); ++i) {
        const PartInk ink = part_ink(stage, timeline, int(i));
        const Box box{x, row.y + row.h * 0.25f, sign, row.h * 0.5f};
        canvas.fill(box, ink.fill, 4);
        canvas.frame(box, ink.frame, 4, 2);
        put(said(timeline.parts[i]));
    }
    for (const TimelineLimit& limit : timeline.limits) {
        canvas.dotted(x, row.center_y(), x + sign, row.center_y(), Ink::dim, 3);
        put(text("{}: {} ms", said(limit.name), figure_text(limit.at_ms)));
    }
}

}  // namespace

void draw_timeline(const Stage& stage, Box card, const Timeline& timeline) {
    Canvas& canvas = stage.canvas;
    const Box in = card_title(canvas, card, said(timeline.title), timeline.kind);
    const double last = end_of(timeline);
    const int lanes = std::max(1, int(timeline.lanes.size()));
    const int rows = std::max(3, lanes);  // a lane alone is not as high as the card
    const float names = std::min(canvas.px(360), in.w * 0.3f);
    const float foot = canvas.px(timeline.parts.empty() ? 48 : 90);
    const Box plot{in.x + names, in.y, in.w - names - canvas.px(70), in.h - foot};
    for (std::size_t i = 0; i < timeline.lanes.size(); ++i) {
        const Box lane{in.x, plot.row(int(i), rows, canvas.px(10)).y, in.w,
                       plot.row(0, rows, canvas.px(10)).h};
        canvas.text(lane.left(names - canvas.px(12)), said(timeline.lanes[i]), Font::body, Ink::text);
        canvas.line(plot.x, lane.bottom(), plot.right(), lane.bottom(), Ink::grid, 1);
    }
    if (last <= 0) return;
    const TimelinePlace place{plot, last, lanes, rows};
    for (const TimelineBar& bar : timeline.bars) draw_bar(stage, timeline, place, bar);
    for (const TimelineLimit& limit : timeline.limits) {
        const float x = place.x_of(limit.at_ms);
        canvas.dotted(x, plot.y, x, plot.bottom(), Ink::dim, 3);
    }
    const double step = nice_step(last, 5);
    for (int i = 0; double(i) * step <= last; ++i) {
        const float x = place.x_of(i * step);
        canvas.line(x, plot.bottom(), x, plot.bottom() + canvas.px(8), Ink::context_strong);
        canvas.text({x - canvas.px(60), plot.bottom() + canvas.px(10), canvas.px(120), canvas.px(34)},
                    i == 0 ? say("experiment.ms") : text("{:g}", i * step), Font::axis, Ink::dim,
                    Align::center);
    }
    if (!timeline.parts.empty()) draw_parts(stage, timeline, in.bottom_part(canvas.px(36)));
}

}  // namespace ws
