#include "app/widgets/block_editor.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "app/widgets/text.h"

namespace ws {
namespace {

// The slider steps through the sides that the kernel takes; a typed side in between stands at the step below
// it.
bool side_editor(const char* label, const KernelSource& source, bool along_x, int& side) {
    std::array<int, std::size(kBlockSides)> sides{};
    int count = 0;
    int step = 0;
    for (const int candidate : kBlockSides) {
        const Block fits = fitted(source, along_x ? Block{candidate, 1} : Block{1, candidate});
        if ((along_x ? fits.x : fits.y) != candidate) continue;
        if (candidate <= side) step = count;
        sides[std::size_t(count++)] = candidate;
    }
    ImGui::PushID(label);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    ImGui::SameLine();
    if (count < 2) {
        ImGui::TextColored(kDim, "%d, which this kernel is made for", side);
        ImGui::PopID();
        return false;
    }
    const float input_width = 4.2f * em();
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - input_width - ImGui::GetStyle().ItemSpacing.x);
    bool changed = false;
    if (ImGui::SliderInt("##slider", &step, 0, count - 1, "", ImGuiSliderFlags_NoInput)) {
        side = sides[std::size_t(std::clamp(step, 0, count - 1))];
        changed = true;
    }
    ImGui::SameLine();
    ImGui::SetNextItemWidth(input_width);
    int typed = side;
    if (ImGui::InputInt("##typed", &typed, 0, 0)) {
        typed = std::clamp(typed, 1, kMaxThreadsPerBlock);
        changed |= typed != side;
        side = typed;
    }
    ImGui::PopID();
    return changed;
}

}  // namespace

Block with_side(Block block, bool along_x, int side) {
    side = std::clamp(side, 1, kMaxThreadsPerBlock);
    const int other = std::clamp(along_x ? block.y : block.x, 1, kMaxThreadsPerBlock / side);
    return along_x ? Block{side, other} : Block{other, side};
}

bool block_editor(const char* id, const KernelSource& source, Block& block) {
    ImGui::PushID(id);
    bool changed = false;
    int x = block.x;
    int y = block.y;
    if (side_editor("x", source, true, x)) {
        block = with_side(block, true, x);
        changed = true;
    }
    if (side_editor("y", source, false, y)) {
        block = with_side(block, false, y);
        changed = true;
    }
    block = fitted(source, block);
    ImGui::PopID();
    return changed;
}

}  // namespace ws
