#include "app/panels/panels.h"

#include "app/widgets/text.h"

#include <imgui.h>

#include <array>
#include <string>
#include <utility>

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

const StepSnapshot& choose_step(const char* id, const Snapshot& snapshot, const ViewState& view,
                                Edits& edits) {
    const StepSnapshot* chosen = nullptr;
    int listed = 0;
    for (const StepSnapshot& step : snapshot.steps) {
        if (!is_listed(snapshot, step)) continue;
        ++listed;
        if (step.name == view.preferences.step) chosen = &step;
    }
    if (!chosen) chosen = &main_step(snapshot);
    if (listed < 2) return *chosen;
    ImGui::PushID(id);
    bool first = true;
    for (const int place : snapshot.work.lab->by_weight) {
        const StepSnapshot& step = snapshot.steps[std::size_t(place)];
        if (!is_listed(snapshot, step)) continue;
        if (!std::exchange(first, false)) ImGui::SameLine();
        if (ImGui::RadioButton(text("{}", step.name).data(), &step == chosen))
            edits.add(InspectStep{std::string(step.name)});
    }
    ImGui::PopID();
    return *chosen;
}

}  // namespace ws
