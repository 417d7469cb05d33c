// What the viewer draws, pixel by pixel, off screen: every way in which a picture reaches it.

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "gpu/core/error.h"
#include "render/context.h"
#include "render/gl_target.h"
#include "render/offscreen.h"
#include "render/viewer.h"

namespace ws {
namespace {

constexpr Extent kScreen{200, 150};
constexpr Area kArea{20, 10, 160, 120};
constexpr std::array<int, 3> kOutside{23, 23, 26};  // the colour beside a picture
constexpr std::array<float, 3> kGround{23 / 255.0f, 23 / 255.0f, 26 / 255.0f};

// Every pixel differs from its neighbours, and from those at its mirror images.
GrayImage numbered(Extent size) {
    GrayImage image(size);
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x)
            image.bytes[std::size_t(y) * std::size_t(size.width) + std::size_t(x)] =
                std::uint8_t(5 * x + 17 * y + x * y % 3);
    }
    return image;
}

int at(const GrayImage& image, int x, int y) {
    return image.bytes[std::size_t(y) * std::size_t(image.size.width) + std::size_t(x)];
}

std::array<int, 3> at(const RgbaImage& image, int x, int y) {
    const std::size_t i = 4 * (std::size_t(y) * std::size_t(image.size.width) + std::size_t(x));
    return {image.bytes[i], image.bytes[i + 1], image.bytes[i + 2]};
}

class Drawn : public ::testing::TestWithParam<PicturePath> {
  protected:
    void SetUp() override {
        try {
            screen_ = std::make_unique<Offscreen>(kScreen);
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
        viewer_ = std::make_unique<Viewer>();
        texture_ = std::make_unique<PictureTexture>();
        target_ = make_host_target(GetParam());
    }
    void TearDown() override {
        target_.reset();
        texture_.reset();
        viewer_.reset();
    }
    // Through the target, as a device would write it.
    void show(const GrayImage& image) {
        target_->resize(image.size);
        std::copy(image.bytes.begin(), image.bytes.end(), target_->map(nullptr));
        target_->unmap(nullptr);
        target_->present(*texture_);
        viewer_->picture_changed();
    }
    RgbaImage draw(const Camera& camera, Reduction reduction = Reduction::mean, Area clip = kArea,
                   bool ink = false) {
        viewer_->draw(0, {texture_.get(), camera, kArea, reduction, ink, kGround}, clip,
                      screen_->framebuffer(), kScreen);
        screen_->finish();
        return screen_->read();
    }
    std::unique_ptr<Offscreen> screen_;
    std::unique_ptr<Viewer> viewer_;
    std::unique_ptr<PictureTexture> texture_;
    std::unique_ptr<GlTarget> target_;
};

// The picture's pixel under a pixel of the area: 2 screen pixels for each, its middle in the area's middle.
TEST_P(Drawn, EveryPixelStandsWhereTheCameraSeesIt) {
    const GrayImage image = numbered({40, 30});
    show(image);
    for (const int zoom : {1, 2, 4}) {
        const RgbaImage drawn = draw({Framing::free, float(zoom), 20, 15});
        for (int y = 0; y < kArea.height; ++y) {
            for (int x = 0; x < kArea.width; ++x) {
                const int column = (x - kArea.width / 2 + 20 * zoom);
                const int row = (y - kArea.height / 2 + 15 * zoom);
                const bool inside = column >= 0 && row >= 0 && column < 40 * zoom && row < 30 * zoom;
                const int gray = inside ? at(image, column / zoom, row / zoom) : 0;
                const std::array<int, 3> want = inside ? std::array{gray, gray, gray} : kOutside;
                ASSERT_EQ(at(drawn, kArea.x + x, kArea.y + y), want)
                    << "zoom " << zoom << ": " << x << ", " << y;
            }
        }
    }
}

TEST_P(Drawn, AWholePictureFitsItsArea) {
    const GrayImage image = numbered({80, 60});  // half of the area
    show(image);
    const RgbaImage drawn = draw({Framing::whole});
    for (int y = 0; y < kArea.height; ++y) {
        for (int x = 0; x < kArea.width; ++x) {
            const int gray = at(image, x / 2, y / 2);
            ASSERT_EQ(at(drawn, kArea.x + x, kArea.y + y), (std::array{gray, gray, gray})) << x << ", " << y;
        }
    }
    // One that is twice as wide leaves room above and below.
    show(numbered({160, 60}));
    const RgbaImage wide = draw({Framing::whole});
    EXPECT_EQ(at(wide, kArea.x + 80, kArea.y + 29), kOutside);
    EXPECT_EQ(at(wide, kArea.x, kArea.y + 30)[0], 0 * 5 + 0);
    EXPECT_EQ(at(wide, kArea.x + 80, kArea.y + 91), kOutside);
}

TEST_P(Drawn, AFilledAreaCropsTheLongerSide) {
    show(numbered({160, 60}));  // twice as wide as the area is, for its height
    const RgbaImage drawn = draw({});
    // 2 screen pixels for each, the picture's middle in the area's.
    EXPECT_EQ(at(drawn, kArea.x, kArea.y), at(drawn, kArea.x + 1, kArea.y + 1)) << "one pixel of the picture";
    const GrayImage image = numbered({160, 60});
    for (const auto& [x, y] : {std::pair{0, 0}, {159, 119}, {80, 60}, {31, 77}}) {
        const int gray = at(image, 40 + x / 2, y / 2);
        EXPECT_EQ(at(drawn, kArea.x + x, kArea.y + y), (std::array{gray, gray, gray})) << x << ", " << y;
    }
}

// Thin lines must survive a reduction; a photograph must keep its brightness.
TEST_P(Drawn, AReducedPictureKeepsItsLinesOrItsMean) {
    GrayImage lines({640, 480});
    for (int y = 0; y < 480; ++y)
        for (int x = 0; x < 640; x += 64) lines.bytes[std::size_t(y * 640 + x + 32)] = 240;
    show(lines);
    const auto brightest = [&](const RgbaImage& image) {
        int most = 0;
        for (int x = 0; x < kArea.width; ++x) most = std::max(most, at(image, kArea.x + x, kArea.y + 60)[0]);
        return most;
    };
    EXPECT_EQ(brightest(draw({Framing::whole}, Reduction::largest)), 240);
    EXPECT_LT(brightest(draw({Framing::whole}, Reduction::mean)), 130);
    show(GrayImage({640, 480}, 90));
    EXPECT_EQ(at(draw({Framing::whole}), kArea.x + 80, kArea.y + 60)[0], 90);
    // Dark lines on white, stronger by half.
    EXPECT_NEAR(at(draw({Framing::whole}, Reduction::largest, kArea, true), kArea.x + 80, kArea.y + 60)[0],
                120, 1);
}

TEST_P(Drawn, OnlyTheClipIsTouched) {
    show(GrayImage({80, 60}, 50));
    (void)draw({});
    show(GrayImage({80, 60}, 150));
    const Area left{kArea.x, kArea.y, kArea.width / 2, kArea.height};
    const RgbaImage drawn = draw({}, Reduction::mean, left);
    EXPECT_EQ(at(drawn, kArea.x + 10, kArea.y + 10)[0], 150);
    EXPECT_EQ(at(drawn, kArea.x + kArea.width - 10, kArea.y + 10)[0], 50) << "what was there before stays";
}

TEST_P(Drawn, AChangedPictureIsDrawnAnew) {
    show(GrayImage({40, 30}, 10));
    EXPECT_EQ(at(draw({}), kScreen.width / 2, kScreen.height / 2)[0], 10);
    show(GrayImage({40, 30}, 200));
    EXPECT_EQ(at(draw({}), kScreen.width / 2, kScreen.height / 2)[0], 200);
}

TEST_P(Drawn, ReadsBackWhatWasWritten) {
    const GrayImage image = numbered({37, 23});
    show(image);
    EXPECT_EQ(target_->read_back(), image);
    for (const auto& [x, y] : {std::pair{0, 0}, {36, 0}, {0, 22}, {36, 22}, {11, 19}})
        EXPECT_EQ(texture_->read_pixel(x, y), at(image, x, y)) << x << ", " << y;
}

TEST_P(Drawn, TheOriginalInItsColours) {
    RgbaImage original({40, 30});
    for (std::size_t i = 0; i < original.bytes.size(); ++i)
        original.bytes[i] = i % 4 == 3 ? 255 : std::uint8_t(i * 7 + i / 160);
    PictureTexture texture;
    texture.resize(original.size, PictureTexture::Format::rgba);
    texture.upload(original.bytes.data());
    viewer_->draw(0, {&texture, {Framing::free, 1, 20, 15}, kArea, Reduction::mean, false, kGround}, kArea,
                  screen_->framebuffer(), kScreen);
    screen_->finish();
    const RgbaImage drawn = screen_->read();
    for (int y = 0; y < 30; ++y) {
        for (int x = 0; x < 40; ++x)
            ASSERT_EQ(at(drawn, kArea.x + 60 + x, kArea.y + 45 + y), at(original, x, y)) << x << ", " << y;
    }
}

INSTANTIATE_TEST_SUITE_P(Paths, Drawn, ::testing::Values(PicturePath::buffer, PicturePath::texture),
                         [](const auto& test) {
                             return test.param == PicturePath::buffer ? "buffer" : "texture";
                         });

}  // namespace
}  // namespace ws
