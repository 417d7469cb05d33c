#include <imgui.h>

#include <array>
#include <utility>

#include "app/panels/panels.h"
#include "app/widgets/text.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

constexpr std::array kDevices{DeviceKind::automatic, DeviceKind::cuda, DeviceKind::simt, DeviceKind::cpu};

void choose_lab(const Work& work, Edits& edits) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("lab");
    for (const Lab* lab : labs()) {
        ImGui::SameLine();
        if (ImGui::RadioButton(text("{}", lab->title).data(), work.lab == lab))
            edits.add(ChooseLab{std::string(lab->id)});
    }
}

void choose_size(const Work& work, Edits& edits) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("size");
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    if (!ImGui::BeginCombo("##size", text("{} x {}", work.size.width, work.size.height).data())) return;
    for (const Extent size : work.lab->sizes) {
        if (ImGui::Selectable(text("{} x {}", size.width, size.height).data(), work.size == size))
            edits.add(ChooseSize{size});
    }
    ImGui::EndCombo();
}

void choose_device(const Work& work, Edits& edits) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted("device");
    for (const DeviceKind kind : kDevices) {
        ImGui::SameLine();
        if (ImGui::RadioButton(name_of(kind), work.device == kind)) edits.add(ChooseDevice{kind});
    }
}

void choose_target(const Snapshot& snapshot, Edits& edits) {
    const std::string& chosen = snapshot.work.target_gpu;
    const std::string_view automatic = snapshot.device.can.measures_time
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
    const Work& work = snapshot.work;
    choose_lab(work, edits);
    const Lab& lab = *work.lab;
    // A view that is another one without a step is a box beside that one.
    const View& now = lab.views[std::size_t(work.view)];
    bool first = true;
    for (std::size_t i = 0; i < lab.views.size(); ++i) {
        const View& view = lab.views[i];
        if (!view.base.empty()) continue;
        if (!std::exchange(first, false)) ImGui::SameLine();
        if (ImGui::RadioButton(text("{}", view.name).data(), view.name == now.name || view.name == now.base))
            edits.add(ChooseView{int(i)});
    }
    for (const View& view : lab.views) {
        if (view.base.empty()) continue;
        ImGui::BeginDisabled(view.base != now.name && view.name != now.name);
        bool with = view.name != now.name;
        if (ImGui::Checkbox(text("{} first", view.omits).data(), &with))
            edits.add(ChooseView{view_with(lab, work.view, with)});
        ImGui::EndDisabled();
    }
    if (!lab.takes_picture()) choose_size(work, edits);
    choose_device(work, edits);
    choose_target(snapshot, edits);
    wrapped(kDim, text("{}: {}.", snapshot.device.name, snapshot.device_reason));
}

}  // namespace ws
