#include "app/window/caption.h"

#include <stb_truetype.h>

#include <algorithm>
#include <span>

#include "gpu/core/embedded_file.h"

namespace ws::embedded_fonts {
std::span<const EmbeddedFile> files();
}

namespace ws {
namespace {

const stbtt_fontinfo& font() {
    static const stbtt_fontinfo info = [] {
        stbtt_fontinfo loaded{};
        const auto* bytes =
            reinterpret_cast<const unsigned char*>(embedded_fonts::files().front().text.data());
        stbtt_InitFont(&loaded, bytes, stbtt_GetFontOffsetForIndex(bytes, 0));
        return loaded;
    }();
    return info;
}

// Calls what(codepoint) for the characters of UTF-8 text of one to three bytes.
template <typename What>
void for_each_character(const std::string& text, const What& what) {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const std::size_t length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : 3;
        int code = length == 1 ? byte : byte & (length == 2 ? 0x1F : 0x0F);
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k)
            code = code << 6 | (text[i + k] & 0x3F);
        what(code);
        i += length;
    }
}

void blend(RgbaImage& image, int x, int y, int coverage) {
    if (x < 0 || y < 0 || x >= image.size.width || y >= image.size.height) return;
    std::uint8_t* pixel = &image.bytes[4 * (std::size_t(y) * std::size_t(image.size.width) + std::size_t(x))];
    for (int channel = 0; channel < 3; ++channel) {
        pixel[channel] = std::uint8_t(pixel[channel] + (255 - pixel[channel]) * coverage / 255);
    }
}

}  // namespace

void draw_text(RgbaImage& image, const std::vector<std::string>& lines, int x, int y, float pixels) {
    const float scale = stbtt_ScaleForPixelHeight(&font(), pixels);
    int ascent = 0;
    stbtt_GetFontVMetrics(&font(), &ascent, nullptr, nullptr);
    for (const std::string& line : lines) {
        float pen = float(x);
        for_each_character(line, [&](int code) {
            int width = 0;
            int height = 0;
            int left = 0;
            int top = 0;
            unsigned char* mask =
                stbtt_GetCodepointBitmap(&font(), scale, scale, code, &width, &height, &left, &top);
            for (int row = 0; row < height; ++row) {
                for (int column = 0; column < width; ++column) {
                    blend(image, int(pen) + left + column, y + int(float(ascent) * scale) + top + row,
                          mask[row * width + column]);
                }
            }
            stbtt_FreeBitmap(mask, nullptr);
            int advance = 0;
            stbtt_GetCodepointHMetrics(&font(), code, &advance, nullptr);
            pen += float(advance) * scale;
        });
        y += int(pixels * 1.15f);
    }
}

int text_width(const std::vector<std::string>& lines, float pixels) {
    const float scale = stbtt_ScaleForPixelHeight(&font(), pixels);
    float widest = 0;
    for (const std::string& line : lines) {
        float width = 0;
        for_each_character(line, [&](int code) {
            int advance = 0;
            stbtt_GetCodepointHMetrics(&font(), code, &advance, nullptr);
            width += float(advance) * scale;
        });
        widest = std::max(widest, width);
    }
    return int(widest) + 1;
}

}  // namespace ws
