// Pictures from files: the formats, and every kind of bad file.

#include "gpu/picture/picture_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/picture/builtin_pictures.h"
#include "tests/picture_support.h"

namespace ws {
namespace {

TEST_F(Pictures, PngOfOneToFourChannelsIsWidened) {
    const RgbaImage image = draw_test_picture({37, 23});
    for (const int channels : {1, 2, 3, 4}) {
        const RgbaImage read = read_picture(write("a.png", png(image, channels)));
        ASSERT_EQ(read.size, image.size);
        for (std::size_t i = 0; i < image.size.pixels(); ++i) {
            const std::size_t p = 4 * i;
            ASSERT_EQ(read.bytes[p], image.bytes[p]) << channels;
            ASSERT_EQ(read.bytes[p + 1], image.bytes[channels >= 3 ? p + 1 : p]) << channels;
            ASSERT_EQ(read.bytes[p + 2], image.bytes[channels >= 3 ? p + 2 : p]) << channels;
        }
    }
}

TEST_F(Pictures, JpegBmpTgaPnm) {
    const RgbaImage image = draw_test_picture({64, 48});
    std::string ppm = "P6\n64 48\n255\n";
    std::string pgm16 = "P5\n64 48\n65535\n";
    for (std::size_t i = 0; i < image.size.pixels(); ++i) {
        for (std::size_t channel = 0; channel < 3; ++channel) ppm += char(image.bytes[4 * i + channel]);
        pgm16 += char(image.bytes[4 * i]);
        pgm16 += char(0x77);
    }
    for (const auto& [name, bytes] :
         {std::pair{"a.bmp", bmp(image)}, {"a.tga", tga(image)}, {"a.ppm", ppm}}) {
        EXPECT_EQ(read_picture(write(name, bytes)).bytes, image.bytes) << name;
    }
    const RgbaImage sixteen = read_picture(write("a.pgm", pgm16));
    for (std::size_t i = 0; i < image.size.pixels(); ++i) ASSERT_EQ(sixteen.bytes[4 * i], image.bytes[4 * i]);
    const RgbaImage lossy = read_picture(write("a.jpg", jpg(image, 95)));
    ASSERT_EQ(lossy.size, image.size);
    double error = 0;
    for (std::size_t i = 0; i < image.bytes.size(); ++i)
        error += std::abs(int(lossy.bytes[i]) - int(image.bytes[i]));
    EXPECT_LT(error / double(image.bytes.size()), 6);
}

TEST_F(Pictures, Gif) {
    const Extent size{31, 17};
    std::string indices;
    for (std::size_t i = 0; i < size.pixels(); ++i) indices += char(i * 7);
    const std::string file = gif(size, indices);
    const RgbaImage read = read_picture(write("a.gif", file));
    ASSERT_EQ(read.size, size);
    for (std::size_t i = 0; i < size.pixels(); ++i) {
        const std::uint8_t index = std::uint8_t(indices[i]);
        ASSERT_EQ(read.bytes[4 * i], index);
        ASSERT_EQ(read.bytes[4 * i + 1], 255 - index);
        ASSERT_EQ(read.bytes[4 * i + 2], index / 2);
        ASSERT_EQ(read.bytes[4 * i + 3], 255);
    }
    EXPECT_NE(message_of(write("cut.gif", file.substr(0, file.size() / 2))), "");
}

TEST_F(Pictures, Psd) {
    const RgbaImage image = draw_test_picture({29, 13});
    const std::string file = psd(image);
    const RgbaImage read = read_picture(write("a.psd", file));
    ASSERT_EQ(read.size, image.size);
    EXPECT_EQ(read.bytes, image.bytes);
    EXPECT_NE(message_of(write("cut.psd", file.substr(0, file.size() / 2))), "");
}

TEST_F(Pictures, OnePixel) {
    const RgbaImage read = read_picture(write("one.pgm", "P5\n1 1\n255\n\x80"));
    EXPECT_EQ(read.size, (Extent{1, 1}));
    EXPECT_EQ(read.bytes[0], 0x80);
}

TEST_F(Pictures, TruncatedFilesAreRefused) {
    const RgbaImage image = draw_test_picture({300, 200});
    const std::pair<const char*, std::string> files[] = {
        {"t.png", png(image, 3)}, {"t.jpg", jpg(image, 90)}, {"t.bmp", bmp(image)},
        {"t.tga", tga(image)},    {"t.ppm", ppm(image)},
    };
    for (const auto& [name, bytes] : files) {
        ASSERT_EQ(message_of(write(name, bytes)), "") << name;
        for (const std::size_t part : {2u, 3u, 10u}) {
            const std::string message =
                message_of(write(name, bytes.substr(0, bytes.size() - bytes.size() / part)));
            EXPECT_NE(message, "") << name << " without its last 1/" << part;
            EXPECT_NE(message.find(name), std::string::npos) << message;
        }
    }
}

TEST_F(Pictures, EmptyMissingAndForeignFilesAreRefused) {
    EXPECT_NE(message_of(write("empty.png", "")).find("empty"), std::string::npos);
    EXPECT_NE(message_of(folder_ / "missing.png").find("cannot read"), std::string::npos);
    EXPECT_NE(message_of(folder_).find("folder"), std::string::npos);
    EXPECT_NE(message_of(write("text.png", std::string(5000, 'a'))).find("no picture"), std::string::npos);
    EXPECT_NE(message_of(write("short.png", "\x89PNG")), "");
}

TEST_F(Pictures, GiantPicturesAreRefusedBeforeMemoryIsTaken) {
    // Headers alone: the pixels that they promise would fill the machine.
    for (const auto& [width, height] :
         {std::pair{40000u, 10u}, {10u, 40000u}, {32000u, 32000u}, {0x7fffffffu, 0x7fffffffu}}) {
        const std::string header = "\x89PNG\r\n\x1a\n" + big_endian(13) + "IHDR" + big_endian(width) +
                                   big_endian(height) + std::string("\x08\x06\x00\x00\x00", 5) +
                                   big_endian(0) + std::string(200, '\0');
        const std::string message = message_of(write("giant.png", header));
        EXPECT_NE(message.find("too large"), std::string::npos)
            << width << " x " << height << ": " << message;
    }
    EXPECT_NE(message_of(write("giant.ppm", "P6\n33000 2\n255\n" + std::string(300, 'x'))).find("too large"),
              std::string::npos);
}

TEST_F(Pictures, WrittenPngReadsBack) {
    const RgbaImage image = draw_test_picture({101, 55});
    write_png(folder_ / "out.png", image);
    EXPECT_EQ(read_picture(folder_ / "out.png").bytes, image.bytes);
    GrayImage gray({3, 2});
    gray.bytes = {0, 50, 100, 150, 200, 250};
    write_png(folder_ / "gray.png", gray);
    const RgbaImage read = read_picture(folder_ / "gray.png");
    EXPECT_EQ(read.bytes[4 * 5], 250);
    write_file(folder_ / "file", "x");
    EXPECT_THROW(write_png(folder_ / "file" / "below.png", gray), Error);
}

constexpr std::uint64_t kDrawnHash = 2066326059100779707ull;  // of the drawn picture in its own size

std::uint64_t hash_of(const RgbaImage& image) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const std::uint8_t byte : image.bytes) hash = (hash ^ byte) * 1099511628211ull;
    return hash;
}

TEST(TestPicture, IsTheSameEverywhere) {
    // A golden hash: the picture is drawn in integers.
    const RgbaImage image = draw_test_picture({456, 342});
    EXPECT_EQ(hash_of(image), 290176004381362505ull);
    EXPECT_EQ(draw_test_picture({1, 1}).bytes.size(), 4u);
}

TEST(BuiltinPictures, TestIsTheDrawnOneToTheBit) {
    const BuiltinPicture* test = find_builtin_picture("test");
    ASSERT_NE(test, nullptr);
    const RgbaImage image = test->make();
    EXPECT_EQ(image.size, kTestPictureSize);
    EXPECT_EQ(image.bytes, draw_test_picture().bytes);
    EXPECT_EQ(hash_of(image), kDrawnHash);
}

TEST(BuiltinPictures, SceneIsAPhotographOfUnderOneMegabyte) {
    const auto pictures = builtin_pictures();
    ASSERT_EQ(pictures.front().name, "scene") << "the first is the one to start with";
    EXPECT_LT(fs::file_size(fs::path(WARPSCOPE_SOURCE_DIR) / "assets" / "scene.jpg"), 1'000'000u);
    const RgbaImage image = pictures.front().make();
    EXPECT_EQ(image.size, kTestPictureSize) << "so that times with either are those of one size";
    // Every sixteenth of it holds light and dark; nowhere is it transparent.
    for (int part = 0; part < 16; ++part) {
        const Extent tile{image.size.width / 4, image.size.height / 4};
        int least = 255;
        int most = 0;
        for (int y = part / 4 * tile.height; y < (part / 4 + 1) * tile.height; ++y) {
            for (int x = part % 4 * tile.width; x < (part % 4 + 1) * tile.width; ++x) {
                const std::uint8_t* pixel =
                    &image.bytes[4 * (std::size_t(y) * std::size_t(image.size.width) + std::size_t(x))];
                least = std::min(least, int(pixel[1]));
                most = std::max(most, int(pixel[1]));
                ASSERT_EQ(pixel[3], 255) << x << ' ' << y;
            }
        }
        EXPECT_GT(most - least, 40) << "tile " << part;
    }
}

TEST(BuiltinPictures, OtherNamesAreNone) {
    for (const char* name : {"", "Scene", "scene.jpg", "test ", "./test"})
        EXPECT_EQ(find_builtin_picture(name), nullptr) << name;
}

}  // namespace
}  // namespace ws
