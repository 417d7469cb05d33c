#include <imgui.h>

#include <algorithm>

#include "app/panels/panels.h"
#include "app/widgets/block_editor.h"
#include "app/widgets/text.h"

namespace ws {
namespace {

void choose_preset(const Snapshot& snapshot, const StepSnapshot& step, Block& block) {
    float left = ImGui::GetContentRegionAvail().x;
    bool first = true;
    for (const Block preset : snapshot.work.lab->presets) {
        if (!(fitted(step.source, preset) == preset)) continue;
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
void edit_knobs(const StepSnapshot& step, Edits& edits) {
    for (const Knob& knob : step.source.knobs) {
        if (knob.name == "BLOCK_X" || knob.name == "BLOCK_Y") continue;
        ImGui::PushID(knob.name.c_str());
        const auto in_force = step.knobs.find(knob.name);
        int value = in_force != step.knobs.end() ? in_force->second : knob.value;
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
    for (const int place : snapshot.work.lab->by_weight) {
        const StepSnapshot& shown = snapshot.steps[std::size_t(place)];
        if (!is_listed(snapshot, shown)) continue;
        Block block = shown.block;
        const std::string name(shown.name);
        ImGui::TextUnformatted(name.c_str());
        ImGui::SameLine(std::max(3.2f * em(), ImGui::CalcTextSize(name.c_str()).x + em()));
        const int warps = (block.threads() + 31) / 32;
        ImGui::TextColored(kDim, "%s = %d threads, %d warp%s", to_string(block).c_str(), block.threads(),
                           warps, warps == 1 ? "" : "s");
        block_editor(name.c_str(), shown.source, block);
        if (&shown == &main_step(snapshot)) choose_preset(snapshot, shown, block);
        if (!(block == shown.block)) edits.add(ChooseBlock{shown.step, block});
        edit_knobs(shown, edits);
    }
    if (ImGui::Button("the version's own")) edits.add(ChooseVersion{snapshot.work.version});
}

}  // namespace ws
