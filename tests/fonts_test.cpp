// Text of another size: at once as large as it shall be, as sharp as it can be a little later.

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>

#include "app/canvas/fonts.h"
#include "app/window/gui.h"
#include "tests/waiting.h"

namespace ws {
namespace {

class Fonts : public ::testing::Test {
  protected:
    // Frames until nothing is made beside them any more.
    void settle(float unit) {
        ASSERT_TRUE(testing::soon([&] {
            (void)context_.use_fonts(unit, Sharpness::soon);
            return !context_.stretched();
        }));
    }
    // In pixels of the fonts' texture.
    [[nodiscard]] static float baked(Font font) { return font_of(font)->FontSize; }
    [[nodiscard]] static float drawn(Font font) { return height_of(*font_of(font)); }

    GuiContextKeeper before_;
    GuiContext context_;
};

TEST_F(Fonts, OfAFirstFrameAreSharp) {
    EXPECT_TRUE(context_.use_fonts(1, Sharpness::soon));
    EXPECT_FALSE(context_.stretched());
    EXPECT_NEAR(drawn(Font::body), 24 * 1.164f, 0.5f);
    EXPECT_EQ(drawn(Font::body), baked(Font::body));
    EXPECT_EQ(ImGui::GetIO().FontDefault, font_of(Font::body));
}

TEST_F(Fonts, AreStretchedUntilSharpOnesAreThere) {
    (void)context_.use_fonts(1, Sharpness::soon);
    const float before = baked(Font::title);
    EXPECT_FALSE(context_.use_fonts(1.5f, Sharpness::soon));
    EXPECT_TRUE(context_.stretched());
    EXPECT_EQ(baked(Font::title), before);
    EXPECT_NEAR(drawn(Font::title), 1.5f * before, 0.01f);
    settle(1.5f);
    EXPECT_NEAR(baked(Font::title), 1.5f * before, 1);
    EXPECT_EQ(drawn(Font::title), baked(Font::title));
}

TEST_F(Fonts, AreOfTheLastSizeThatWasAsked) {
    (void)context_.use_fonts(1, Sharpness::soon);
    const float before = baked(Font::title);
    for (const float unit : {1.1f, 1.2f, 1.3f, 2.0f}) (void)context_.use_fonts(unit, Sharpness::soon);
    settle(2);
    EXPECT_NEAR(baked(Font::title), 2 * before, 1);
    // Back before new ones are there.
    (void)context_.use_fonts(1, Sharpness::soon);
    (void)context_.use_fonts(2, Sharpness::soon);
    EXPECT_EQ(drawn(Font::title), baked(Font::title));
    settle(2);
    EXPECT_NEAR(baked(Font::title), 2 * before, 1);
    EXPECT_EQ(drawn(Font::title), baked(Font::title));
}

TEST_F(Fonts, AreSharpAtOnceWhereThatIsAsked) {
    (void)context_.use_fonts(1, Sharpness::soon);
    EXPECT_TRUE(context_.use_fonts(0.5f, Sharpness::at_once));
    EXPECT_FALSE(context_.stretched());
    EXPECT_EQ(drawn(Font::code), baked(Font::code));
}

// Where each glyph stands there is ink, but for blanks.
TEST_F(Fonts, HaveEveryGlyph) {
    load_fonts(1);
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    for (int which = 0; which < int(Font::count); ++which) {
        const ImFont& font = *font_of(Font(which));
        for (const char16_t code : u"AWgjmp0189.,%×äöüßÄÖÜéµ±²°–…„“↑→↓←−≠≈≤≥✓") {
            if (code == 0) continue;
            SCOPED_TRACE(int(code));
            const ImFontGlyph* glyph = font.FindGlyphNoFallback(code);
            // Not all faces have all signs.
            if (!glyph && code > 0x2100) continue;
            ASSERT_NE(glyph, nullptr);
            EXPECT_GT(glyph->AdvanceX, 0);
            int most = 0;
            for (int y = int(glyph->V0 * float(height)); y < int(glyph->V1 * float(height)); ++y) {
                for (int x = int(glyph->U0 * float(width)); x < int(glyph->U1 * float(width)); ++x)
                    most = std::max(most, int(pixels[std::size_t(y) * std::size_t(width) + std::size_t(x)]));
            }
            EXPECT_GT(most, 100);
            EXPECT_LE(glyph->Y1, height_of(font) + 1);  // its ascent is rounded
        }
    }
}

}  // namespace
}  // namespace ws
