// The window's widgets without a window: block editing, camera, texts, panels, saved pictures.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "app/canvas/text.h"
#include "app/views/block_edit.h"
#include "app/window/caption.h"
#include "app/window/capture.h"
#include "gpu/core/files.h"
#include "gpu/picture/picture_file.h"
#include "gpu/picture/test_picture.h"
#include "render/viewer.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

TEST(Block, OneSideNeverChangesTheOther) {
    EXPECT_EQ(with_side({32, 8}, true, 512), (ws::Block{128, 8}));
    EXPECT_EQ(with_side({32, 8}, true, 64), (ws::Block{64, 8}));
    EXPECT_EQ(with_side({32, 8}, false, 1024), (ws::Block{32, 32}));
    EXPECT_EQ(with_side({32, 8}, true, 0), (ws::Block{1, 8}));
    EXPECT_EQ(with_side({1, 1}, true, 9999), (ws::Block{1024, 1}));
    EXPECT_EQ(with_side({33, 1}, false, 1024), (ws::Block{33, 31}));
    for (const int x : kBlockSides) {
        for (const int y : kBlockSides) {
            const ws::Block wide = with_side({32, 8}, true, x);
            EXPECT_EQ(wide.y, 8);
            EXPECT_EQ(with_side(wide, false, y).x, wide.x);
            EXPECT_TRUE(with_side(wide, false, y).valid());
        }
    }
}

TEST(Camera, ZoomKeepsThePointUnderThePointer) {
    const Area area{0, 0, 800, 600};
    const Extent picture{3648, 2736};
    Camera camera;
    EXPECT_NEAR(zoom_of(camera, area, {4000, 2000}), 600.0f / 2000, 1e-5) << "the area is full";
    camera.framing = Framing::whole;
    EXPECT_NEAR(zoom_of(camera, area, {4000, 2000}), 800.0f / 4000, 1e-5) << "nothing is cropped";
    const PicturePoint before = picture_point(camera, area, picture, 200, 150);
    camera = zoomed(camera, area, picture, 200, 150, 4);
    const PicturePoint after = picture_point(camera, area, picture, 200, 150);
    EXPECT_NEAR(before.x, after.x, 0.01);
    EXPECT_NEAR(before.y, after.y, 0.01);
    EXPECT_EQ(camera.framing, Framing::free);
    for (int i = 0; i < 100; ++i) camera = panned(camera, area, picture, 1000, 1000);
    const PicturePoint middle = picture_point(camera, area, picture, 400, 300);
    EXPECT_NEAR(middle.x, 0, 0.01) << "a corner at most reaches the middle";
    EXPECT_NEAR(middle.y, 0, 0.01);
}

TEST(Text, TimesHaveUnits) {
    EXPECT_EQ(time_text(0.0357), "35.7 µs");
    EXPECT_EQ(time_text(12.345), "12.35 ms");
    EXPECT_EQ(time_text(524), "524 ms");
    EXPECT_EQ(time_text(0.00025), "0.25 µs");
}

TEST(Text, LivesUntilTheFrameEnds) {
    begin_frame_texts();
    // More than a piece of the store, and one that is longer than a piece by itself.
    std::vector<std::string_view> texts;
    for (int i = 0; i < 5000; ++i) texts.push_back(text("text number {}", i));
    const std::string_view large = text("{}", std::string(100000, 'x'));
    for (std::size_t i = 0; i < texts.size(); ++i) {
        ASSERT_EQ(texts[i], "text number " + std::to_string(i));
        ASSERT_EQ(texts[i].data()[texts[i].size()], 0) << "it ends with a null character";
    }
    EXPECT_EQ(large, std::string(100000, 'x'));
    EXPECT_EQ(large.data()[large.size()], 0);
    // The next frame uses the same memory again.
    const char* first = texts.front().data();
    begin_frame_texts();
    EXPECT_EQ(text("new").data(), first);
}

class Captures : public ::testing::Test {
  protected:
    Captures() : folder_(fs::temp_directory_path() / ("warpscope_widgets_" + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~Captures() override { fs::remove_all(folder_); }
    fs::path folder_;
};

// The first `size` pixels of every row from (left, top) on, as they lie in a file.
RgbaImage part_of(const RgbaImage& image, int left, int top, Extent size) {
    RgbaImage part(size);
    for (int y = 0; y < size.height; ++y) {
        const auto from = image.bytes.begin() + std::ptrdiff_t(4) * ((top + y) * image.size.width + left);
        std::copy_n(from, 4 * size.width, part.bytes.begin() + std::ptrdiff_t(4) * y * size.width);
    }
    return part;
}

RgbaImage widened(const GrayImage& gray) {
    RgbaImage image(gray.size);
    for (std::size_t i = 0; i < image.bytes.size(); ++i)
        image.bytes[i] = i % 4 == 3 ? 255 : gray.bytes[i / 4];
    return image;
}

// Of a picture with an alpha of 255, which the built-in one has.
GrayImage diagonal(Extent size) {
    GrayImage image(size);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = std::uint8_t(i % 251);
    return image;
}

TEST_F(Captures, EveryPixelIsTheOneThatWasShown) {
    CaptureRequest request;
    request.original = std::make_shared<const RgbaImage>(draw_test_picture({203, 101}));
    request.current = diagonal({203, 101});
    request.caption = {"V5"};
    request.label = "gray";
    request.folder = folder_;
    request.stem = "shot";
    const std::vector<fs::path> paths = write_capture(request);
    ASSERT_EQ(paths.size(), 3u);
    EXPECT_EQ(read_picture(paths[0]).bytes, request.original->bytes);
    EXPECT_EQ(read_picture(paths[1]).bytes, widened(*request.current).bytes);
    const RgbaImage both = read_picture(paths[2]);
    const int right = 203 + 4;  // behind a gap of 4 pixels
    EXPECT_EQ(part_of(both, 0, 0, {203, 101}).bytes, request.original->bytes);
    EXPECT_EQ(part_of(both, right, 0, {203, 101}).bytes, widened(*request.current).bytes);
    // Where the original itself is shown, it stands on both sides.
    request.current.reset();
    request.stem = "original";
    const std::vector<fs::path> without = write_capture(request);
    ASSERT_EQ(without.size(), 2u);
    EXPECT_EQ(read_picture(without[0]).bytes, request.original->bytes);
    EXPECT_EQ(part_of(read_picture(without[1]), right, 0, {203, 101}).bytes, request.original->bytes);
}

TEST_F(Captures, ALargePictureIsReducedByAWholeFactor) {
    // 5000 pixels beside 5000 are reduced by 3: each pixel is the mean of nine.
    CaptureRequest request;
    request.original = std::make_shared<const RgbaImage>(draw_test_picture({5000, 33}));
    request.current = diagonal({5000, 33});
    request.caption = {"V5"};
    request.label = "gray";
    const RgbaImage both = side_by_side(request);
    const int part = 5000 / 3;
    const int right = part + part / 100;
    const auto mean = [&](int x, int y, const auto& at) {
        int sum = 0;
        for (int dy = 0; dy < 3; ++dy)
            for (int dx = 0; dx < 3; ++dx)
                sum += at(std::size_t(3 * y + dy) * 5000 + std::size_t(3 * x + dx));
        return sum / 9;
    };
    for (int y = 0; y < 11; ++y) {
        for (int x = 0; x < part; ++x) {
            const std::size_t left_at = 4 * (std::size_t(y) * std::size_t(both.size.width) + std::size_t(x));
            const std::size_t right_at = left_at + 4 * std::size_t(right);
            for (std::size_t channel = 0; channel < 3; ++channel) {
                ASSERT_EQ(
                    both.bytes[left_at + channel],
                    mean(x, y, [&](std::size_t i) { return int(request.original->bytes[4 * i + channel]); }))
                    << x << ", " << y;
            }
            ASSERT_EQ(both.bytes[right_at],
                      mean(x, y, [&](std::size_t i) { return int(request.current->bytes[i]); }))
                << x << ", " << y;
        }
    }
}

TEST_F(Captures, ADetailIsWhatIsShownOverItsCaption) {
    const RgbaImage window = draw_test_picture({300, 200});
    const RgbaImage detail = cut_out(window, 40, 30, {120, 80});
    EXPECT_EQ(detail.bytes, part_of(window, 40, 30, {120, 80}).bytes);
    EXPECT_EQ(cut_out(window, 250, 190, {120, 80}).size, (Extent{50, 10})) << "as much as there is";
    EXPECT_EQ(cut_out(window, 999, 999, {120, 80}).size, (Extent{0, 0}));
    CaptureRequest request;
    request.detail = detail;
    request.caption = {"V5", "columns 3 to 8"};
    request.state = "{}";
    request.folder = folder_;
    request.stem = "shot";
    const std::vector<fs::path> paths = write_capture(request);
    ASSERT_EQ(paths.size(), 2u);
    EXPECT_EQ(paths[0].filename(), "shot_detail.png");
    EXPECT_EQ(paths[1].filename(), "shot.json");
    const RgbaImage saved = read_picture(paths[0]);
    EXPECT_GT(saved.size.height, 80);
    EXPECT_EQ(part_of(saved, 0, 0, {120, 80}).bytes, detail.bytes);
    EXPECT_EQ(write_capture(request)[0].filename(), "shot-2_detail.png") << "nothing is overwritten";
}

TEST_F(Captures, BeforeAndAfter) {
    CaptureRequest request;
    request.original = std::make_shared<const RgbaImage>(draw_test_picture({200, 100}));
    request.current = GrayImage({200, 100}, 77);
    request.caption = {"V5 shared memory", "12.3 µs"};
    request.label = "edges after blur";
    request.folder = folder_;
    request.stem = "shot";
    EXPECT_EQ(write_capture(request).size(), 3u);
    EXPECT_TRUE(fs::exists(folder_ / "shot_original.png"));
    EXPECT_TRUE(fs::exists(folder_ / "shot_edges-after-blur.png"));
    EXPECT_TRUE(fs::exists(folder_ / "shot_both.png"));
    EXPECT_EQ(write_capture(request).back().filename(), "shot-2_both.png") << "nothing is overwritten";
    const RgbaImage both = side_by_side(request);
    EXPECT_GE(both.size.width, 400);
    EXPECT_GT(both.size.height, 100) << "room for the caption";
    EXPECT_EQ(both.bytes[4 * std::size_t(both.size.width * 50 + 250)], 77) << "right: the current picture";
    // There is ink in the caption.
    int bright = 0;
    for (std::size_t i = 4 * std::size_t(both.size.width) * 102; i < both.bytes.size(); i += 4)
        bright += both.bytes[i] > 200;
    EXPECT_GT(bright, 100);
    // A, where it is no original, is saved too and stands at the left.
    request.a = GrayImage({200, 100}, 33);
    request.a_label = "blurred by V3/x";
    request.stem = "with_a";
    EXPECT_EQ(write_capture(request).size(), 4u);
    EXPECT_EQ(read_picture(folder_ / "with_a_A_blurred-by-V3-x.png").bytes, widened(*request.a).bytes);
    EXPECT_EQ(side_by_side(request).bytes[4 * std::size_t(both.size.width * 50 + 50)], 33);
    // A folder that is a file: reported, not thrown into the window.
    write_file(folder_ / "file", "x");
    request.folder = folder_ / "file";
    CaptureWriter writer;
    writer.start(request);
    std::optional<CaptureWriter::Outcome> outcome;
    while (!outcome) outcome = writer.poll();
    EXPECT_TRUE(outcome->failed);
    EXPECT_NE(outcome->message.find("not saved"), std::string::npos);
}

}  // namespace
}  // namespace ws
