#include <imgui.h>

#include <algorithm>

#include "app/panels/panels.h"
#include "app/widgets/text.h"
#include "app/widgets/warp_picture.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

// A line with its counts: its share of instructions, as heat too, and sectors and wavefronts per request.
void draw_line(int number, std::string_view text, const InstructionCounts* counts, std::uint64_t most,
               std::uint64_t all, bool chosen, int& hovered) {
    ImGui::TableNextRow();
    if (chosen) ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, IM_COL32(60, 90, 120, 160));
    ImGui::TableNextColumn();
    ImGui::TextColored(kDim, "%3d", number);
    ImGui::TableNextColumn();
    if (counts) {
        const float heat = most ? float(double(counts->instructions) / double(most)) : 0;
        ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg,
                               ImGui::ColorConvertFloat4ToU32({0.85f, 0.30f, 0.12f, 0.75f * heat}));
        ImGui::Text("%5.1f", all ? 100 * double(counts->instructions) / double(all) : 0);
    }
    const auto ratio = [](std::uint64_t parts, std::uint64_t requests) {
        ImGui::TableNextColumn();
        if (requests == 0) return;
        const float value = float(parts) / float(requests);
        const float heat = std::clamp((value - 1) / 7, 0.0f, 1.0f);
        ImGui::TableSetBgColor(ImGuiTableBgTarget_CellBg,
                               ImGui::ColorConvertFloat4ToU32({0.90f, 0.62f, 0.10f, 0.75f * heat}));
        ImGui::Text("%5.2f", double(value));
    };
    if (counts) {
        ratio(counts->global_load.sectors + counts->global_store.sectors,
              counts->global_load.requests + counts->global_store.requests);
        ratio(counts->shared_load.wavefronts + counts->shared_store.wavefronts,
              counts->shared_load.requests + counts->shared_store.requests);
    } else {
        ImGui::TableNextColumn();
        ImGui::TableNextColumn();
    }
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    const float width = ImGui::GetWindowWidth();
    // The whole row, beyond the clipping of this cell.
    if (ImGui::IsMouseHoveringRect({at.x - width, at.y},
                                   {at.x + width, at.y + ImGui::GetTextLineHeightWithSpacing()}, false))
        hovered = number;
}

bool accesses_memory(const InstructionCounts& counts) {
    return counts.global_load.requests + counts.global_store.requests + counts.shared_load.requests +
               counts.shared_store.requests >
           0;
}

// The line whose accesses take the most sectors and wavefronts.
int busiest_line(const KernelCounters& counters) {
    int line = 0;
    std::uint64_t most = 0;
    for (const LineCounts& entry : counters.lines) {
        const InstructionCounts& c = entry.counts;
        const std::uint64_t parts = c.global_load.sectors + c.global_store.sectors +
                                    c.shared_load.wavefronts + c.shared_store.wavefronts;
        if (parts <= most) continue;
        most = parts;
        line = entry.line;
    }
    return line;
}

// Null where the line has no instruction, and where what was counted is another text's.
const InstructionCounts* counts_of(const StepSnapshot& step, int number) {
    if (!step.counters() || step.stale) return nullptr;
    const std::vector<LineCounts>& lines = step.counters()->lines;
    const auto found =
        std::lower_bound(lines.begin(), lines.end(), number,
                         [](const LineCounts& line, int wanted) { return line.line < wanted; });
    return found != lines.end() && found->line == number ? &found->counts : nullptr;
}

void draw_text(const StepSnapshot& step, const ViewState& view, Edits& edits) {
    std::uint64_t most = 0;
    std::uint64_t all = 0;
    if (step.counters() && !step.stale) {
        all = step.counters()->total.instructions;
        for (const LineCounts& line : step.counters()->lines) most = std::max(most, line.counts.instructions);
    }
    constexpr auto kFlags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY |
                            ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_Borders |
                            ImGuiTableFlags_NoBordersInBody;
    if (!ImGui::BeginTable("text", 5, kFlags, {0, 22 * em()})) return;
    ImGui::TableSetupScrollFreeze(0, 1);
    for (const char* title :
         {"line", "instr. %", "global", "shared", "source: point at a line to see its warp"})
        ImGui::TableSetupColumn(title);
    ImGui::TableHeadersRow();
    const std::string_view source = step.source.text;
    int number = 0;
    int hovered = 0;
    const bool pointer_inside = ImGui::IsWindowHovered();
    const bool appearing = ImGui::IsWindowAppearing();
    for (std::size_t at = 0; at < source.size();) {
        const std::size_t end = std::min(source.find('\n', at), source.size());
        ++number;
        const std::string_view line = source.substr(at, end - at);
        // At first the kernel itself is in view, not its opening comment.
        if (appearing && line.find("__global__") != std::string_view::npos) ImGui::SetScrollHereY(0);
        draw_line(number, line, counts_of(step, number), most, all, number == view.line, hovered);
        at = end + 1;
    }
    ImGui::EndTable();
    if (!pointer_inside || hovered == 0) return;
    const InstructionCounts* under = counts_of(step, hovered);
    if (under && accesses_memory(*under) && hovered != view.line) edits.add(InspectLine{hovered});
}

}  // namespace

// The kernel's text as it is compiled, with the simulated GPU's counts beside each line; below, one warp of
// the line under the pointer. The second font of the atlas is the monospaced one.
void draw_source(const Snapshot& snapshot, const ViewState& view, Edits& edits) {
    const StepSnapshot& step = choose_step("source", snapshot, view, edits);
    wrapped(kDim,
            step.source.path.empty()
                ? text("{}.cu, built in; 'warpscope kernels DIR' writes it to a folder", step.source.name)
                : std::string_view(step.source.path));
    const ImFontAtlas* fonts = ImGui::GetIO().Fonts;
    ImGui::PushFont(fonts->Fonts[fonts->Fonts.Size - 1]);
    draw_text(step, view, edits);
    ImGui::PopFont();
    if (!step.counters()) return;
    if (step.stale) {
        wrapped(kDim, "counting...");
        return;
    }
    wrapped(kDim,
            text("instr. %: share of the warp instructions; global: {} per request; shared: wavefronts per "
                 "request.",
                 traffic_unit(step.result->key.gpu.limits.capability)));
    const auto has_example = [&](int line) {
        return std::any_of(step.counters()->accesses.begin(), step.counters()->accesses.end(),
                           [line](const AccessExample& access) { return access.line == line; });
    };
    const int line = has_example(view.line) ? view.line : busiest_line(*step.counters());
    for (const AccessExample& access : step.counters()->accesses) {
        if (access.line != line) continue;
        wrapped(kAccent, text("line {}, one warp on {}", line, step.counters()->gpu));
        warp_picture(access, step.result->key.gpu.limits, ImGui::GetContentRegionAvail().x);
        return;
    }
}

}  // namespace ws
