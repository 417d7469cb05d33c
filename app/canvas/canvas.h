#pragma once
// Everything of the window that is no picture is drawn here: rectangles, lines and text of a few sizes, in
// pixels, in colours by meaning. What is drawn is kept as a list too, so that a test can walk it and find
// text that is cut off, overlaps, or stands on a ground that it cannot be read on.

#include <imgui.h>

#include <string_view>
#include <vector>

#include "app/canvas/box.h"
#include "app/canvas/fonts.h"
#include "app/canvas/palette.h"
#include "gpu/core/figures.h"

namespace ws {

enum class Align : std::uint8_t { left, center, right };

// A text as it was drawn.
struct DrawnText {
    Box box;   // of its letters
    Box room;  // that it was given
    Font font = Font::body;
    Ink ink = Ink::text;
    Ink ground = Ink::ground;
    bool cut = false;       // it was too long, and ends with an ellipsis
    std::string_view text;  // of this frame
};
// What a frame has drawn: its texts, and the named places, which must not move.
struct Drawing {
    std::vector<DrawnText> texts;
    struct Slot {
        std::string_view name;
        Box box;
    };
    std::vector<Slot> slots;
    // A filled rectangle: what is drawn later stands on it.
    struct Fill {
        Box box;
        Ink ink;
    };
    std::vector<Fill> fills;
    // A place with words that appear while the pointer rests on it.
    struct Tip {
        Box box;
        std::string_view text;  // of this frame
    };
    std::vector<Tip> tips;
    void clear() { texts.clear(), slots.clear(), fills.clear(), tips.clear(); }
};

// What the pointer does with a place.
struct Touch {
    bool hovered = false;
    bool held = false;     // the left button went down on it and is down still
    bool clicked = false;  // and came up on it
    bool right_clicked = false;
    Box box{};  // the place
};

class Canvas {
  public:
    // For one frame, within an ImGui window that covers the screen. `unit`: pixels for a pixel at 1080 lines.
    Canvas(ImDrawList& list, Theme theme, float unit, Drawing& drawing);

    [[nodiscard]] float unit() const { return unit_; }
    [[nodiscard]] float px(float at_1080) const { return at_1080 * unit_; }
    [[nodiscard]] Theme theme() const { return theme_; }
    [[nodiscard]] ImU32 color(Ink ink, float alpha = 1) const;
    [[nodiscard]] ImDrawList& list() { return list_; }

    // A place of the window that has a name and does not move.
    void slot(std::string_view name, Box box) { drawing_.slots.push_back({name, box}); }

    void fill(Box box, Ink ink, float radius = 0);
    // The same where nothing is written on it: there may be tens of thousands.
    void mark(Box box, Ink ink, float alpha = 1);
    void frame(Box box, Ink ink, float radius = 0, float thickness = 2);
    void card(Box box);  // a panel with round corners
    void line(float x0, float y0, float x1, float y1, Ink ink, float thickness = 2);
    void dotted(float x0, float y0, float x1, float y1, Ink ink, float thickness = 2);
    void polyline(const ImVec2* points, int count, Ink ink, float thickness);
    void circle(float x, float y, float radius, Ink ink);
    void ring(float x, float y, float radius, Ink ink, float thickness);
    void triangle(ImVec2 a, ImVec2 b, ImVec2 c, Ink ink);
    void warning(Box box, Ink ink);  // a triangle with an exclamation mark

    [[nodiscard]] float width(std::string_view text, Font font) const;
    [[nodiscard]] float height(Font font) const;  // of a line
    // One line, in the middle of the room from top to bottom. Text that is too long is as large as fits,
    // though not smaller than its font at this unit; then it ends with an ellipsis. Returns the box of its
    // letters.
    Box text(Box room, std::string_view text, Font font, Ink ink, Align align = Align::left);
    // Lines broken at blanks, from the top of the room; what does not fit is smaller, or ends with an
    // ellipsis, as a line does. Returns the height used.
    float paragraph(Box room, std::string_view text, Font font, Ink ink, float leading = 1.3f);
    // What all of it would use in lines of this width.
    [[nodiscard]] float paragraph_height(float width, std::string_view text, Font font,
                                         float leading = 1.3f) const;

    // The pointer over a place. Ids are those of ImGui.
    [[nodiscard]] Touch touch(const char* id, Box box);
    // The pointer is over it, whatever lies in it.
    [[nodiscard]] static bool pointed_at(Box box);
    // Shown beside the pointer while it rests here. Of places within each other the first in the frame wins:
    // what is drawn before the tip of its card.
    void tooltip(const Touch& touch, std::string_view text);

  private:
    // The size of a font at the unit, of that it has: fonts may be larger than the unit's (Ctrl +).
    [[nodiscard]] float least_size(Font font) const;
    Box sized_text(Box room, std::string_view text, Font font, float size, Ink ink, Align align);
    [[nodiscard]] Ink ground_at(Box box) const;
    // Where the line that begins at `at` ends: behind the blank after as many words as fit.
    [[nodiscard]] std::size_t line_end(std::string_view all, std::size_t at, Font font, float wide) const;
    [[nodiscard]] float line_step(Font font, float leading) const;

    ImDrawList& list_;
    Theme theme_;
    float unit_;
    Drawing& drawing_;
    bool tipped_ = false;  // a tip is shown already
};

}  // namespace ws
