// Arithmetic with carries, logic on three operands, the search for set bits and the rarer instructions on
// bits, against numbers of 128 bits, truth tables and counting.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "simt_support.h"

namespace ws {
namespace {

using testing::Kernel;
using testing::results;
__extension__ using Wide = unsigned __int128;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::vector<u64> numbers(unsigned seed) {
    std::vector<u64> made{0, 1, ~0ull, ~0ull - 1, 1ull << 63, (1ull << 63) - 1, 1ull << 32, (1ull << 32) - 1};
    std::mt19937_64 random(seed);
    while (made.size() < 64) made.push_back(random() >> random() % 64);
    return made;
}

// A kernel of two inputs of 128 bits each (lower and upper half) and an output of as many.
std::vector<u64> of_pairs(const std::string& assembly, std::vector<u64> a, std::vector<u64> b) {
    std::vector<u64> d(64);
    Kernel kernel(
        "extern \"C\" __global__ void k(unsigned long long* d, const unsigned long long* a, const "
        "unsigned long long* b) { int i = 2 * threadIdx.x; asm(\"" +
            assembly +
            "\" : \"=l\"(d[i]), \"=l\"(d[i + 1]) : \"l\"(a[i]), \"l\"(a[i + 1]), \"l\"(b[i]), "
            "\"l\"(b[i + 1])); }",
        "k");
    const auto outcome = kernel.buffer(d, false).buffer(a).buffer(b).run({1, 1, 1}, {32, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    return d;
}

TEST(SimtBits, CarriesMakeSumsOf128Bits) {
    WS_NEED_COMPILER();
    const std::vector<u64> a = numbers(1);
    std::vector<u64> b = numbers(2);
    std::rotate(b.begin(), b.begin() + 3, b.end());
    const auto whole = [](const std::vector<u64>& from, std::size_t i) {
        return Wide(from[i + 1]) << 64 | from[i];
    };
    const std::vector<u64> sum = of_pairs("add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;", a, b);
    const std::vector<u64> difference = of_pairs("sub.cc.u64 %0, %2, %4; subc.u64 %1, %3, %5;", a, b);
    // a1 * b0 + a0, with the carry into the upper half.
    const std::vector<u64> product =
        of_pairs("mad.lo.cc.u64 %0, %3, %4, %2; madc.hi.u64 %1, %3, %4, 0;", a, b);
    for (std::size_t i = 0; i < 64; i += 2) {
        EXPECT_TRUE(whole(sum, i) == whole(a, i) + whole(b, i)) << i;
        EXPECT_TRUE(whole(difference, i) == whole(a, i) - whole(b, i)) << i;
        EXPECT_TRUE(whole(product, i) == Wide(a[i + 1]) * b[i] + a[i]) << i;
    }
}

// Of 32 bits; the carry goes through several instructions and is each lane's own.
TEST(SimtBits, CarriesGoOn) {
    EXPECT_EQ(results("add.cc.u32 %r2, %r1, 0xFFFFFFF0; addc.cc.u32 %r3, 0xFFFFFFFF, 0; addc.u32 %r7, 0, 0;"),
              [] {
                  std::vector<u32> wanted(32);
                  for (u32 lane = 0; lane < 32; ++lane) wanted[lane] = lane >= 16;
                  return wanted;
              }());
    EXPECT_EQ(results("sub.cc.u32 %r2, %r1, 16; subc.u32 %r7, 0, 0;")[15], 0xFFFFFFFFu);
    EXPECT_EQ(results("sub.cc.u32 %r2, %r1, 16; subc.u32 %r7, 0, 0;")[16], 0u);
    EXPECT_EQ(results("mad.hi.cc.s32 %r2, -3, %r1, 5; mov.u32 %r7, %r2;")[7], 4u);
    EXPECT_EQ(results("mad.hi.cc.u32 %r2, 0xFFFFFFFD, %r1, 5; mov.u32 %r7, %r2;")[7], 11u);
    EXPECT_EQ(results("add.cc.s32 %r2, -1, 1; @%p1 bra L; L: addc.s32 %r7, 5, 0;")[0], 6u);
}

TEST(SimtBits, LogicOfThreeIsItsTable) {
    // Each of a, b and c has another bit for each of 8 lanes' cases: bit k of the result is the table's row.
    for (u32 table = 0; table < 256; ++table) {
        const std::vector<u32> made =
            results(fmt::format("lop3.b32 %r7, 0xF0F0F0F0, 0xCCCCCCCC, 0xAAAAAAAA, {};", table));
        ASSERT_EQ(made[31], table * 0x01010101u);
    }
}

TEST(SimtBits, TheNthSetBit) {
    std::mt19937 random(1);
    const u32 mask = random();
    for (const int n : {-32, -3, -2, -1, 0, 1, 2, 3, 32}) {
        const std::vector<u32> made = results(fmt::format("fns.b32 %r7, {}, %r1, {};", mask, n));
        for (int base = 0; base < 32; ++base) {
            // Counts along the bits that stand in the direction.
            u32 wanted = 0xFFFFFFFF;
            int seen = 0;
            for (int bit = base; bit >= 0 && bit < 32; bit += n < 0 ? -1 : 1) {
                seen += int(mask >> bit & 1);
                const bool reached = n == 0 ? bit == base && (mask >> bit & 1) : seen == std::abs(n);
                if (!reached) continue;
                wanted = u32(bit);
                break;
            }
            EXPECT_EQ(made[std::size_t(base)], wanted) << n << " from " << base;
        }
    }
}

// What a body leaves in %r7 for each lane, beside what it should be for the lane's number.
template <typename Wanted>
void expect_of_lanes(const std::string& body, const Wanted& wanted) {
    const std::vector<u32> made = results(body);
    for (u32 lane = 0; lane < 32; ++lane) EXPECT_EQ(made[lane], u32(wanted(lane))) << body << " " << lane;
}

TEST(SimtBits, MasksAndExtensions) {
    const auto ones = [](u32 count) { return count >= 32 ? ~0u : (1u << count) - 1; };
    expect_of_lanes("bmsk.clamp.b32 %r7, %r1, 5;", [](u32 i) { return 31ull << i; });
    expect_of_lanes("bmsk.clamp.b32 %r7, 4, %r1;", [&](u32 i) { return ones(i) << 4; });
    expect_of_lanes("bmsk.clamp.b32 %r7, 40, %r1;", [](u32) { return 0; });
    expect_of_lanes("bmsk.clamp.b32 %r7, 0, 77;", [](u32) { return ~0u; });
    expect_of_lanes("bmsk.wrap.b32 %r7, 33, %r1;", [&](u32 i) { return ones(i) << 1; });
    expect_of_lanes("bmsk.wrap.b32 %r7, %r1, 32;", [](u32) { return 0; });
    constexpr u32 kPattern = 0x9ABCDEF5;
    expect_of_lanes("szext.clamp.u32 %r7, 0x9ABCDEF5, %r1;", [&](u32 i) { return kPattern & ones(i); });
    expect_of_lanes("szext.clamp.s32 %r7, 0x9ABCDEF5, %r1;", [&](u32 i) {
        const bool negative = i > 0 && (kPattern >> (i - 1) & 1);
        return (kPattern & ones(i)) | (negative ? ~ones(i) : 0);
    });
    expect_of_lanes("szext.clamp.s32 %r7, 0x9ABCDEF5, 40;", [](u32) { return kPattern; });
    expect_of_lanes("szext.wrap.u32 %r7, 0x9ABCDEF5, 40;", [](u32) { return 0xF5; });
    expect_of_lanes("szext.wrap.s32 %r7, 0x9ABCDEF5, 32;", [](u32) { return 0; });
}

TEST(SimtBits, NumbersOf16BitsInARegister) {
    // The lane above, 7 and -7 below.
    const std::string two = "shl.b32 %r2, %r1, 16; or.b32 %r2, %r2, 7; ";
    expect_of_lanes(two + "add.u16x2 %r7, %r2, 0x0001FFFF;", [](u32 i) { return (i + 1) << 16 | 6; });
    expect_of_lanes(two + "add.s16x2 %r7, %r2, 0xFFFFFFF0;",
                    [](u32 i) { return ((i - 1) & 0xFFFF) << 16 | 0xFFF7; });
    expect_of_lanes(two + "min.u16x2 %r7, %r2, 0x0009FFF9;", [](u32 i) { return std::min(i, 9u) << 16 | 7; });
    expect_of_lanes(two + "max.s16x2 %r7, %r2, 0x0009FFF9;", [](u32 i) { return std::max(i, 9u) << 16 | 7; });
    expect_of_lanes(two + "min.s16x2 %r7, %r2, 0xFFF7FFF9;", [](u32) { return 0xFFF7FFF9; });
    expect_of_lanes(two + "min.relu.s16x2 %r7, %r2, 0x0009FFF9;",
                    [](u32 i) { return std::min(i, 9u) << 16; });
    expect_of_lanes("sub.s32 %r2, %r1, 9; max.relu.s32 %r7, %r2, -3;",
                    [](u32 i) { return i < 9 ? 0 : i - 9; });
}

TEST(SimtBits, BytesByTheModesOfPrmt) {
    // The eight bytes of b:a are 7 to 0; the bytes of the result for selectors 0 to 3, highest first.
    const std::pair<const char*, std::array<u32, 4>> modes[] = {
        {"f4e", {0x03020100, 0x04030201, 0x05040302, 0x06050403}},
        {"b4e", {0x05060700, 0x06070001, 0x07000102, 0x00010203}},
        {"rc8", {0, 0x01010101, 0x02020202, 0x03030303}},
        {"ecl", {0x03020100, 0x03020101, 0x03020202, 0x03030303}},
        {"ecr", {0, 0x01010100, 0x02020100, 0x03020100}},
        {"rc16", {0x01000100, 0x03020302, 0x01000100, 0x03020302}},
    };
    for (const auto& [mode, wanted] : modes)
        expect_of_lanes(fmt::format("prmt.b32.{} %r7, 0x03020100, 0x07060504, %r1;", mode),
                        [&wanted = wanted](u32 i) { return wanted[i % 4]; });
}

TEST(SimtBits, ProductsOf24BitsAndDifferences) {
    expect_of_lanes("mul24.hi.u32 %r7, 0xFF800001, %r1;", [](u32 i) { return 0x800001ull * i >> 16; });
    expect_of_lanes("mul24.hi.s32 %r7, 0xFF800001, %r1;",
                    [](u32 i) { return u32(std::int64_t(-0x7FFFFF) * i >> 16); });
    expect_of_lanes("mad24.hi.u32 %r7, 0xFF800001, %r1, 5;",
                    [](u32 i) { return (0x800001ull * i >> 16) + 5; });
    expect_of_lanes("mad24.hi.sat.s32 %r7, 0x7FFFFF, 0x7FFFFF, 0x7FFFFFF0;", [](u32) { return 0x7FFFFFFF; });
    expect_of_lanes("mad.hi.sat.s32 %r7, 0x40000000, %r1, 0x7FFFFFFE;",
                    [](u32 i) { return std::min<u64>(0x7FFFFFFF, 0x7FFFFFFEull + i / 4); });
    expect_of_lanes("cvt.u16.u32 %rs1, %r1; mad.hi.u16 %rs2, %rs1, 0x8001, 3; cvt.u32.u16 %r7, %rs2;",
                    [](u32 i) { return (i * 0x8001u >> 16) + 3; });
    expect_of_lanes("cvt.u16.u32 %rs1, %r1; sad.s16 %rs2, %rs1, 9, -1; cvt.u32.u16 %r7, %rs2;",
                    [](u32 i) { return u32((i < 9 ? 9 - i : i - 9) - 1) & 0xFFFF; });
    expect_of_lanes("cvt.u64.u32 %rd2, %r1; sad.s64 %rd3, %rd2, -9, 1; cvt.u32.u64 %r7, %rd3;",
                    [](u32 i) { return i + 10; });
    expect_of_lanes("vabsdiff4.u32.u32.u32 %r7, 0x10000904, %r1, 77;",
                    [](u32 i) { return 0x10000900u | (i < 4 ? 4 - i : i - 4); });
    expect_of_lanes("vabsdiff4.u32.u32.u32.add %r7, 0x10000904, %r1, 5;",
                    [](u32 i) { return 0x10 + 9 + (i < 4 ? 4 - i : i - 4) + 5; });
    expect_of_lanes("vabsdiff2.u32.u32.u32.add %r7, 0x00090004, %r1, %r1;",
                    [](u32 i) { return 9 + (i < 4 ? 4 - i : i - 4) + i; });
    expect_of_lanes("sub.s32 %r2, %r1, 4; bfind.shiftamt.s32 %r7, %r2;", [](u32 i) {
        const auto from = std::int32_t(i) - 4;
        const u32 bits = from < 0 ? u32(~from) : u32(from);
        return bits == 0 ? ~0u : u32(std::countl_zero(bits));
    });
    expect_of_lanes("cvt.u64.u32 %rd2, %r1; bfind.shiftamt.u64 %r7, %rd2;",
                    [](u32 i) { return i == 0 ? ~0u : u32(std::countl_zero(u64(i))); });
}

TEST(SimtBits, ChoicesBySignAndKindsOfFloats) {
    expect_of_lanes("sub.s32 %r2, %r1, 9; slct.u32.s32 %r7, 5, 6, %r2;",
                    [](u32 i) { return i >= 9 ? 5 : 6; });
    // A float that is none chooses the second; so does a subnormal below 0, unless it is flushed.
    expect_of_lanes("mov.b32 %f1, 0x7FC00000; slct.b32.f32 %r7, 5, 6, %f1;", [](u32) { return 6; });
    expect_of_lanes("mov.b32 %f1, 0x80000001; slct.b32.f32 %r7, 5, 6, %f1;", [](u32) { return 6; });
    expect_of_lanes("mov.b32 %f1, 0x80000001; slct.ftz.b32.f32 %r7, 5, 6, %f1;", [](u32) { return 5; });
    const std::pair<const char*, u32> bits[] = {{"zero", 0x80000000},
                                                {"subnormal", 1},
                                                {"normal", 0xBF800000},
                                                {"infinite", 0xFF800000},
                                                {"notanumber", 0x7FC00001}};
    for (const auto& [kind, value] : bits) {
        for (const char* asked : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"}) {
            const std::string is = kind;
            const std::string about = asked;
            const bool wanted = about == "finite"   ? is != "infinite" && is != "notanumber"
                                : about == "number" ? is != "notanumber"
                                : about == "normal" ? is == "normal" || is == "zero"
                                                    : is == about;
            expect_of_lanes(
                fmt::format("mov.b32 %f1, {}; testp.{}.f32 %p1, %f1; selp.u32 %r7, 1, 0, %p1;", value, asked),
                [&](u32) { return wanted; });
        }
    }
    // min and max of three.
    expect_of_lanes(
        "cvt.rn.f32.u32 %f1, %r1; max.f32 %f2, %f1, 0f40A00000, 0f41200000; cvt.rzi.u32.f32 %r7, %f2;",
        [](u32 i) { return std::max(i, 10u); });
    expect_of_lanes(
        "cvt.rn.f32.u32 %f1, %r1; min.abs.f32 %f2, %f1, 0fC0A00000, 0f41200000; cvt.rzi.u32.f32 %r7, %f2;",
        [](u32 i) { return std::min(i, 5u); });
}

}  // namespace
}  // namespace ws
