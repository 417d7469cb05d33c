// What a lecture says about its step, and what it asks. Nothing here shows a truth before it is told.

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/views.h"
#include "app/views/words.h"
#include "app/window/look.h"

namespace ws {
namespace {

// Two digits at least; a whole number, as registers are, without a point.
std::string_view plain_number(double value) {
    if (value >= 99.5 || (value >= 9.95 && value == std::round(value))) return text("{:.0f}", value);
    return value >= 9.95 ? text("{:.1f}", value) : speedup_text(value);
}

bool explores(const Stage& stage) {
    static const ControlValues kNone;
    const ControlValues& values = stage.experiment ? stage.experiment->values : kNone;
    return ws::explores(stage.view, stage.snapshot.work, values);
}

// Of the step's own work; nothing while its figures are not there.
std::optional<Truth> truth_of(const Stage& stage) {
    const Askable* asked = stage.view.playing->step().asks;
    if (!asked || explores(stage) || stage.snapshot.told.stale) return std::nullopt;
    return asked->truth(stage.snapshot);
}

std::string_view answer_text(const Stage& stage, const std::optional<Truth>& truth) {
    const Playing& playing = *stage.view.playing;
    const std::string_view unit = say(playing.step().asks->unit);
    const std::optional<double> guess = playing.answer().guess;
    const std::string_view value = truth ? plain_number(truth->value) : std::string_view("…");
    if (!guess) return say("lecture.truth", value, unit);
    if (!truth || *guess <= 0) return say("lecture.guess_and_truth", plain_number(*guess), value, unit);
    return say("lecture.guess_truth_ratio", plain_number(*guess), value, unit,
               plain_number(truth->value / *guess));
}

// The last line of the step's words: what came of a guess, or the way back.
void draw_last_line(const Stage& stage, Box row, Font font) {
    Canvas& canvas = stage.canvas;
    const Playing& playing = *stage.view.playing;
    if (explores(stage)) {
        canvas.text(row, say("lecture.exploring"), font, Ink::dim);
        return;
    }
    if (!playing.step().asks || playing.asking()) return;
    const std::optional<Truth> truth = truth_of(stage);
    if (truth) {
        const Box sign = badge(canvas, row.left(badge_width(canvas, truth->kind)), truth->kind);
        row = row.after(sign.w + canvas.px(16));
    }
    canvas.text(row, answer_text(stage, truth), font, Ink::now);
}

void draw_axis(const Stage& stage, const Askable& asked, Box room) {
    Canvas& canvas = stage.canvas;
    const std::optional<double> value = typed_value(*stage.view.playing);
    const double place = value ? place_on_axis(asked, *value) : 0.5;
    const Box track = room.top(canvas.px(48));
    const float moved = slider(canvas, "guess", track, float(place), 5);
    if (moved != float(place)) stage.edits.add(PointGuess{double(moved)});
    constexpr int kNumbers = 5;
    for (int i = 0; i < kNumbers; ++i) {
        const double share = double(i) / (kNumbers - 1);
        const float wide = canvas.px(160);
        const float knob = canvas.px(14);
        const float x = room.x + knob + (room.w - 2 * knob) * float(share);
        const Align align = i == 0 ? Align::left : i == kNumbers - 1 ? Align::right : Align::center;
        const float left = i == 0 ? x : i == kNumbers - 1 ? x - wide : x - wide / 2;
        canvas.text({left, track.bottom(), wide, canvas.px(36)}, plain_number(value_on_axis(asked, share)),
                    Font::axis, Ink::dim, align);
    }
}

}  // namespace

void draw_lecture_dots(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    const Playing& playing = *stage.view.playing;
    canvas.slot("lecture dots", room);
    const float words = canvas.px(130);
    const float step = std::min(canvas.px(28), (room.w - words) / float(playing.count()));
    for (int i = 0; i < playing.count(); ++i) {
        const float x = room.x + step * (float(i) + 0.5f);
        ImGui::PushID(i);
        if (canvas.touch("step", {x - step / 2, room.y, step, room.h}).clicked)
            stage.edits.add(TurnStep{i - playing.at});
        ImGui::PopID();
        if (i == playing.at)
            canvas.circle(x, room.center_y(), 9, Ink::now_fill);
        else if (i < playing.at)
            canvas.circle(x, room.center_y(), 6, Ink::context_strong);
        else
            canvas.ring(x, room.center_y(), 5, Ink::context_strong, 3);
    }
    canvas.text(
        {room.x + step * float(playing.count()) + canvas.px(12), room.y, words - canvas.px(12), room.h},
        say("slide.place", playing.at + 1, playing.count()), Font::axis, Ink::dim);
}

void draw_lecture_band(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const LectureStep& step = stage.view.playing->step();
    const Box band = stage.slots.lecture;
    canvas.slot("lecture", band);
    canvas.fill(band, Ink::panel);
    canvas.line(band.x, band.y, band.right(), band.y, Ink::line, 3);
    const Box in = band.inset(std::round(band.w * .0125f), canvas.px(6));
    const Box left = in.left(in.w * 0.36f);
    canvas.text(left.row(0, 2, 0), step.title, Font::strong, Ink::now);
    draw_lecture_dots(stage, left.row(1, 2, 0));
    const Box words = in.after(in.w * 0.38f);
    const float line = canvas.px(30);
    canvas.paragraph(words.above(explores(stage) || step.asks ? line : 0), step.sentence, Font::body,
                     Ink::text, 1.1f);
    draw_last_line(stage, words.bottom_part(line), Font::strong);
}

void draw_lecture_words(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const LectureStep& step = stage.view.playing->step();
    const Box title = stage.slots.slide_title;
    canvas.slot("slide title", title);
    const bool large = canvas.width(step.title, Font::slide_title) <= title.w;
    canvas.text(title, step.title, large ? Font::slide_title : Font::headline, Ink::now);
    canvas.slot("slide sentence", stage.slots.slide_sentence);
    canvas.paragraph(stage.slots.slide_sentence, step.sentence, Font::slide_text, Ink::text, 1.2f);
    const Box foot = stage.slots.slide_steps;
    draw_lecture_dots(stage, foot.left(foot.w * 0.3f));
    draw_last_line(stage, foot.after(foot.w * 0.32f), Font::strong);
}

void draw_question(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    const Playing& playing = *stage.view.playing;
    const LectureStep& step = playing.step();
    const Askable& asked = *step.asks;
    const Version& version = version_of(*step.work.lab, step.work.version);
    const float wide = std::min(room.w * 0.9f, canvas.px(1300));
    const float high = std::min(room.h, canvas.px(640));
    const Box card{room.center_x() - wide / 2, room.center_y() - high / 2, wide, high};
    canvas.slot("question", card);
    const Box of = card.top(canvas.px(60));
    canvas.text(
        of,
        text("{} {} · {}", version_name(version.number), translated(version.title), gpu_name(stage.snapshot)),
        Font::figure_plain, Ink::dim, Align::center);
    canvas.paragraph(card.below(canvas.px(70)).top(canvas.px(140)), say(asked.question), Font::headline,
                     Ink::text, 1.2f);
    const std::string_view number = playing.typed.empty() ? std::string_view("?") : text("{}", playing.typed);
    const Box row = card.below(canvas.px(230)).top(canvas.px(130));
    const Box half = row.left(row.w * 0.5f);
    canvas.text(half.before(canvas.px(16)), number, Font::slide_number, Ink::now, Align::right);
    canvas.text(row.after(row.w * 0.5f + canvas.px(16)), say(asked.unit), Font::slide_text, Ink::text);
    draw_axis(stage, asked, card.below(canvas.px(390)).top(canvas.px(96)).inset(canvas.px(40), 0));
    canvas.text(card.below(canvas.px(520)).top(canvas.px(44)), say("lecture.hint"), Font::body, Ink::dim,
                Align::center);
}

}  // namespace ws
