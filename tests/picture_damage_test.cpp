// Files that end early, promise more than they hold, or are not what they say; each format at every length.

#include <sys/resource.h>

#include <random>

#include "tests/picture_support.h"

namespace ws {
namespace {

using PictureDamage = Pictures;

long peak_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss >> 10;
}

std::vector<std::pair<std::string, std::string>> files_of(const RgbaImage& image) {
    std::string indices;
    for (std::size_t i = 0; i < image.size.pixels(); ++i) indices += char(i * 7);
    std::string pgm16 =
        "P5\n" + std::to_string(image.size.width) + " " + std::to_string(image.size.height) + "\n65535\n";
    for (std::size_t i = 0; i < image.size.pixels(); ++i) pgm16 += {char(image.bytes[4 * i]), '\x77'};
    return {{"a.png", png(image, 3)}, {"a.jpg", jpg(image, 90)},
            {"a.bmp", bmp(image)},    {"a.tga", tga(image)},
            {"a.ppm", ppm(image)},    {"a16.pgm", pgm16},
            {"a.psd", psd(image)},    {"a.gif", gif(image.size, indices)}};
}

TEST_F(PictureDamage, HeadersAloneAreRefusedBeforeMemoryIsTaken) {
    const long before = peak_mib();
    std::string bmp_header = bmp(draw_test_picture({1, 1})).substr(0, 54);
    bmp_header.replace(18, 8, std::string("\x20\x4e\0\0\x20\x4e\0\0", 8));
    const std::string tga_header = std::string("\0\0\2\0\0\0\0\0\0\0\0\0\x20\x4e\x20\x4e\x20\0", 18);
    const std::string psd_header = std::string("8BPS\0\1\0\0\0\0\0\0\0\3", 14) + big_endian(20000) +
                                   big_endian(20000) + std::string("\0\x08\0\3", 4) + std::string(14, '\0');
    for (const std::string& file :
         {std::string("P6 64 64 255\nxx"), std::string("P6\n20000 20000 255\n"),
          std::string("P5 20000 20000 65535\n"), "P6\n20000 20000 255\n" + std::string(1000, 'x'), bmp_header,
          bmp_header + std::string(1000, 'x'), tga_header, tga_header + std::string(1000, 'x'), psd_header,
          psd_header + std::string(1000, '\0'), gif({20000, 20000}, "x"),
          gif({20000, 20000}, std::string(2000, 'x'))}) {
        EXPECT_NE(message_of(write("a.bin", file)).find("truncated"), std::string::npos)
            << file.substr(0, 20) << "...: " << message_of(folder_ / "a.bin");
    }
    EXPECT_LT(peak_mib() - before, 64);
}

TEST_F(PictureDamage, APngOrJpegThatPromisesMoreThanItCanHoldIsRefused) {
    const long before = peak_mib();
    const RgbaImage image = draw_test_picture({40, 30});
    std::string lying = png(image, 3);
    lying.replace(16, 8, big_endian(20000) + big_endian(20000));
    EXPECT_NE(message_of(write("a.png", lying)), "");
    lying = jpg(image, 90);
    const std::size_t frame = lying.find(std::string("\xFF\xC0\0\x11\x08", 5));
    ASSERT_NE(frame, std::string::npos);
    lying.replace(frame + 5, 4, "\x4e\x20\x4e\x20");
    EXPECT_NE(message_of(write("a.jpg", lying)).find("truncated"), std::string::npos);
    EXPECT_LT(peak_mib() - before, 64);
}

// A picture of few pixels and one of more than the decoder's own buffer holds; what is left out can at most
// be what follows the last pixel.
TEST_F(PictureDamage, EveryLengthIsRefusedOrGivesTheWholePicture) {
    for (const Extent size : {Extent{3, 2}, Extent{24, 17}}) {
        for (const auto& [name, bytes] : files_of(draw_test_picture(size))) {
            const RgbaImage whole = read_picture(write(name, bytes));
            ASSERT_EQ(whole.size, size) << name;
            std::size_t accepted = 0;
            for (std::size_t length = 0; length < bytes.size(); ++length) {
                if (message_of(write(name, bytes.substr(0, length))).empty()) {
                    EXPECT_EQ(read_picture(folder_ / name).bytes, whole.bytes) << name << " of " << length;
                    ++accepted;
                }
            }
            // PNG's and GIF's end marks hold no pixel, and bytes after the last one are not looked at.
            EXPECT_LE(accepted, 60u) << name << " of " << bytes.size();
        }
    }
}

TEST_F(PictureDamage, MutatedFilesAreHarmless) {
    std::mt19937 random(1);
    for (const Extent size : {Extent{3, 2}, Extent{24, 17}}) {
        for (const auto& [name, bytes] : files_of(draw_test_picture(size))) {
            for (int i = 0; i < 400; ++i) {
                std::string mutated = bytes;
                for (unsigned k = random() % 4 + 1; k > 0; --k) {
                    // Headers most of all.
                    const std::size_t end =
                        random() % 2 ? std::min<std::size_t>(64, bytes.size()) : bytes.size();
                    mutated[random() % end] = char(random() % 3 ? random() : random() % 2 ? 0xFF : 0);
                }
                const fs::path path = write(name, mutated);
                try {
                    const RgbaImage read = read_picture(path);
                    EXPECT_EQ(read.bytes.size(), 4 * read.size.pixels());
                } catch (const Error& error) {
                    EXPECT_NE(std::string(error.what()).find(name), std::string::npos);
                }
            }
        }
    }
}

TEST_F(PictureDamage, KnownFormatsThatAreNotReadAreNamed) {
    using namespace std::string_literals;
    const std::pair<std::string, const char*> files[] = {
        {"\0\0\0\x18"s + "ftypheic" + std::string(100, '\0'), "HEIC"},
        {"\0\0\0\x18"s + "ftypmif1" + std::string(100, '\0'), "HEIF"},
        {"\0\0\0\x18"s + "ftypavif" + std::string(100, '\0'), "AVIF"},
        {"II*\0\x08\0\0\0"s + std::string(100, '\0'), "TIFF"},
        {"\0\0\0\x0CJXL \r\n\x87\n"s, "JPEG XL"},
    };
    for (const auto& [bytes, format] : files) {
        const std::string message = message_of(write("phone.jpg", bytes));
        EXPECT_NE(message.find(format), std::string::npos) << message;
        EXPECT_NE(message.find("convert"), std::string::npos) << message;
    }
}

bool built_with(const std::string& library) {
    for (const std::string& text : picture_libraries()) {
        if (text.find(library) != std::string::npos) return true;
    }
    return false;
}

// Two pixels without loss, as libwebp's encoder wrote them.
TEST_F(PictureDamage, WebpIsReadOrNamed) {
    constexpr unsigned char kFile[] = {0x52, 0x49, 0x46, 0x46, 0x22, 0x00, 0x00, 0x00, 0x57, 0x45, 0x42,
                                       0x50, 0x56, 0x50, 0x38, 0x4c, 0x15, 0x00, 0x00, 0x00, 0x2f, 0x01,
                                       0x00, 0x00, 0x00, 0x0f, 0x70, 0x0a, 0xda, 0x43, 0xe8, 0x1f, 0xc5,
                                       0x7e, 0xfe, 0x43, 0x0b, 0x19, 0xd1, 0xff, 0x00, 0x00};
    const std::string file(reinterpret_cast<const char*>(kFile), sizeof kFile);
    if (!built_with("libwebp")) {
        EXPECT_NE(message_of(write("a.webp", file)).find("WebP"), std::string::npos);
        return;
    }
    const RgbaImage read = read_picture(write("a.webp", file));
    EXPECT_EQ(read.size, (Extent{2, 1}));
    EXPECT_EQ(read.bytes, (PixelBytes{10, 200, 30, 255, 250, 20, 40, 255}));
    for (std::size_t length = 0; length + 1 < file.size(); ++length)
        EXPECT_NE(message_of(write("a.webp", file.substr(0, length))), "") << length;
}

TEST_F(PictureDamage, JpegsOfBothDecodersAreAlike) {
    for (const int quality : {60, 90, 98}) {  // from 90 on stb's encoder keeps all colours
        const std::string file = jpg(draw_test_picture({203, 151}), quality);
        expect_as_stb(file, read_picture(write("a.jpg", file)), "quality " + std::to_string(quality));
    }
}

TEST_F(PictureDamage, JpegDataThatEndsBeforeItsEndMarkIsRefused) {
    const std::string file = jpg(draw_test_picture({300, 200}), 90);
    // Half of the data, then the mark of a proper end.
    if (!built_with("libjpeg-turbo")) GTEST_SKIP() << "stb_image fills such files up with gray";
    EXPECT_NE(message_of(write("cut.jpg", file.substr(0, file.size() / 2) + "\xFF\xD9")).find("truncated"),
              std::string::npos);
}

}  // namespace
}  // namespace ws
