#include "app/window/key_sheet.h"

#include <imgui.h>

#include <algorithm>
#include <span>

#include "app/canvas/style.h"
#include "app/canvas/text.h"
#include "app/texts/texts.h"
#include "app/window/keys.h"

namespace ws {
namespace {

constexpr float kShareOfKeys = 0.31f;  // of a column's width; what they mean has the rest

float height_of(const KeyBinding& binding, float wide) {
    const auto height = [](std::string_view words, float room) {
        return ImGui::CalcTextSize(words.data(), words.data() + words.size(), false, room).y;
    };
    const float pad = 2 * ImGui::GetStyle().CellPadding.x + em() / 2;
    return std::max(height(translated(binding.keys), wide * kShareOfKeys - pad),
                    height(say(binding.meaning), wide * (1 - kShareOfKeys) - pad)) +
           2 * ImGui::GetStyle().CellPadding.y;
}

struct Halves {
    std::size_t first = 0;  // so many bindings stand in the left column
    float height = 0;       // of the higher one
};

// As even as they come, in the order of the table.
Halves halves_of(std::span<const KeyBinding> bindings, float wide) {
    float all = 0;
    for (const KeyBinding& binding : bindings) all += height_of(binding, wide);
    Halves best{bindings.size(), all};
    float left = 0;
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        left += height_of(bindings[i], wide);
        if (std::max(left, all - left) < best.height) best = {i + 1, std::max(left, all - left)};
    }
    return best;
}

void draw_half(const char* id, std::span<const KeyBinding> bindings, float wide, Theme theme) {
    if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_RowBg, {wide, 0})) return;
    for (const float share : {kShareOfKeys, 1 - kShareOfKeys})
        ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, share);
    for (const KeyBinding& binding : bindings) {
        ImGui::TableNextColumn();
        wrapped(color_of(theme, Ink::now), translated(binding.keys));
        ImGui::TableNextColumn();
        wrapped(say(binding.meaning));
    }
    ImGui::EndTable();
}

// Title bar and window are two shapes with soft edges, between which the picture behind would show.
void close_seam(Theme theme) {
    const ImVec2 at = ImGui::GetWindowPos();
    const float right = at.x + ImGui::GetWindowWidth();
    const float y = at.y + ImGui::GetFrameHeight();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.PushClipRect(at, {right, at.y + ImGui::GetWindowHeight()});
    list.AddRectFilled({at.x + 1, y - 1}, {right - 1, y},
                       ImGui::ColorConvertFloat4ToU32(color_of(theme, Ink::bar)));
    list.AddRectFilled({at.x + 1, y}, {right - 1, y + 1},
                       ImGui::ColorConvertFloat4ToU32(color_of(theme, Ink::panel)));
    list.PopClipRect();
}

}  // namespace

void draw_key_sheet(Theme theme, Edits& edits) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    const float wide = std::min(screen.x * 0.98f, 84 * em());
    const float high = screen.y * 0.98f;
    ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, high});
    ImGui::SetNextWindowFocus();
    bool open = true;
    // The wheel scrolls where text is so large that nothing helps.
    ImGui::Begin(text("{}###keys", say("key.title")).data(), &open,
                 ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollbar);
    close_seam(theme);
    const std::span<const KeyBinding> bindings = key_bindings();
    const float gap = ImGui::GetStyle().ItemSpacing.x;
    const float half = (wide - 2 * ImGui::GetStyle().WindowPadding.x - gap) / 2;
    // All keys at a glance: smaller letters where the window is small.
    Halves halves;
    for (float scale = 1; scale > 0.6f; scale -= 0.02f) {
        ImGui::SetWindowFontScale(scale);
        halves = halves_of(bindings, half);
        const float others = 6 * em() + 2 * ImGui::GetStyle().WindowPadding.y;  // the title and the mouse
        if (halves.height + others < high) break;
    }
    draw_half("left", bindings.first(halves.first), half, theme);
    ImGui::SameLine(0, gap);
    draw_half("right", bindings.subspan(halves.first), half, theme);
    wrapped(color_of(theme, Ink::dim), say("key.mouse"));
    ImGui::SetWindowFontScale(1);
    ImGui::End();
    if (!open) edits.add(ShowKeySheet{false});
}

}  // namespace ws
