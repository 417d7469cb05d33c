// What was computed against what is defined: three pictures, numbers, and where in a block's tile it differs.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

// The places of a side that have wrong elements: "0, 28–31". Empty where all or none have, or where they lie
// too far apart for a sentence.
std::string_view wrong_places(const std::vector<float>& shares) {
    constexpr int kMostRanges = 3;
    const int count = int(shares.size());
    const auto wrong = [&](int i) { return shares[std::size_t(i)] > 0; };
    std::string_view places;
    int ranges = 0;
    int all = 0;
    for (int i = 0; i < count; ++i) {
        if (!wrong(i)) continue;
        const int first = i;
        while (i + 1 < count && wrong(i + 1)) ++i;
        const std::string_view range = first == i ? text("{}", i) : text("{}–{}", first, i);
        places = places.empty() ? range : text("{}, {}", places, range);
        all += i - first + 1;
        if (++ranges > kMostRanges) return {};
    }
    return all < count ? places : std::string_view();
}

std::string_view where(const Difference& difference) {
    if (const std::string_view columns = wrong_places(difference.by_column); !columns.empty())
        return say("difference.columns", difference.tile.width, columns);
    if (const std::string_view rows = wrong_places(difference.by_row); !rows.empty())
        return say("difference.rows", difference.tile.height, rows);
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

// Of A as the frame knows it; of the definition, where nothing is known.
struct Told {
    Apart apart;
    bool from_definition = true;
};
Told told_of(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    if (stage.a && !is_definition(stage.a->side, snapshot.work)) return {stage.a->apart, false};
    const Check::State checked = snapshot.result.check.state;
    Told told;
    told.apart.difference = snapshot.result.difference ? &*snapshot.result.difference : nullptr;
    told.apart.state = checked == Check::State::equal     ? Apart::State::equal
                       : told.apart.difference            ? Apart::State::different
                       : checked == Check::State::pending ? Apart::State::waiting
                                                          : Apart::State::never;
    return told;
}

void draw_numbers(const Stage& stage, const Apart& apart) {
    Canvas& canvas = stage.canvas;
    canvas.slot("numbers", stage.slots.numbers);
    const Box in = card_title(canvas, stage.slots.numbers, say("difference.numbers"), Kind::counted);
    const Difference* known = apart.difference;
    const bool equal = apart.state == Apart::State::equal;
    const Difference none;
    const Difference& d = known ? *known : none;
    const auto value = [&](std::string_view made) { return known || equal ? made : std::string_view("–"); };
    constexpr int kRows = 6;
    draw_row(stage, in.row(0, kRows, 0), say("difference.wrong"), value(grouped_number(d.wrong)),
             "tip.difference.wrong");
    draw_row(stage, in.row(1, kRows, 0), say("difference.of"),
             grouped_number(stage.snapshot.shown_size.pixels()), "tip.difference.of");
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

struct AxisButton {
    PlaceAxis axis;
    std::string_view key;
};
constexpr std::array kAxes{AxisButton{PlaceAxis::column, "difference.axis.column"},
                           AxisButton{PlaceAxis::row, "difference.axis.row"},
                           AxisButton{PlaceAxis::both, "difference.axis.both"}};

// The title of the card with a button for each axis; returns the rest.
Box draw_places_head(const Stage& stage, Box card) {
    Canvas& canvas = stage.canvas;
    const Box in =
        card_title(canvas, card,
                   told_of(stage).from_definition ? say("difference.by_place") : say("difference.by_place.a"),
                   Kind::counted);
    float right = in.right() - badge_width(canvas, Kind::counted) - canvas.px(16);
    for (auto button_of = kAxes.rbegin(); button_of != kAxes.rend(); ++button_of) {
        const std::string_view label = say(button_of->key);
        const float wide = button_width(canvas, label);
        right -= wide;
        const Box box{right, card.y + canvas.px(8), wide, canvas.px(44)};
        const bool chosen = stage.view.preferences.comparison.places == button_of->axis;
        ImGui::PushID(int(button_of->axis));
        if (button(canvas, "axis", box, label, chosen ? ButtonLook::chosen : ButtonLook::plain).clicked)
            stage.edits.add(ChoosePlaces{button_of->axis});
        ImGui::PopID();
        right -= canvas.px(8);
    }
    return in;
}

// The places of a side, gathered so that each part can be told from the next.
struct Parts {
    int places = 1;
    int count = 1;
    [[nodiscard]] int first(int part) const { return places * part / count; }
    [[nodiscard]] int last(int part) const { return std::max(first(part) + 1, places * (part + 1) / count); }
};
Parts parts_of(int places, int most) {
    return {places, std::clamp(places, 1, most)};
}

float mean_share(const std::vector<float>& shares, const Parts& parts, int part) {
    float sum = 0;
    for (int i = parts.first(part); i < parts.last(part) && i < int(shares.size()); ++i)
        sum += shares[std::size_t(i)];
    return sum / float(parts.last(part) - parts.first(part));
}

// Of what is wrong; of what differs from another picture those of now.
struct Inks {
    Ink fill = Ink::alarm;
    Ink text = Ink::alarm;
};

// The numbers of the columns below the plot, as many as have room.
void draw_column_numbers(Canvas& canvas, Box plot, const Parts& parts, const std::vector<float>& shares,
                         Inks inks) {
    const float each = plot.w / float(parts.count);
    const float wide = canvas.width(text("{}", parts.first(parts.count - 1)), Font::axis_strong);
    const int every = std::max(1, int(std::ceil((wide + canvas.px(14)) / each)));
    for (int i = 0; i < parts.count; i += every) {
        const bool wrong = mean_share(shares, parts, i) > 0;
        canvas.text(
            {plot.x + each * (float(i) + 0.5f) - wide, plot.bottom() + canvas.px(2), 2 * wide, canvas.px(30)},
            text("{}", parts.first(i)), wrong ? Font::axis_strong : Font::axis, wrong ? inks.text : Ink::dim,
            Align::center);
    }
}

// A bar for each column, or each row.
void draw_shares(Canvas& canvas, Box plot, float axis, int places, const std::vector<float>& shares,
                 Inks inks) {
    for (const int percent : {0, 50, 100}) {
        const float y = plot.bottom() - plot.h * float(percent) / 100;
        canvas.line(plot.x, y, plot.right(), y, percent == 0 ? Ink::context_strong : Ink::grid);
        canvas.text({plot.x - axis, y - canvas.px(16), axis - canvas.px(12), canvas.px(32)},
                    text("{}", percent), Font::axis, Ink::dim, Align::right);
    }
    const Parts parts = parts_of(places, 64);
    const float each = plot.w / float(parts.count);
    for (int i = 0; i < parts.count; ++i) {
        const float high = plot.h * mean_share(shares, parts, i);
        if (high > 0)
            canvas.fill({plot.x + each * (float(i) + 0.08f), plot.bottom() - high, each * 0.84f, high},
                        inks.fill, 2);
    }
    draw_column_numbers(canvas, plot, parts, shares, inks);
}

float mean_share(const Difference& difference, const Parts& columns, const Parts& rows, int column, int row) {
    float sum = 0;
    int places = 0;
    for (int y = rows.first(row); y < rows.last(row); ++y) {
        for (int x = columns.first(column); x < columns.last(column); ++x) {
            const auto place = std::size_t(y) * std::size_t(difference.tile.width) + std::size_t(x);
            if (place < difference.by_place.size()) sum += difference.by_place[place];
            ++places;
        }
    }
    return places > 0 ? sum / float(places) : 0;
}

// The tile itself: a square in each place, as large as the share that is wrong there.
void draw_tile(Canvas& canvas, Box plot, float axis, const Difference& difference, Inks inks) {
    const Parts columns = parts_of(difference.tile.width, 64);
    const Parts rows = parts_of(difference.tile.height, 16);
    const float wide = plot.w / float(columns.count);
    const float high = plot.h / float(rows.count);
    canvas.fill(plot, Ink::context_soft);
    const int every = std::max(1, int(std::ceil(canvas.px(32) / high)));
    for (int row = 0; row < rows.count; ++row) {
        const float y = plot.y + high * float(row);
        canvas.line(plot.x, y, plot.right(), y, Ink::grid, 1);
        const bool wrong = mean_share(difference.by_row, rows, row) > 0;
        if (row % every == 0)
            canvas.text({plot.x - axis, y + high / 2 - canvas.px(16), axis - canvas.px(12), canvas.px(32)},
                        text("{}", rows.first(row)), wrong ? Font::axis_strong : Font::axis,
                        wrong ? inks.text : Ink::dim, Align::right);
        for (int column = 0; column < columns.count; ++column) {
            const float side = std::sqrt(mean_share(difference, columns, rows, column, row));
            if (side <= 0) continue;
            const float w = std::max(2.0f, wide * 0.92f * side);
            const float h = std::max(2.0f, high * 0.92f * side);
            canvas.fill({plot.x + wide * (float(column) + 0.5f) - w / 2, y + (high - h) / 2, w, h}, inks.fill,
                        1);
        }
    }
    draw_column_numbers(canvas, plot, columns, difference.by_column, inks);
}

void draw_places(const Stage& stage, const Difference* known, Inks inks) {
    Canvas& canvas = stage.canvas;
    const Box card = stage.slots.places;
    canvas.slot("places", card);
    const Box in = draw_places_head(stage, card);
    const float axis = canvas.px(70);
    const Box plot{in.x + axis, in.y + canvas.px(8), in.w - axis, in.h - canvas.px(8) - canvas.px(64)};
    const PlaceAxis over = stage.view.preferences.comparison.places;
    // Nothing is wrong: zeros at the places of the block that runs.
    Difference none;
    if (!known) {
        const Block block = main_step(stage.snapshot).shape.block;
        none.tile = {std::max(1, block.x), std::max(1, block.y)};
    }
    const Difference& d = known ? *known : none;
    if (over == PlaceAxis::both)
        draw_tile(canvas, plot, axis, d, inks);
    else if (over == PlaceAxis::row)
        draw_shares(canvas, plot, axis, d.tile.height, d.by_row, inks);
    else
        draw_shares(canvas, plot, axis, d.tile.width, d.by_column, inks);
    canvas.text({plot.x, plot.bottom() + canvas.px(32), plot.w, canvas.px(30)},
                over == PlaceAxis::both  ? say("difference.over.both")
                : over == PlaceAxis::row ? say("difference.over.row")
                                         : say("difference.over.column"),
                Font::axis, Ink::dim, Align::center);
    tip(stage, card, "tip.difference.places");
}

}  // namespace

void draw_difference(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    const Told told = told_of(stage);
    const Apart& apart = told.apart;
    const std::string_view name = stage.a ? stage.a->name : std::string_view{};
    Headline headline{say("difference.waiting"), say("difference.waiting.why"), Kind::counted};
    if (apart.state == Apart::State::equal) {
        headline = {
            say("difference.equal"),
            told.from_definition ? said(snapshot.result.check.message) : say("difference.equal.a", name),
            Kind::counted};
    } else if (apart.difference) {
        const std::string_view written = part_text(apart.difference->share());
        headline = {told.from_definition ? say("difference.headline", written)
                                         : say("difference.headline.a", written),
                    where(*apart.difference), Kind::counted};
    } else if (apart.state == Apart::State::never) {
        headline = told.from_definition
                       ? Headline{say("trouble.wrong"), said(snapshot.result.check.message), Kind::counted}
                       : Headline{say("difference.never"),
                                  stage.a->problem.empty() ? say("difference.never.why") : stage.a->problem,
                                  Kind::counted};
    }
    // Another picture than the definition is no mistake.
    const bool alarm = told.from_definition &&
                       (apart.state == Apart::State::different || apart.state == Apart::State::never);
    draw_headline(stage, stage.slots.page_headline, headline, alarm);
    if (!stage.slots.narrow || stage.view.page % 2 == 0) draw_numbers(stage, apart);
    if (!stage.slots.narrow || stage.view.page % 2 == 1)
        draw_places(stage, apart.difference, told.from_definition ? Inks{} : Inks{Ink::now_fill, Ink::now});
}

}  // namespace ws
