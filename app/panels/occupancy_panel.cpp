#include <imgui.h>

#include <algorithm>

#include "app/panels/panels.h"
#include "app/widgets/plot.h"
#include "app/widgets/text.h"

namespace ws {
namespace {

void limiter_row(const Occupancy& occupancy, const char* name, const char* label, std::string_view used,
                 int blocks) {
    const bool limits = std::find(occupancy.limited_by.begin(), occupancy.limited_by.end(), name) !=
                        occupancy.limited_by.end();
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextColored(limits ? kWarning : kDim, "%s", label);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(used.data());
    ImGui::TableNextColumn();
    const std::string_view count = blocks == kNoLimit ? "no limit" : text("{}", blocks);
    ImGui::TextColored(limits ? kWarning : ImGui::GetStyleColorVec4(ImGuiCol_Text), "%s%s", count.data(),
                       limits ? "  limiter" : "");
}

}  // namespace

// Theoretical occupancy of the chosen stage's kernel: its limiters, what would raise it, and curves.
void draw_occupancy(const Snapshot& snapshot, const ViewState& view, Edits& edits) {
    const StepSnapshot& step = choose_step("occupancy", snapshot, view, edits);
    if (!step.occupancy) {
        if (snapshot.compiler_missing)
            wrapped(kBad, text("Occupancy needs the compiler's register count: {}.", snapshot.compiler));
        else if (step.state == CompileState::failed)
            wrapped(kBad, "The kernel does not compile: see the compile report.");
        else
            wrapped(kDim, "compiling...");
        return;
    }
    const Occupancy& o = *step.occupancy;
    const GpuLimits& limits = o.limits;
    const float width = ImGui::GetContentRegionAvail().x;
    share_bar(o.percent / 100,
              text("{:.1f} %: {} of {} warps, {} x {} threads", o.percent, o.active_warps,
                   limits.warps_per_multiprocessor, o.active_blocks, o.resources.threads),
              width);
    if (o.active_blocks == 0) wrapped(kBad, "This GPU cannot launch this kernel with this block size.");
    if (ImGui::BeginTable("limits", 3, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH)) {
        ImGui::TableSetupColumn("limiter");
        ImGui::TableSetupColumn("per multiprocessor");
        ImGui::TableSetupColumn("blocks");
        ImGui::TableHeadersRow();
        limiter_row(o, "blocks", "blocks", text("{} at most", limits.blocks_per_multiprocessor), o.by_blocks);
        limiter_row(o, "warps", "warps", text("{} of {}", o.warps_per_block, limits.warps_per_multiprocessor),
                    o.by_warps);
        limiter_row(o, "registers", "registers",
                    text("{} of {}", o.registers_per_block, limits.registers_per_multiprocessor),
                    o.by_registers);
        limiter_row(o, "shared", "shared",
                    text("{} of {} B", o.shared_per_block, limits.shared_bytes_per_multiprocessor),
                    o.by_shared);
        ImGui::EndTable();
    }
    if (!step.next_step.empty()) wrapped(kGood, text("next: {}", step.next_step));
    const char* labels[] = {"threads per block", "registers per thread", "shared bytes per block"};
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    for (int i = 0; i < 3; ++i) {
        if (i > 0) ImGui::SameLine();
        curve_plot(labels[i], labels[i], step.curves[std::size_t(i)], (width - 2 * spacing) / 3, 3.4f * em());
    }
    wrapped(kDim, text("Theoretical occupancy over each, 0 to 100 %. For {}.", snapshot.target_note));
}

}  // namespace ws
