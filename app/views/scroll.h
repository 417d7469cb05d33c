#pragma once
// Rows of which a card shows some.

#include "app/canvas/canvas.h"
#include "app/views/views.h"

namespace ws {

// By the wheel and by dragging, of rows of this height: from 0 to `most`.
[[nodiscard]] float scrolled(float now, bool hovered, bool held, float row, int most);

// Of the card beside the code: the first row in view, moved by the wheel or by dragging. It opens at
// `opening`; the last row that can be the first is `most`.
[[nodiscard]] int scrolled_beside(const Stage& stage, const Touch& touch, float row, int opening, int most);

// At the right of the rows; nothing where all are in view.
inline constexpr float kScrollBar = 14;  // units, with the gap before it
void draw_scroll_bar(Canvas& canvas, Box body, int rows, int visible, int first);

}  // namespace ws
