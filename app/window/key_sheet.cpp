#include "app/window/key_sheet.h"

#include <imgui.h>

#include <algorithm>

#include "app/canvas/style.h"
#include "app/canvas/text.h"
#include "app/texts/texts.h"
#include "app/window/keys.h"

namespace ws {

void draw_key_sheet(Theme theme, Edits& edits) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    const float wide = std::min(screen.x * 0.97f, 84 * em());
    ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, screen.y * 0.97f});
    ImGui::SetNextWindowFocus();
    bool open = true;
    ImGui::Begin(
        text("{}###keys", say("key.title")).data(), &open,
        ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
    // Two bindings a row.
    if (ImGui::BeginTable("keys", 4, ImGuiTableFlags_RowBg)) {
        for (int column = 0; column < 4; ++column)
            ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, column % 2 == 0 ? 0.35f : 0.65f);
        for (const KeyBinding& binding : key_bindings()) {
            ImGui::TableNextColumn();
            wrapped(color_of(theme, Ink::now), binding.keys);
            ImGui::TableNextColumn();
            wrapped(say(binding.meaning));
        }
        ImGui::EndTable();
    }
    wrapped(color_of(theme, Ink::dim), say("key.mouse"));
    ImGui::End();
    if (!open) edits.add(ShowKeySheet{false});
}

}  // namespace ws
