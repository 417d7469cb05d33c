#pragma once
// Text drawn into pictures, for slides.

#include <string>
#include <vector>

#include "gpu/core/image.h"

namespace ws {

// Draws lines of text, white on what is there, from the top left corner (x, y); `pixels` is the height of a
// line.
void draw_text(RgbaImage& image, const std::vector<std::string>& lines, int x, int y, float pixels);

// The widest line in pixels.
[[nodiscard]] int text_width(const std::vector<std::string>& lines, float pixels);

}  // namespace ws
