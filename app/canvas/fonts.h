#pragma once
// The fonts of the window by what they are for. Sizes are those at a height of 1080 lines, and grow with it.

#include <cstdint>
#include <memory>

struct ImFont;

namespace ws {

enum class Font : std::uint8_t {
    axis,               // 22: axes, badges
    axis_strong,        // 22, bold
    body,               // 24: sentences, labels
    strong,             // 24, bold
    figure,             // 28, bold
    figure_plain,       // 28
    title,              // 30, bold
    headline,           // 54, bold
    code,               // 22, monospaced
    code_strong,        // 22, monospaced, bold
    slide_text,         // 36
    slide_text_strong,  // 36, bold
    slide_title,        // 72, bold
    slide_number,       // 96, bold
    count
};

// The size of a font in pixels of its em, at 1080 lines.
[[nodiscard]] float size_of(Font font);

// The pixels of all fonts, for `unit` pixels a pixel at 1080 lines.
struct BakedFonts;
using FontsBaked = std::shared_ptr<const BakedFonts>;

// It takes 50 ms at 1080 lines. On any thread: ImGui has no part in it.
[[nodiscard]] FontsBaked bake_fonts(float unit);
[[nodiscard]] float unit_of(const BakedFonts& fonts);
// Makes them the fonts of ImGui's current context, between two frames. Text of ImGui itself is `body`.
void install_fonts(const BakedFonts& fonts);
// What is drawn from now on is `factor` times as large as the fonts were baked for, and as much less sharp.
void stretch_fonts(float factor);

// Bakes and installs.
void load_fonts(float unit);
[[nodiscard]] ImFont* font_of(Font font);
// The height of a line.
[[nodiscard]] float height_of(const ImFont& font);

}  // namespace ws
