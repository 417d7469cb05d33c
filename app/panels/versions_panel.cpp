#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/text.h"

namespace ws {

// The list of versions with their latest times, and what the chosen one changed and why.
void draw_versions(const Snapshot& snapshot, const ViewState& /*view*/, Edits& edits) {
    double slowest = 0;
    for (const auto& [number, times] : snapshot.version_times)
        slowest = std::max(slowest, times.total_ms.median);
    for (const Version& version : snapshot.work.lab->versions) {
        ImGui::PushID(version.number);
        const ImVec2 from = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        const auto times = snapshot.version_times.find(version.number);
        const bool measured = times != snapshot.version_times.end() && times->second.total_ms.samples > 0;
        if (measured && slowest > 0) {
            // A bar as long as the version's time: the shorter the faster.
            const float length = float(times->second.total_ms.median / slowest) * width;
            ImGui::GetWindowDrawList()->AddRectFilled(
                from, {from.x + length, from.y + ImGui::GetTextLineHeight()}, IM_COL32(36, 84, 124, 150), 2);
        }
        const auto missing = snapshot.unavailable.find(version.number);
        const bool available = missing == snapshot.unavailable.end();
        ImGui::BeginDisabled(!available);
        if (ImGui::Selectable("##row", snapshot.work.version == version.number))
            edits.add(ChooseVersion{version.number});
        ImGui::SameLine(0, 0);
        ImGui::Text("V%d", version.number);
        ImGui::SameLine(2.8f * em());
        ImGui::TextUnformatted(version.title.data(), version.title.data() + version.title.size());
        if (measured) {
            const std::string_view time = time_text(times->second.total_ms.median);
            ImGui::SameLine(width - ImGui::CalcTextSize(time.data()).x);
            ImGui::TextUnformatted(time.data());
        }
        ImGui::EndDisabled();
        ImGui::PopID();
    }
    for (const auto& [number, why] : snapshot.unavailable) wrapped(kDim, text("V{}: {}", number, why));
    const Version* chosen = nullptr;
    for (const Version& version : snapshot.work.lab->versions) {
        if (version.number == snapshot.work.version) chosen = &version;
    }
    if (!chosen) return;
    ImGui::Separator();
    wrapped(chosen->changed);
    wrapped(kGood, chosen->why);
    const StepSnapshot& about = main_step(snapshot);
    if (!about.baseline.verdict.empty()) wrapped(kWarning, about.baseline.verdict);
}

}  // namespace ws
