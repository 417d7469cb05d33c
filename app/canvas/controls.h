#pragma once
// Buttons, badges and sliders on a canvas. Each takes its place; none keeps a state.

#include <string_view>

#include "app/canvas/canvas.h"

namespace ws {

enum class ButtonLook : std::uint8_t { plain, chosen, outlined, baseline };

// A button with a word on it, at least as high as a finger is wide.
Touch button(Canvas& canvas, const char* id, Box box, std::string_view label, ButtonLook look);
// How wide a button for this label is.
[[nodiscard]] float button_width(const Canvas& canvas, std::string_view label);

// Buttons one beside the other from the left of a room on, each as wide as its word asks for.
class ButtonRow {
  public:
    ButtonRow(Canvas& canvas, Box room) : canvas_(canvas), room_(room) {}
    Touch add(const char* id, std::string_view label, ButtonLook look);
    void skip(float width) { room_ = room_.after(width); }
    // What is left of the room.
    [[nodiscard]] Box rest() const { return room_; }

  private:
    Canvas& canvas_;
    Box room_;
};

// What a badge says besides the kind, and while the pointer rests on it.
struct BadgeNote {
    std::string_view more;  // "± 25 %"
    std::string_view tip;
};
// How a number came about, at the right end of the room and in its middle from top to bottom. Returns its
// box.
Box badge(Canvas& canvas, Box room, Kind kind, const BadgeNote& note = {});
[[nodiscard]] float badge_width(const Canvas& canvas, Kind kind, const BadgeNote& note = {});
// The heading of numbers of a kind: its sign and a label; a click is a wish for others.
Touch kind_button(Canvas& canvas, const char* id, Box room, std::string_view label, Kind kind);

// A track with a knob at `at` (0 to 1) and ticks. Returns where the knob is dragged to, else `at`.
[[nodiscard]] float slider(Canvas& canvas, const char* id, Box box, float at, int ticks);

// A heading at the top of a card, with a badge at its right; returns the rest of the card.
Box card_title(Canvas& canvas, Box card, std::string_view title);
Box card_title(Canvas& canvas, Box card, std::string_view title, Kind kind, const BadgeNote& note = {});

// A label over a picture.
Box picture_label(Canvas& canvas, float x, float y, Align align, std::string_view text,
                  Ink ink = Ink::on_shade);

}  // namespace ws
