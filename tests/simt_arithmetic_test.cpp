// Arithmetic on the simulated GPU against what C++ says of the same values.

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>

#include "simt_support.h"

namespace ws {
namespace {

using testing::Kernel;

// Values that lie at the edges of what an operation must get right.
template <typename T>
std::vector<T> edges() {
    if constexpr (std::is_floating_point_v<T>) {
        const T end = std::numeric_limits<T>::max();
        const T tiny = std::numeric_limits<T>::denorm_min();
        return {0,        -T(0),   1,       -1,      T(0.5),  T(-0.5), T(1.5),
                T(2.5),   T(-2.5), end,     -end,    tiny,    -tiny,   std::numeric_limits<T>::infinity(),
                T(255.5), T(1e9),  T(-1e9), T(1e19), T(3e-39)};
    } else {
        return {0,
                1,
                T(-1),
                2,
                T(-2),
                std::numeric_limits<T>::max(),
                std::numeric_limits<T>::min(),
                31,
                32,
                33,
                63,
                64,
                T(255),
                T(256)};
    }
}

template <typename T>
T random_value(std::mt19937_64& random) {
    if constexpr (std::is_floating_point_v<T>)
        return T(std::ldexp(double(std::int64_t(random())), int(random() % 100) - 110));
    else
        return T(random() >> (random() % 64));
}

constexpr std::size_t kPairs = 512;

// Every edge with every edge, and then random values, so many as make kPairs.
template <typename A, typename B>
void fill_pairs(std::vector<A>& a, std::vector<B>& b) {
    for (const A x : edges<A>()) {
        for (const B y : edges<B>()) {
            a.push_back(x);
            b.push_back(y);
        }
    }
    std::mt19937_64 random(1);
    while (a.size() < kPairs) {
        a.push_back(random_value<A>(random));
        b.push_back(random_value<B>(random));
    }
}

template <typename D, typename A, typename B, typename F>
void expect_binary(const std::string& types, const std::string& expression, const F& expected) {
    std::vector<A> a;
    std::vector<B> b;
    fill_pairs(a, b);
    ASSERT_EQ(a.size(), kPairs) << "more edges than pairs";
    std::vector<D> d(kPairs);
    Kernel kernel(
        "extern \"C\" __global__ void k(" + types + ") { int i = threadIdx.x; d[i] = " + expression + "; }",
        "k");
    const auto outcome = kernel.buffer(d, false).buffer(a).buffer(b).run({1, 1, 1}, {int(kPairs), 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    for (std::size_t i = 0; i < kPairs; ++i) {
        const D want = expected(a[i], b[i]);
        if constexpr (std::is_floating_point_v<D>) {
            if (std::isnan(want)) {
                ASSERT_TRUE(std::isnan(d[i])) << expression << " of " << a[i] << ", " << b[i];
                continue;
            }
        }
        ASSERT_EQ(d[i], want) << expression << " of " << +a[i] << ", " << +b[i];
    }
}

#define EXPECT_INTEGER(T, name, expression)                                                              \
    expect_binary<T, T, T>(name "* d, const " name "* a, const " name "* b", #expression, [](T x, T y) { \
        T a[] = {x};                                                                                     \
        T b[] = {y};                                                                                     \
        const int i = 0;                                                                                 \
        (void)b;                                                                                         \
        return T(expression);                                                                            \
    })

TEST(SimtArithmetic, IntegerArithmetic) {
    WS_NEED_COMPILER();
    EXPECT_INTEGER(std::uint32_t, "unsigned", a[i] + b[i]);
    EXPECT_INTEGER(std::uint32_t, "unsigned", a[i] - b[i]);
    EXPECT_INTEGER(std::uint32_t, "unsigned", a[i] * b[i]);
    EXPECT_INTEGER(std::uint32_t, "unsigned", (b[i] == 0 ? 7u : a[i] / b[i]));
    EXPECT_INTEGER(std::uint32_t, "unsigned", (b[i] == 0 ? 7u : a[i] % b[i]));
    EXPECT_INTEGER(std::uint32_t, "unsigned", (a[i] & b[i]) ^ (a[i] | ~b[i]));
    EXPECT_INTEGER(std::uint32_t, "unsigned", a[i] << (b[i] & 31));
    EXPECT_INTEGER(std::uint32_t, "unsigned", a[i] >> (b[i] & 31));
    EXPECT_INTEGER(std::uint32_t, "unsigned", (a[i] < b[i] ? a[i] : b[i]));
    EXPECT_INTEGER(std::int32_t, "int", (a[i] > b[i] ? a[i] : b[i]));
    EXPECT_INTEGER(std::int32_t, "int", a[i] >> (b[i] & 31));
    EXPECT_INTEGER(std::int32_t, "int", (b[i] == 0 || b[i] == -1 ? 7 : a[i] / b[i]));
    EXPECT_INTEGER(std::int32_t, "int", (b[i] == 0 || b[i] == -1 ? 7 : a[i] % b[i]));
    EXPECT_INTEGER(std::uint64_t, "unsigned long long", a[i] * b[i] + (a[i] >> (b[i] & 63)));
    EXPECT_INTEGER(std::uint64_t, "unsigned long long", (b[i] == 0 ? 7 : a[i] / b[i]));
    EXPECT_INTEGER(std::int64_t, "long long", (b[i] == 0 || b[i] == -1 ? 7 : a[i] % b[i]));
    EXPECT_INTEGER(std::int64_t, "long long", (a[i] < b[i] ? -1 : a[i] >> (b[i] & 63)));
    EXPECT_INTEGER(std::uint16_t, "unsigned short", (unsigned(a[i]) * b[i]) >> 3);
    EXPECT_INTEGER(std::int16_t, "short", (a[i] < b[i] ? a[i] - b[i] : a[i] >> (b[i] & 15)));
    EXPECT_INTEGER(std::uint8_t, "unsigned char", a[i] + 3 * b[i]);
    EXPECT_INTEGER(std::int8_t, "signed char", (a[i] > b[i] ? a[i] - b[i] : b[i] >> 2));
}

TEST(SimtArithmetic, Bits) {
    WS_NEED_COMPILER();
    const auto binary = [](const char* expression, auto expected) {
        expect_binary<std::uint32_t, std::uint32_t, std::uint32_t>(
            "unsigned* d, const unsigned* a, const unsigned* b", expression, expected);
    };
    binary("__popc(a[i])", [](unsigned a, unsigned) { return unsigned(std::popcount(a)); });
    binary("__clz(a[i])", [](unsigned a, unsigned) { return unsigned(std::countl_zero(a)); });
    binary("__ffs(a[i])", [](unsigned a, unsigned) { return a ? unsigned(std::countr_zero(a)) + 1 : 0; });
    binary("__brev(a[i])", [](unsigned a, unsigned) {
        unsigned r = 0;
        for (int k = 0; k < 32; ++k) r |= (a >> k & 1) << (31 - k);
        return r;
    });
    binary("__umulhi(a[i], b[i])",
           [](unsigned a, unsigned b) { return unsigned(std::uint64_t(a) * b >> 32); });
    binary("__byte_perm(a[i], b[i], 0x3715)", [](unsigned a, unsigned b) {
        const std::uint64_t bytes = std::uint64_t(b) << 32 | a;
        unsigned r = 0;
        for (int k = 0; k < 4; ++k) r |= unsigned(bytes >> (8 * (0x3715 >> (4 * k) & 7)) & 0xFF) << (8 * k);
        return r;
    });
    // Digits from 8 on give the sign of their byte instead.
    binary(
        "[&]{ unsigned r; asm(\"prmt.b32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(a[i]), \"r\"(b[i]), "
        "\"r\"(b[i])); return r; }()",
        [](unsigned a, unsigned b) {
            const std::uint64_t bytes = std::uint64_t(b) << 32 | a;
            unsigned r = 0;
            for (int k = 0; k < 4; ++k) {
                const unsigned digit = b >> (4 * k) & 15;
                const auto byte = std::int8_t(bytes >> (8 * (digit & 7)));
                r |= unsigned(std::uint8_t(digit & 8 ? byte >> 7 : byte)) << (8 * k);
            }
            return r;
        });
    binary(
        "[&]{ unsigned r; asm(\"bfe.u32 %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(a[i]), \"r\"(b[i]), \"r\"(b[i] "
        ">> 8)); return r; }()",
        [](unsigned a, unsigned b) {
            const unsigned at = b & 255;
            const unsigned length = b >> 8 & 255;
            unsigned r = 0;
            for (unsigned k = 0; k < length && k < 32 && at + k < 32; ++k) r |= (a >> (at + k) & 1) << k;
            return r;
        });
    binary("__funnelshift_l(a[i], b[i], 13)", [](unsigned a, unsigned b) { return b << 13 | a >> 19; });
    binary("__funnelshift_rc(a[i], b[i], 40)", [](unsigned, unsigned b) { return b; });
    binary(
        "[&]{ unsigned r; asm(\"dp4a.u32.u32 %0, %1, %2, 5;\" : \"=r\"(r) : \"r\"(a[i]), \"r\"(b[i])); "
        "return r; }()",
        [](unsigned a, unsigned b) {
            unsigned r = 5;
            for (int k = 0; k < 4; ++k) r += (a >> (8 * k) & 255) * (b >> (8 * k) & 255);
            return r;
        });
    binary(
        "[&]{ unsigned r; asm(\"dp4a.s32.s32 %0, %1, %2, -5;\" : \"=r\"(r) : \"r\"(a[i]), \"r\"(b[i])); "
        "return r; }()",
        [](unsigned a, unsigned b) {
            int r = -5;
            for (int k = 0; k < 4; ++k) r += int(std::int8_t(a >> (8 * k))) * int(std::int8_t(b >> (8 * k)));
            return unsigned(r);
        });
    binary(
        "[&]{ unsigned r; asm(\"dp2a.lo.u32.u32 %0, %1, %2, 5;\" : \"=r\"(r) : \"r\"(a[i]), \"r\"(b[i])); "
        "return r; }()",
        [](unsigned a, unsigned b) { return 5 + (a & 0xFFFF) * (b & 255) + (a >> 16) * (b >> 8 & 255); });
    binary(
        "[&]{ unsigned r; asm(\"dp2a.hi.s32.s32 %0, %1, %2, -5;\" : \"=r\"(r) : \"r\"(a[i]), \"r\"(b[i])); "
        "return r; }()",
        [](unsigned a, unsigned b) {
            const int low = int(std::int16_t(a)) * int(std::int8_t(b >> 16));
            const int high = int(std::int16_t(a >> 16)) * int(std::int8_t(b >> 24));
            return unsigned(low + high - 5);
        });
    binary(
        "[&]{ unsigned r; asm(\"bfe.u32 %0, %1, %2, 9;\" : \"=r\"(r) : \"r\"(a[i]), \"r\"(b[i] & 31)); "
        "return r; }()",
        [](unsigned a, unsigned b) { return a >> (b & 31) & 511; });
    binary("[&]{ int r; asm(\"bfe.s32 %0, %1, 4, 8;\" : \"=r\"(r) : \"r\"(a[i])); return (unsigned)r; }()",
           [](unsigned a, unsigned) { return unsigned(int(std::int8_t(a >> 4))); });
    binary(
        "[&]{ unsigned r; asm(\"bfi.b32 %0, %1, %2, 8, 12;\" : \"=r\"(r) : \"r\"(a[i]), \"r\"(b[i])); return "
        "r; }()",
        [](unsigned a, unsigned b) { return (b & ~0xFFF00u) | (a << 8 & 0xFFF00u); });
    binary(
        "[&]{ unsigned r; asm(\"{ .reg .pred p; setp.lt.u32 p, %1, %2; selp.u32 %0, 1, 0, p; }\" : \"=r\"(r) "
        ": \"r\"(a[i]), \"r\"(b[i])); return r; }()",
        [](unsigned a, unsigned b) { return unsigned(a < b); });
}

#define EXPECT_FLOAT(T, name, expression, want)                                                         \
    expect_binary<T, T, T>(name "* d, const " name "* a, const " name "* b", expression, [](T x, T y) { \
        (void)y;                                                                                        \
        return T(want);                                                                                 \
    })

TEST(SimtArithmetic, Floats) {
    WS_NEED_COMPILER();
    EXPECT_FLOAT(float, "float", "__fadd_rn(a[i], b[i])", x + y);
    EXPECT_FLOAT(float, "float", "__fmul_rn(a[i], b[i])", x* y);
    EXPECT_FLOAT(float, "float", "a[i] / b[i]", x / y);
    EXPECT_FLOAT(float, "float", "fmaf(a[i], b[i], 1.25f)", std::fma(x, y, 1.25f));
    EXPECT_FLOAT(float, "float", "sqrtf(fabsf(a[i]))", std::sqrt(std::fabs(x)));
    EXPECT_FLOAT(float, "float", "fminf(a[i], b[i])", std::fmin(x, y));
    EXPECT_FLOAT(float, "float", "truncf(a[i]) + floorf(b[i])", std::trunc(x) + std::floor(y));
    EXPECT_FLOAT(float, "float", "rintf(a[i])", std::nearbyint(x));
    EXPECT_FLOAT(float, "float", "__saturatef(a[i])", x > 1 ? 1.0f : x > 0 ? x : 0.0f);
    EXPECT_FLOAT(float, "float", "__frcp_rn(a[i])", 1.0f / x);
    EXPECT_FLOAT(double, "double", "__dadd_rn(a[i], b[i])", x + y);
    EXPECT_FLOAT(double, "double", "a[i] / b[i]", x / y);
    EXPECT_FLOAT(double, "double", "fma(a[i], b[i], 3.0)", std::fma(x, y, 3.0));
    EXPECT_FLOAT(double, "double", "sqrt(fabs(a[i]))", std::sqrt(std::fabs(x)));
    EXPECT_FLOAT(double, "double", "(a[i] < b[i]) + 2 * (a[i] >= b[i]) + 4 * (a[i] != b[i])",
                 (x < y) + 2 * (x >= y) + 4 * (x != y));
}

std::uint32_t flushed(std::uint32_t bits) {
    return (bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits;
}

// What the hardware makes of a float that was computed exactly so.
std::uint32_t finished(float value, bool flush, bool saturate) {
    if (saturate)
        value = value >= 1 ? 1.0f : value > 0 ? value : std::signbit(value) && value == 0 ? value : 0.0f;
    if (std::isnan(value)) return 0x7FFFFFFF;
    return flush ? flushed(std::bit_cast<std::uint32_t>(value)) : std::bit_cast<std::uint32_t>(value);
}

// Every edge with every edge, to the bit: subnormal numbers, zeros of both signs, infinities, no numbers.
void expect_modified(const std::string& opcode, bool flush, bool saturate, int rounding,
                     const std::function<float(float, float, float)>& expected, int sources) {
    static constexpr float kEdges[] = {0.0f,        -0.0f,   1.0f,     -1.0f,    0.3f,      1e-38f,
                                       1e-39f,      -1e-39f, 1e-45f,   -3e-45f,  2e-20f,    -2e-20f,
                                       16777215.0f, 3.4e38f, -3.4e38f, INFINITY, -INFINITY, NAN};
    constexpr std::size_t kCount = std::size(kEdges);
    std::vector<float> a;
    std::vector<float> b;
    for (const float x : kEdges) {
        for (const float y : kEdges) {
            a.push_back(x);
            b.push_back(y);
        }
    }
    std::vector<std::uint32_t> d(kCount * kCount, 0xDEADBEEF);
    const std::string more = sources == 1 ? "" : sources == 2 ? ", %2" : ", %2, %3";
    Kernel kernel(
        "extern \"C\" __global__ void k(float* d, const float* a, const float* b) { int i = blockIdx.x * 32 "
        "+ threadIdx.x;"
        "if (i < " +
            std::to_string(kCount * kCount) + ") asm(\"" + opcode + " %0, %1" + more +
            ";\" : \"=f\"(d[i]) : \"f\"(a[i]), \"f\"(b[i]), \"f\"(0.7f)); }",
        "k");
    const auto outcome =
        kernel.buffer(d).buffer(a).buffer(b).run({int(kCount * kCount + 31) / 32, 1, 1}, {32, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    for (std::size_t i = 0; i < d.size(); ++i) {
        const auto source = [&](float value) {
            return flush ? std::bit_cast<float>(flushed(std::bit_cast<std::uint32_t>(value))) : value;
        };
        std::fesetround(rounding);
        const float exact = expected(source(a[i]), source(b[i]), 0.7f);
        std::fesetround(FE_TONEAREST);
        ASSERT_EQ(d[i], finished(exact, flush, saturate)) << opcode << " of " << a[i] << ", " << b[i];
    }
}

TEST(SimtArithmetic, FlushingSaturationAndRoundingOfEveryEdge) {
    WS_NEED_COMPILER();
    const auto add = [](float a, float b, float) { return a + b; };
    const auto multiply = [](float a, float b, float) { return a * b; };
    const auto fused = [](float a, float b, float c) { return std::fma(a, b, c); };
    expect_modified("add.rn.ftz.f32", true, false, FE_TONEAREST, add, 2);
    expect_modified("add.rz.f32", false, false, FE_TOWARDZERO, add, 2);
    expect_modified(
        "sub.rp.ftz.f32", true, false, FE_UPWARD, [](float a, float b, float) { return a - b; }, 2);
    expect_modified("mul.rm.f32", false, false, FE_DOWNWARD, multiply, 2);
    expect_modified("mul.rn.ftz.sat.f32", true, true, FE_TONEAREST, multiply, 2);
    expect_modified("fma.rp.f32", false, false, FE_UPWARD, fused, 3);
    expect_modified("fma.rm.sat.f32", false, true, FE_DOWNWARD, fused, 3);
    expect_modified("fma.rz.ftz.f32", true, false, FE_TOWARDZERO, fused, 3);
    expect_modified(
        "div.rz.f32", false, false, FE_TOWARDZERO, [](float a, float b, float) { return a / b; }, 2);
    expect_modified(
        "sqrt.rp.f32", false, false, FE_UPWARD, [](float a, float, float) { return std::sqrt(a); }, 1);
    expect_modified(
        "rcp.rn.ftz.f32", true, false, FE_TONEAREST, [](float a, float, float) { return 1 / a; }, 1);
    // A number beats no number, and -0 lies below +0.
    expect_modified(
        "min.ftz.f32", true, false, FE_TONEAREST,
        [](float a, float b, float) {
            if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
            return a < b || (a == b && std::signbit(a)) ? a : b;
        },
        2);
    expect_modified(
        "max.NaN.f32", false, false, FE_TONEAREST,
        [](float a, float b, float) {
            if (std::isnan(a) || std::isnan(b)) return NAN;
            return a > b || (a == b && std::signbit(b)) ? a : b;
        },
        2);
}

TEST(SimtArithmetic, Roundings) {
    WS_NEED_COMPILER();
    // 1 + 2^-24 lies between two floats: each mode takes its side.
    std::vector<float> d(8);
    Kernel kernel(R"(extern "C" __global__ void k(float* d, float one, float half_step) {
        d[0] = __fadd_rn(one, half_step); d[1] = __fadd_ru(one, half_step);
        d[2] = __fadd_rd(-one, -half_step); d[3] = __fadd_rz(-one, -half_step);
        d[4] = __fmaf_rd(one, one, half_step); d[5] = __fmaf_ru(one, one, half_step);
        d[6] = __fdiv_rd(one, 3.0f); d[7] = __fsqrt_ru(2.0f * one); })",
                  "k");
    const auto outcome =
        kernel.buffer(d, false).value(1.0f).value(std::ldexp(1.0f, -24)).run({1, 1, 1}, {1, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    const float above = std::nextafter(1.0f, 2.0f);
    // A third lies above its 24 bits, the root of 2 (1.41421356237) above 0x1.6a09e6p+0.
    const std::vector<float> want{1, above, -above, -1, 1, above, 0x1.555554p-2f, 0x1.6a09e8p+0f};
    ASSERT_EQ(want.size(), d.size());
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(d[i], want[i]) << i;
}

TEST(SimtArithmetic, Conversions) {
    WS_NEED_COMPILER();
    const auto from_float = [](const char* expression, auto expected) {
        expect_binary<std::int64_t, float, float>("long long* d, const float* a, const float* b", expression,
                                                  expected);
    };
    const auto clamped = [](double value, double low, double high) {
        return std::isnan(value) ? std::int64_t(0)
               : value <= low    ? std::int64_t(low)
               : value >= high   ? (high > 9e18 ? INT64_MAX : std::int64_t(high))
                                 : std::int64_t(value);
    };
    from_float("(int)a[i]", [&](float a, float) { return clamped(double(a), INT32_MIN, INT32_MAX); });
    from_float("(unsigned)a[i]", [&](float a, float) { return clamped(double(a), 0, UINT32_MAX); });
    from_float("(long long)a[i]", [&](float a, float) { return clamped(double(a), -0x1p63, 0x1p63); });
    from_float("__float2int_rn(a[i])",
               [&](float a, float) { return clamped(std::nearbyint(double(a)), INT32_MIN, INT32_MAX); });
    from_float("__float2int_rd(a[i])",
               [&](float a, float) { return clamped(std::floor(double(a)), INT32_MIN, INT32_MAX); });
    from_float("__float2int_ru(a[i])",
               [&](float a, float) { return clamped(std::ceil(double(a)), INT32_MIN, INT32_MAX); });
    expect_binary<double, float, float>("double* d, const float* a, const float* b", "(double)a[i]",
                                        [](float a, float) { return double(a); });
    expect_binary<float, double, double>("float* d, const double* a, const double* b", "(float)a[i]",
                                         [](double a, double) { return float(a); });
    expect_binary<double, std::int64_t, std::int64_t>("double* d, const long long* a, const long long* b",
                                                      "(double)a[i]",
                                                      [](std::int64_t a, std::int64_t) { return double(a); });
    const auto to_float = [](const char* expression, auto expected) {
        expect_binary<float, std::int64_t, std::int64_t>("float* d, const long long* a, const long long* b",
                                                         expression, expected);
    };
    to_float("(float)a[i]", [](std::int64_t a, std::int64_t) { return float(a); });
    to_float("(float)(unsigned long long)a[i]",
             [](std::int64_t a, std::int64_t) { return float(std::uint64_t(a)); });
    to_float("(float)(int)a[i]", [](std::int64_t a, std::int64_t) { return float(std::int32_t(a)); });
    to_float("(float)(short)a[i]", [](std::int64_t a, std::int64_t) { return float(std::int16_t(a)); });
    to_float("(float)(double)(unsigned char)a[i]",
             [](std::int64_t a, std::int64_t) { return float(std::uint8_t(a)); });
    // Half floats, there and back.
    expect_binary<float, float, float>("float* d, const float* a, const float* b",
                                       "[&]{ unsigned short h; float f; asm(\"{ .reg .b16 t; cvt.rn.f16.f32 "
                                       "t, %1; mov.b16 %0, t; }\" : \"=h\"(h) : \"f\"(a[i])); "
                                       "asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(h)); return f; }()",
                                       [](float a, float) { return float(_Float16(a)); });
}

// To the bit, where results differ only in that; in some lanes, which leave the others as they were.
TEST(SimtArithmetic, ConversionsOfWhatIsRareInSomeLanes) {
    WS_NEED_COMPILER();
    const float inf = std::numeric_limits<float>::infinity();
    std::vector<float> a{0.0f,           -0.0f,   -0.3f, 0.3f,    0.5f,           -0.5f,
                         1.5f,           2.5f,    -2.5f, 0x1p31f, 0x1.fffffep30f, 0x1.000002p31f,
                         -0x1p31f,       0x1p32f, inf,   -inf,    0x1p-149f,      -0x1p-149f,
                         0x1.fffffep31f, 0x1p23f, 1e30f, -1e30f,  0.999f,         -0.999f,
                         8388607.5f,     -1.0f,   7.0f,  -7.75f,  3e9f,           -2147483904.0f};
    a.push_back(std::bit_cast<float>(0x7FC01234u));
    a.push_back(std::bit_cast<float>(0xFFA00001u));
    ASSERT_EQ(a.size(), 32u);
    constexpr std::uint32_t kNoNumber = 0x7FFFFFFF;
    constexpr std::uint32_t kPoison = 0xA5A5A5A5;
    const auto expect = [&](const std::string& opcode, const std::string& result, auto wanted) {
        std::vector<std::uint32_t> d(32, kPoison);
        Kernel kernel(
            "extern \"C\" __global__ void k(unsigned* d, const float* a) { int i = threadIdx.x; if (i % 3 != "
            "1) { " +
                result + "; asm(\"" + opcode + "\" : \"=" + (result.starts_with("float") ? "f" : "r") +
                "\"(r) : \"f\"(a[i])); d[i] = " + (result.starts_with("float") ? "__float_as_uint(r)" : "r") +
                "; } }",
            "k");
        const auto outcome = kernel.buffer(d).buffer(a).run({1, 1, 1}, {32, 1, 1});
        EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
        for (std::size_t i = 0; i < 32; ++i)
            EXPECT_EQ(d[i], i % 3 == 1 ? kPoison : wanted(a[i])) << opcode << " of " << a[i];
    };
    const auto to_int = [](double whole) {
        return std::isnan(whole) ? 0u : std::uint32_t(std::int32_t(std::clamp(whole, -0x1p31, 0x1p31 - 1)));
    };
    expect("cvt.rni.s32.f32 %0, %1;", "unsigned r",
           [&](float x) { return to_int(std::nearbyint(double(x))); });
    expect("cvt.rmi.s32.f32 %0, %1;", "unsigned r", [&](float x) { return to_int(std::floor(double(x))); });
    expect("cvt.rzi.s32.f32 %0, %1;", "unsigned r", [&](float x) { return to_int(std::trunc(double(x))); });
    expect("cvt.rzi.u32.f32 %0, %1;", "unsigned r", [](float x) {
        return std::isnan(x) ? 0u : std::uint32_t(std::clamp(std::trunc(double(x)), 0.0, 0x1p32 - 1));
    });
    const auto bits = [](float made) {
        return std::isnan(made) ? kNoNumber : std::bit_cast<std::uint32_t>(made);
    };
    expect("cvt.rni.f32.f32 %0, %1;", "float r", [&](float x) { return bits(std::nearbyint(x)); });
    expect("cvt.rmi.f32.f32 %0, %1;", "float r", [&](float x) { return bits(std::floor(x)); });
    expect("cvt.rzi.f32.f32 %0, %1;", "float r", [&](float x) { return bits(std::trunc(x)); });
    // There and back, beyond the range and half-way between two floats, too.
    const std::string wide =
        "{ .reg .f64 t; cvt.f64.f32 t, %1; mul.rn.f64 t, t, 0d3FF0000010000000; cvt.rn.f32.f64 %0, t; }";
    expect(wide, "float r", [&](float x) { return bits(float(double(x) * 0x1.000001p0)); });
    expect(
        "{ .reg .f64 t; .reg .s64 s; cvt.rzi.s64.f32 s, %1; add.s64 s, s, 1; cvt.rn.f64.s64 t, s; "
        "cvt.rn.f32.f64 %0, t; }",
        "float r", [&](float x) {
            const std::int64_t whole = std::isnan(x)   ? 0
                                       : x >= 0x1p63f  ? INT64_MAX
                                       : x <= -0x1p63f ? INT64_MIN
                                                       : std::int64_t(x);
            return bits(float(double(std::int64_t(std::uint64_t(whole) + 1))));
        });
}

TEST(SimtArithmetic, Approximations) {
    WS_NEED_COMPILER();
    std::vector<float> a(64);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = 0.05f * float(i + 1);
    std::vector<float> d(64 * 7);
    Kernel kernel(
        R"(extern "C" __global__ void k(float* d, const float* a) { int i = threadIdx.x; float x = a[i];
        d[i] = __sinf(x); d[64 + i] = __cosf(x); d[128 + i] = exp2f(x); d[192 + i] = __log2f(x);
        d[256 + i] = rsqrtf(x); d[320 + i] = __fdividef(1.0f, x); d[384 + i] = tanhf(x); })",
        "k");
    const auto outcome = kernel.buffer(d, false).buffer(a).run({1, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    for (std::size_t i = 0; i < 64; ++i) {
        const double x = double(a[i]);
        const double want[] = {std::sin(x),      std::cos(x), std::exp2(x), std::log2(x),
                               1 / std::sqrt(x), 1 / x,       std::tanh(x)};
        for (std::size_t k = 0; k < 7; ++k)
            EXPECT_NEAR(double(d[64 * k + i]), want[k], 2e-6 * std::max(1.0, std::fabs(want[k])))
                << k << " of " << x;
    }
}

}  // namespace
}  // namespace ws
