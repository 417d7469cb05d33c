#include "app/window/columns.h"

#include <imgui.h>

#include "app/panels/panels.h"
#include "app/window/fixed_windows.h"

namespace ws {
namespace {

void draw_toolbar(const ViewState& view, Edits& edits) {
    if (ImGui::Button("open (o)")) edits.add(ShowOpenDialog{});
    ImGui::SameLine();
    if (ImGui::Button("save (s)")) edits.add(SavePictures{});
    ImGui::SameLine();
    if (ImGui::Button("fit (f)")) edits.add(MoveCamera{});
    ImGui::SameLine();
    if (ImGui::Button("1:1 (z)")) edits.add(OneToOne{});
    ImGui::SameLine();
    if (ImGui::Button("keys (?)")) edits.add(ShowKeySheet{!view.key_sheet});
}

void draw_panel(const Panel& panel, const Snapshot& snapshot, const ViewState& view, Edits& edits) {
    const auto found = view.preferences.open_panels.find(panel.title);
    const bool was_open = found != view.preferences.open_panels.end() ? found->second : panel.open_at_start;
    ImGui::SetNextItemOpen(was_open);
    const bool open = ImGui::CollapsingHeader(panel.title);
    if (open != was_open) edits.add(OpenPanel{panel.title, open});
    if (!open) return;
    ImGui::PushID(panel.title);
    panel.draw(snapshot, view, edits);
    ImGui::PopID();
}

}  // namespace

void draw_columns(const Layout& layout, const Snapshot& snapshot, const ViewState& view, Edits& edits) {
    for (int column = 0; column < layout.columns; ++column) {
        ImGui::SetNextWindowPos({layout.picture_width + layout.column_width * float(column), 0});
        ImGui::SetNextWindowSize({layout.column_width, layout.height});
        ImGui::Begin(column == 0 ? "##choices" : "##results", nullptr, kFixed);
        if (column == 0) draw_toolbar(view, edits);
        for (const Panel& panel : panels()) {
            if (layout.columns == 1 || panel.column == column) draw_panel(panel, snapshot, view, edits);
        }
        ImGui::End();
    }
}

}  // namespace ws
