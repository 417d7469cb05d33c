#include "app/panels/panels.h"

#include <imgui.h>

#include <array>
#include <string>

namespace ws {
namespace {

constexpr std::array kPanels{
    Panel{"Version", draw_versions, 0, true},
    Panel{"Shown", draw_show, 0, true},
    Panel{"Blocks and knobs", draw_blocks, 0, true},
    Panel{"Times", draw_times, 1, true},
    Panel{"Theoretical occupancy", draw_occupancy, 1, true},
    Panel{"Memory", draw_memory, 1, true},
    Panel{"Compile report", draw_compile_report, 1, false},
    Panel{"Kernel source", draw_source, 1, false},
    Panel{"GPU facts", draw_gpu_facts, 1, false},
};

}  // namespace

std::span<const Panel> panels() {
    return kPanels;
}

const StageSnapshot& choose_step(const char* id, const Snapshot& snapshot, const ViewState& view,
                                 Edits& edits) {
    const StageSnapshot& whole = snapshot.stages[index_of(Stage::fused)];
    if (whole.runs) return whole;
    ImGui::PushID(id);
    for (const Stage step : {Stage::blur, Stage::gray, Stage::edge}) {
        if (step != Stage::blur) ImGui::SameLine();
        if (ImGui::RadioButton(std::string(name_of(step)).c_str(), view.preferences.step == step))
            edits.add(InspectStep{step});
    }
    ImGui::PopID();
    return snapshot.stages[index_of(view.preferences.step)];
}

}  // namespace ws
