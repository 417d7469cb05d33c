#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/text.h"

namespace ws {
namespace {

constexpr std::array kDevices{DeviceKind::automatic, DeviceKind::cuda, DeviceKind::simt, DeviceKind::cpu};

void choose_device(const Settings& work, Edits& edits) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("device");
    for (const DeviceKind kind : kDevices) {
        ImGui::SameLine();
        if (ImGui::RadioButton(name_of(kind), work.device == kind)) edits.add(ChooseDevice{kind});
    }
}

void choose_target(const Snapshot& snapshot, Edits& edits) {
    const std::string& chosen = snapshot.settings.target_gpu;
    const std::string_view automatic = snapshot.device.kind == DeviceKind::cuda
                                           ? text("this machine's {}", snapshot.automatic_target)
                                           : text("automatic ({})", snapshot.automatic_target);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("target");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    const std::string_view current = chosen.empty() ? automatic : chosen;
    if (!ImGui::BeginCombo("##target", current.data(), ImGuiComboFlags_HeightLarge)) return;
    if (ImGui::Selectable(automatic.data(), chosen.empty())) edits.add(ChooseGpu{});
    for (const std::string& name : snapshot.profile_names) {
        if (ImGui::Selectable(name.c_str(), chosen == name)) edits.add(ChooseGpu{name});
    }
    ImGui::EndCombo();
}

}  // namespace

// What the window shows, which device computes it, and for which GPU occupancy is calculated.
void draw_show(const Snapshot& snapshot, const ViewState& /*view*/, Edits& edits) {
    const Settings& work = snapshot.settings;
    for (const View shown : kViews) {
        if (shown != View::original) ImGui::SameLine();
        if (ImGui::RadioButton(std::string(name_of(shown)).c_str(), work.view == shown))
            edits.add(ChooseView{shown});
    }
    ImGui::BeginDisabled(work.view != View::edge);
    bool blur_first = work.blur_first;
    if (ImGui::Checkbox("blur before edges", &blur_first)) edits.add(ChooseBlurFirst{blur_first});
    ImGui::EndDisabled();
    choose_device(work, edits);
    choose_target(snapshot, edits);
    wrapped(kDim, text("{}: {}.", snapshot.device.name, snapshot.device_reason));
}

}  // namespace ws
