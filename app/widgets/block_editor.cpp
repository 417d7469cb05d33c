#include "app/widgets/block_editor.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "app/widgets/text.h"

namespace ws {
namespace {

Block replaced(Block block, bool along_x, int side) {
    return along_x ? Block{side, block.y} : Block{block.x, side};
}

int side_of(Block block, bool along_x) {
    return along_x ? block.x : block.y;
}

// The slider's steps: those that the kernel takes. A typed side in between stands at the step below it.
struct Steps {
    std::array<int, std::size(kBlockSides)> sides{};
    int count = 0;
    int now = 0;
};

Steps steps_of(const KernelSource& source, bool along_x, int side) {
    Steps steps;
    for (const int candidate : kBlockSides) {
        const Block fits = fitted(source, replaced({1, 1}, along_x, candidate));
        if (side_of(fits, along_x) != candidate) continue;
        if (candidate <= side) steps.now = steps.count;
        steps.sides[std::size_t(steps.count++)] = candidate;
    }
    return steps;
}

void draw_slider(Steps steps, bool along_x, Block& block) {
    if (ImGui::SliderInt("##slider", &steps.now, 0, steps.count - 1, "", ImGuiSliderFlags_NoInput)) {
        const int wanted = steps.sides[std::size_t(std::clamp(steps.now, 0, steps.count - 1))];
        block = with_side(block, along_x, wanted);
        if (side_of(block, along_x) < wanted)
            ImGui::SetTooltip("at most %d threads: %s is %d", kMaxThreadsPerBlock, along_x ? "y" : "x",
                              side_of(block, !along_x));
    }
}

// What is typed counts when it is entered or left. It lies in the window's own memory until then, and a
// refused one until the next edit.
void draw_input(const KernelSource& source, bool along_x, Block& block) {
    ImGuiStorage* memory = ImGui::GetStateStorage();
    const ImGuiID typed_id = ImGui::GetID("typed");
    int typed = side_of(block, along_x);
    if (ImGui::InputInt("##typed", &typed, 0, 0)) memory->SetInt(typed_id, typed);
    const ImGuiID refused_id = ImGui::GetID("refused");
    if (ImGui::IsItemActivated()) {
        memory->SetInt(typed_id, side_of(block, along_x));
        memory->SetInt(refused_id, 0);
    }
    if (!ImGui::IsItemDeactivatedAfterEdit()) return;
    const int entered = memory->GetInt(typed_id, side_of(block, along_x));
    const Block wished = replaced(block, along_x, entered);
    const bool taken = refusal(source, wished).empty();
    if (taken) block = wished;
    memory->SetInt(refused_id, taken ? 0 : 1);
}

void draw_refusal(const KernelSource& source, bool along_x, Block block, bool changed) {
    ImGuiStorage* memory = ImGui::GetStateStorage();
    const ImGuiID refused_id = ImGui::GetID("refused");
    if (changed) memory->SetInt(refused_id, 0);
    if (!memory->GetInt(refused_id)) return;
    const Block wished = replaced(block, along_x, memory->GetInt(ImGui::GetID("typed")));
    wrapped(kWarning, text("Refused: {}.", refusal(source, wished)));
}

bool side_editor(const char* label, const KernelSource& source, bool along_x, Block& block) {
    const Block before = block;
    const Steps steps = steps_of(source, along_x, side_of(block, along_x));
    ImGui::PushID(label);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    ImGui::SameLine();
    if (steps.count < 2) {
        ImGui::TextColored(kDim, "%d, fixed by this kernel", side_of(block, along_x));
        ImGui::PopID();
        return false;
    }
    const float input_width = 4.2f * em();
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - input_width - ImGui::GetStyle().ItemSpacing.x);
    draw_slider(steps, along_x, block);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(input_width);
    draw_input(source, along_x, block);
    draw_refusal(source, along_x, block, !(block == before));
    ImGui::PopID();
    return !(block == before);
}

}  // namespace

std::string refusal(const KernelSource& source, Block block) {
    if (block.x < 1 || block.y < 1)
        return fmt::format("{} has no thread; each side must be at least 1", to_string(block));
    const std::int64_t threads = std::int64_t(block.x) * block.y;
    if (threads > kMaxThreadsPerBlock)
        return fmt::format("{} is {} threads; a block has at most {}", to_string(block), threads,
                           kMaxThreadsPerBlock);
    if (!(fitted(source, block) == block))
        return fmt::format("{}.cu takes blocks of {}", source.name, blocks_text(source));
    return "";
}

Block with_side(Block block, bool along_x, int side) {
    const int most = kMaxThreadsPerBlock / std::clamp(side_of(block, !along_x), 1, kMaxThreadsPerBlock);
    return replaced(block, along_x, std::clamp(side, 1, most));
}

bool block_editor(const char* id, const KernelSource& source, Block& block) {
    ImGui::PushID(id);
    const bool changed_x = side_editor("x", source, true, block);
    const bool changed_y = side_editor("y", source, false, block);
    ImGui::PopID();
    return changed_x || changed_y;
}

}  // namespace ws
