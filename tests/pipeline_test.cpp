// The table of versions, and the way from settings to kernels and launches.

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "gpu/core/error.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

// The twelve versions of the original lecture (2016): what the Gaussian kernel runs with, and the kernels
// beside it.
struct LectureRow {
    std::string_view blur, gray, edge;
    Block block;
    CachePreference cache;
    BankWidth banks;
};
constexpr auto kL1 = CachePreference::l1;
constexpr auto kShared = CachePreference::shared;
constexpr auto kFour = BankWidth::standard;
constexpr auto kEight = BankWidth::eight_bytes;
constexpr std::array kLecture{
    LectureRow{"blur_g1", "gray_c1", "edge_s1", {8, 8}, kL1, kFour},
    LectureRow{"blur_g1", "gray_c1", "edge_s1", {32, 2}, kL1, kFour},
    LectureRow{"blur_g1", "gray_c1", "edge_s1", {8, 16}, kL1, kFour},
    LectureRow{"blur_g1", "gray_c1", "edge_s1", {32, 4}, kL1, kFour},
    LectureRow{"blur_g2", "gray_c1", "edge_s1", {32, 4}, kL1, kFour},
    LectureRow{"blur_g3", "gray_c1", "edge_s1", {32, 4}, kShared, kFour},
    LectureRow{"blur_g4", "gray_c1", "edge_s1", {32, 8}, kShared, kFour},
    LectureRow{"blur_g5", "gray_c1", "edge_s1", {32, 8}, kShared, kFour},
    LectureRow{"blur_g6", "gray_c1", "edge_s1", {32, 8}, kShared, kFour},
    LectureRow{"blur_g6", "gray_c1", "edge_s1", {32, 8}, kShared, kEight},
    LectureRow{"blur_g7", "gray_c1", "edge_s1", {32, 8}, kShared, kEight},
    LectureRow{"blur_g7", "gray_c2", "edge_s2", {32, 8}, kShared, kEight},
};

TEST(Versions, TheFirstTwelveAreTheLectures) {
    ASSERT_GE(versions().size(), kLecture.size());
    for (std::size_t i = 0; i < kLecture.size(); ++i) {
        const Version& version = versions()[i];
        const LectureRow& row = kLecture[i];
        EXPECT_EQ(version.kernels[index_of(Stage::blur)], row.blur) << "V" << i;
        EXPECT_EQ(version.kernels[index_of(Stage::gray)], row.gray) << "V" << i;
        EXPECT_EQ(version.kernels[index_of(Stage::edge)], row.edge) << "V" << i;
        EXPECT_TRUE(version.kernels[index_of(Stage::fused)].empty()) << "V" << i;
        EXPECT_EQ(version.blocks[index_of(Stage::blur)], row.block) << "V" << i;
        EXPECT_EQ(version.blocks[index_of(Stage::gray)], (Block{32, 8})) << "V" << i;
        EXPECT_EQ(version.blocks[index_of(Stage::edge)], (Block{32, 8})) << "V" << i;
        EXPECT_EQ(version.cache, row.cache) << "V" << i;
        EXPECT_EQ(version.banks, row.banks) << "V" << i;
    }
}

TEST(Versions, ALaunchHasThePreferencesOfItsVersionForTheKernelThatItIsAbout) {
    for (const Version& version : versions()) {
        for (const Stage stage : kStages) {
            const Launch launch = launch_of(version, stage, nullptr, {32, 4}, {{64, 4}, 0, 0}, {130, 9}, 28);
            const bool about = stage == Stage::blur || stage == Stage::fused;
            EXPECT_EQ(launch.stage, stage);
            EXPECT_EQ(launch.block, (Block{32, 4}));
            EXPECT_EQ(launch.tile, (Extent{64, 4}));
            EXPECT_EQ(launch.grid, (Extent{3, 3})) << "blocks that reach beyond the picture count";
            EXPECT_EQ(launch.cache, about ? version.cache : CachePreference::none) << version.number;
            EXPECT_EQ(launch.banks, about ? version.banks : BankWidth::standard) << version.number;
        }
    }
}

TEST(Versions, TheWholePipelineRunsInOneKernelWhereThereIsOne) {
    for (const Version& version : versions()) {
        const bool whole = !version.kernels[index_of(Stage::fused)].empty();
        EXPECT_EQ(runs_stage(version, View::edge, true, Stage::fused), whole);
        EXPECT_EQ(runs_stage(version, View::edge, true, Stage::blur), !whole);
        EXPECT_FALSE(runs_stage(version, View::edge, false, Stage::fused)) << "without blur it is not whole";
        EXPECT_TRUE(runs_stage(version, View::blur, true, Stage::blur));
        EXPECT_FALSE(runs_stage(version, View::gray, true, Stage::blur));
        EXPECT_FALSE(runs_stage(version, View::original, true, Stage::gray));
    }
}

TEST(Settings, AVersionBringsItsOwnBlocksAndKnobs) {
    Settings settings;
    settings.view = View::blur;
    settings.target_gpu = "GTX 280";
    settings.knobs["MIN_BLOCKS"] = 3;
    const Settings made = with_version(settings, version_numbered(8));
    EXPECT_EQ(made.version, 8);
    EXPECT_EQ(made.blocks, version_numbered(8).blocks);
    EXPECT_TRUE(made.knobs.empty()) << "what was set for another version's kernel";
    EXPECT_EQ(made.view, View::blur);
    EXPECT_EQ(made.target_gpu, "GTX 280");
}

class Requests : public ::testing::Test {
  protected:
    Requests() {
        for (const Version& version : versions()) {
            for (const std::string_view name : version.kernels) sources_[std::string(name)].name = name;
        }
    }
    std::vector<StageRequest> of(const Settings& settings) {
        return stage_requests(settings, [&](std::string_view name) -> const KernelSource& {
            return sources_.at(std::string(name));
        });
    }
    std::map<std::string, KernelSource> sources_;
};

TEST_F(Requests, AKnobTakesTheUsersValueElseTheVersionsElseTheKernels) {
    sources_["blur_g6"].knobs = {{"WIDE_STORES", 0, 0, 2, ""}, {"OTHER", 5, 1, 9, ""}};
    const auto knob = [&](int version, std::optional<int> chosen, const char* name) {
        Settings settings = with_version({}, version_numbered(version));
        if (chosen) settings.knobs[name] = *chosen;
        return request_of(of(settings), Stage::blur)->knobs.at(name);
    };
    EXPECT_EQ(knob(8, std::nullopt, "WIDE_STORES"), 0) << "the kernel's";
    EXPECT_EQ(knob(9, std::nullopt, "WIDE_STORES"), 1) << "the version's";
    EXPECT_EQ(knob(9, 2, "WIDE_STORES"), 2) << "the user's";
    EXPECT_EQ(knob(9, 3, "WIDE_STORES"), 1) << "out of its range";
    EXPECT_EQ(knob(9, 10, "OTHER"), 5);
}

TEST_F(Requests, EveryKernelGetsItsBlock) {
    for (const Version& version : versions()) {
        for (const StageRequest& request : of(with_version({}, version))) {
            const Block block = version.blocks[index_of(request.stage)];
            EXPECT_EQ(request.source->name, version.kernels[index_of(request.stage)]);
            EXPECT_EQ(request.block, block);
            EXPECT_EQ(request.knobs.at("BLOCK_X"), block.x);
            EXPECT_EQ(request.knobs.at("BLOCK_Y"), block.y);
        }
    }
    const std::vector<StageRequest> separate = of(with_version({}, version_numbered(0)));
    EXPECT_EQ(request_of(separate, Stage::fused), nullptr);
}

TEST(Pipeline, AStageReadsAndWritesAtLeastItsPixels) {
    EXPECT_EQ(least_bytes(Stage::gray, {10, 7}), 70 * (4 + 1));
    EXPECT_EQ(least_bytes(Stage::blur, {10, 7}), 70 * (1 + 1));
    EXPECT_EQ(least_bytes(Stage::edge, {10, 7}), 70 * (1 + 1));
    EXPECT_EQ(least_bytes(Stage::fused, {10, 7}), 70 * (4 + 1));
}

TEST(Pipeline, RegistersAreCappedWhereABlockWouldNotFit) {
    EXPECT_EQ(register_cap(1024), 64);
    EXPECT_EQ(register_cap(1000), 64) << "whole warps on each of four schedulers";
    EXPECT_EQ(register_cap(600), 96) << "65536 / 640 = 102, in steps of 8";
    EXPECT_EQ(register_cap(512), 128);
    EXPECT_EQ(register_cap(257), 168);
    EXPECT_EQ(register_cap(256), 0) << "255 registers, the most there are, fit";
    EXPECT_EQ(register_cap(1), 0);
}

}  // namespace
}  // namespace ws
