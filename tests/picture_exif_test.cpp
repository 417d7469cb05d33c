// Photographs of phones: the EXIF orientation of JPEG files, in both byte orders, and damaged.

#include <random>

#include "tests/picture_support.h"

namespace ws {
namespace {

using namespace std::string_literals;
using Exif = Pictures;

struct Numbers {
    bool big_endian;
    [[nodiscard]] std::string of(unsigned value, int bytes) const {
        std::string text;
        for (int i = 0; i < bytes; ++i) text += char(value >> 8 * (big_endian ? bytes - 1 - i : i));
        return text;
    }
};

// TIFF data with two entries, the second of which is the orientation.
std::string tiff(const Numbers& number, unsigned orientation) {
    const unsigned first_directory = 8;
    return (number.big_endian ? "MM" : "II") + number.of(42, 2) + number.of(first_directory, 4) +
           number.of(2, 2) + number.of(0x0100, 2) + number.of(4, 2) + number.of(1, 4) +
           number.of(4000, 4) +  // width
           number.of(0x0112, 2) + number.of(3, 2) + number.of(1, 4) + number.of(orientation, 2) +
           number.of(0, 2) + number.of(0, 4);
}

std::string with_exif(const std::string& jpeg, const std::string& data) {
    const std::string payload = "Exif\0\0"s + data;
    return jpeg.substr(0, 2) + "\xFF\xE1" + Numbers{true}.of(unsigned(payload.size()) + 2, 2) + payload +
           jpeg.substr(2);
}

// Where the picture's top left corner and the pixel right of it lie in the file, by the text of the standard:
// "0th row is the visual top, 0th column the visual left-hand side" and so on.
struct Corner {
    bool right, bottom;  // of the file
    bool along_columns;  // the visual row runs down a column of the file
};
constexpr Corner kCorners[] = {{false, false, false}, {true, false, false}, {true, true, false},
                               {false, true, false},  {false, false, true}, {false, true, true},
                               {true, true, true},    {true, false, true}};

TEST_F(Exif, AllOrientationsStandUpright) {
    const std::string upright = jpg(draw_test_picture({45, 70}), 95);
    const RgbaImage stored = read_picture(write("a.jpg", upright));
    for (const bool big_endian : {false, true}) {
        for (unsigned orientation = 1; orientation <= 8; ++orientation) {
            const Corner& corner = kCorners[orientation - 1];
            const RgbaImage read =
                read_picture(write("phone.jpg", with_exif(upright, tiff(Numbers{big_endian}, orientation))));
            ASSERT_EQ(read.size, corner.along_columns ? (Extent{70, 45}) : stored.size) << orientation;
            for (int y = 0; y < read.size.height; ++y) {
                for (int x = 0; x < read.size.width; ++x) {
                    const int across = corner.along_columns ? y : x;
                    const int down = corner.along_columns ? x : y;
                    const int column = corner.right ? stored.size.width - 1 - across : across;
                    const int row = corner.bottom ? stored.size.height - 1 - down : down;
                    for (int channel = 0; channel < 4; ++channel)
                        ASSERT_EQ(read.bytes[std::size_t(4 * (y * read.size.width + x) + channel)],
                                  stored.bytes[std::size_t(4 * (row * stored.size.width + column) + channel)])
                            << orientation << " at " << x << ", " << y;
                }
            }
        }
    }
}

TEST_F(Exif, NonsenseIsUpright) {
    const std::string upright = jpg(draw_test_picture({40, 30}), 90);
    const RgbaImage stored = read_picture(write("a.jpg", upright));
    const Numbers number{false};
    const std::string good = tiff(number, 6);
    std::string far_directory = good;
    far_directory.replace(4, 4, "\xF0\xFF\xFF\xFF");
    std::string many_entries = good;
    many_entries.replace(8, 2, "\xFF\xFF");
    many_entries.replace(22, 2, "\x13\x01");  // another tag: all 65535 are looked for
    std::string wrong_type = good;
    wrong_type[24] = 2;
    for (const std::string& data : {""s, "II"s, tiff(number, 0), tiff(number, 9), tiff(number, 65535),
                                    far_directory, many_entries, wrong_type, good.substr(0, 30)}) {
        EXPECT_EQ(read_picture(write("b.jpg", with_exif(upright, data))).bytes, stored.bytes) << data.size();
    }
}

TEST_F(Exif, EveryLengthAndManyMutationsAreHarmless) {
    const std::string upright = jpg(draw_test_picture({12, 9}), 90);
    const std::string good = tiff(Numbers{true}, 8);
    for (std::size_t length = 0; length <= good.size(); ++length)
        EXPECT_EQ(read_picture(write("c.jpg", with_exif(upright, good.substr(0, length)))).size.pixels(),
                  108u);
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        std::string file = with_exif(upright, good);
        for (int k = 0; k < 3; ++k) file[2 + random() % (good.size() + 10)] = char(random());
        (void)message_of(write("d.jpg", file));
    }
}

}  // namespace
}  // namespace ws
