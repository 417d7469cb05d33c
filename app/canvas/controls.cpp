#include "app/canvas/controls.h"

#include <algorithm>
#include <cmath>

#include "app/texts/texts.h"

namespace ws {
namespace {

constexpr float kRadius = 8;

std::string_view word_of(Kind kind) {
    switch (kind) {
        case Kind::measured:
            return say("kind.measured");
        case Kind::estimated:
            return say("kind.estimated");
        case Kind::counted:
            return say("kind.counted");
        case Kind::recorded:
            return say("kind.recorded");
        case Kind::calculated:
            return say("kind.calculated");
        case Kind::predicted:
            return say("kind.predicted");
    }
    return {};
}

std::string_view meaning_of(Kind kind) {
    switch (kind) {
        case Kind::measured:
            return say("kind.measured.tip");
        case Kind::estimated:
            return say("kind.estimated.tip");
        case Kind::counted:
            return say("kind.counted.tip");
        case Kind::recorded:
            return say("kind.recorded.tip");
        case Kind::calculated:
            return say("kind.calculated.tip");
        case Kind::predicted:
            return say("kind.predicted.tip");
    }
    return {};
}

// A wave of two arcs, around a point.
void wave(Canvas& canvas, float x, float y, float width) {
    constexpr int kPoints = 9;
    ImVec2 points[kPoints];
    for (int i = 0; i < kPoints; ++i) {
        const float t = float(i) / (kPoints - 1);
        points[i] = {x + (t - 0.5f) * width, y - std::sin(t * 6.2832f) * width * 0.16f};
    }
    canvas.polyline(points, kPoints, Ink::dim, 2);
}

// The sign of a kind, drawn by lines, so that no font has to have it.
void sign(Canvas& canvas, float x, float y, Kind kind) {
    const float r = canvas.px(8);
    switch (kind) {
        case Kind::measured:
            canvas.circle(x, y, 6, Ink::dim);
            return;
        case Kind::recorded:
            canvas.ring(x, y, 6, Ink::dim, 3);
            return;
        case Kind::estimated:
            wave(canvas, x, y - r * 0.4f, 2 * r);
            wave(canvas, x, y + r * 0.4f, 2 * r);
            return;
        case Kind::calculated:
            canvas.line(x - r, y - r * 0.4f, x + r, y - r * 0.4f, Ink::dim);
            canvas.line(x - r, y + r * 0.4f, x + r, y + r * 0.4f, Ink::dim);
            return;
        case Kind::predicted:
            canvas.line(x - r, y, x + r, y, Ink::dim);
            canvas.line(x + r * 0.2f, y - r * 0.7f, x + r, y, Ink::dim);
            canvas.line(x + r * 0.2f, y + r * 0.7f, x + r, y, Ink::dim);
            return;
        case Kind::counted:
            for (const float d : {-0.4f, 0.4f}) {
                canvas.line(x + d * r, y - r, x + d * r, y + r, Ink::dim);
                canvas.line(x - r, y + d * r, x + r, y + d * r, Ink::dim);
            }
            return;
    }
}

}  // namespace

float button_width(const Canvas& canvas, std::string_view label) {
    return canvas.width(label, Font::body) + canvas.px(40);
}

Touch button(Canvas& canvas, const char* id, Box box, std::string_view label, ButtonLook look) {
    const Touch touch = canvas.touch(id, box);
    Ink ground = Ink::panel;
    Ink ink = Ink::dim;
    Ink edge = Ink::line;
    Font font = Font::body;
    const bool light = canvas.theme() == Theme::light;
    switch (look) {
        case ButtonLook::plain:
            break;
        case ButtonLook::chosen:
            ground = light ? Ink::now_fill : Ink::now_soft;
            ink = light ? Ink::on_fill : Ink::now;
            edge = light ? Ink::now_fill : Ink::now_soft;
            font = Font::strong;
            break;
        case ButtonLook::outlined:
            ink = Ink::now;
            edge = Ink::now_fill;
            break;
        case ButtonLook::baseline:
            ground = Ink::base_soft;
            ink = Ink::base;
            edge = Ink::base_fill;
            font = Font::strong;
            break;
    }
    canvas.fill(box, ground, kRadius);
    if (look != ButtonLook::plain && look != ButtonLook::chosen) canvas.frame(box, edge, kRadius);
    if (touch.hovered)
        canvas.frame(box, look == ButtonLook::baseline ? Ink::base_fill : Ink::now_fill, kRadius);
    canvas.text(box.inset(canvas.px(6), 0), label, font, ink, Align::center);
    return touch;
}

Touch ButtonRow::add(const char* id, std::string_view label, ButtonLook look) {
    const float wide = button_width(canvas_, label);
    const Touch touch = button(canvas_, id, room_.left(wide), label, look);
    skip(wide + canvas_.px(8));
    return touch;
}

namespace {

std::string_view words_of(Kind kind, const BadgeNote& note) {
    return note.more.empty() ? word_of(kind) : text("{} {}", word_of(kind), note.more);
}

}  // namespace

float badge_width(const Canvas& canvas, Kind kind, const BadgeNote& note) {
    return canvas.width(words_of(kind, note), Font::axis) + canvas.px(46);
}

Box badge(Canvas& canvas, Box room, Kind kind, const BadgeNote& note) {
    const std::string_view word = words_of(kind, note);
    const float high = std::min(canvas.px(36), room.h);
    const float wide = badge_width(canvas, kind, note);
    const Box box{std::round(room.right() - wide), std::round(room.center_y() - high / 2), wide, high};
    canvas.frame(box, Ink::context_strong, 18, 2);
    sign(canvas, box.x + canvas.px(20), box.center_y(), kind);
    canvas.text(box.after(canvas.px(34)).before(canvas.px(10)), word, Font::axis, Ink::dim);
    const bool over = ImGui::IsMouseHoveringRect({box.x, box.y}, {box.right(), box.bottom()});
    canvas.tooltip({.hovered = over, .box = box}, note.tip.empty() ? meaning_of(kind) : note.tip);
    return box;
}

Touch kind_button(Canvas& canvas, const char* id, Box room, std::string_view label, Kind kind) {
    const float high = std::min(canvas.px(36), room.h);
    const Box box{room.x, std::round(room.center_y() - high / 2), room.w, high};
    const Touch touch = canvas.touch(id, box);
    canvas.frame(box, touch.hovered ? Ink::now_fill : Ink::context_strong, 18, 2);
    sign(canvas, box.x + canvas.px(16), box.center_y(), kind);
    canvas.text(box.after(canvas.px(28)).before(canvas.px(6)), label, Font::axis, Ink::dim);
    return touch;
}

float slider(Canvas& canvas, const char* id, Box box, float at, int ticks) {
    const float knob = canvas.px(14);
    const Box track{box.x + knob, box.center_y() - canvas.px(4), box.w - 2 * knob, canvas.px(8)};
    const Touch touch = canvas.touch(id, box);
    if (touch.held && track.w > 0)
        at = std::clamp((ImGui::GetIO().MousePos.x - track.x) / track.w, 0.0f, 1.0f);
    canvas.fill(track, Ink::track, 4);
    canvas.fill(track.left(track.w * at), Ink::now_fill, 4);
    for (int i = 0; i < ticks && ticks > 1; ++i) {
        const float x = track.x + track.w * float(i) / float(ticks - 1);
        canvas.line(x, track.bottom() + canvas.px(6), x, track.bottom() + canvas.px(13), Ink::context_strong);
    }
    canvas.circle(track.x + track.w * at, track.center_y(), touch.hovered || touch.held ? 16 : 14,
                  Ink::panel);
    canvas.circle(track.x + track.w * at, track.center_y(), touch.hovered || touch.held ? 15 : 13,
                  Ink::now_fill);
    return at;
}

Box card_title(Canvas& canvas, Box card, std::string_view title) {
    canvas.card(card);
    const Box in = card.inset(canvas.px(20), 0);
    canvas.text(in.below(canvas.px(6)).top(canvas.px(48)), title, Font::strong, Ink::text);
    return {in.x, in.y + canvas.px(56), in.w, in.h - canvas.px(68)};
}

Box card_title(Canvas& canvas, Box card, std::string_view title, Kind kind, const BadgeNote& note) {
    canvas.card(card);
    const Box in = card.inset(canvas.px(20), 0);
    const Box head = in.below(canvas.px(6)).top(canvas.px(48));
    const Box at = badge(canvas, head, kind, note);
    canvas.text(head.before(head.right() - at.x + canvas.px(8)), title, Font::strong, Ink::text);
    return {in.x, in.y + canvas.px(56), in.w, in.h - canvas.px(68)};
}

Box picture_label(Canvas& canvas, float x, float y, Align align, std::string_view text, Ink ink) {
    const float wide = canvas.width(text, Font::body) + canvas.px(32);
    const float high = canvas.px(44);
    const Box box{std::round(align == Align::right    ? x - wide
                             : align == Align::center ? x - wide / 2
                                                      : x),
                  std::round(y), wide, high};
    canvas.fill(box, Ink::shade, 6);
    canvas.text(box.inset(canvas.px(16), 0), text, Font::body, ink);
    return box;
}

}  // namespace ws
