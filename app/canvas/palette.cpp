#include "app/canvas/palette.h"

#include <algorithm>
#include <cmath>

namespace ws {
namespace {

constexpr Rgba rgb(std::uint32_t hex) {
    return {std::uint8_t(hex >> 16), std::uint8_t(hex >> 8), std::uint8_t(hex), 255};
}

// In the order of Ink.
constexpr Palette kLight{rgb(0xEEF1F5), rgb(0xFFFFFF), rgb(0xFFFFFF), rgb(0xC3CAD3), rgb(0xDDE2E9),
                         rgb(0xCBD3DD), rgb(0x10151C), rgb(0x3B4450),                 // text
                         rgb(0x083F86), rgb(0x0A50A8), rgb(0xD6E6FA), rgb(0x7FB0E8),  // now
                         rgb(0x7A3E00), rgb(0xE8912D), rgb(0xFCE9D2), rgb(0xF2BE7E),  // baseline
                         rgb(0x960A38), rgb(0xFBDDE6),                                // alarm
                         rgb(0xB3BCC8), rgb(0x8793A3), rgb(0xE1E6EC),                 // context
                         rgb(0x7A4FB5), rgb(0xB08A00), rgb(0x0B7A5E),                 // waits
                         rgb(0xFFFFFF), rgb(0x10151C), rgb(0xF3F6FA),                 // on fill, shade
                         rgb(0x0A50A8), rgb(0x9CC7F2), rgb(0xC9E0F8), rgb(0xDDE5EE),
                         rgb(0xEEF1F5),  // heat
                         rgb(0xFFFFFF), rgb(0x10151C), rgb(0x10151C), rgb(0x10151C), rgb(0x3B4450)};
constexpr Palette kDark{rgb(0x0B0E13), rgb(0x161B23), rgb(0x1B222C), rgb(0x3A4553), rgb(0x29323E),
                        rgb(0x3A4553), rgb(0xF3F6FA), rgb(0xBCC6D2),                 // text
                        rgb(0x8CC8FF), rgb(0x4CA8FA), rgb(0x16324F), rgb(0x22588E),  // now
                        rgb(0xFFB85C), rgb(0xF29D38), rgb(0x43300F), rgb(0xA06A22),  // baseline
                        rgb(0xFF9DB4), rgb(0x4A1526),                                // alarm
                        rgb(0x566273), rgb(0x7C8A9C), rgb(0x232B36),                 // context
                        rgb(0x8A68BA), rgb(0xE5C94B), rgb(0x3FBF95),                 // waits
                        rgb(0x0B0E13), rgb(0x10151C), rgb(0xF3F6FA),                 // on fill, shade
                        rgb(0xA8D6FF), rgb(0x6FB8FF), rgb(0x22588E), rgb(0x16324F),
                        rgb(0x232B36),  // heat
                        rgb(0x0B0E13), rgb(0x0B0E13), rgb(0xFFFFFF), rgb(0xF3F6FA), rgb(0xF3F6FA)};

constexpr std::array kNames{
    "ground",      "panel",        "bar",       "line",       "grid",        "track",          "text",
    "dim",         "now",          "now_fill",  "now_soft",   "now_mid",     "base",           "base_fill",
    "base_soft",   "base_mid",     "alarm",     "alarm_soft", "context",     "context_strong", "context_soft",
    "wait_memory", "wait_barrier", "wait_pipe", "on_fill",    "shade",       "on_shade",       "heat_0",
    "heat_1",      "heat_2",       "heat_3",    "heat_4",     "heat_text_0", "heat_text_1",    "heat_text_2",
    "heat_text_3", "heat_text_4"};
static_assert(kNames.size() == std::size_t(Ink::count));

constexpr std::array kReadable{
    Readable{Ink::text, Ink::ground},
    Readable{Ink::text, Ink::panel},
    Readable{Ink::text, Ink::bar},
    Readable{Ink::dim, Ink::ground},
    Readable{Ink::dim, Ink::panel},
    Readable{Ink::dim, Ink::bar},
    Readable{Ink::now, Ink::ground},
    Readable{Ink::now, Ink::panel},
    Readable{Ink::now, Ink::bar},
    Readable{Ink::now, Ink::now_soft},
    Readable{Ink::text, Ink::now_soft},
    Readable{Ink::dim, Ink::context_soft},
    Readable{Ink::base, Ink::ground},
    Readable{Ink::base, Ink::panel},
    Readable{Ink::base, Ink::base_soft},
    Readable{Ink::text, Ink::base_soft},
    Readable{Ink::alarm, Ink::ground},
    Readable{Ink::alarm, Ink::panel},
    Readable{Ink::text, Ink::alarm_soft},
    Readable{Ink::on_fill, Ink::now_fill},
    Readable{Ink::dim, Ink::now_soft},
    Readable{Ink::panel, Ink::alarm},
    Readable{Ink::on_shade, Ink::shade},
    Readable{Ink::text, Ink::context_soft},
    Readable{Ink::shade, Ink::base_fill},
    Readable{Ink::now, Ink::context_soft},
    Readable{Ink::heat_text_0, Ink::heat_0},
    Readable{Ink::heat_text_1, Ink::heat_1},
    Readable{Ink::heat_text_2, Ink::heat_2},
    Readable{Ink::heat_text_3, Ink::heat_3},
    Readable{Ink::heat_text_4, Ink::heat_4},
    Readable{Ink::panel, Ink::text},
};

double linear(std::uint8_t value) {
    const double v = value / 255.0;
    return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

double luminance(Rgba color) {
    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
}

}  // namespace

const Palette& palette(Theme theme) {
    return theme == Theme::light ? kLight : kDark;
}

double contrast(Rgba a, Rgba b) {
    const double x = luminance(a) + 0.05;
    const double y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
}

std::span<const Readable> readable_pairs() {
    return kReadable;
}

const char* name_of(Ink ink) {
    return kNames[std::size_t(ink)];
}

}  // namespace ws
