#include "app/widgets/text.h"

namespace ws {

std::string time_text(double ms) {
    if (ms < 0.01) return fmt::format("{:.2f} µs", ms * 1000);
    if (ms < 1) return fmt::format("{:.1f} µs", ms * 1000);
    if (ms < 100) return fmt::format("{:.2f} ms", ms);
    return fmt::format("{:.0f} ms", ms);
}

void wrapped(std::string_view text) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
}

void wrapped(const ImVec4& color, std::string_view text) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    wrapped(text);
    ImGui::PopStyleColor();
}

float em() {
    return ImGui::GetFontSize();
}

void table_row(std::string_view label, std::string_view value) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    wrapped(kDim, label);
    ImGui::TableNextColumn();
    wrapped(value);
}

}  // namespace ws
