#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/text.h"

namespace ws {
namespace {

constexpr std::array kDevices{DeviceKind::automatic, DeviceKind::cuda, DeviceKind::simt, DeviceKind::cpu};

void choose_device(Settings& settings) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("device");
    for (const DeviceKind kind : kDevices) {
        ImGui::SameLine();
        if (ImGui::RadioButton(name_of(kind), settings.device == kind)) settings.device = kind;
    }
}

void choose_target(const Snapshot& snapshot, Settings& settings) {
    const std::string_view automatic = snapshot.device.kind == DeviceKind::cuda
                                           ? text("this machine's {}", snapshot.automatic_target)
                                           : text("automatic ({})", snapshot.automatic_target);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("target");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    const std::string_view current = settings.target_gpu.empty() ? automatic : settings.target_gpu;
    if (!ImGui::BeginCombo("##target", current.data(), ImGuiComboFlags_HeightLarge)) return;
    if (ImGui::Selectable(automatic.data(), settings.target_gpu.empty())) settings.target_gpu.clear();
    for (const std::string& name : snapshot.profile_names) {
        if (ImGui::Selectable(name.c_str(), settings.target_gpu == name)) settings.target_gpu = name;
    }
    ImGui::EndCombo();
}

}  // namespace

// What the window shows, which device computes it, and for which GPU occupancy is calculated.
void draw_show(const Snapshot& snapshot, Settings& settings) {
    for (const View view : kViews) {
        if (view != View::original) ImGui::SameLine();
        if (ImGui::RadioButton(std::string(name_of(view)).c_str(), settings.view == view))
            settings.view = view;
    }
    ImGui::BeginDisabled(settings.view != View::edge);
    ImGui::Checkbox("blur before edges", &settings.blur_first);
    ImGui::EndDisabled();
    choose_device(settings);
    choose_target(snapshot, settings);
    wrapped(kDim, text("{}: {}.", snapshot.device.name, snapshot.device_reason));
}

}  // namespace ws
