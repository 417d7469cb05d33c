#pragma once
// What a frame drew, walked: text that is cut off, lies outside or over another, or lacks contrast.

#include <string>
#include <utility>
#include <vector>

#include "tests/drawn_views.h"

namespace ws {

inline constexpr double kContrast = 7;

inline bool meet(const Box& a, const Box& b) {
    return a.x < b.right() - 1 && b.x < a.right() - 1 && a.y < b.bottom() - 1 && b.y < a.bottom() - 1;
}

// Where letters stand: the box of a line without the room for accents and descents.
inline Box letters(const DrawnText& text) {
    return text.box.inset(0, text.box.h * 0.2f);
}

inline void walk(const Drawing& drawing, Theme theme, Extent size, const std::string& where) {
    ASSERT_GT(drawing.texts.size(), 10u) << where;
    for (std::size_t i = 0; i < drawing.texts.size(); ++i) {
        const DrawnText& text = drawing.texts[i];
        EXPECT_FALSE(text.cut) << where << ": '" << text.text << "' is cut off";
        EXPECT_FALSE(text.text.ends_with(" ×")) << where << ": '" << text.text << "' breaks within a product";
        EXPECT_TRUE(text.box.x >= -1 && text.box.y >= -1 && text.box.right() <= float(size.width) + 1 &&
                    text.box.bottom() <= float(size.height) + 1)
            << where << ": '" << text.text << "' lies outside";
        const double found =
            contrast(palette(theme)[std::size_t(text.ink)], palette(theme)[std::size_t(text.ground)]);
        EXPECT_GE(found, kContrast) << where << ": '" << text.text << "', " << name_of(text.ink) << " on "
                                    << name_of(text.ground);
        for (std::size_t k = i + 1; k < drawing.texts.size(); ++k)
            EXPECT_FALSE(meet(letters(text), letters(drawing.texts[k])))
                << where << ": '" << text.text << "' lies over '" << drawing.texts[k].text << "'";
    }
}

inline constexpr Extent kSizes[] = {{1024, 768},  {1280, 720},  {1366, 768},
                                    {1920, 1080}, {1920, 1200}, {3840, 2160}};

// What is drawn where, by name.
inline std::vector<std::pair<std::string, Box>> slots_in(const Drawing& drawing) {
    std::vector<std::pair<std::string, Box>> slots;
    for (const Drawing::Slot& slot : drawing.slots) slots.emplace_back(slot.name, slot.box);
    return slots;
}

}  // namespace ws
