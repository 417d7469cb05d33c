// Off-screen pictures of the window against stored ones, where nothing depends on time or machine: the
// picture and the list of versions. Tolerance: a mean difference of 1.5 of 255 a channel and at most 2 % of
// pixels off by more than 40 (other OpenGL implementations filter and rasterise slightly differently).
//
// WARPSCOPE_UPDATE_GOLDEN=1 stores what is drawn instead; look at it before it is committed.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "gpu/picture/picture_file.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

struct Part {
    const char* name;
    int x, y, width, height;
};

RgbaImage cut(const RgbaImage& image, const Part& part) {
    RgbaImage out({part.width, part.height});
    for (int y = 0; y < part.height; ++y) {
        const std::size_t from =
            4 * (std::size_t(part.y + y) * std::size_t(image.size.width) + std::size_t(part.x));
        std::copy_n(image.bytes.begin() + std::ptrdiff_t(from), 4 * part.width,
                    out.bytes.begin() + std::ptrdiff_t(4) * y * part.width);
    }
    return out;
}

struct Difference {
    double mean = 0;
    double share_far = 0;
    RgbaImage heat;
};

Difference compare(const RgbaImage& a, const RgbaImage& b) {
    Difference result;
    result.heat = RgbaImage(a.size);
    double sum = 0;
    std::size_t far = 0;
    for (std::size_t i = 0; i < a.bytes.size(); i += 4) {
        int most = 0;
        for (std::size_t channel = 0; channel < 3; ++channel) {
            const int difference = std::abs(int(a.bytes[i + channel]) - int(b.bytes[i + channel]));
            sum += difference;
            most = std::max(most, difference);
        }
        far += most > 40;
        result.heat.bytes[i] = std::uint8_t(most);
        result.heat.bytes[i + 3] = 255;
    }
    result.mean = sum / (0.75 * double(a.bytes.size()));
    result.share_far = double(far) / double(a.size.pixels());
    return result;
}

bool alike(const Difference& difference) {
    return difference.mean <= 1.5 && difference.share_far <= 0.02;
}

class Golden : public ::testing::TestWithParam<const char*> {};

TEST_P(Golden, PictureIsAsStored) {
    const fs::path folder = fs::temp_directory_path() / ("warpscope_golden_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const fs::path drawn = folder / "drawn.png";
    const std::string command = "XDG_CONFIG_HOME=" + folder.string() + " XDG_CACHE_HOME=" + folder.string() +
                                " " WARPSCOPE_PROGRAM " picture 5 --device cpu --size 960x600 " + GetParam() +
                                " --output " + drawn.string() + " > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const RgbaImage image = read_picture(drawn);
    std::string name = GetParam();
    name = name.substr(name.find(' ') + 1);
    std::replace(name.begin(), name.end(), ' ', '_');
    std::erase(name, '-');
    for (const Part& part : {Part{"picture", 0, 60, 620, 440}, Part{"versions", 640, 25, 300, 230}}) {
        const fs::path stored =
            fs::path(WARPSCOPE_SOURCE_DIR) / "tests" / "golden" / (name + "_" + part.name + ".png");
        const RgbaImage actual = cut(image, part);
        if (std::getenv("WARPSCOPE_UPDATE_GOLDEN")) {
            write_png(stored, actual);
            continue;
        }
        const Difference difference = compare(actual, read_picture(stored));
        EXPECT_TRUE(alike(difference))
            << stored << ": mean " << difference.mean << ", far " << difference.share_far;
        if (!alike(difference)) {
            write_png(name + "_" + part.name + "_actual.png", actual);
            write_png(name + "_" + part.name + "_heat.png", difference.heat);
        }
    }
    fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Views, Golden,
                         ::testing::Values("--show original", "--show gray", "--show blur", "--show edge",
                                           "--show edge --no-blur"));

TEST(GoldenComparison, CanFail) {
    // Pictures that must not pass: black, and one shifted by two pixels.
    const RgbaImage stored =
        read_picture(fs::path(WARPSCOPE_SOURCE_DIR) / "tests" / "golden" / "original_picture.png");
    EXPECT_TRUE(alike(compare(stored, stored)));
    EXPECT_FALSE(alike(compare(RgbaImage(stored.size), stored)));
    const RgbaImage edges =
        read_picture(fs::path(WARPSCOPE_SOURCE_DIR) / "tests" / "golden" / "edge_picture.png");
    RgbaImage shifted = edges;
    std::copy(edges.bytes.begin() + 8, edges.bytes.end(), shifted.bytes.begin());
    EXPECT_FALSE(alike(compare(shifted, edges)));
}

}  // namespace
}  // namespace ws
