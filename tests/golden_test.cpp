// Every view of the window, drawn off screen, against stored pictures: what it shows is counted, estimated or
// calculated, and depends on neither time nor machine. Tolerance: a mean difference of 1.5 of 255 a channel
// and at most 2 % of pixels off by more than 40 (other OpenGL implementations filter and rasterise slightly
// differently).
//
// WARPSCOPE_UPDATE_GOLDEN=1 stores what is drawn instead; look at it before it is committed.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "gpu/picture/picture_file.h"
#include "gpu/picture/test_picture.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

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

// A view of the window: its name in tests/golden, and what draws it.
struct Stored {
    const char* name;
    const char* arguments;
};

class Golden : public ::testing::TestWithParam<Stored> {};

fs::path golden(const std::string& name) {
    return fs::path(WARPSCOPE_SOURCE_DIR) / "tests" / "golden" / (name + ".png");
}

TEST_P(Golden, ViewIsAsStored) {
    const fs::path folder = fs::temp_directory_path() / ("warpscope_golden_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    const fs::path picture = folder / "small.png";
    write_png(picture, draw_test_picture({640, 480}));
    const fs::path drawn = folder / "drawn.png";
    const bool own_picture = std::string(GetParam().arguments).find("--image") != std::string::npos;
    const std::string command = "LC_ALL=C.UTF-8 XDG_CONFIG_HOME=" + folder.string() +
                                " " WARPSCOPE_PROGRAM " picture --device simt " +
                                (own_picture ? "" : "--image " + picture.string() + " ") +
                                GetParam().arguments + " --output " + drawn.string() + " > /dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const RgbaImage actual = read_picture(drawn);
    const std::string name = GetParam().name;
    fs::remove_all(folder);
    if (std::getenv("WARPSCOPE_UPDATE_GOLDEN")) {
        write_png(golden(name), actual);
        return;
    }
    const RgbaImage stored = read_picture(golden(name));
    ASSERT_EQ(actual.size, stored.size);
    const Difference difference = compare(actual, stored);
    EXPECT_TRUE(alike(difference)) << name << ": mean " << difference.mean << ", far "
                                   << difference.share_far;
    if (!alike(difference)) {
        write_png(name + "_actual.png", actual);
        write_png(name + "_heat.png", difference.heat);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Views, Golden,
    ::testing::Values(
        Stored{"story_light", "5 --against 3 --theme light --size 1920x1080"},
        Stored{"story_dark", "5 --against 3 --theme dark --size 1920x1080"},
        Stored{"story_light_1280", "5 --against 3 --theme light --size 1280x720"},
        Stored{"story_dark_1280", "5 --against 3 --theme dark --size 1280x720"},
        Stored{"story_light_1024", "5 --against 3 --theme light --size 1024x768"},
        Stored{"story_dark_1024", "5 --against 3 --theme dark --size 1024x768"},
        Stored{"story_german", "5 --against 3 --theme dark --language de --size 1280x720"},
        Stored{"advice", "0 --advice --theme dark --size 1280x720"},
        Stored{"original", "5 --show original --size 1280x720"},
        Stored{"blurred", "5 --show blur --compare single --size 1280x720"},
        Stored{"beside", "5 --show edge --no-blur --compare beside --size 1280x720"},
        Stored{"difference", "5 --compare difference --theme dark --size 1280x720"},
        Stored{"slide", "5 --against 3 --slide --size 1280x720"},
        Stored{"source", "5 --against 3 --tab source --theme dark --size 1280x720"},
        Stored{"warp", "5 --against 3 --tab warp --theme dark --size 1280x720"},
        Stored{"occupancy", "5 --against 3 --tab occupancy --size 1280x720"},
        Stored{"sweep", "8 --against 3 --sweep --replay h200 --image scene --size 1280x720"},
        Stored{"transfers", "--lab transfers --theme dark --size 1280x720"},
        Stored{"debugger", "5 --tab debugger --commands 'cuda block (3,20); start; step 8' --size 1280x720"},
        Stored{"memory", "5 --against 3 --tab memory --size 1280x720"},
        Stored{"gpu", "5 --against 3 --tab gpu --size 1280x720"},
        Stored{"transpose", "7 --lab transpose --against 2 --theme dark --size 1280x720"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(GoldenComparison, CanFail) {
    // Pictures that must not pass: black, another theme, and one shifted by two pixels.
    const RgbaImage stored = read_picture(golden("story_light"));
    EXPECT_TRUE(alike(compare(stored, stored)));
    EXPECT_FALSE(alike(compare(RgbaImage(stored.size), stored)));
    EXPECT_FALSE(alike(compare(read_picture(golden("story_dark")), stored)));
    RgbaImage shifted = stored;
    std::copy(stored.bytes.begin() + 8, stored.bytes.end(), shifted.bytes.begin());
    EXPECT_FALSE(alike(compare(shifted, stored)));
}

}  // namespace
}  // namespace ws
