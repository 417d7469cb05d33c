// Arithmetic on 16-bit floats against another way to the same numbers: exact sums of 113 bits, and the
// nearest of all numbers that the format has.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "gpu/simt/half_floats.h"
#include "simt_support.h"

namespace ws {
namespace {

using simt::Type;
using testing::Kernel;
using testing::refusal;
using testing::results;
__extension__ using Exact = __float128;  // holds a product of two such floats and a third one exactly
using u16 = std::uint16_t;
using u32 = std::uint32_t;

struct Number {
    Exact value;
    u16 bits;
};

// From the definition: sign, exponent, fraction.
Exact value_of(u16 bits, Type format) {
    const int fraction_bits = format == Type::f16 ? 10 : 7;
    const int bias = format == Type::f16 ? 15 : 127;
    const int fraction = bits & ((1 << fraction_bits) - 1);
    const int exponent = (bits & 0x7FFF) >> fraction_bits;
    const int whole = exponent == 0 ? fraction : fraction | 1 << fraction_bits;
    const double size = std::ldexp(whole, std::max(exponent, 1) - bias - fraction_bits);
    return bits & 0x8000 ? -size : size;
}

// The positive finite numbers of a format, ascending; their bits ascend with them.
const std::vector<Number>& positive_numbers(Type format) {
    const auto make = [](Type of) {
        std::vector<Number> all;
        const u16 infinity = of == Type::f16 ? 0x7C00 : 0x7F80;
        for (u16 bits = 0; bits < infinity; ++bits) all.push_back({value_of(bits, of), bits});
        return all;
    };
    static const std::vector<Number> halves = make(Type::f16);
    static const std::vector<Number> bfloats = make(Type::bf16);
    return format == Type::f16 ? halves : bfloats;
}

// A sum of two, and what its rounding to 113 bits has lost (Knuth's exact sum).
struct Sum {
    Exact high, low;
    Sum(Exact a, Exact b) : high(a + b) {
        const Exact part = high - a;
        low = (a - (high - part)) + (b - part);
    }
};

// The nearest number, that with an even last bit of two; from half a step beyond the last on infinity.
u16 nearest(const Sum& exact, Type format) {
    const std::vector<Number>& all = positive_numbers(format);
    const bool negative = exact.high < 0;
    const u16 sign = negative ? 0x8000 : 0;
    const Exact size = negative ? -exact.high : exact.high;
    const Exact rest = negative ? -exact.low : exact.low;
    const auto above = std::lower_bound(all.begin(), all.end(), size,
                                        [](const Number& one, Exact wanted) { return one.value < wanted; });
    if (above == all.begin()) return sign;
    const Number& below = above[-1];
    const Exact step = below.value - all[all.size() - 2].value;
    const Exact next = above == all.end() ? below.value + step : above->value;
    const Exact up = next - size;
    const Exact down = size - below.value;
    const bool tie_goes_down = rest < 0 || (rest == 0 && below.bits % 2 == 0);
    const bool takes_below = down < up || (down == up && tie_goes_down);
    return u16(sign | (takes_below ? below.bits : below.bits + 1));
}

// Numbers of a format, edges first.
std::vector<u16> samples(Type format, unsigned seed) {
    const bool half = format == Type::f16;
    std::vector<u16> made{0,
                          0x8000,
                          1,
                          0x8001,
                          u16(half ? 0x03FF : 0x007F),
                          u16(half ? 0x0400 : 0x0080),
                          u16(half ? 0x7BFF : 0x7F7F),
                          u16(half ? 0xFBFF : 0xFF7F),
                          u16(half ? 0x3C00 : 0x3F80),
                          u16(half ? 0xBC00 : 0xBF80),
                          u16(half ? 0x3C01 : 0x3F81)};
    std::mt19937 random(seed);
    while (made.size() < 256) {
        const u16 bits = u16(random());
        if ((bits & 0x7FFF) < (half ? 0x7C00 : 0x7F80)) made.push_back(bits);
    }
    std::shuffle(made.begin(), made.end(), random);
    return made;
}

TEST(HalfFloats, EveryNumberSurvives) {
    for (const Type format : {Type::f16, Type::bf16}) {
        for (const Number& one : positive_numbers(format)) {
            for (const u16 bits : {one.bits, u16(one.bits | 0x8000)}) {
                ASSERT_EQ(Exact(simt::small_to_double(bits, format)), value_of(bits, format)) << bits;
                ASSERT_EQ(simt::double_to_small(simt::small_to_double(bits, format), format,
                                                simt::Rounding::nearest),
                          bits);
            }
        }
    }
}

TEST(HalfFloats, AreRoundedOnce) {
    for (const Type format : {Type::f16, Type::bf16}) {
        const std::vector<u16> a = samples(format, 1), b = samples(format, 2), c = samples(format, 3);
        for (std::size_t i = 0; i < a.size(); ++i) {
            for (std::size_t k = 0; k < b.size(); ++k) {
                const u16 d = c[(i + 7 * k) % c.size()];
                const Sum exact(value_of(a[i], format) * value_of(b[k], format), value_of(d, format));
                if (exact.high == 0) continue;  // its sign is that of the summands
                const u16 made = simt::fused_small(simt::small_to_double(a[i], format),
                                                   simt::small_to_double(b[k], format),
                                                   simt::small_to_double(d, format), format);
                ASSERT_EQ(made, nearest(exact, format)) << a[i] << " " << b[k] << " " << d;
            }
        }
    }
    // A number in the middle between two bfloat16: a summand far below decides the direction.
    const double middle = 1 + 1.0 / 256;
    EXPECT_EQ(simt::fused_small(middle, 1, 0x1p-100, Type::bf16), 0x3F81);
    EXPECT_EQ(simt::fused_small(middle, 1, 0, Type::bf16), 0x3F80);
    EXPECT_EQ(simt::fused_small(middle, 1, -0x1p-100, Type::bf16), 0x3F80);
}

// Every instruction of two or three operands, in one register or two at once.
TEST(SimtHalf, ComputesWhatTheFormatSays) {
    WS_NEED_COMPILER();
    struct Row {
        const char* name;
        Sum (*exact)(Exact, Exact, Exact);
        bool three;
    };
    const Row rows[] = {{"add", [](Exact a, Exact b, Exact) { return Sum(a, b); }, false},
                        {"sub", [](Exact a, Exact b, Exact) { return Sum(a, -b); }, false},
                        {"mul", [](Exact a, Exact b, Exact) { return Sum(a * b, 0); }, false},
                        {"fma.rn", [](Exact a, Exact b, Exact c) { return Sum(a * b, c); }, true}};
    for (const Type format : {Type::f16, Type::bf16}) {
        const std::string type = format == Type::f16 ? "f16" : "bf16";
        const std::vector<u16> a = samples(format, 4), b = samples(format, 5), c = samples(format, 6);
        for (const Row& row : rows) {
            std::vector<u16> one(256), two(256);
            const std::string third = row.three ? ", %3" : "";
            Kernel kernel(
                fmt::format(
                    R"(extern "C" __global__ void k(unsigned short* d, unsigned* e, const unsigned short* a,
                                const unsigned short* b, const unsigned short* c, const unsigned* v,
                                const unsigned* w, const unsigned* x) {{
                    int i = threadIdx.x;
                    asm("{0}.{1} %0, %1, %2{2};" : "=h"(d[i]) : "h"(a[i]), "h"(b[i]), "h"(c[i]));
                    if (i < 128) asm("{0}.{1}x2 %0, %1, %2{2};" : "=r"(e[i]) : "r"(v[i]), "r"(w[i]), "r"(x[i]));
                }})",
                    row.name, type, third),
                "k", "H200", 90);
            std::vector<u16> a1 = a, b1 = b, c1 = c, a2 = a, b2 = b, c2 = c;
            const auto outcome = kernel.buffer(one, false)
                                     .buffer(two, false)
                                     .buffer(a1)
                                     .buffer(b1)
                                     .buffer(c1)
                                     .buffer(a2)
                                     .buffer(b2)
                                     .buffer(c2)
                                     .run({1, 1, 1}, {256, 1, 1});
            EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
            for (std::size_t i = 0; i < 256; ++i) {
                const Sum exact =
                    row.exact(value_of(a[i], format), value_of(b[i], format), value_of(c[i], format));
                if (exact.high != 0) {
                    EXPECT_EQ(one[i], nearest(exact, format)) << row.name << " " << type;
                }
                EXPECT_EQ(two[i], one[i]) << row.name << " " << type << "x2 " << i;
            }
        }
    }
}

// Of one register: %r2 and %r3 and %r4 (or their lower halves) become %r7.
u32 of(const std::string& opcode, u32 a, u32 b = 0, u32 c = 0) {
    const bool pair = opcode.find("16x2") != std::string::npos;
    const std::string set = fmt::format("mov.b32 %r2, {}; mov.b32 %r3, {}; mov.b32 %r4, {}; ", a, b, c);
    const std::string name = opcode.substr(0, opcode.find('.'));
    const int sources = name == "fma"                                                      ? 3
                        : name == "add" || name == "mul" || name == "min" || name == "max" ? 2
                                                                                           : 1;
    const std::string more = sources == 1 ? "" : sources == 2 ? ", {}3" : ", {}3, {}4";
    const std::string kind = pair ? "%r" : "%rs";
    const std::string operands = fmt::format(fmt::runtime("{}2" + more), kind, kind, kind);
    if (pair) return results(set + opcode + " %r7, " + operands + ";")[5];
    // Registers of 16 bits are %rs1 (the result), %rs2, %rs3 and %rs0 for the third.
    std::string text = set + "cvt.u16.u32 %rs2, %r2; cvt.u16.u32 %rs3, %r3; cvt.u16.u32 %rs0, %r4; " +
                       opcode + " %rs1, " + operands + "; cvt.u32.u16 %r7, %rs1;";
    if (const auto at = text.find(", %rs4"); at != std::string::npos) text.replace(at, 6, ", %rs0");
    return results(text)[5];
}

TEST(SimtHalf, ModifiersAreHonoured) {
    struct Row {
        const char* opcode;
        u32 a, b, c, wanted;
    };
    const Row rows[] = {
        // One is 3C00, two 4000, NaN 7E00, the largest half 7BFF, the smallest 0001.
        {"add.f16", 0x3C00, 0x3C00, 0, 0x4000},
        {"add.f16", 0x7BFF, 0x7BFF, 0, 0x7C00},
        {"add.f16", 0x8000, 0x8000, 0, 0x8000},
        {"add.f16", 0x8000, 0x0000, 0, 0x0000},
        {"add.f16", 0x7C00, 0xFC00, 0, 0x7FFF},
        {"add.sat.f16", 0x4000, 0x3C00, 0, 0x3C00},
        {"add.sat.f16", 0xC000, 0x3C00, 0, 0x0000},
        {"add.sat.f16", 0x7E00, 0x3C00, 0, 0x0000},
        {"add.ftz.f16", 0x0001, 0x0001, 0, 0x0000},
        {"add.ftz.f16", 0x8001, 0x8001, 0, 0x8000},
        {"add.f16", 0x0001, 0x0001, 0, 0x0002},
        {"mul.ftz.f16", 0x0400, 0x3800, 0, 0x0000},
        {"fma.rn.relu.f16", 0xBC00, 0x3C00, 0, 0x0000},
        {"fma.rn.relu.f16", 0x3C00, 0x3C00, 0x3C00, 0x4000},
        {"fma.rn.relu.f16", 0x7E00, 0x3C00, 0, 0x7FFF},
        {"fma.rn.f16x2", 0x3C004000, 0x40003C00, 0x3C000000, 0x42004000},
        {"fma.rn.bf16", 0x3F80, 0x4000, 0x3F80, 0x4040},
        {"neg.f16", 0x3C00, 0, 0, 0xBC00},
        {"neg.f16x2", 0x3C00BC00, 0, 0, 0xBC003C00},
        {"neg.bf16x2", 0x3F800000, 0, 0, 0xBF808000},
        {"abs.f16", 0xBC00, 0, 0, 0x3C00},
        {"abs.bf16x2", 0xBF80C000, 0, 0, 0x3F804000},
        {"min.f16", 0x7E00, 0x3C00, 0, 0x3C00},
        {"min.NaN.f16", 0x7E00, 0x3C00, 0, 0x7FFF},
        {"min.f16", 0x0000, 0x8000, 0, 0x8000},
        {"max.f16", 0x0000, 0x8000, 0, 0x0000},
        {"max.f16", 0xBC00, 0xC000, 0, 0xBC00},
        {"max.xorsign.abs.f16", 0xBC00, 0x4000, 0, 0xC000},
        {"min.xorsign.abs.f16x2", 0xBC004000, 0xC0003C00, 0, 0x3C003C00},
        {"min.NaN.bf16x2", 0x7FC03F80, 0x3F804000, 0, 0x7FFF3F80},
        {"ex2.approx.f16", 0x4200, 0, 0, 0x4800},
        {"ex2.approx.ftz.bf16", 0x4040, 0, 0, 0x4100},
        {"tanh.approx.f16x2", 0x00007C00, 0, 0, 0x00003C00},
        {"tanh.approx.bf16", 0xFF80, 0, 0, 0xBF80},
    };
    for (const Row& row : rows) EXPECT_EQ(of(row.opcode, row.a, row.b, row.c), row.wanted) << row.opcode;
}

TEST(SimtHalf, ComparesAndConverts) {
    const auto both = [](const std::string& how, u32 a, u32 b) {
        return results(
            fmt::format("mov.b32 %r2, {}; mov.b32 %r3, {}; setp.{} %p1|%p2, %r2, %r3; selp.b32 %r5, 1, 0, "
                        "%p1; selp.b32 %r6, 2, 0, %p2; or.b32 %r7, %r5, %r6;",
                        a, b, how))[9];
    };
    EXPECT_EQ(both("lt.f16x2", 0x3C004000, 0x40003C00), 2u);
    EXPECT_EQ(both("gt.f16x2", 0x3C004000, 0x40003C00), 1u);
    EXPECT_EQ(both("ne.f16x2", 0x7E003C00, 0x7E003C00), 0u);
    EXPECT_EQ(both("neu.f16x2", 0x7E003C00, 0x7E003C00), 2u);
    EXPECT_EQ(both("eq.bf16x2", 0x00003F80, 0x80003F80), 3u);
    EXPECT_EQ(both("eq.ftz.f16x2", 0x00010001, 0x00000002), 3u);
    const std::string two = "mov.f32 %f1, 0f{:08X}; mov.f32 %f2, 0f{:08X}; {} %r7, %f1, %f2;";
    const auto pair = [&](const std::string& how, float upper, float lower) {
        return results(
            fmt::format(fmt::runtime(two), std::bit_cast<u32>(upper), std::bit_cast<u32>(lower), how))[3];
    };
    EXPECT_EQ(pair("cvt.rn.f16x2.f32", 1.0f, 2.0f), 0x3C004000u);
    EXPECT_EQ(pair("cvt.rn.bf16x2.f32", 1.0f, -2.0f), 0x3F80C000u);
    EXPECT_EQ(pair("cvt.rn.relu.bf16x2.f32", -1.0f, 2.0f), 0x00004000u);
    EXPECT_EQ(pair("cvt.rn.f16x2.f32", 2049.9f, 0), 0x68010000u);
    EXPECT_EQ(pair("cvt.rz.f16x2.f32", 2049.9f, 0), 0x68000000u);
    const auto narrow = [](const std::string& how, float value) {
        return results(fmt::format("mov.f32 %f1, 0f{:08X}; {} %rs1, %f1; cvt.u32.u16 %r7, %rs1;",
                                   std::bit_cast<u32>(value), how))[3];
    };
    EXPECT_EQ(narrow("cvt.rn.bf16.f32", 1.0f + 1.0f / 256), 0x3F80u);
    EXPECT_EQ(narrow("cvt.rn.bf16.f32", 1.0f + 3.0f / 256), 0x3F82u);
    EXPECT_EQ(narrow("cvt.rz.bf16.f32", 1.0f + 3.0f / 256), 0x3F81u);
    EXPECT_EQ(narrow("cvt.rn.bf16.f32", 3.4e38f), 0x7F80u);
    EXPECT_EQ(results("mov.b16 %rs1, 0xC020; cvt.f32.bf16 %f1, %rs1; mov.b32 %r7, %f1;")[0], 0xC0200000u);
    EXPECT_EQ(
        results("mov.b16 %rs1, 0x3C00; mov.b16 %rs2, 0x4000; setp.lt.f16 %p1, %rs1, %rs2; selp.b32 %r7, 5, "
                "6, %p1;")[0],
        5u);
}

TEST(SimtHalf, AtomicsAddWithoutLoss) {
    WS_NEED_COMPILER();
    // 64 threads add 1, and 0.5 beside it, to each.
    std::vector<u32> sums{0x3C003C00, 0, 0x3F803F80, 0};
    Kernel kernel(R"(extern "C" __global__ void k(unsigned* d) {
        unsigned short one = 0x3C00, old;
        unsigned pair = 0x38003C00, wide;
        asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(wide) : "l"(d), "r"(pair));
        asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(old) : "l"(d + 1), "h"(one));
        pair = 0x3F003F80;
        asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" :: "l"(d + 2), "r"(pair)); })",
                  "k", "H200", 90);
    const auto outcome = kernel.buffer(sums).run({2, 1, 1}, {32, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    EXPECT_EQ(sums[0], 0x50205410u);  // 33 and 65
    EXPECT_EQ(sums[1], 0x5400u);      // 64
    EXPECT_EQ(sums[2], 0x42044282u);  // 33 and 65
}

TEST(SimtHalf, ComparisonsAsMasksAndWithAPredicate) {
    // 1.0 and 2.0 below, 3.0 above in both.
    const std::string two = "mov.b32 %r2, 0x42003C00; mov.b32 %r3, 0x42004000; ";
    EXPECT_EQ(testing::results(two + "set.lt.u32.f16x2 %r7, %r2, %r3;")[0], 0x0000FFFFu);
    EXPECT_EQ(testing::results(two + "set.le.s32.f16x2 %r7, %r2, %r3;")[0], 0xFFFFFFFFu);
    EXPECT_EQ(testing::results(two + "set.lt.f16x2.f16x2 %r7, %r2, %r3;")[0], 0x00003C00u);
    const std::string both = " selp.u32 %r4, 1, 0, %p1; selp.u32 %r5, 2, 0, %p2; or.b32 %r7, %r4, %r5;";
    const std::string odd = "and.b32 %r4, %r1, 1; setp.eq.u32 %p3, %r4, 1; ";
    EXPECT_EQ(testing::results(two + odd + "setp.lt.and.f16x2 %p1|%p2, %r2, %r3, %p3;" + both)[1], 1u);
    EXPECT_EQ(testing::results(two + odd + "setp.lt.and.f16x2 %p1|%p2, %r2, %r3, %p3;" + both)[2], 0u);
    EXPECT_EQ(testing::results(two + odd + "setp.lt.xor.f16x2 %p1|%p2, %r2, %r3, !%p3;" + both)[2], 2u);
    // Between the formats: 2049 halves need 11 bits, bfloat16 has 8.
    EXPECT_EQ(testing::results("mov.b16 %rs1, 0x3C01; cvt.rp.bf16.f16 %rs2, %rs1; cvt.u32.u16 %r7, %rs2;")[0],
              0x3F81u);
    EXPECT_EQ(testing::results("mov.b16 %rs1, 0x3F81; cvt.rn.f16.bf16 %rs2, %rs1; cvt.u32.u16 %r7, %rs2;")[0],
              0x3C08u);
}

}  // namespace
}  // namespace ws
