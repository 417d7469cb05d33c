#include "app/views/poster_view.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "app/texts/texts.h"
#include "app/views/words.h"
#include "gpu/analysis/comparison.h"

namespace ws {
namespace {

constexpr float kMargin = 56;
constexpr float kGap = 14;

struct Grid {
    int columns = 1, rows = 1;
};
Grid grid_of(std::size_t cards) {
    const int columns = cards <= 3    ? int(std::max<std::size_t>(1, cards))
                        : cards <= 8  ? 4
                        : cards <= 15 ? 5
                                      : 6;
    return {columns, (int(cards) + columns - 1) / columns};
}

std::string_view ratio_text(double ratio) {
    return ratio >= 9.95 ? text("{:.1f}", ratio) : text("{:.2f}", ratio);
}

// A part of the result in the shape of its place: of a picture the i-th from left to right, each point twice
// as fine as the sheet's; of a matrix its corner, so near that each element is seen.
GrayImage part_of(const Poster& poster, const GrayImage& result, std::size_t card, Box place) {
    const Extent all = result.size;
    constexpr float kElements = 32;
    const bool picture = poster.lab->takes_picture();
    const float scale = picture ? 2 : kElements / place.w;
    const Extent size{std::min(all.width, std::max(1, int(place.w * scale))),
                      std::min(all.height, std::max(1, int(place.h * scale)))};
    const int room = all.width - size.width;
    const std::size_t last = std::max<std::size_t>(1, poster.rows.size() - 1);
    const int left = picture ? int(std::int64_t(room) * std::int64_t(card) / std::int64_t(last)) : 0;
    const int top = picture ? (all.height - size.height) / 2 : 0;
    GrayImage part(size);
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            const std::uint8_t value =
                result.bytes[std::size_t(top + y) * std::size_t(all.width) + std::size_t(left + x)];
            part.bytes[std::size_t(y) * std::size_t(size.width) + std::size_t(x)] =
                poster.inverted ? std::uint8_t(255 - value) : value;
        }
    }
    return part;
}

// In the middle of the place, in its own shape.
Box fitted(Box place, Extent size) {
    const float scale = std::min(place.w / float(size.width), place.h / float(size.height));
    const float w = float(size.width) * scale;
    const float h = float(size.height) * scale;
    return {place.center_x() - w / 2, place.center_y() - h / 2, w, h};
}

void draw_head(Canvas& canvas, Box room, const Poster& poster) {
    canvas.slot("poster head", room);
    canvas.text(room.top(canvas.px(80)), translated(poster.lab->title), Font::slide_title, Ink::now);
    const Box line = room.below(canvas.px(86)).top(canvas.px(44));
    canvas.text(line.left(line.w * 0.55f), translated(poster.lab->question), Font::figure_plain, Ink::text);
    canvas.text(line.right_part(line.w * 0.44f),
                say("poster.facts", poster.gpu, poster.input, poster.compiler), Font::body, Ink::dim,
                Align::right);
}

void draw_foot(Canvas& canvas, Box room, const Poster& poster) {
    canvas.slot("poster foot", room);
    std::set<Kind> kinds;
    for (const PosterRow& row : poster.rows) {
        if (row.time) kinds.insert(row.time->kind);
    }
    std::string_view words =
        text("{} {}", say(poster.inverted ? "poster.pictures.ink" : "poster.pictures"), say("poster.bars"));
    for (const Kind kind : kinds) {
        const std::string name = std::string("kind.") + name_of(kind);
        words = text("{} {}", words, say("poster.kind", say(name), say(name + ".tip")));
    }
    canvas.paragraph(room, words, Font::axis, Ink::dim, 1.2f);
}

// The time with its kind, the bar, and how many times as fast. Returns the height used.
float draw_times(Canvas& canvas, Box room, const Poster& poster, const PosterRow& row, double longest_ms) {
    if (!row.time) {
        canvas.paragraph(room.top(canvas.px(120)),
                         say("poster.no_time", row.problem.empty() ? "–" : said(row.problem)), Font::axis,
                         Ink::dim, 1.2f);
        return canvas.px(120);
    }
    const std::string_view kind = say(std::string("kind.") + name_of(row.time->kind));
    const Box line = room.top(canvas.px(44));
    const std::string_view time = short_time(row.time->ms);
    canvas.text(line, row.gb_s ? text("{}, {:.0f} GB/s", time, *row.gb_s) : time, Font::title, Ink::text);
    canvas.text(line, kind, Font::axis, Ink::dim, Align::right);
    const Box track = room.below(canvas.px(46)).top(canvas.px(10));
    canvas.fill(track, Ink::track);
    if (longest_ms > 0)
        canvas.fill(track.left(track.w * float(std::min(1.0, row.time->ms / longest_ms))), Ink::now_fill);
    const Box words = room.below(canvas.px(60));
    const float step = canvas.px(28);
    if (&row == &poster.rows.front()) {
        canvas.text(words.top(step), say("poster.first"), Font::axis, Ink::dim);
        return canvas.px(60) + 2 * step;
    }
    const auto faster = [&](Box place, const std::optional<TimePair>& pair, int version, Font font, Ink ink) {
        if (pair)
            canvas.text(place, say("poster.faster", ratio_text(pair->speedup()), version_name(version)), font,
                        ink);
    };
    const Version* before = version_before(*poster.lab, row.version);
    faster(words.top(step), row.to_before, before ? before->number : 0, Font::axis_strong, Ink::now);
    if (before && before->number != poster.rows.front().version)
        faster(words.below(step).top(step), row.to_first, poster.rows.front().version, Font::axis, Ink::text);
    return canvas.px(60) + 2 * step;
}

// What is below the picture, from the bottom of the card up, so that all pictures of the sheet are alike.
float words_height(const Canvas& canvas, const Poster& poster, float wide) {
    float high = 0;
    for (const PosterRow& row : poster.rows) {
        const Version& version = version_of(*poster.lab, row.version);
        float one = canvas.paragraph_height(wide, translated(version.changed), Font::axis, 1.2f);
        if (row.reasons)
            one += canvas.paragraph_height(wide, why_text(*row.reasons, "poster.because"), Font::axis, 1.2f);
        high = std::max(high, one);
    }
    return high + canvas.px(12);
}

}  // namespace

Poster poster_of(const Snapshot& snapshot) {
    Poster poster;
    const Lab& lab = *snapshot.work.lab;
    poster.lab = &lab;
    poster.gpu = std::string(gpu_name(snapshot));
    poster.input = std::string(input_text(snapshot));
    if (lab.takes_picture()) poster.input += ", " + std::string(size_text(snapshot.problem.size));
    poster.compiler = snapshot.compiler.name;
    poster.inverted = lab.views[std::size_t(snapshot.work.view)].lines;
    const WorkFigures* first = nullptr;
    for (const Version& version : lab.versions) {
        const auto found = snapshot.told.versions.find(version.number);
        if (found == snapshot.told.versions.end()) continue;
        const WorkFigures& figures = found->second;
        PosterRow row;
        row.version = version.number;
        row.buffer = shown_buffer(view_of(snapshot), version);
        row.time = time_of(figures);
        if (lab.bandwidth && row.time) row.gb_s = bandwidth(figures, row.time->ms);
        row.problem = figures.problem;
        if (first) row.to_first = times_of(figures, *first);
        const Version* before = version_before(lab, version.number);
        const auto earlier =
            before ? snapshot.told.versions.find(before->number) : snapshot.told.versions.end();
        if (earlier != snapshot.told.versions.end()) {
            row.to_before = times_of(figures, earlier->second);
            if (figures.counted() && earlier->second.counted())
                row.reasons = reasons(figures, earlier->second);
        }
        if (!first) first = &figures;
        poster.rows.push_back(std::move(row));
    }
    return poster;
}

std::vector<SheetPicture> draw_poster(Canvas& canvas, const Poster& poster) {
    const Box all = Box{0, 0, float(kPosterSize.width), float(kPosterSize.height)};
    canvas.fill(all, Ink::panel);
    const Box in = all.inset(kMargin);
    draw_head(canvas, in.top(canvas.px(140)), poster);
    draw_foot(canvas, in.bottom_part(canvas.px(66)), poster);
    const Box cards = in.below(canvas.px(150)).above(canvas.px(80));

    double longest_ms = 0;
    for (const PosterRow& row : poster.rows) longest_ms = std::max(longest_ms, row.time ? row.time->ms : 0);
    const Grid grid = grid_of(poster.rows.size());
    std::vector<SheetPicture> pictures;
    for (std::size_t i = 0; i < poster.rows.size(); ++i) {
        const PosterRow& row = poster.rows[i];
        const Version& version = version_of(*poster.lab, row.version);
        const Box card = cards.row(int(i) / grid.columns, grid.rows, kGap)
                             .column(int(i) % grid.columns, grid.columns, kGap);
        canvas.slot("poster card", card);
        canvas.fill(card, Ink::ground);
        const Box inner = card.inset(canvas.px(18), canvas.px(12));
        const float number = canvas.width(version_name(row.version), Font::headline) + canvas.px(24);
        const Box title = inner.top(canvas.px(64));
        canvas.text(title.left(number), version_name(row.version), Font::headline, Ink::now);
        const Box name = title.after(number);
        const std::string_view named = translated(version.title);
        const bool two = canvas.width(named, Font::strong) > name.w;
        canvas.paragraph(two ? name : name.inset(0, canvas.px(17)), named, Font::strong, Ink::text, 1.1f);

        const float words = words_height(canvas, poster, inner.w);
        const float times = canvas.px(124);
        const Box place = inner.below(canvas.px(72)).above(words + times + canvas.px(12));
        constexpr float kFewest = 20;
        const auto result = poster.results.find(row.buffer);
        if (place.h >= kFewest && result != poster.results.end() && result->second.size.pixels() > 0) {
            GrayImage part = part_of(poster, result->second, i, place);
            const Box box = fitted(place, part.size);
            pictures.push_back({box, std::move(part)});
        }
        draw_times(canvas, inner.bottom_part(words + times), poster, row, longest_ms);
        const Box below = inner.bottom_part(words);
        const float used = canvas.paragraph(below, translated(version.changed), Font::axis, Ink::text, 1.2f);
        if (row.reasons)
            canvas.paragraph(below.below(used + canvas.px(6)), why_text(*row.reasons, "poster.because"),
                             Font::axis, Ink::dim, 1.2f);
    }
    return pictures;
}

}  // namespace ws
