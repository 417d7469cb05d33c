// Plain values: blocks, stages, statistics, files.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/core/pixel_bytes.h"
#include "gpu/core/plan.h"
#include "gpu/core/stage.h"
#include "gpu/core/statistics.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

TEST(Block, ParsesWhatCanBeLaunched) {
    EXPECT_EQ(parse_block("32x8"), (Block{32, 8}));
    EXPECT_EQ(parse_block("1 x 1024"), (Block{1, 1024}));
    EXPECT_EQ(parse_block("7X5"), (Block{7, 5}));
}

TEST(Block, RefusesTheRest) {
    for (const char* text :
         {"", "32", "x", "32x", "x8", "0x8", "8x0", "-1x8", "33x32", "2048x1", "32x8x1", "axb",
          "32x8 "
          "y",
          "99999999999x1"}) {
        EXPECT_THROW((void)parse_block(text), UsageError) << text;
    }
}

TEST(Stage, NeededOnlyWhereThePictureShowsIt) {
    EXPECT_FALSE(needs_stage(View::original, true, Stage::gray));
    EXPECT_TRUE(needs_stage(View::gray, true, Stage::gray));
    EXPECT_FALSE(needs_stage(View::gray, true, Stage::blur));
    EXPECT_TRUE(needs_stage(View::blur, false, Stage::blur));
    EXPECT_TRUE(needs_stage(View::edge, true, Stage::blur));
    EXPECT_FALSE(needs_stage(View::edge, false, Stage::blur));
    for (const View view : kViews) EXPECT_EQ(view_named(name_of(view)), view);
    for (const Stage stage : kStages) EXPECT_EQ(stage_named(name_of(stage)), stage);
    EXPECT_FALSE(view_named("sepia"));
}

TEST(Grid, CoversThePicture) {
    EXPECT_EQ(grid_for({3648, 2736}, {32, 16}), (Extent{114, 171}));
    EXPECT_EQ(grid_for({1, 1}, {32, 8}), (Extent{1, 1}));
    EXPECT_EQ(grid_for({33, 9}, {32, 8}), (Extent{2, 2}));
}

TEST(Grid, FollowsPictureAndGpuWhereAKernelSaysSo) {
    const Tiling tiling{{120, 4}, 112, 8};
    // 31 columns of 34 strips, as high as a multiple of 4 allows, are no more than 8 for each of 132.
    EXPECT_EQ(tile_of(tiling, {3648, 2736}, 132), (Extent{120, 84}));
    EXPECT_EQ(tile_of(tiling, {3647, 2736}, 132), (Extent{112, 88}));
    EXPECT_EQ(tile_of(tiling, {640, 480}, 132), (Extent{120, 4}));
    EXPECT_EQ(tile_of(tiling, {1, 1}, 132), (Extent{112, 4}));
    EXPECT_EQ(tile_of(tiling, {400000, 9}, 1), (Extent{120, 12})) << "more columns than blocks: one strip";
    EXPECT_EQ(tile_of(tiling, {3648, 2736}, 0), (Extent{120, 4})) << "a GPU of which nothing is known";
    EXPECT_EQ(tile_of({{32, 8}}, {3647, 2736}, 132), (Extent{32, 8})) << "a kernel that says nothing";
    for (const Extent picture : {Extent{1, 1}, Extent{1919, 1080}, Extent{3648, 2736}, Extent{8660, 5774}}) {
        for (const int multiprocessors : {1, 3, 28, 132}) {
            Launch launch{.tiling = tiling, .multiprocessors = multiprocessors};
            cover(launch, picture);
            EXPECT_GE(launch.grid.width * launch.tile.width, picture.width);
            EXPECT_GE(launch.grid.height * launch.tile.height, picture.height);
            EXPECT_LE(launch.grid.height, std::max(1, 8 * multiprocessors / launch.grid.width));
        }
    }
}

TEST(PixelBytes, AreZeroThenCopiedMovedAndTakenOver) {
    PixelBytes bytes(7);
    EXPECT_EQ(bytes, (PixelBytes{0, 0, 0, 0, 0, 0, 0}));
    bytes[6] = 5;
    const PixelBytes copy = bytes;
    bytes[0] = 1;
    EXPECT_EQ(copy, (PixelBytes{0, 0, 0, 0, 0, 0, 5}));
    EXPECT_FALSE(copy == bytes);
    const std::uint8_t* place = bytes.data();
    PixelBytes moved = std::move(bytes);
    EXPECT_EQ(moved.data(), place);
    EXPECT_TRUE(bytes.empty());  // NOLINT(bugprone-use-after-move): what is left is nothing
    moved = copy;
    EXPECT_EQ(moved, copy);
    PixelBytes::Owned decoded(static_cast<std::uint8_t*>(std::malloc(3)));
    std::copy_n("abc", 3, decoded.get());
    place = decoded.get();
    moved = PixelBytes(std::move(decoded), 3);
    EXPECT_EQ(moved.data(), place);
    EXPECT_EQ(moved, (PixelBytes{'a', 'b', 'c'}));
    EXPECT_TRUE(PixelBytes() == PixelBytes(0));
}

TEST(Statistics, MedianAndSpread) {
    const Statistics five = statistics_of({5, 1, 4, 2, 3});
    EXPECT_DOUBLE_EQ(five.median, 3);
    EXPECT_DOUBLE_EQ(five.low, 2);
    EXPECT_DOUBLE_EQ(five.high, 4);
    EXPECT_EQ(five.samples, 5);
    EXPECT_DOUBLE_EQ(statistics_of({1, 2}).median, 1.5);
    EXPECT_EQ(statistics_of({}).samples, 0);
}

TEST(Statistics, ADifferenceInsideTheSpreadIsNoise) {
    const Statistics wide{10, 8, 12, 9};
    const Statistics near{12, 11, 13, 9};
    const Statistics far{20, 19, 21, 9};
    EXPECT_FALSE(differ(wide, near));
    EXPECT_TRUE(differ(wide, far));
    EXPECT_FALSE(differ(wide, {}));
}

TEST(SampleWindow, KeepsTheLatestInOrder) {
    SampleWindow window;
    for (std::size_t i = 0; i < SampleWindow::kCapacity + 3; ++i) window.add(double(i));
    EXPECT_TRUE(window.full());
    const std::vector<float> history = window.history();
    EXPECT_EQ(history.front(), 3);
    EXPECT_EQ(history.back(), float(SampleWindow::kCapacity + 2));
    window.clear();
    EXPECT_EQ(window.size(), 0u);
    EXPECT_TRUE(window.history().empty());
}

class Files : public ::testing::Test {
  protected:
    Files() : folder_(fs::temp_directory_path() / ("warpscope_core_" + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~Files() override { fs::remove_all(folder_); }
    fs::path folder_;
};

TEST_F(Files, WriteMakesTheFolderAndReplaces) {
    const fs::path path = folder_ / "a" / "b.txt";
    write_file(path, "one");
    write_file(path, "two");
    EXPECT_EQ(read_file(path), "two");
    EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1)
        << "a temporary file was left";
}

TEST_F(Files, AFailedWriteKeepsWhatWasThere) {
    const fs::path path = folder_ / "kept.txt";
    write_file(path, "kept");
    // A folder where the temporary file should go: it cannot be opened, whoever asks.
    fs::create_directory(folder_ / "kept.txt.new");
    EXPECT_THROW(write_file(path, "lost"), Error);
    EXPECT_EQ(read_file(path), "kept");
    EXPECT_THROW(write_file(folder_ / "kept.txt" / "below.txt", "x"), Error) << "a file is no folder";
}

TEST_F(Files, AFullDiskIsTold) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const fs::path path = folder_ / "full.txt";
    fs::create_symlink("/dev/full", folder_ / "full.txt.new");
    try {
        write_file(path, std::string(1 << 20, 'x'));
        FAIL() << "the disk was full";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(Files, ReadIsBounded) {
    const fs::path path = folder_ / "long.txt";
    write_file(path, std::string(5000, 'x'));
    EXPECT_THROW((void)read_file(path, 1000), Error);
    EXPECT_THROW((void)read_file(folder_ / "missing"), Error);
    EXPECT_THROW((void)read_file(folder_), Error);
}

TEST(ErrorText, SaysWhatWhereAndWhatToDo) {
    EXPECT_STREQ(Error("what", "where", "what to do").what(), "what, where: what to do");
    EXPECT_STREQ(Error("what").what(), "what");
}

}  // namespace
}  // namespace ws
