#pragma once
// Where everything lies: fractions of the window, so that nothing moves because a value changed. A window
// that is hardly wider than high stacks what otherwise lies side by side.

#include "app/canvas/box.h"
#include "gpu/core/image.h"

namespace ws {

struct Slots {
    float unit = 1;       // pixels for a pixel at 1080 lines
    bool narrow = false;  // stacked
    Box window, top_bar, controls, tabs, strip;
    Box lecture;  // its band below everything else; empty where there is none
    // Of a page that is no story: all below the controls, its headline, and what is below that.
    Box content, page_headline, page;
    // Of the story.
    Box picture, headline, chart, block, occupancy, limits;
    // Of a difference: three pictures, or two where the window is narrow.
    Box pictures[3];
    Box numbers, places;
    // Of a slide.
    Box slide_title, slide_sentence, slide_picture, slide_bars, slide_number, slide_count, slide_steps;
};

// For a framebuffer of this size. With a band for a lecture everything else lies above it.
[[nodiscard]] Slots slots_of(Extent window, bool lecture = false);

}  // namespace ws
