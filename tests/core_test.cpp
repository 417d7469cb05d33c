// Plain values: blocks, labs, numbers, statistics.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "gpu/core/counters.h"
#include "gpu/core/error.h"
#include "gpu/core/lab.h"
#include "gpu/core/numbers.h"
#include "gpu/core/pixel_bytes.h"
#include "gpu/core/plan.h"
#include "gpu/core/statistics.h"
#include "gpu/core/work.h"

namespace ws {
namespace {

TEST(Block, ParsesWhatCanBeLaunched) {
    EXPECT_EQ(parse_block("32x8"), (Block{32, 8}));
    EXPECT_EQ(parse_block("1 x 1024"), (Block{1, 1024}));
    EXPECT_EQ(parse_block("7X5"), (Block{7, 5}));
}

TEST(Block, RefusesTheRest) {
    for (const char* text : {"", "32", "x", "32x", "x8", "0x8", "8x0", "-1x8", "33x32", "2048x1", "32x8x1",
                             "axb", "32x8 y", "99999999999x1"}) {
        EXPECT_THROW((void)parse_block(text), UsageError) << text;
    }
}

// A lab of a few buffers: what there is to look up in it, and nothing to run.
Lab small_lab() {
    Lab lab;
    lab.id = "small";
    lab.buffers = {{"numbers", Element::float32, Content::ramp},
                   {"turned", Element::float32, Content::computed, true},
                   {"gray"}};
    lab.steps = {{"first", "f"}, {"second", "s"}};
    lab.by_weight = {1, 0};
    lab.views = {{.name = "here", .title = "here", .ways = {}},
                 {.name = "there", .title = "there", .first = true, .ways = {}}};
    lab.sizes.first = {5, 3};
    lab.versions = {{2, "a", "", "", {{"f1", {8, 4}}, {}}, {}},
                    {3, "b", "", "", {{"f1", {16, 2}}, {"s1", {32, 1}}}, {{"PAD", 1}}},
                    {7, "c", "", "", {{}, {"s2", {64, 1}}}, {}}};
    return lab;
}

TEST(LabLists, AreLookedUpByName) {
    const Lab lab = small_lab();
    EXPECT_EQ(step_named(lab, "first"), 0);
    EXPECT_EQ(step_named(lab, "second"), 1);
    EXPECT_EQ(view_named(lab, "there"), 1);
    EXPECT_EQ(step_named(lab, "here"), -1) << "a view is no step";
    EXPECT_EQ(view_named(lab, "sepia"), -1);
    EXPECT_EQ(view_named(lab, ""), -1);
}

TEST(LabLists, VersionsHaveTheNumbersOfTheirTable) {
    const Lab lab = small_lab();
    EXPECT_EQ(version_of(lab, 7).title, "c");
    for (const int missing : {-1, 0, 1, 4, 8})
        EXPECT_THROW((void)version_of(lab, missing), UsageError) << missing;
    try {
        (void)version_of(lab, 4);
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("from 2 to 7"), std::string::npos) << error.what();
    }
    EXPECT_EQ(version_before(lab, 2), nullptr);
    EXPECT_EQ(version_before(lab, 3), &lab.versions[0]);
    EXPECT_EQ(version_before(lab, 7), &lab.versions[1]) << "the one before in the table, whatever its number";
    EXPECT_EQ(version_before(lab, 5), nullptr);
}

TEST(LabLists, TheHeaviestStepThatAVersionHasStandsForIt) {
    const Lab lab = small_lab();
    EXPECT_EQ(main_step(lab, lab.versions[0]), 0);
    EXPECT_EQ(main_step(lab, lab.versions[1]), 1);
    EXPECT_EQ(main_step(lab, lab.versions[2]), 1);
}

TEST(Work, BeginsWithTheLabsFirstVersionViewAndSize) {
    const Lab lab = small_lab();
    const Work work = first_work(lab);
    EXPECT_EQ(work.lab, &lab);
    EXPECT_EQ(work.version, 2);
    EXPECT_EQ(work.view, 1);
    EXPECT_EQ(work.size, (Extent{5, 3}));
    EXPECT_EQ(work.block(0), (Block{8, 4}));
    EXPECT_TRUE(work.knobs.empty());
    EXPECT_FALSE(runs_anything(work)) << "a view without a way is there already";
}

TEST(Problem, APictureIsReadWhereItLies) {
    const auto picture = std::make_shared<const RgbaImage>(Extent{5, 3});
    const Lab lab = small_lab();
    const Problem problem = picture_problem(lab, picture);
    EXPECT_EQ(problem.lab, &lab);
    EXPECT_EQ(problem.size, (Extent{5, 3}));
    EXPECT_EQ(problem.input.get(), &picture->bytes);
    EXPECT_TRUE(problem);
    EXPECT_FALSE(Problem{});
}

TEST(Problem, ARampCountsFromRowToRow) {
    const Lab lab = small_lab();
    EXPECT_FALSE(lab.takes_picture());
    const Problem problem = generated_problem(lab, {5, 3});
    ASSERT_EQ(problem.input->size(), 5u * 3 * sizeof(float));
    for (std::size_t i = 0; i < 15; ++i) {
        float value = -1;
        std::memcpy(&value, problem.input->data() + i * sizeof value, sizeof value);
        EXPECT_EQ(value, float(i));
    }
}

TEST(Problem, ARampOfIntegersIsExact) {
    Lab lab = small_lab();
    lab.buffers.front().element = Element::uint32;
    const Problem problem = generated_problem(lab, {4097, 4097});
    std::uint32_t last = 0;
    std::memcpy(&last, problem.input->data() + problem.input->size() - sizeof last, sizeof last);
    EXPECT_EQ(last, 4097u * 4097u - 1) << "beyond what a float can hold";
    EXPECT_NE(problem.content, generated_problem(small_lab(), {4097, 4097}).content);
}

TEST(Problem, AMadeInputFollowsItsKnobs) {
    Lab lab = small_lab();
    lab.buffers.front().content = Content::made;
    lab.made_input.knobs = {{"FILL", 3}};
    lab.made_input.make = [](Extent size, const KnobValues& knobs, std::uint8_t* out) {
        std::memset(out, knobs.at("FILL"), 4 * size.pixels());
    };
    EXPECT_EQ(generated_problem(lab, {5, 3}).input->data()[0], 3);
    EXPECT_EQ(generated_problem(lab, {5, 3}, {{"FILL", 9}, {"OTHER", 1}}).input->data()[59], 9);
    EXPECT_EQ(input_knobs(lab, {{"OTHER", 1}}), lab.made_input.knobs);
}

TEST(Problem, FurtherInputsAreMadeToo) {
    Lab lab = small_lab();
    lab.buffers.front().content = Content::made;
    lab.buffers.insert(
        lab.buffers.begin() + 1,
        {.name = "square", .element = Element::int32, .content = Content::made, .square = true});
    lab.made_input.make = [](Extent size, const KnobValues& /*knobs*/, std::uint8_t* out) {
        std::memset(out, 1, 4 * size.pixels());
    };
    lab.made_input.make_further = [](int buffer, Extent size, const KnobValues& /*knobs*/,
                                     std::uint8_t* out) {
        std::memset(out, 10 + buffer, 4 * std::size_t(size.height) * std::size_t(size.height));
    };
    EXPECT_EQ(extent_of(lab.buffers[1], {5, 3}), (Extent{3, 3}));
    EXPECT_EQ(bytes_of(lab.buffers[1], {5, 3}), 36u);
    const Problem problem = generated_problem(lab, {5, 3});
    EXPECT_EQ(problem.content_of(0)->size(), 60u);
    EXPECT_EQ(problem.content_of(0)->data()[59], 1);
    ASSERT_TRUE(problem.content_of(1));
    EXPECT_EQ(problem.content_of(1)->size(), 36u);
    EXPECT_EQ(problem.content_of(1)->data()[35], 11);
    EXPECT_FALSE(problem.content_of(2)) << "a step writes it";
}

TEST(Numbers, AreReadAsTheirElementSays) {
    const std::int32_t below = -2;
    std::array<std::uint8_t, 8> bytes{};
    std::memcpy(bytes.data(), &below, sizeof below);
    EXPECT_EQ(value_of(Element::int32, bytes.data()), -2);
    EXPECT_EQ(value_of(Element::uint32, bytes.data()), 4294967294.0);
    EXPECT_EQ(value_of(Element::gray, bytes.data()), 254);
    EXPECT_EQ(value_of(Element::int64, bytes.data()), 4294967294.0);
    const double half = 0.5;
    std::memcpy(bytes.data(), &half, sizeof half);
    EXPECT_EQ(value_of(Element::float64, bytes.data()), 0.5);
}

TEST(Buffers, MayHaveOneElementForSeveralOrTheirOwnNumber) {
    const Buffer sums{.name = "sums", .element = Element::uint32, .each = 4};
    EXPECT_EQ(extent_of(sums, {5, 3}), (Extent{4, 1}));
    EXPECT_EQ(bytes_of(sums, {5, 3}), 16u);
    const Buffer bins{.name = "bins", .element = Element::uint32, .elements = 256};
    EXPECT_EQ(extent_of(bins, {5, 3}), (Extent{256, 1}));
    EXPECT_EQ(bytes_of(bins, {5, 3}), 1024u);
}

TEST(Arguments, CountWhatIsNeeded) {
    Lab lab = small_lab();
    lab.buffers[1].turned = false;
    const std::vector<Argument> all{{Argument::Kind::input, 0}, {Argument::Kind::output, 1}};
    EXPECT_EQ(least_bytes(lab, all, {8, 8}), 512);
    const std::vector<Argument> part{{.kind = Argument::Kind::input, .buffer = 0, .part = 32},
                                     {Argument::Kind::both, 1}};
    EXPECT_EQ(least_bytes(lab, part, {8, 8}), 264);
    EXPECT_EQ(output_of(part), 1) << "what is written, or read and written";
}

TEST(Buffers, TurnedOnesHaveTheirSidesExchanged) {
    const Lab lab = small_lab();
    EXPECT_EQ(extent_of(lab.buffers[0], {5, 3}), (Extent{5, 3}));
    EXPECT_EQ(extent_of(lab.buffers[1], {5, 3}), (Extent{3, 5}));
    EXPECT_EQ(bytes_of(lab.buffers[1], {5, 3}), 60u);
    EXPECT_EQ(bytes_of(lab.buffers[2], {5, 3}), 15u);
    EXPECT_EQ(bytes_of(Element::rgba), 4);
}

TEST(Grid, CoversThePicture) {
    EXPECT_EQ(grid_for({3648, 2736}, {32, 16}), (Extent{114, 171}));
    EXPECT_EQ(grid_for({1, 1}, {32, 8}), (Extent{1, 1}));
    EXPECT_EQ(grid_for({33, 9}, {32, 8}), (Extent{2, 2}));
    // Runs of elements go over the ends of rows.
    EXPECT_EQ(grid_for({33, 9}, {32, 8}, TileOrder::line), (Extent{2, 1}));
    EXPECT_EQ(grid_for({33, 9}, {1024, 1}, TileOrder::line), (Extent{1, 1}));
    EXPECT_EQ(grid_for({32, 64}, {1024, 1}, TileOrder::line), (Extent{2, 1}));
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
    PixelBytes::Owned decoded(static_cast<std::uint8_t*>(std::malloc(16)));
    std::copy_n("abcdefghijklmnop", 16, decoded.get());
    place = decoded.get();
    moved = PixelBytes(std::move(decoded), 16);
    EXPECT_EQ(moved.data(), place);
    EXPECT_EQ(moved[15], 'p');
    EXPECT_TRUE(PixelBytes() == PixelBytes(0));
}

// Kernels read pictures in words of 16 bytes; a sanitizer watches that the memory reaches as far.
TEST(PixelBytes, AreFollowedByZerosToTheEndOfTheLastWord) {
    EXPECT_EQ(readable_bytes(0), 0U);
    EXPECT_EQ(readable_bytes(1), 16U);
    EXPECT_EQ(readable_bytes(16), 16U);
    EXPECT_EQ(readable_bytes(20), 32U);
    const auto zeros_follow = [](const PixelBytes& bytes) {
        return std::all_of(bytes.data() + bytes.size(), bytes.data() + bytes.readable_size(),
                           [](std::uint8_t byte) { return byte == 0; });
    };
    for (const std::size_t size : {1, 4, 12, 16, 20, 4 * 75 * 43}) {
        PixelBytes::Owned decoded(static_cast<std::uint8_t*>(std::malloc(size)));
        std::fill_n(decoded.get(), size, std::uint8_t(7));
        const PixelBytes taken(std::move(decoded), size);
        EXPECT_EQ(taken.size(), size);
        EXPECT_EQ(std::count(taken.begin(), taken.end(), 7), std::ptrdiff_t(size));
        EXPECT_TRUE(zeros_follow(taken)) << size;
        EXPECT_TRUE(zeros_follow(PixelBytes(taken))) << size;
        EXPECT_TRUE(zeros_follow(PixelBytes(size))) << size;
    }
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

TEST(Number, IsAllOfTheText) {
    EXPECT_EQ(parse_number<int>("-12"), -12);
    EXPECT_EQ(parse_number<int>("2147483647"), 2147483647);
    EXPECT_EQ(parse_number<double>("1.5e3"), 1500);
    for (const char* text : {"", " 1", "1 ", "+1", "1x", "0x10", "2147483648", "99999999999", "1.0"})
        EXPECT_FALSE(parse_number<int>(text)) << text;
    EXPECT_FALSE(parse_number<unsigned>("-1"));
}

TEST(ErrorText, SaysWhatWhereAndWhatToDo) {
    EXPECT_STREQ(Error("what", "where", "what to do").what(), "what, where: what to do");
    EXPECT_STREQ(Error("what").what(), "what");
}

// Counts whose fields are all different, times a factor: a field that an operation leaves out shows.
InstructionCounts numbered_counts(std::uint64_t factor) {
    static_assert(std::is_trivially_copyable_v<InstructionCounts> && sizeof(InstructionCounts) % 8 == 0);
    std::array<std::uint64_t, sizeof(InstructionCounts) / 8> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = factor * (1000 + i);
    InstructionCounts counts;
    std::memcpy(static_cast<void*>(&counts), words.data(), sizeof(counts));
    // The worst n of an n-way conflict is the same, however often it occurs.
    counts.shared_load.conflict_ways_max = 7;
    counts.shared_store.conflict_ways_max = 9;
    return counts;
}

TEST(Counts, AddAndScaleEveryField) {
    InstructionCounts sum = numbered_counts(1);
    sum += numbered_counts(2);
    EXPECT_EQ(sum, numbered_counts(3));
    EXPECT_EQ(numbered_counts(1).scaled(2), numbered_counts(2));
    EXPECT_EQ(numbered_counts(2).scaled(0.5), numbered_counts(1));
}

TEST(Counts, RatiosAreOfTheirFields) {
    InstructionCounts counts;
    EXPECT_EQ(counts.arithmetic_intensity(), 0) << "nothing transferred";
    EXPECT_EQ(counts.shared_efficiency(), 0);
    counts.instructions = 10;
    counts.thread_instructions = 240;
    counts.float_operations = 900;
    counts.global_load = {4, 16, 400, 512, 3};
    counts.global_store = {1, 4, 128, 88, 0};
    counts.shared_load.wavefronts = 12;
    counts.shared_load.ideal = 5;
    counts.shared_store.wavefronts = 8;
    counts.shared_store.ideal = 5;
    EXPECT_DOUBLE_EQ(counts.warp_execution_efficiency(), 0.75);
    EXPECT_EQ(counts.global_bytes_transferred(), 600u);
    EXPECT_DOUBLE_EQ(counts.bytes_per_instruction(), 60);
    EXPECT_DOUBLE_EQ(counts.arithmetic_intensity(), 1.5);
    EXPECT_DOUBLE_EQ(counts.shared_efficiency(), 0.5);
    EXPECT_DOUBLE_EQ(counts.global_load.sectors_per_request(), 4);
    EXPECT_DOUBLE_EQ(counts.global_load.efficiency(), 400.0 / 512);
}

}  // namespace
}  // namespace ws
