#include "app/window/theme.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "gpu/core/embedded_file.h"
#include "gpu/core/error.h"

namespace ws::embedded_fonts {
std::span<const EmbeddedFile> files();
}

namespace ws {
namespace {

void add_font(std::size_t index, float pixels) {
    static const ImWchar kRanges[] = {0x20, 0xFF, 0x2010, 0x2026, 0x2190, 0x2193, 0};
    const EmbeddedFile& file = embedded_fonts::files()[index];
    ImFontConfig config;
    config.FontDataOwnedByAtlas = false;
    config.OversampleH = 2;
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<char*>(file.text.data()), int(file.text.size()),
                                               pixels, &config, kRanges);
}

}  // namespace

float text_pixels(int framebuffer_height, float font_scale) {
    constexpr float kAt1080 = 18.5f;
    const float pixels = kAt1080 * std::clamp(float(framebuffer_height) / 1080, 0.75f, 4.0f) * font_scale;
    return std::round(std::clamp(pixels, 9.0f, 96.0f));
}

void load_fonts(float pixels) {
    ImGui::GetIO().Fonts->Clear();
    add_font(0, pixels);
    add_font(1, std::round(pixels * 0.88f));
}

void apply_theme(float pixels) {
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    ImGui::StyleColorsDark();
    style.ScaleAllSizes(pixels / 16);
    style.WindowRounding = 0;
    style.FrameRounding = pixels / 6;
    style.GrabRounding = pixels / 6;
    style.WindowBorderSize = 0;
    style.CellPadding = {pixels * 0.25f, pixels * 0.06f};
    style.ItemSpacing = {pixels * 0.4f, pixels * 0.24f};
    style.FramePadding = {pixels * 0.3f, pixels * 0.12f};
    style.WindowPadding = {pixels * 0.5f, pixels * 0.4f};
    style.Colors[ImGuiCol_WindowBg] = {0.115f, 0.12f, 0.14f, 1};
    style.Colors[ImGuiCol_PopupBg] = {0.15f, 0.155f, 0.18f, 0.98f};
    style.Colors[ImGuiCol_Text] = {0.95f, 0.95f, 0.96f, 1};
    style.Colors[ImGuiCol_Header] = {0.17f, 0.33f, 0.50f, 1};
    style.Colors[ImGuiCol_HeaderHovered] = {0.22f, 0.42f, 0.62f, 1};
    style.Colors[ImGuiCol_TableHeaderBg] = {0.17f, 0.18f, 0.21f, 1};
}

}  // namespace ws
