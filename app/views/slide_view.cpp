// A slide: a large picture, a headline, one chart, and nothing that the last row could not read.

#include <algorithm>
#include <array>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/rate.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

struct Bar {
    std::string_view name;
    const WorkFigures* figures = nullptr;
    Ink fill = Ink::context_strong;
    Ink ink = Ink::text;
};

struct SlideBars {
    std::array<Bar, 3> bars{};
    int count = 0;
    void add(const Bar& bar) { bars[std::size_t(count++)] = bar; }
};

int first_version(const Stage& stage) {
    return stage.snapshot.work.lab->versions.front().number;
}

// The first version, the baseline and what is shown; the first only where neither of the others is one of it.
SlideBars slide_bars(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    const ToldFigures& told = snapshot.told;
    SlideBars made;
    const int first = first_version(stage);
    const bool own = now_work(stage).version == first;
    const bool of_baseline = told.baseline && told.baseline->work.version == first;
    const auto found = told.versions.find(first);
    if (!own && !of_baseline)
        made.add({version_name(first), found == told.versions.end() ? nullptr : &found->second});
    if (told.baseline && !told.now_is_baseline())
        made.add({base_name(stage), &*told.baseline, Ink::base_fill, Ink::base});
    made.add({now_name(stage), &told.now, Ink::now_fill, Ink::now});
    return made;
}

// Microseconds up to ten thousand of them.
bool micro(const Snapshot& snapshot) {
    double most = 0;
    for (const auto& [number, figures] : snapshot.told.versions) {
        if (const std::optional<TimeFigure> time = time_of(figures)) most = std::max(most, time->ms);
    }
    return most < 10;
}

std::string_view title_of(const Snapshot& snapshot) {
    if (const Rate rate = shown_rate(snapshot); rate != Rate::none) return rate_title(rate);
    return time_title(*snapshot.work.lab, micro(snapshot));
}

std::string_view plain_number(double value) {
    return value >= 9.95 ? text("{:.0f}", value) : text("{:.2f}", value);
}

void draw_bars(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    const Box room = stage.slots.slide_bars;
    canvas.slot("slide chart", room);
    const SlideBars bars = slide_bars(stage);
    const std::optional<TimeFigure> time = time_of(snapshot.told.now);
    const bool has_rate = shown_rate(snapshot) != Rate::none;
    canvas.text(room.top(canvas.px(40)), title_of(snapshot), Font::figure, Ink::text);
    const Box line = room.below(canvas.px(46)).top(canvas.px(44));
    const Kind kind = time ? time->kind : Kind::estimated;
    const BadgeNote note = error_note(snapshot, kind);
    const Box sign = badge(canvas, line.left(badge_width(canvas, kind, note)), kind, note);
    canvas.text(line.after(sign.w + canvas.px(16)), gpu_name(snapshot), Font::figure_plain, Ink::dim);
    const Box plot = room.below(canvas.px(108));
    double most = 0;
    for (int i = 0; i < bars.count; ++i) {
        const WorkFigures* figures = bars.bars[std::size_t(i)].figures;
        const std::optional<TimeFigure> each = figures ? time_of(*figures) : std::nullopt;
        if (each) most = std::max(most, has_rate ? rate(*figures, each->ms) : each->ms);
    }
    float names = canvas.px(90);
    for (int i = 0; i < bars.count; ++i)
        names = std::max(
            names, canvas.width(bars.bars[std::size_t(i)].name, Font::slide_text_strong) + canvas.px(16));
    names = std::min(names, plot.w * 0.35f);
    const float values = canvas.px(170);
    canvas.line(plot.x + names, plot.y, plot.x + names, plot.bottom(), Ink::text, 4);
    for (int i = 0; i < bars.count; ++i) {
        const Bar& bar = bars.bars[std::size_t(i)];
        const Box row = plot.row(i, 3, canvas.px(14));
        canvas.text(row.left(names - canvas.px(12)), bar.name, Font::slide_text_strong, bar.ink);
        const std::optional<TimeFigure> each = bar.figures ? time_of(*bar.figures) : std::nullopt;
        const double value = !each ? 0 : has_rate ? rate(*bar.figures, each->ms) : each->ms;
        const float wide = most > 0 ? float(value / most) * (row.w - names - values) : 0;
        const Box box{row.x + names, row.y + row.h * 0.15f, wide, row.h * 0.7f};
        if (wide > 0) canvas.fill(box, bar.fill, 3);
        canvas.text(
            {box.right() + canvas.px(14), row.y, values - canvas.px(14), row.h},
            !each ? std::string_view("–") : plain_number(value * (has_rate || !micro(snapshot) ? 1 : 1000)),
            Font::slide_text_strong, bar.ink);
    }
}

// Of what is shown and the lab's first version, where that is another one.
std::optional<TimePair> beside_first(const Stage& stage) {
    const ToldFigures& told = stage.snapshot.told;
    const auto first = told.versions.find(first_version(stage));
    if (first == told.versions.end() || first->first == now_work(stage).version) return std::nullopt;
    return times_of(told.now, first->second);
}

// Returns the room beside it.
Box draw_factor(const Stage& stage, const TimePair& pair) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.slide_number;
    const std::string_view number = text("{}×", speedup_text(pair.speedup()));
    canvas.text(room, number, Font::slide_number, Ink::now);
    return room.after(canvas.width(number, Font::slide_number) + canvas.px(36));
}

// Against the baseline, and small against the first version; of the baseline itself against that alone.
void draw_number(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    canvas.slot("slide number", stage.slots.slide_number);
    const ToldFigures& told = stage.snapshot.told;
    if (!told.baseline) return;
    const int first = first_version(stage);
    const std::optional<TimePair> of_first = beside_first(stage);
    const auto as_fast = [](std::string_view name) { return say("slide.as_fast", name); };
    if (told.now_is_baseline()) {
        if (!of_first) return;
        const Box words = draw_factor(stage, *of_first);
        canvas.text(words.row(0, 2, 0), as_fast(version_name(first)), Font::slide_text, Ink::text);
        return;
    }
    const std::optional<TimePair> pair = times_of(told.now, *told.baseline);
    if (!pair) return;
    const Box words = draw_factor(stage, *pair);
    canvas.text(words.row(0, 2, 0), say_baseline(stage, words.w, Font::slide_text, as_fast), Font::slide_text,
                Ink::text);
    if (of_first && told.baseline->work.version != first)
        canvas.text(words.row(1, 2, 0),
                    say("slide.against_first", version_name(first), speedup_text(of_first->speedup())),
                    Font::figure_plain, Ink::dim);
}

void draw_count(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.slide_count;
    canvas.slot("slide count", room);
    const Box sign = badge(canvas, room, Kind::counted);
    if (!stage.snapshot.told.reasons || stage.snapshot.told.reasons->shifts.empty()) return;
    const Shift& first = stage.snapshot.told.reasons->shifts.front();
    const Box words = room.before(room.right() - sign.x + canvas.px(12));
    canvas.text(words.row(0, 2, 0), change_text(first), Font::figure, Ink::text);
    canvas.text(words.row(1, 2, 0), said(first.quantity), Font::figure_plain, Ink::dim);
}

// A dot a version, where this one is, and the next.
void draw_steps(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.slide_steps;
    canvas.slot("slide steps", room);
    const std::vector<Version>& versions = stage.snapshot.work.lab->versions;
    // What stands behind them keeps its room.
    const float step = std::min(canvas.px(42), (room.w - canvas.px(560)) / float(versions.size()));
    int now = 0;
    for (std::size_t i = 0; i < versions.size(); ++i) {
        if (versions[i].number == stage.snapshot.work.version) now = int(i);
    }
    for (int i = 0; i < int(versions.size()); ++i) {
        const float x = room.x + canvas.px(16) + step * float(i);
        ImGui::PushID(i);
        if (canvas.touch("step", {x - step / 2, room.y, step, room.h}).clicked)
            stage.edits.add(ChooseVersion{versions[std::size_t(i)].number});
        ImGui::PopID();
        if (i == now)
            canvas.circle(x, room.center_y(), 16, Ink::now_fill);
        else if (i < now)
            canvas.circle(x, room.center_y(), 10, Ink::context_strong);
        else
            canvas.ring(x, room.center_y(), 9, Ink::context_strong, 4);
    }
    const float after = room.x + canvas.px(16) + step * float(versions.size());
    canvas.text({after, room.y, canvas.px(220), room.h}, say("slide.place", now + 1, versions.size()),
                Font::figure_plain, Ink::dim);
    if (now + 1 >= int(versions.size())) return;
    const Version& next = versions[std::size_t(now) + 1];
    const float arrow = canvas.px(30);
    const Box words{after + canvas.px(230), room.y,
                    room.right() - after - canvas.px(230) - arrow - canvas.px(12), room.h};
    // Its title where there is room for it.
    const std::string_view whole = say("slide.next", version_name(next.number), translated(next.title));
    const bool fits = canvas.width(whole, Font::figure_plain) <= words.w;
    canvas.text(words, fits ? whole : say("slide.next", version_name(next.number), ""), Font::figure_plain,
                Ink::text, Align::right);
    canvas.triangle({room.right() - arrow, room.center_y() - arrow / 2}, {room.right(), room.center_y()},
                    {room.right() - arrow, room.center_y() + arrow / 2}, Ink::text);
    if (canvas.touch("next", {words.right(), room.y, arrow + canvas.px(12), room.h}).clicked)
        stage.edits.add(ChooseVersion{next.number});
}

// The version and what changed.
void draw_words(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    const Version& version = version_of(*snapshot.work.lab, snapshot.work.version);
    const Box title = stage.slots.slide_title;
    canvas.slot("slide title", title);
    // A long title is set smaller rather than cut.
    const std::string_view number = version_name(version.number);
    const std::string_view words = translated(version.title);
    const float gap = canvas.px(46);
    const bool large =
        canvas.width(number, Font::slide_title) + gap + canvas.width(words, Font::slide_title) <= title.w;
    const Font font = large ? Font::slide_title : Font::headline;
    canvas.text(title, number, font, Ink::now);
    canvas.text(title.after(canvas.width(number, font) + gap), words, font, Ink::now);
    canvas.slot("slide sentence", stage.slots.slide_sentence);
    // What is told of the version may name its own block.
    const int step = main_step(*snapshot.work.lab, version);
    const Block own = version.steps[std::size_t(step)].block;
    const Block block = snapshot.work.block(step);
    const std::string_view changed = translated(version.changed);
    const std::string_view sentence =
        block == own ? changed
                     : text("{} {}", changed, say("slide.own_block", block_text(block), block_text(own)));
    canvas.paragraph(stage.slots.slide_sentence, sentence, Font::slide_text, Ink::text, 1.2f);
}

}  // namespace

void draw_slide(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    if (stage.view.playing) {
        draw_lecture_words(stage);
    } else {
        draw_words(stage);
        draw_steps(stage);
    }
    if (stage.view.playing && stage.view.playing->asking()) {
        const Box from = stage.slots.slide_picture;
        draw_question(stage, {0, from.y, stage.slots.window.w, stage.slots.slide_steps.y - from.y});
        return;
    }
    canvas.frame({stage.slots.slide_picture.x - 2, stage.slots.slide_picture.y - 2,
                  stage.slots.slide_picture.w + 4, stage.slots.slide_picture.h + 4},
                 Ink::text, 0, 2);
    draw_bars(stage);
    draw_number(stage);
    draw_count(stage);
}

void draw_frozen(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box picture = stage.slots.slide_picture;
    canvas.slot("frozen", picture);
    if (stage.view.slide.blank) {
        canvas.list().AddRectFilled({0, 0}, {stage.slots.window.w, stage.slots.window.h}, IM_COL32_BLACK);
        return;
    }
    const float gap = canvas.px(16);
    picture_label(canvas, picture.x + gap, picture.bottom() - gap - canvas.px(44), Align::left,
                  say("slide.frozen"));
}

}  // namespace ws
