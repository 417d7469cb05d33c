#pragma once
// The fonts of the window by what they are for. Sizes are those at a height of 1080 lines, and grow with it.

#include <cstdint>
#include <memory>

struct ImFont;
struct ImFontAtlas;

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
struct AtlasDeleter {
    void operator()(ImFontAtlas* atlas) const;
};
using FontAtlas = std::unique_ptr<ImFontAtlas, AtlasDeleter>;
// An atlas of all fonts for `unit` pixels a pixel at 1080 lines, rasterised whole, for a context to be made
// with. It takes 50 ms at 1080 lines. On any thread, while there is no context of ImGui.
[[nodiscard]] FontAtlas bake_fonts(float unit);

// Rebuilds the atlas of the current context. Text of ImGui itself is `body`.
void load_fonts(float unit);
[[nodiscard]] ImFont* font_of(Font font);

}  // namespace ws
