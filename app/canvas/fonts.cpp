#include "app/canvas/fonts.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <stb_rect_pack.h>
// After it: both know its rectangles.
#include <stb_truetype.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

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

struct BakedFonts {
    struct Glyphs {
        std::vector<int> codes;
        std::vector<stbtt_packedchar> places;  // as many
        float pixels = 0;                      // from the font's highest to its lowest point
        float ascent = 0;
        float descent = 0;
    };
    float unit = 0;
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> coverage;  // rows without gaps
    std::array<Glyphs, kCuts.size()> fonts;
};

namespace {

// First and last of Latin-1, Greek mu, dashes, quotes and the ellipsis, arrows, minus, not-equal, check mark.
constexpr ImWchar kRanges[] = {0x20,   0xFF,   0x3BC,  0x3BC,  0x2010, 0x2026, 0x2190, 0x2193, 0x21B3, 0x21B3,
                               0x2212, 0x2212, 0x2248, 0x2248, 0x2260, 0x2265, 0x2713, 0x2713, 0};
constexpr int kPadding = 1;

std::span<const unsigned char> bytes_of(Face face) {
    const std::string_view text = embedded_fonts::files()[std::size_t(face)].text;
    return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

float pixels_of(const Cut& cut, float unit) {
    return std::max(6.0f, std::round(cut.size * kHeightOverEm * unit));
}

// A whole number of pixels, further from 0.
float beyond(float length) {
    return std::floor(length + (length > 0 ? 1.0f : -1.0f));
}

stbtt_fontinfo opened(Face face) {
    stbtt_fontinfo info{};
    const unsigned char* const bytes = bytes_of(face).data();
    stbtt_InitFont(&info, bytes, stbtt_GetFontOffsetForIndex(bytes, 0));
    return info;
}

BakedFonts::Glyphs measured(const Cut& cut, const stbtt_fontinfo& info, float unit) {
    BakedFonts::Glyphs glyphs;
    for (const ImWchar* range = kRanges; *range != 0; range += 2) {
        for (int code = range[0]; code <= range[1]; ++code) {
            if (stbtt_FindGlyphIndex(&info, code) != 0) glyphs.codes.push_back(code);
        }
    }
    glyphs.places.resize(glyphs.codes.size());
    glyphs.pixels = pixels_of(cut, unit);
    int ascent = 0;
    int descent = 0;
    stbtt_GetFontVMetrics(&info, &ascent, &descent, nullptr);
    const float scale = stbtt_ScaleForPixelHeight(&info, glyphs.pixels);
    glyphs.ascent = beyond(float(ascent) * scale);
    glyphs.descent = beyond(float(descent) * scale);
    return glyphs;
}

// A power of two for which the packed rectangles are about as high as wide.
int width_for(const std::vector<stbrp_rect>& rects) {
    double area = 0;
    for (const stbrp_rect& rect : rects) area += double(rect.w) * double(rect.h);
    int width = 512;
    while (width * 1.4 < std::sqrt(area)) width *= 2;
    return width;
}

// The rectangles of a font's glyphs among those of all.
std::span<stbrp_rect> next_rects(std::vector<stbrp_rect>& rects, const BakedFonts::Glyphs& glyphs,
                                 std::size_t& at) {
    const std::span<stbrp_rect> own = std::span(rects).subspan(at, glyphs.codes.size());
    at += own.size();
    return own;
}

// Fonts of the atlas that know their size; their glyphs are still to come.
void add_fonts(ImFontAtlas& atlas, float unit) {
    for (const Cut& cut : kCuts) {
        const std::span<const unsigned char> file = bytes_of(cut.face);
        ImFontConfig config;
        config.FontDataOwnedByAtlas = false;
        atlas.AddFontFromMemoryTTF(const_cast<unsigned char*>(file.data()), int(file.size()),
                                   pixels_of(cut, unit), &config, kRanges);
    }
}

// What ImGui draws besides glyphs lies below them: the mouse's shapes and smooth lines.
void place_shapes(ImFontAtlas& atlas, const BakedFonts& fonts) {
    constexpr int kRows = 80;
    stbrp_context context{};
    std::vector<stbrp_node> nodes(std::size_t(fonts.width));
    stbrp_init_target(&context, fonts.width, kRows, nodes.data(), int(nodes.size()));
    ImFontAtlasBuildInit(&atlas);
    ImFontAtlasBuildPackCustomRects(&atlas, &context);
    for (ImFontAtlasCustomRect& rect : atlas.CustomRects)
        rect.Y = static_cast<unsigned short>(rect.Y + fonts.height);
    atlas.TexWidth = fonts.width;
    atlas.TexHeight = fonts.height + kRows;
    atlas.TexUvScale = {1 / float(atlas.TexWidth), 1 / float(atlas.TexHeight)};
}

void add_glyphs(ImFontAtlas& atlas, ImFont& font, const BakedFonts::Glyphs& glyphs) {
    ImFontConfig& config = *std::find_if(atlas.ConfigData.begin(), atlas.ConfigData.end(),
                                         [&](const ImFontConfig& one) { return one.DstFont == &font; });
    ImFontAtlasBuildSetupFont(&atlas, &font, &config, glyphs.ascent, glyphs.descent);
    const ImVec2 scale = atlas.TexUvScale;
    for (std::size_t i = 0; i < glyphs.codes.size(); ++i) {
        const stbtt_packedchar& at = glyphs.places[i];
        const float down = std::round(font.Ascent);
        font.AddGlyph(&config, ImWchar(glyphs.codes[i]), at.xoff, at.yoff + down, at.xoff2, at.yoff2 + down,
                      float(at.x0) * scale.x, float(at.y0) * scale.y, float(at.x1) * scale.x,
                      float(at.y1) * scale.y, at.xadvance);
    }
}

}  // namespace

FontsBaked bake_fonts(float unit) {
    auto baked = std::make_shared<BakedFonts>();
    baked->unit = unit;
    std::array<stbtt_fontinfo, 4> faces{};
    for (const Face face : {kRegular, kBold, kMono, kMonoBold}) faces[face] = opened(face);
    std::array<stbtt_pack_range, kCuts.size()> ranges{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < kCuts.size(); ++i) {
        BakedFonts::Glyphs& glyphs = baked->fonts[i] = measured(kCuts[i], faces[kCuts[i].face], unit);
        ranges[i].font_size = glyphs.pixels;
        ranges[i].array_of_unicode_codepoints = glyphs.codes.data();
        ranges[i].num_chars = int(glyphs.codes.size());
        ranges[i].chardata_for_range = glyphs.places.data();
        count += glyphs.codes.size();
    }
    constexpr int kMostRows = 32768;
    std::vector<stbrp_rect> rects(count);
    stbtt_pack_context context{};
    const auto for_each_font = [&](const auto& what) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < kCuts.size(); ++i) {
            stbtt_PackSetOversampling(&context, kCuts[i].sharp ? 2 : 1, 1);
            what(faces[kCuts[i].face], ranges[i], next_rects(rects, baked->fonts[i], at).data());
        }
    };
    context.padding = kPadding;
    for_each_font([&](const stbtt_fontinfo& face, stbtt_pack_range& range, stbrp_rect* own) {
        stbtt_PackFontRangesGatherRects(&context, &face, &range, 1, own);
    });
    baked->width = width_for(rects);
    if (stbtt_PackBegin(&context, nullptr, baked->width, kMostRows, 0, kPadding, nullptr) == 0)
        throw std::bad_alloc();
    stbtt_PackFontRangesPackRects(&context, rects.data(), int(rects.size()));
    for (const stbrp_rect& rect : rects)
        baked->height = std::max(baked->height, int(rect.y + rect.h) + kPadding);
    baked->coverage.assign(std::size_t(baked->width) * std::size_t(baked->height), 0);
    context.pixels = baked->coverage.data();
    context.height = baked->height;
    for_each_font([&](const stbtt_fontinfo& face, stbtt_pack_range& range, stbrp_rect* own) {
        stbtt_PackFontRangesRenderIntoRects(&context, &face, &range, 1, own);
    });
    stbtt_PackEnd(&context);
    return baked;
}

float unit_of(const BakedFonts& fonts) {
    return fonts.unit;
}

void install_fonts(const BakedFonts& fonts) {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    add_fonts(atlas, fonts.unit);
    place_shapes(atlas, fonts);
    const std::size_t bytes = std::size_t(atlas.TexWidth) * std::size_t(atlas.TexHeight);
    atlas.TexPixelsAlpha8 = static_cast<unsigned char*>(IM_ALLOC(bytes));
    const auto rest = std::copy(fonts.coverage.begin(), fonts.coverage.end(), atlas.TexPixelsAlpha8);
    std::fill(rest, atlas.TexPixelsAlpha8 + bytes, static_cast<unsigned char>(0));
    for (std::size_t i = 0; i < kCuts.size(); ++i) add_glyphs(atlas, *atlas.Fonts[int(i)], fonts.fonts[i]);
    ImFontAtlasBuildFinish(&atlas);
    ImGui::GetIO().FontDefault = font_of(Font::body);
}

void stretch_fonts(float factor) {
    for (ImFont* font : ImGui::GetIO().Fonts->Fonts) font->Scale = factor;
}

void load_fonts(float unit) {
    install_fonts(*bake_fonts(unit));
}

ImFont* font_of(Font font) {
    return ImGui::GetIO().Fonts->Fonts[int(font)];
}

float height_of(const ImFont& font) {
    return font.FontSize * font.Scale;
}

}  // namespace ws
