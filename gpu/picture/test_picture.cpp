#include "gpu/picture/test_picture.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "gpu/core/background.h"

namespace ws {
namespace {

// Integer arithmetic throughout, in a frame of 4096 x 3072 units: the same bytes everywhere.
constexpr int kUnitsX = 4096;
constexpr int kUnitsY = 3072;

struct Color {
    int r, g, b;
};

Color mix(Color a, Color b, int part, int whole) {
    const auto blend = [&](int from, int to) { return from + (to - from) * part / whole; };
    return {blend(a.r, b.r), blend(a.g, b.g), blend(a.b, b.b)};
}

unsigned hash(unsigned x, unsigned y) {
    unsigned h = x * 374761393u + y * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return h ^ (h >> 16);
}

bool in_circle(int x, int y, int cx, int cy, int radius) {
    return (x - cx) * (x - cx) + (y - cy) * (y - cy) <= radius * radius;
}

// A ridge of mountains: the sum of triangle waves.
int ridge(int x, int base, int phase) {
    const auto wave = [&](int period, int height) {
        const int t = (x + phase) % period;
        return height * std::min(t, period - t) * 2 / period;
    };
    return base - wave(1300, 420) - wave(570, 160) - wave(190, 50) - wave(61, 14);
}

// Letters of 5 x 7 cells, one row a byte.
constexpr std::string_view kText = "WARPSCOPE EDGES BLUR GRAY 0123456789 ";
std::array<unsigned char, 7> glyph(char letter) {
    switch (letter) {
        case 'A':
            return {14, 17, 17, 31, 17, 17, 17};
        case 'B':
            return {30, 17, 17, 30, 17, 17, 30};
        case 'C':
            return {14, 17, 16, 16, 16, 17, 14};
        case 'D':
            return {30, 17, 17, 17, 17, 17, 30};
        case 'E':
            return {31, 16, 16, 30, 16, 16, 31};
        case 'G':
            return {14, 17, 16, 23, 17, 17, 14};
        case 'L':
            return {16, 16, 16, 16, 16, 16, 31};
        case 'O':
            return {14, 17, 17, 17, 17, 17, 14};
        case 'P':
            return {30, 17, 17, 30, 16, 16, 16};
        case 'R':
            return {30, 17, 17, 30, 20, 18, 17};
        case 'S':
            return {15, 16, 16, 14, 1, 1, 30};
        case 'U':
            return {17, 17, 17, 17, 17, 17, 14};
        case 'W':
            return {17, 17, 17, 21, 21, 27, 17};
        case 'Y':
            return {17, 17, 10, 4, 4, 4, 4};
        case '0':
            return {14, 17, 19, 21, 25, 17, 14};
        case '1':
            return {4, 12, 4, 4, 4, 4, 14};
        case '2':
            return {14, 17, 1, 6, 8, 16, 31};
        case '3':
            return {30, 1, 1, 14, 1, 1, 30};
        case '4':
            return {2, 6, 10, 18, 31, 2, 2};
        case '5':
            return {31, 16, 30, 1, 1, 17, 14};
        case '6':
            return {14, 16, 16, 30, 17, 17, 14};
        case '7':
            return {31, 1, 2, 4, 8, 8, 8};
        case '8':
            return {14, 17, 17, 14, 17, 17, 14};
        case '9':
            return {14, 17, 17, 15, 1, 1, 14};
        default:
            return {};
    }
}

// A page of text whose letters shrink from line to line.
bool ink(int x, int y) {
    int top = 40;
    for (int cell = 14; cell >= 2; cell -= 2) {
        const int line = cell * 9;
        for (int repeat = 0; repeat < 2; ++repeat, top += line) {
            if (y < top || y >= top + cell * 7) continue;
            const int column = (x - 40) / cell;
            if (x < 40 || column >= (1080 - 80) / cell) return false;
            const char letter = kText[std::size_t(column / 6 + repeat * 7 + cell) % kText.size()];
            const int bit = column % 6;
            return bit < 5 && (glyph(letter)[std::size_t((y - top) / cell)] >> (4 - bit) & 1);
        }
    }
    return false;
}

// What stands in the foreground, if anything does here. Every part is a lesson for a filter.
bool foreground(int x, int y, int px, int py, Color& color) {
    // A page of text: fine detail that a blur takes away.
    if (x >= 220 && x < 1300 && y >= 1750 && y < 2930) {
        const bool frame = x < 232 || x >= 1288 || y < 1762 || y >= 2918;
        color = frame || ink(x - 220, y - 1750) ? Color{38, 34, 44} : Color{238, 232, 214};
        return true;
    }
    // Rings that grow finer outwards.
    const int dx = x - 1980;
    const int dy = y - 2340;
    if (dx * dx + dy * dy <= 520 * 520) {
        const int ring = (dx * dx + dy * dy) / 5200;
        color = ring % 2 ? Color{224, 60, 48} : Color{250, 240, 228};
        return true;
    }
    // A checkerboard turned by about 27 degrees.
    if (x >= 2700 && x < 3260 && y >= 2000 && y < 2560) {
        const int u = (2 * x + y) / 96;
        const int v = (2 * y - x + 8192) / 96;
        color = (u + v) % 2 ? Color{28, 92, 168} : Color{246, 208, 64};
        return true;
    }
    // Steps of gray, then a smooth gradient below them.
    if (x >= 2700 && x < 3820 && y >= 2640 && y < 2930) {
        const int across = (x - 2700) * 255 / 1120;
        const int level = y < 2785 ? across / 16 * 17 : across;
        color = {level, level, level};
        return true;
    }
    // Noise of two strengths.
    if (x >= 3360 && x < 3820 && y >= 2000 && y < 2560) {
        const int strength = y < 2280 ? 30 : 120;
        const int level = 128 + int(hash(unsigned(px), unsigned(py)) % unsigned(2 * strength)) - strength;
        color = {level, level, level};
        return true;
    }
    // Spokes: every direction of edge at once.
    const int sx = x - 3330;
    const int sy = y - 520;
    if (sx * sx + sy * sy <= 380 * 380) {
        int folded = 0;
        const int ax = std::abs(sx);
        const int ay = std::abs(sy);
        if (ax + ay > 0) folded = 1024 * ay / (ax + ay);
        const bool flip = (sx < 0) != (sy < 0);
        color = (folded / 64 + (flip ? 1 : 0)) % 2 ? Color{250, 250, 250} : Color{40, 70, 60};
        return true;
    }
    return false;
}

Color pixel(int x, int y, int px, int py) {
    Color color{};
    if (foreground(x, y, px, py, color)) return color;
    // Mountains before a sky with a sun.
    if (y > ridge(x, 1900, 900)) {
        const int grain = int(hash(unsigned(px / 3), unsigned(py / 3)) % 14);
        return mix({58 + grain, 104 + grain, 64 + grain}, {24, 52, 40}, std::min(y - 1000, 1900), 1900);
    }
    if (y > ridge(x, 1560, 150)) return mix({116, 128, 158}, {78, 92, 120}, std::clamp(y - 800, 0, 800), 800);
    if (in_circle(x, y, 900, 560, 260)) return {255, 236, 150};
    if (in_circle(x, y, 1500, 420, 130) || in_circle(x, y, 1680, 370, 170) ||
        in_circle(x, y, 1870, 430, 120)) {
        return {246, 248, 252};
    }
    return mix({64, 120, 204}, {214, 226, 236}, std::clamp(y, 0, 1500), 1500);
}

}  // namespace

RgbaImage draw_test_picture(Extent size) {
    RgbaImage image(size);
    std::atomic<int> next{0};
    const auto draw_rows = [&](int) {
        for (int y = next++; y < size.height; y = next++) {
            std::uint8_t* out = &image.bytes[4 * std::size_t(y) * std::size_t(size.width)];
            for (int x = 0; x < size.width; ++x, out += 4) {
                const Color color = pixel(int(std::int64_t(x) * kUnitsX / size.width),
                                          int(std::int64_t(y) * kUnitsY / size.height), x, y);
                out[0] = std::uint8_t(std::clamp(color.r, 0, 255));
                out[1] = std::uint8_t(std::clamp(color.g, 0, 255));
                out[2] = std::uint8_t(std::clamp(color.b, 0, 255));
                out[3] = 255;
            }
        }
    };
    run_on_threads(std::min(processors(), 16), draw_rows);
    return image;
}

}  // namespace ws
