#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/block_editor.h"
#include "app/widgets/text.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

void choose_preset(const StageSnapshot& stage, Block& block) {
    float left = ImGui::GetContentRegionAvail().x;
    bool first = true;
    for (const Block preset : block_presets()) {
        if (!(fitted(stage.source, preset) == preset)) continue;
        const std::string label = to_string(preset);
        const float width = ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
        if (!first && left > width) ImGui::SameLine();
        if (!first && left <= width) left = ImGui::GetContentRegionAvail().x;
        left -= width + ImGui::GetStyle().ItemSpacing.x;
        first = false;
        if (ImGui::Button(label.c_str())) block = preset;
    }
}

// The constants of a kernel other than its block.
void edit_knobs(const StageSnapshot& stage, Edits& edits) {
    for (const Knob& knob : stage.source.knobs) {
        if (knob.name == "BLOCK_X" || knob.name == "BLOCK_Y") continue;
        ImGui::PushID(knob.name.c_str());
        const auto in_force = stage.knobs.find(knob.name);
        int value = in_force != stage.knobs.end() ? in_force->second : knob.value;
        ImGui::SetNextItemWidth(6 * em());
        if (ImGui::SliderInt("##value", &value, knob.low, knob.high, "%d", ImGuiSliderFlags_AlwaysClamp)) {
            edits.add(ChooseKnob{knob.name, value});
        }
        ImGui::SameLine();
        ImGui::TextUnformatted(knob.name.c_str());
        wrapped(kDim, knob.meaning);
        ImGui::PopID();
    }
}

}  // namespace

// Block sizes of the kernels that make the picture, and every constant that they declare.
void draw_blocks(const Snapshot& snapshot, const ViewState& /*view*/, Edits& edits) {
    const bool whole = main_stage(snapshot).stage == Stage::fused;
    for (const Stage stage : {Stage::fused, Stage::blur, Stage::gray, Stage::edge}) {
        if ((stage == Stage::fused) != whole) continue;
        const StageSnapshot& shown = snapshot.stages[index_of(stage)];
        Block block = shown.block;
        ImGui::TextUnformatted(std::string(name_of(stage)).c_str());
        ImGui::SameLine(3.2f * em());
        const int warps = (block.threads() + 31) / 32;
        ImGui::TextColored(kDim, "%s = %d threads, %d warp%s", to_string(block).c_str(), block.threads(),
                           warps, warps == 1 ? "" : "s");
        block_editor(std::string(name_of(stage)).c_str(), shown.source, block);
        if (stage == Stage::blur || stage == Stage::fused) choose_preset(shown, block);
        if (!(block == shown.block)) edits.add(ChooseBlock{stage, block});
        edit_knobs(shown, edits);
    }
    if (ImGui::Button("the version's own")) edits.add(ChooseVersion{snapshot.settings.version});
}

}  // namespace ws
