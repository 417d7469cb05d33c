// The comparison with the definition: it must see what is wrong, and tell it from what nobody wrote.

#include "gpu/engine/result_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "gpu/cpu/cpu_device.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/filters/naive.h"
#include "gpu/labs/transpose/transpose.h"
#include "gpu/picture/test_picture.h"

namespace ws {
namespace {

TEST(ResultCheck, SeesWrongAndUnwrittenPixels) {
    const Buffer& buffer = filters::lab().buffers[filters::buffer::edges];
    const Extent size{40, 30};
    const HostBytes reference =
        filters::naive::picture(draw_test_picture(size), filters::filters_of(filters::buffer::edges)).bytes;
    const auto check = [&](const HostBytes& first, const HostBytes& second) {
        return compare(buffer, size, first, 0xA5, second, 0x5A, reference);
    };
    HostBytes first = reference;
    HostBytes second = reference;
    EXPECT_EQ(check(first, second).state, Check::State::equal);
    first[41] ^= 1;
    second[41] ^= 1;
    const Check wrong = check(first, second);
    EXPECT_EQ(wrong.state, Check::State::different);
    EXPECT_NE(english(wrong.message).find("1 of 1200 pixels differ"), std::string::npos) << wrong.message;
    EXPECT_NE(english(wrong.message).find("column 1, row 1"), std::string::npos) << wrong.message;
    first = second = reference;
    second[41] ^= 1;
    EXPECT_EQ(check(first, second).state, Check::State::different) << "in the second run alone";
    first = second = reference;
    first[7] = 0xA5;
    second[7] = 0x5A;
    EXPECT_NE(english(check(first, second).message).find("never written"), std::string::npos);
    const Check nothing = check(HostBytes(reference.size(), 0xA5), HostBytes(reference.size(), 0x5A));
    EXPECT_NE(english(nothing.message).find("write nothing"), std::string::npos) << nothing.message;
    EXPECT_EQ(check(HostBytes(1, 0), second).state, Check::State::failed);
    EXPECT_EQ(check(first, HostBytes(1, 0)).state, Check::State::failed);
}

// Numbers have four bytes, and a turned matrix its own rows.
TEST(ResultCheck, SeesWrongAndUnwrittenElements) {
    const Lab& lab = transpose::lab();
    const Buffer& buffer = lab.buffers[transpose::buffer::transposed];
    const Extent size{40, 30};
    const HostBytes reference = reference_result(generated_problem(lab, size), transpose::buffer::transposed);
    const auto check = [&](const HostBytes& first, const HostBytes& second) {
        return compare(buffer, size, first, 0xA5, second, 0x5A, reference);
    };
    HostBytes first = reference;
    HostBytes second = reference;
    EXPECT_EQ(check(first, second).state, Check::State::equal);
    constexpr std::size_t kAt =
        31;  // column 1, row 1 of rows of 30: what stood in column 1, row 1 of rows of 40
    const float other = 7;
    std::memcpy(&first[4 * kAt], &other, sizeof other);
    std::memcpy(&second[4 * kAt], &other, sizeof other);
    const Check wrong = check(first, second);
    EXPECT_EQ(wrong.state, Check::State::different);
    EXPECT_NE(english(wrong.message).find("1 of 1200 elements differ"), std::string::npos) << wrong.message;
    EXPECT_NE(english(wrong.message).find("column 1, row 1: 7 instead of 41"), std::string::npos)
        << wrong.message;
    const auto fill = [](HostBytes& bytes, std::uint8_t poison, std::size_t count) {
        std::fill_n(bytes.begin() + 4 * kAt, count, poison);
    };
    first = second = reference;
    fill(first, 0xA5, 4);
    fill(second, 0x5A, 4);
    EXPECT_NE(english(check(first, second).message).find("1 of 1200 elements are never written"),
              std::string::npos);
    first = second = reference;
    fill(first, 0xA5, 2);
    fill(second, 0x5A, 2);
    EXPECT_NE(english(check(first, second).message).find("differ"), std::string::npos)
        << "half an element was written";
    const Check nothing = check(HostBytes(reference.size(), 0xA5), HostBytes(reference.size(), 0x5A));
    EXPECT_NE(english(nothing.message).find("write nothing"), std::string::npos) << nothing.message;
}

}  // namespace
}  // namespace ws
