#pragma once
// ImGui's window that covers the screen and takes everything that is drawn on a canvas.

#include <imgui.h>

namespace ws {

inline constexpr ImGuiWindowFlags kStage =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoBackground |
    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav;

class StageWindow {
  public:
    StageWindow() {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
        ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
        ImGui::Begin("##stage", nullptr, kStage);
        ImGui::PopStyleVar(2);
    }
    ~StageWindow() { ImGui::End(); }
    StageWindow(const StageWindow&) = delete;
    StageWindow& operator=(const StageWindow&) = delete;
};

}  // namespace ws
