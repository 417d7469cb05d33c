#include "app/canvas/style.h"

#include <imgui.h>

#include <cmath>

namespace ws {

ImVec4 color_of(Theme theme, Ink ink) {
    const Rgba c = palette(theme)[std::size_t(ink)];
    return {float(c.r) / 255, float(c.g) / 255, float(c.b) / 255, float(c.a) / 255};
}

void apply_style(Theme theme, float unit) {
    const Palette& colors = palette(theme);
    const auto set = [&](ImGuiCol slot, Ink ink, float alpha = 1) {
        const Rgba c = colors[std::size_t(ink)];
        ImGui::GetStyle().Colors[slot] = {float(c.r) / 255, float(c.g) / 255, float(c.b) / 255, alpha};
    };
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    if (theme == Theme::light)
        ImGui::StyleColorsLight();
    else
        ImGui::StyleColorsDark();
    // Whole pixels: ImGui makes windows as large as their content in whole ones, and a padding between them
    // would be a scroll bar beside content that is all there.
    style.WindowPadding = {std::round(20 * unit), std::round(16 * unit)};
    style.FramePadding = {12 * unit, 8 * unit};
    style.ItemSpacing = {14 * unit, 12 * unit};
    style.ScrollbarSize = 20 * unit;
    style.WindowRounding = style.PopupRounding = 10 * unit;
    style.FrameRounding = style.GrabRounding = 8 * unit;
    style.GrabMinSize = 20 * unit;
    style.WindowBorderSize = style.PopupBorderSize = 1;
    set(ImGuiCol_Text, Ink::text);
    set(ImGuiCol_TextDisabled, Ink::dim);
    set(ImGuiCol_WindowBg, Ink::panel);
    set(ImGuiCol_PopupBg, Ink::panel);
    set(ImGuiCol_Border, Ink::line);
    set(ImGuiCol_FrameBg, Ink::panel);
    set(ImGuiCol_FrameBgHovered, Ink::now_soft);
    set(ImGuiCol_FrameBgActive, Ink::now_soft);
    set(ImGuiCol_TitleBg, Ink::bar);
    set(ImGuiCol_TitleBgActive, Ink::bar);
    set(ImGuiCol_Header, Ink::now_soft);
    set(ImGuiCol_HeaderHovered, Ink::now_soft);
    set(ImGuiCol_HeaderActive, Ink::now_soft);
    set(ImGuiCol_Button, Ink::context_soft);
    set(ImGuiCol_ButtonHovered, Ink::now_soft);
    set(ImGuiCol_ButtonActive, Ink::now_soft);
    set(ImGuiCol_SliderGrab, Ink::now_fill);
    set(ImGuiCol_SliderGrabActive, Ink::now_fill);
    set(ImGuiCol_CheckMark, Ink::now_fill);
    set(ImGuiCol_Separator, Ink::line);
    set(ImGuiCol_TableRowBg, Ink::panel);
    set(ImGuiCol_TableRowBgAlt, Ink::context_soft);
    set(ImGuiCol_ScrollbarBg, Ink::panel);
    set(ImGuiCol_ScrollbarGrab, Ink::track);
    set(ImGuiCol_TextSelectedBg, Ink::now_mid, 0.5f);
    set(ImGuiCol_ModalWindowDimBg, Ink::ground, 0.6f);
}

}  // namespace ws
