// Arithmetic with carries, logic on three operands and the search for set bits, against numbers of 128 bits,
// truth tables and counting.

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <random>

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

}  // namespace
}  // namespace ws
