#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/text.h"

namespace ws {

// The kernel's text as it is compiled. The second font of the atlas is the monospaced one.
void draw_source(const Snapshot& snapshot, Settings& settings) {
    choose_stage("source", settings);
    const StageSnapshot& stage = snapshot.stages[index_of(settings.inspected)];
    wrapped(kDim, stage.source.path.empty()
                      ? stage.source.name + ".cu, part of the program; 'warpscope kernels DIR' writes it"
                      : stage.source.path);
    const ImFontAtlas* fonts = ImGui::GetIO().Fonts;
    ImGui::PushFont(fonts->Fonts[fonts->Fonts.Size - 1]);
    ImGui::BeginChild("text", {0, 26 * em()}, true, ImGuiWindowFlags_HorizontalScrollbar);
    ImGui::TextUnformatted(stage.source.text.data(), stage.source.text.data() + stage.source.text.size());
    ImGui::EndChild();
    ImGui::PopFont();
}

}  // namespace ws
