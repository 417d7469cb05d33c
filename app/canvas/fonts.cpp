#include "app/canvas/fonts.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "app/canvas/font_files.h"
#include "gpu/core/embedded_file.h"

namespace ws::embedded_fonts {
std::span<const EmbeddedFile> files();
}

namespace ws {
namespace {

// The embedded files, in their order.
enum Face { kRegular, kBold, kMono, kMonoBold };

struct Cut {
    float size;
    Face face;
    bool sharp;  // small text is drawn with more positions across
};
constexpr std::array<Cut, std::size_t(Font::count)> kCuts{{{22, kRegular, true},
                                                           {22, kBold, true},
                                                           {24, kRegular, true},
                                                           {24, kBold, true},
                                                           {28, kBold, true},
                                                           {28, kRegular, true},
                                                           {30, kBold, true},
                                                           {54, kBold, false},
                                                           {22, kMono, true},
                                                           {22, kMonoBold, true},
                                                           {36, kRegular, false},
                                                           {36, kBold, false},
                                                           {72, kBold, false},
                                                           {96, kBold, false}}};

}  // namespace

std::string_view font_file(Font font) {
    return embedded_fonts::files()[std::size_t(kCuts[std::size_t(font)].face)].text;
}

float size_of(Font font) {
    return kCuts[std::size_t(font)].size;
}

namespace {

void fill(ImFontAtlas& atlas, float unit) {
    // Latin-1, dashes, quotes and the ellipsis, arrows, minus, not-equal, check mark, Greek mu.
    static const ImWchar kRanges[] = {0x20,   0xFF,   0x3BC,  0x3BC,  0x2010, 0x2026, 0x2190,
                                      0x2193, 0x21B3, 0x21B3, 0x2212, 0x2212, 0x2248, 0x2248,
                                      0x2260, 0x2265, 0x2713, 0x2713, 0};
    for (const Cut& cut : kCuts) {
        const EmbeddedFile& file = embedded_fonts::files()[std::size_t(cut.face)];
        ImFontConfig config;
        config.FontDataOwnedByAtlas = false;
        config.OversampleH = cut.sharp ? 2 : 1;
        // stb's height of a font is from its highest to its lowest point.
        const float pixels = std::max(6.0f, std::round(cut.size * kHeightOverEm * unit));
        atlas.AddFontFromMemoryTTF(const_cast<char*>(file.text.data()), int(file.text.size()), pixels,
                                   &config, kRanges);
    }
}

}  // namespace

void AtlasDeleter::operator()(ImFontAtlas* atlas) const {
    IM_DELETE(atlas);
}

FontAtlas bake_fonts(float unit) {
    FontAtlas atlas(IM_NEW(ImFontAtlas)());
    fill(*atlas, unit);
    unsigned char* pixels = nullptr;
    atlas->GetTexDataAsRGBA32(&pixels, nullptr, nullptr);  // as the drawing takes it
    return atlas;
}

void load_fonts(float unit) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    fill(atlas, unit);
    ImGui::GetIO().FontDefault = font_of(Font::body);
}

ImFont* font_of(Font font) {
    return ImGui::GetIO().Fonts->Fonts[int(font)];
}

}  // namespace ws
