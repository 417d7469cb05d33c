#include "app/views/block_edit.h"

#include <imgui.h>

#include <algorithm>

#include "app/texts/texts.h"

namespace ws {
namespace {

Block replaced(Block block, bool along_x, int side) {
    return along_x ? Block{side, block.y} : Block{block.x, side};
}

int side_of(Block block, bool along_x) {
    return along_x ? block.x : block.y;
}

}  // namespace

SideSteps side_steps(const KernelSource& source, bool along_x, int side) {
    SideSteps steps;
    for (const int candidate : kBlockSides) {
        const Block fits = fitted(source, replaced({1, 1}, along_x, candidate));
        if (side_of(fits, along_x) != candidate) continue;
        if (candidate <= side) steps.now = steps.count;
        steps.sides[std::size_t(steps.count++)] = candidate;
    }
    return steps;
}

std::string refusal(const KernelSource& source, Block block) {
    if (block.x < 1 || block.y < 1) return std::string(say("block.no_thread", to_string(block)));
    const std::int64_t threads = std::int64_t(block.x) * block.y;
    if (threads > kMaxThreadsPerBlock)
        return std::string(say("block.too_large", to_string(block), threads, kMaxThreadsPerBlock));
    if (!(fitted(source, block) == block))
        return std::string(say("block.takes", source.name, blocks_text(source)));
    return "";
}

Block with_side(Block block, bool along_x, int side) {
    const int most = kMaxThreadsPerBlock / std::clamp(side_of(block, !along_x), 1, kMaxThreadsPerBlock);
    return replaced(block, along_x, std::clamp(side, 1, most));
}

// What is typed counts when it is entered or left. It lies in the window's own memory until then, and a
// refused one until the next edit.
void side_field(const char* id, Canvas& canvas, Box box, const KernelSource& source, bool along_x,
                Block& block) {
    if (side_steps(source, along_x, side_of(block, along_x)).count < 2) return;
    ImGui::PushID(id);
    ImGuiStorage* memory = ImGui::GetStateStorage();
    const ImGuiID typed_id = ImGui::GetID("typed");
    const ImGuiID refused_id = ImGui::GetID("refused");
    int typed = side_of(block, along_x);
    ImGui::PushFont(font_of(Font::figure));
    const float high = ImGui::GetFrameHeight();
    ImGui::SetCursorScreenPos({box.x, box.center_y() - high / 2});
    ImGui::SetNextItemWidth(box.w);
    // Digits stand at the right, as everywhere.
    const float digits = canvas.width(text("{}", typed), Font::figure);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        {std::max(0.0f, box.w - digits - canvas.px(8)), canvas.px(2)});
    if (ImGui::InputInt("##typed", &typed, 0, 0)) memory->SetInt(typed_id, typed);
    ImGui::PopStyleVar();
    ImGui::PopFont();
    if (ImGui::IsItemActivated()) {
        memory->SetInt(typed_id, side_of(block, along_x));
        memory->SetInt(refused_id, 0);
    }
    if (ImGui::IsItemDeactivatedAfterEdit()) {
        const int entered = memory->GetInt(typed_id, side_of(block, along_x));
        const Block wished = replaced(block, along_x, entered);
        const bool taken = refusal(source, wished).empty();
        if (taken) block = wished;
        memory->SetInt(refused_id, taken ? 0 : 1);
    }
    if (memory->GetInt(refused_id)) {
        const Block wished = replaced(block, along_x, memory->GetInt(typed_id));
        canvas.frame(box, Ink::alarm, 6, 3);
        canvas.tooltip({.hovered = true}, say("block.refused", refusal(source, wished)));
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) memory->SetInt(refused_id, 0);
    }
    ImGui::PopID();
}

}  // namespace ws
