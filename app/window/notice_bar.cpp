#include "app/window/notice_bar.h"

#include <imgui.h>

#include <algorithm>

#include "app/canvas/style.h"
#include "app/canvas/text.h"
#include "app/texts/error_line.h"

namespace ws {

void draw_notice_bar(const Stage& stage, const Notices& notices) {
    if (notices.all().empty()) return;
    const Box at = stage.slots.content;
    const float width = std::min(at.w, stage.canvas.px(1100));
    ImGui::SetNextWindowPos({at.x + stage.canvas.px(12), at.y + stage.canvas.px(70)});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, at.h * 0.8f});
    constexpr auto kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                            ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                            ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
    ImGui::Begin("##notices", nullptr, kFlags);
    const Theme theme = stage.canvas.theme();
    for (std::size_t i = 0; i < notices.all().size(); ++i) {
        ImGui::PushID(int(i));
        if (ImGui::SmallButton("×")) stage.edits.add(CloseNotice{i});
        ImGui::SameLine();
        wrapped(color_of(theme, notices.all()[i].error ? Ink::alarm : Ink::text),
                said_line(notices.all()[i].text));
        ImGui::PopID();
    }
    ImGui::End();
}

}  // namespace ws
