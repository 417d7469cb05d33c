#pragma once
// What the lecturer sees of a lecture and the class does not: the step's note, what comes next, the clock.

#include <string_view>

#include "app/canvas/canvas.h"
#include "app/lecture/player.h"
#include "gpu/core/image.h"

namespace ws {

struct NotesPage {
    const Playing& playing;
    std::string_view clock;  // "14:05"
    std::string_view since;  // how long ago the first step was left: "0:12:30"
};

// Pixels for one at 1080 lines: its text is larger than that of other pages, as its window is often small.
[[nodiscard]] float notes_unit(Extent window);

// All of a window of its own.
void draw_notes(Canvas& canvas, Extent window, const NotesPage& page);

}  // namespace ws
