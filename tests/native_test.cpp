// The native pipeline, in every instruction set of this CPU, against the definition written pixel by pixel.

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdlib>
#include <random>
#include <tuple>

#include "gpu/cpu/instruction_set.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/filters/naive.h"
#include "gpu/labs/filters/native.h"
#include "gpu/picture/test_picture.h"

namespace ws {
namespace {

namespace naive = filters::naive;
namespace native = filters::native;

constexpr std::uint8_t kPoison = 0xA5;

RgbaImage random_picture(Extent size, unsigned seed) {
    RgbaImage image(size);
    std::minstd_rand random(seed);
    for (std::uint8_t& byte : image.bytes) byte = std::uint8_t(random() >> 7);
    return image;
}

// All white: the largest sums, and edges at the border alone.
RgbaImage white_picture(Extent size) {
    RgbaImage image(size);
    std::fill(image.bytes.begin(), image.bytes.end(), std::uint8_t(255));
    return image;
}

// One pixel, one row, one column; widths around vectors of 16, 32 and 64; taller and wider than a slice.
const std::vector<Extent> kSizes{{1, 1},    {1, 2},   {2, 1},    {1, 300}, {300, 1},  {2, 2},    {3, 3},
                                 {6, 7},    {7, 6},   {15, 4},   {16, 4},  {17, 5},   {31, 9},   {32, 9},
                                 {33, 9},   {63, 40}, {64, 40},  {65, 41}, {127, 33}, {129, 64}, {255, 3},
                                 {257, 70}, {5, 999}, {4099, 6}, {640, 97}};

// Every instruction set that this CPU has and the program was compiled for, down to none.
std::vector<std::int64_t> instruction_sets() {
    return hwy::SupportedAndGeneratedTargets();
}

class Native : public ::testing::TestWithParam<std::tuple<std::int64_t, int>> {
  public:
    Native() {
        use(std::get<0>(GetParam()));
        EXPECT_STREQ(instruction_set(), hwy::TargetName(std::get<0>(GetParam())));
    }
    ~Native() override { use(0); }

  private:
    static void use(std::int64_t instruction_set) {
        hwy::SetSupportedTargetsForTest(instruction_set);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
};

TEST_P(Native, EveryStepEqualsTheDefinition) {
    ThreadPool pool(std::get<1>(GetParam()));
    for (const Extent size : kSizes) {
        for (const RgbaImage& source : {random_picture(size, unsigned(size.width * 7919 + size.height)),
                                        white_picture(size), draw_test_picture(size)}) {
            const std::string where = std::to_string(size.width) + " x " + std::to_string(size.height);
            const GrayImage gray = naive::gray(source);
            const GrayImage blurred = naive::blur(gray);
            GrayImage out(size, kPoison);
            native::gray(pool, size, source.bytes.data(), out.bytes.data());
            ASSERT_EQ(out, gray) << "gray, " << where;
            out = GrayImage(size, kPoison);
            native::blur(pool, size, gray.bytes.data(), out.bytes.data());
            ASSERT_EQ(out, blurred) << "blur, " << where;
            out = GrayImage(size, kPoison);
            native::edge(pool, size, blurred.bytes.data(), out.bytes.data());
            ASSERT_EQ(out, naive::edge(blurred)) << "edge, " << where;
            for (const bool blur : {false, true}) {
                for (const bool edge : {false, true}) {
                    const native::Filters filters{blur, edge};
                    out = GrayImage(size, kPoison);
                    native::one_pass(pool, size, source.bytes.data(), filters, out.bytes.data());
                    ASSERT_EQ(out, naive::picture(source, filters))
                        << "one pass, blur " << blur << ", edge " << edge << ", " << where;
                }
            }
        }
    }
}

class NativeValues : public Native {};

TEST_P(NativeValues, EveryColourHasItsGray) {
    ThreadPool pool;
    static const RgbaImage colours = [] {
        RgbaImage image({4096, 4096});
        for (std::size_t i = 0; i < image.size.pixels(); ++i) {
            image.bytes[4 * i] = std::uint8_t(i);
            image.bytes[4 * i + 1] = std::uint8_t(i >> 8);
            image.bytes[4 * i + 2] = std::uint8_t(i >> 16);
            image.bytes[4 * i + 3] = std::uint8_t(i * 31);  // alpha must not matter
        }
        return image;
    }();
    static const GrayImage expected = naive::gray(colours);
    GrayImage out(colours.size, kPoison);
    native::gray(pool, colours.size, colours.bytes.data(), out.bytes.data());
    EXPECT_TRUE(out == expected);
}

// A gradient of any two differences along the diagonals, in 3 x 3 pixels for each: every length up to 360.
TEST_P(NativeValues, EveryGradientHasItsLength) {
    ThreadPool pool;
    static const GrayImage gradients = [] {
        GrayImage image({3 * 511, 3 * 511}, 0);
        const auto pixel = [&](int x, int y) -> std::uint8_t& {
            return image.bytes[std::size_t(y) * std::size_t(image.size.width) + std::size_t(x)];
        };
        for (int a = -255; a <= 255; ++a) {
            for (int b = -255; b <= 255; ++b) {
                const int x = 3 * (a + 255);
                const int y = 3 * (b + 255);
                (a > 0 ? pixel(x + 2, y + 2) : pixel(x, y)) = std::uint8_t(std::abs(a));
                (b > 0 ? pixel(x + 2, y) : pixel(x, y + 2)) = std::uint8_t(std::abs(b));
            }
        }
        return image;
    }();
    static const GrayImage expected = naive::edge(gradients);
    GrayImage out(gradients.size, kPoison);
    native::edge(pool, gradients.size, gradients.bytes.data(), out.bytes.data());
    EXPECT_TRUE(out == expected);
}

std::string name_of_case(const ::testing::TestParamInfo<std::tuple<std::int64_t, int>>& info) {
    return std::string(hwy::TargetName(std::get<0>(info.param))) + "_" +
           std::to_string(std::get<1>(info.param)) + "_threads";
}
INSTANTIATE_TEST_SUITE_P(All, Native,
                         ::testing::Combine(::testing::ValuesIn(instruction_sets()),
                                            ::testing::Values(1, 2, 5)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(All, NativeValues,
                         ::testing::Combine(::testing::ValuesIn(instruction_sets()), ::testing::Values(0)),
                         name_of_case);

// What a buffer of the lab holds by definition is what the filters on the way to it make.
TEST(NativeLab, EveryBufferHasItsFilters) {
    ThreadPool pool;
    const Lab& lab = filters::lab();
    const auto source = std::make_shared<const RgbaImage>(random_picture({75, 43}, 7));
    const auto whole = [&](int buffer) {
        GrayImage out(source->size, kPoison);
        lab.native.whole(pool, picture_problem(lab, source), buffer, out.bytes.data());
        return out;
    };
    const GrayImage gray = naive::gray(*source);
    EXPECT_EQ(whole(filters::buffer::gray), gray);
    EXPECT_EQ(whole(filters::buffer::blurred), naive::blur(gray));
    EXPECT_EQ(whole(filters::buffer::edges), naive::edge(naive::blur(gray)));
    EXPECT_EQ(whole(filters::buffer::edges_of_gray), naive::edge(gray));
}

TEST(Naive, IsTheDefinition) {
    // A single white pixel: the blur shows the weights, its edges the gradient of a point.
    GrayImage point({9, 9});
    point.bytes[4 * 9 + 4] = 255;
    const GrayImage blurred = naive::blur(point);
    EXPECT_EQ(blurred.bytes[4 * 9 + 4], 16 * 255 / 256);
    EXPECT_EQ(blurred.bytes[4 * 9 + 1], 4 * 255 / 256);
    EXPECT_EQ(blurred.bytes[1 * 9 + 1], 0);  // 255 / 256
    EXPECT_EQ(blurred.bytes[0], 0);
    const GrayImage edges = naive::edge(point);
    EXPECT_EQ(edges.bytes[4 * 9 + 4], 0);
    EXPECT_EQ(edges.bytes[4 * 9 + 3], 255);
    EXPECT_EQ(edges.bytes[3 * 9 + 3], 255);  // sqrt(2) * 255
    RgbaImage white({1, 1});
    white.bytes = {255, 255, 255, 0};
    EXPECT_EQ(naive::gray(white).bytes[0], 255);
    // Outside counts as 0: a white picture has edges all around and a darker border after the blur.
    GrayImage all_white({9, 9}, 255);
    EXPECT_EQ(naive::edge(all_white).bytes[4 * 9 + 4], 0);
    EXPECT_EQ(naive::edge(all_white).bytes[0], 255);
    EXPECT_EQ(naive::blur(all_white).bytes[0], 10 * 10 * 255 / 256);
}

TEST(Comparison, SeesOnePixel) {
    // The comparison that the tests rely on must be able to fail.
    GrayImage a({5, 5}, 7);
    GrayImage b = a;
    EXPECT_TRUE(a == b);
    b.bytes[24] = 8;
    EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace ws
