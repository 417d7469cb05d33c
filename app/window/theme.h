#pragma once
// Fonts and colours, readable from the last row.

namespace ws {

// The size of the text, in pixels, for a window this high: at least 18 at 1080.
[[nodiscard]] float text_pixels(int framebuffer_height, float font_scale);

// Rebuilds the atlas of fonts: DejaVu Sans, and DejaVu Sans Mono as the last font.
void load_fonts(float pixels);
void apply_theme(float pixels);

}  // namespace ws
