#pragma once
// ImGui's own lists, dialogs and tips in the colours of the window.

#include <imgui.h>

#include "app/canvas/palette.h"

namespace ws {

void apply_style(Theme theme, float unit);
// For text of ImGui's own.
[[nodiscard]] ImVec4 color_of(Theme theme, Ink ink);

}  // namespace ws
