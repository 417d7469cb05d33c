// What was computed against what is defined: three pictures, numbers, and where in a block's tile it differs.

#include <algorithm>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

// Thousands apart by thin gaps.
std::string_view grouped(std::uint64_t value) {
    std::string_view made = text("{}", value % 1000);
    while (value >= 1000) {
        const std::uint64_t rest = value / 1000;
        made = text("{} {:03}{}", rest % 1000, value % 1000,
                    made.size() > 3 ? made.substr(3) : std::string_view{});
        value = rest;
    }
    return made;
}

// The places of a side that have wrong elements, if they lie together and others have none.
struct Range {
    int first = 0;
    int last = -1;
    [[nodiscard]] bool some() const { return last >= first; }
};
Range wrong_range(const std::vector<float>& shares) {
    Range range{int(shares.size()), -1};
    for (int i = 0; i < int(shares.size()); ++i) {
        if (shares[std::size_t(i)] <= 0) continue;
        range.first = std::min(range.first, i);
        range.last = i;
    }
    for (int i = range.first; i <= range.last; ++i) {
        if (shares[std::size_t(i)] <= 0) return {0, int(shares.size()) - 1};
    }
    return range;
}

std::string_view where(const Difference& difference) {
    const Range columns = wrong_range(difference.by_column);
    const Range rows = wrong_range(difference.by_row);
    const bool some_columns = columns.some() && columns.last - columns.first + 1 < difference.tile.width;
    const bool some_rows = rows.some() && rows.last - rows.first + 1 < difference.tile.height;
    if (some_columns) return say("difference.columns", columns.first, columns.last, difference.tile.width);
    if (some_rows) return say("difference.rows", rows.first, rows.last, difference.tile.height);
    return say("difference.everywhere");
}

// `tip_key`: of the row's tip.
void draw_row(const Stage& stage, Box row, std::string_view label, std::string_view value,
              std::string_view tip_key) {
    Canvas& canvas = stage.canvas;
    canvas.text(row.left(row.w * 0.60f), label, Font::axis, Ink::dim);
    canvas.text(row.right_part(row.w * 0.46f), value, Font::strong, Ink::text, Align::right);
    tip(stage, row, tip_key);
}

void draw_numbers(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    canvas.slot("numbers", stage.slots.numbers);
    const Box in = card_title(canvas, stage.slots.numbers, say("difference.numbers"), Kind::counted);
    const std::optional<Difference>& known = stage.snapshot.difference;
    const bool equal = stage.snapshot.check.state == Check::State::equal;
    const Difference none;
    const Difference& d = known ? *known : none;
    const auto value = [&](std::string_view made) { return known || equal ? made : std::string_view("–"); };
    constexpr int kRows = 6;
    draw_row(stage, in.row(0, kRows, 0), say("difference.wrong"), value(grouped(d.wrong)),
             "tip.difference.wrong");
    draw_row(stage, in.row(1, kRows, 0), say("difference.of"), grouped(stage.snapshot.shown_size.pixels()),
             "tip.difference.of");
    draw_row(stage, in.row(2, kRows, 0), say("difference.largest"), value(text("{:.4g}", d.largest)),
             "tip.difference.largest");
    draw_row(stage, in.row(3, kRows, 0), say("difference.mean"), value(text("{:.3g}", d.mean)),
             "tip.difference.mean");
    draw_row(stage, in.row(4, kRows, 0), say("difference.psnr"),
             d.psnr_db > 0 ? text("{:.1f}", d.psnr_db) : "–", "tip.difference.psnr");
    draw_row(
        stage, in.row(5, kRows, 0),
        d.wrong > 0 ? say("difference.first", d.first_column, d.first_row) : say("difference.first.none"),
        d.wrong > 0 ? say("difference.instead", text("{:.4g}", d.first_is), text("{:.4g}", d.first_should_be))
                    : "–",
        "tip.difference.first");
}

void draw_places(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box card = stage.slots.places;
    canvas.slot("places", card);
    const Box in = card_title(canvas, card, say("difference.by_column"), Kind::counted);
    const float axis = canvas.px(70);
    const Box plot{in.x + axis, in.y + canvas.px(8), in.w - axis, in.h - canvas.px(8) - canvas.px(64)};
    for (const int percent : {0, 50, 100}) {
        const float y = plot.bottom() - plot.h * float(percent) / 100;
        canvas.line(plot.x, y, plot.right(), y, percent == 0 ? Ink::context_strong : Ink::grid);
        canvas.text({in.x, y - canvas.px(16), axis - canvas.px(12), canvas.px(32)}, text("{}", percent),
                    Font::axis, Ink::dim, Align::right);
    }
    const std::optional<Difference>& known = stage.snapshot.difference;
    const StepSnapshot& step = main_step(stage.snapshot);
    const int columns = known ? known->tile.width : std::max(1, step.block.x);
    // As many bars as are told apart; a bar of several columns has their mean.
    const int bars = std::min(columns, 64);
    const float each = plot.w / float(bars);
    const int every = std::max(1, int(std::ceil(canvas.px(44) / each)));
    for (int i = 0; i < bars; ++i) {
        const int from = columns * i / bars;
        const int to = std::max(from + 1, columns * (i + 1) / bars);
        float share = 0;
        for (int column = from; column < to && known; ++column)
            share += known->by_column[std::size_t(column)];
        share /= float(to - from);
        const float x = plot.x + each * float(i);
        const float high = plot.h * share;
        if (high > 0)
            canvas.fill({x + each * 0.08f, plot.bottom() - high, each * 0.84f, high}, Ink::alarm, 2);
        if (i % every == 0)
            canvas.text(
                {x - canvas.px(20), plot.bottom() + canvas.px(2), each + canvas.px(40), canvas.px(30)},
                text("{}", from), share > 0 ? Font::axis_strong : Font::axis,
                share > 0 ? Ink::alarm : Ink::dim, Align::center);
    }
    canvas.text({plot.x, plot.bottom() + canvas.px(32), plot.w, canvas.px(30)}, say("difference.axis"),
                Font::axis, Ink::dim, Align::center);
    tip(stage, card, "tip.difference.places");
}

}  // namespace

void draw_difference(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    Headline headline{say("difference.waiting"), say("difference.waiting.why"), Kind::counted};
    bool alarm = false;
    if (snapshot.check.state == Check::State::equal) {
        headline = {say("difference.equal"), said(snapshot.check.message), Kind::counted};
    } else if (snapshot.difference) {
        const double share = 100 * snapshot.difference->share();
        headline = {
            say("difference.headline", share >= 0.095 ? text("{:.1f}", share) : std::string_view("< 0.1")),
            where(*snapshot.difference), Kind::counted};
        alarm = true;
    } else if (snapshot.check.state != Check::State::pending) {
        headline = {say("trouble.wrong"), said(snapshot.check.message), Kind::counted};
        alarm = true;
    }
    draw_headline(stage, stage.slots.page_headline, headline, alarm);
    if (!stage.slots.narrow || stage.view.page % 2 == 0) draw_numbers(stage);
    if (!stage.slots.narrow || stage.view.page % 2 == 1) draw_places(stage);
}

}  // namespace ws
