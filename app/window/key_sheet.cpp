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
    ImGui::SetNextWindowSize({std::min(screen.x * 0.95f, 44 * em()), 0});
    ImGui::SetNextWindowFocus();
    bool open = true;
    ImGui::Begin("Keys", &open,
                 ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
    if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg)) {
        for (const KeyBinding& binding : key_bindings()) {
            ImGui::TableNextRow();
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
