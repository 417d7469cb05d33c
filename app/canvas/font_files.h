#pragma once
// The files of the fonts, for those who draw text in other ways than ImGui.

#include <string_view>

#include "app/canvas/fonts.h"

namespace ws {

// The TrueType file of a font; it lives as long as the program.
[[nodiscard]] std::string_view font_file(Font font);

// Of a font's line, in its em: from the highest point to the lowest, and to the baseline.
inline constexpr float kHeightOverEm = 1.164f;
inline constexpr float kAscentOverEm = 0.928f;

}  // namespace ws
