#pragma once
// The colours of the window by what they mean. Every pair of text and ground in use has a contrast of at
// least 7 : 1 in both themes (kReadable in palette.cpp is the table, a test computes it); the hues of now,
// baseline and alarm differ for colour-blind eyes, too, and none is ever the only sign of what it says.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ws {

enum class Theme : std::uint8_t { light, dark };

enum class Ink : std::uint8_t {
    ground,  // of the window
    panel,   // cards
    bar,     // the top bar
    line,    // borders
    grid,    // of plots
    track,   // of sliders and bars
    text,
    dim,  // secondary text, and what is of an earlier choice
    now,  // what is shown now: text, fill, soft fill, middle fill
    now_fill,
    now_soft,
    now_mid,
    base,  // the baseline
    base_fill,
    base_soft,
    base_mid,
    alarm,  // wrong or refused, always with a triangle and words
    alarm_soft,
    context,  // everything else in a plot
    context_strong,
    context_soft,
    wait_memory,  // why a warp does not issue; its shape says it, too
    wait_barrier,
    wait_pipe,
    on_fill,   // text on now_fill
    shade,     // behind labels over a picture
    on_shade,  // their text
    heat_0,    // of a map: the best, and four steps away from it
    heat_1,
    heat_2,
    heat_3,
    heat_4,
    heat_text_0,  // the text on each
    heat_text_1,
    heat_text_2,
    heat_text_3,
    heat_text_4,
    count
};

struct Rgba {
    std::uint8_t r = 0, g = 0, b = 0, a = 255;
    friend bool operator==(const Rgba&, const Rgba&) = default;
};
using Palette = std::array<Rgba, std::size_t(Ink::count)>;
[[nodiscard]] const Palette& palette(Theme theme);

// Contrast of two opaque colours, 1 to 21. Source: WCAG 2.1, relative luminance of sRGB.
[[nodiscard]] double contrast(Rgba a, Rgba b);

// Texts and the grounds that they stand on.
struct Readable {
    Ink text;
    Ink ground;
};
[[nodiscard]] std::span<const Readable> readable_pairs();
[[nodiscard]] const char* name_of(Ink ink);

}  // namespace ws
