#include "app/views/notes_view.h"

#include <algorithm>
#include <array>

#include "app/canvas/text.h"
#include "app/texts/texts.h"

namespace ws {
namespace {

struct NotesSlots {
    Box bar, title, sentence, asks, note, next, dots;
};

// Fractions of the window: nothing moves because a note is longer.
NotesSlots notes_slots(Extent window) {
    const Box all{0, 0, float(window.width), float(window.height)};
    const Box in = all.inset(all.w * 0.025f, 0);
    const auto part = [&](float top, float high) { return Box{in.x, all.h * top, in.w, all.h * high}; };
    return {part(.012f, .100f), part(.115f, .095f), part(.215f, .120f), part(.340f, .055f),
            part(.405f, .340f), part(.765f, .165f), part(.940f, .050f)};
}

// The largest of these in which all of a text fits.
Font fitting(const Canvas& canvas, Box room, std::string_view words) {
    constexpr std::array kFonts{Font::slide_text, Font::figure_plain, Font::body, Font::axis};
    for (const Font font : kFonts) {
        if (canvas.paragraph_height(room.w, words, font) <= room.h) return font;
    }
    return kFonts.back();
}

void draw_bar(Canvas& canvas, Box bar, const NotesPage& page) {
    canvas.slot("notes bar", bar);
    const Playing& playing = page.playing;
    const float times = canvas.px(250);
    const Box title = bar.before(2 * times + canvas.px(16));
    canvas.text(title, playing.lecture->title, Font::strong, Ink::dim);
    const auto time = [&](Box room, std::string_view label, std::string_view value) {
        canvas.text(room.top(room.h * 0.42f), label, Font::axis, Ink::dim, Align::right);
        canvas.text(room.below(room.h * 0.40f), value, Font::title, Ink::text, Align::right);
    };
    const Box right = bar.right_part(2 * times);
    time(right.left(times), say("notes.since"), page.since);
    time(right.after(times), say("notes.clock"), page.clock);
}

// What the class is to guess, and what it has.
std::string_view asked(const Playing& playing) {
    const LectureStep& step = playing.step();
    if (!step.asks) return {};
    const std::string_view question = say(step.asks->question);
    if (playing.asking()) return say("notes.asks", question);
    const std::optional<double> guess = playing.answer().guess;
    return guess ? say("notes.guessed", question, text("{:g}", *guess)) : say("notes.told", question);
}

void draw_next(Canvas& canvas, Box room, const Playing& playing) {
    canvas.slot("next step", room);
    canvas.card(room);
    const Box in = room.inset(canvas.px(20), canvas.px(10));
    if (playing.at + 1 == playing.count()) {
        canvas.text(in, say("notes.last"), Font::body, Ink::dim);
        return;
    }
    const LectureStep& next = playing.lecture->steps[std::size_t(playing.at) + 1];
    const Box label = in.left(canvas.px(190));
    canvas.text(label.top(canvas.px(36)), say("notes.next"), Font::body, Ink::dim);
    const Box words = in.after(label.w);
    canvas.text(words.top(canvas.px(36)), next.title, Font::strong, Ink::text);
    canvas.paragraph(words.below(canvas.px(40)), next.sentence, Font::axis, Ink::dim, 1.2f);
}

void draw_dots(Canvas& canvas, Box room, const Playing& playing) {
    canvas.slot("notes dots", room);
    const float words = canvas.px(200);
    const float step = std::min(canvas.px(34), (room.w - words) / float(playing.count()));
    for (int i = 0; i < playing.count(); ++i) {
        const float x = room.x + step * (float(i) + 0.5f);
        if (i == playing.at)
            canvas.circle(x, room.center_y(), 10, Ink::now_fill);
        else if (i < playing.at)
            canvas.circle(x, room.center_y(), 7, Ink::context_strong);
        else
            canvas.ring(x, room.center_y(), 6, Ink::context_strong, 3);
    }
    canvas.text(room.right_part(words), say("slide.place", playing.at + 1, playing.count()), Font::figure,
                Ink::text, Align::right);
}

}  // namespace

float notes_unit(Extent window) {
    constexpr float kLines = 800;
    constexpr float kColumns = 1320;
    return std::min(float(window.height) / kLines, float(window.width) / kColumns);
}

void draw_notes(Canvas& canvas, Extent window, const NotesPage& page) {
    const NotesSlots slots = notes_slots(window);
    const Playing& playing = page.playing;
    const LectureStep& step = playing.step();
    canvas.fill({0, 0, float(window.width), float(window.height)}, Ink::ground);
    draw_bar(canvas, slots.bar, page);

    canvas.slot("notes title", slots.title);
    const bool large = canvas.width(step.title, Font::headline) <= slots.title.w;
    canvas.text(slots.title, step.title, large ? Font::headline : Font::title, Ink::now);
    canvas.slot("notes sentence", slots.sentence);
    canvas.paragraph(slots.sentence, step.sentence, Font::body, Ink::dim, 1.2f);
    canvas.slot("notes question", slots.asks);
    canvas.text(slots.asks, asked(playing), Font::body, Ink::text);

    canvas.slot("note", slots.note);
    canvas.card(slots.note);
    const Box room = slots.note.inset(canvas.px(20), canvas.px(14));
    if (step.note.empty())
        canvas.text(room.top(canvas.px(50)), say("notes.none"), Font::body, Ink::dim);
    else
        canvas.paragraph(room, step.note, fitting(canvas, room, step.note), Ink::text);
    draw_next(canvas, slots.next, playing);
    draw_dots(canvas, slots.dots, playing);
}

}  // namespace ws
