#pragma once
// ImGui windows that lie where the layout puts them.

#include <imgui.h>

namespace ws {

inline constexpr ImGuiWindowFlags kFixed =
    ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
// Over the picture.
inline constexpr ImGuiWindowFlags kOverlay = kFixed | ImGuiWindowFlags_NoScrollbar |
                                             ImGuiWindowFlags_AlwaysAutoResize |
                                             ImGuiWindowFlags_NoFocusOnAppearing;

}  // namespace ws
