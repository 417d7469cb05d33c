// Values of expressions in the debugger: those of C++.

#include <random>

#include "tests/debug_sum.h"

namespace ws {
namespace {

using namespace ws::testing;
using debug::DebugError;
using Why = debug::Stop::Why;

constexpr const char* kTypes = R"(#define N 7
enum Kind { first, second = 5 };
struct Inner { short a; unsigned char b[3]; };
struct Outer { Inner inner; float4 f; Kind kind; unsigned low : 3, high : 5; double d; bool yes; Outer* next; };
__constant__ float weights[N] = {0.5f, 1, 2};
__device__ int counter = 9;
template <typename T> __device__ __forceinline__ T scaled(T value, T by) {
    T product = value * by;
    return product;
}
extern "C" __global__ void k(int* out, uchar4 pixel) {
    __shared__ int tile[4][N + 1];
    extern __shared__ float more[];
    Outer mine;
    mine.inner.a = -3;
    mine.inner.b[2] = 65;
    mine.f = make_float4(1, 2, 3, 4);
    mine.kind = second;
    mine.low = 6;
    mine.high = 17;
    mine.yes = true;
    mine.d = 0.125;
    mine.next = &mine;
    const int t = threadIdx.x;
    tile[t & 3][t & 7] = t;
    more[t] = 1.5f * t;
    unsigned long long big = 0xFFFFFFFFFFULL + t;
    float s = scaled(weights[1], 3.0f) + pixel.y;
    out[t] = mine.inner.b[1] + int(big) + int(s) + counter + tile[1][1] + int(more[2]);
    out[t] += mine.next->low;
}
)";

TEST(Values, AreThoseOfCpp) {
    WS_NEED_COMPILER();
    Debugged one(kTypes, "k", {1, 1, 1}, {32, 1, 1});
    one.buffer(std::vector<int>(32)).value(std::uint32_t(0x04030201)).shared(128);
    debug::Debugger& debugger = one.debugger();
    debugger.set_stops_at_findings(false);  // lanes write to one place of the tile
    (void)debugger.add_breakpoint({0, 30}, "t == 3", false);
    ASSERT_EQ(debugger.run().why, Why::breakpoint);
    struct Case {
        const char* expression;
        const char* text;
    };
    for (const Case& one_case : {Case{"mine.inner.a", "-3"},
                                 {"mine.inner.b[2]", "65 'A'"},
                                 {"mine.f", "{x = 1, y = 2, z = 3, w = 4}"},
                                 {"mine.f.z * 2", "6"},
                                 {"mine.kind", "second"},
                                 {"mine.kind == second", "true"},
                                 {"mine.low", "6"},
                                 {"mine.high", "17"},
                                 {"mine.yes", "true"},
                                 {"mine.d", "0.125"},
                                 {"mine.next->f.y", "2"},
                                 {"mine.next == &mine", "true"},
                                 {"(*mine.next).next->low", "6"},
                                 {"t", "3"},
                                 {"pixel.y", "2"},
                                 {"pixel", "{x = 1, y = 2, z = 3, w = 4}"},
                                 {"big", "1099511627778"},
                                 {"weights[1]", "1"},
                                 {"weights", "{0.5, 1, 2, 0, 0, 0, 0}"},
                                 {"counter", "9"},
                                 {"tile[3][7]", "31"},
                                 {"sizeof(tile)", "128"},
                                 {"sizeof(mine.f)", "16"},
                                 {"more[2]", "3"},
                                 {"more[4]@2", "{6, 7.5}"},
                                 {"*more@3", "{0, 1.5, 3}"},
                                 {"N", "7"},
                                 {"N + 1 << 2", "32"},
                                 {"threadIdx.x", "3"},
                                 {"blockDim.x * gridDim.x", "32"},
                                 {"%tid.x", "3"},
                                 {"$lane + $warp", "3"},
                                 {"warpSize", "32"},
                                 {"t > 2 ? 10 : 1 / 0", "10"},
                                 {"t && 0 || !0", "true"},
                                 {"-7 / 2", "-3"},
                                 {"-7 % 4", "-3"},
                                 {"-1 > 1u", "true"},
                                 {"(unsigned char)300", "44 ','"},
                                 {"(float)1 / 3", "0.33333334"},
                                 {"1.0 / 4", "0.25"},
                                 {"(int)2.75", "2"},
                                 {"~0", "-1"},
                                 {"0x80000000 >> 31", "1"},
                                 {"'a' + 1", "98"},
                                 {"*(float*)&more[2]", "3"},
                                 {"&more[3] - &more[1]", "2"},
                                 {"1e3f", "1000"}})
        EXPECT_EQ(one.value_of(one_case.expression), one_case.text) << one_case.expression;
    for (const char* wrong : {"nobody",     "t +",         "(t",      "t)",       "1 / 0",
                              "1 % 0",      "t.x",         "*t",      "mine + 1", "mine.nothing",
                              "t = 4",      "1 << 40",     "&t",      "part[",    "",
                              "'ab'",       "0x",          "12ab",    "@",        "more[1000000]",
                              "more@0",     "1 2",         "%r99999", "a::b",     "!",
                              "mine.f.x.y", "*(float*)16", "[1]",     "t->x",     "~1.5",
                              "(float4)t",  "sizeof",      "sizeof(", "?",        "1 ? 2"})
        EXPECT_THROW((void)one.value_of(wrong), DebugError) << wrong;
    // In a function that is inlined.
    (void)debugger.add_breakpoint({0, 9}, "", false);
    ASSERT_EQ(debugger.go_back().why, Why::breakpoint);
    EXPECT_EQ(one.value_of("product"), "3");
    EXPECT_EQ(debugger.view(debugger.focus()).stack().size(), 2u);
    EXPECT_EQ(debugger.value_text(debugger.parse("t"), {0, 3}, 1), "3");
}

TEST(Values, MutatedExpressionsHaveAValueOrAnError) {
    WS_NEED_COMPILER();
    Debugged one(kTypes, "k", {1, 1, 1}, {32, 1, 1});
    one.buffer(std::vector<int>(32)).value(std::uint32_t(1)).shared(128);
    one.debugger().set_stops_at_findings(false);
    (void)one.debugger().add_breakpoint({0, 30}, "", false);
    ASSERT_EQ(one.debugger().run().why, Why::breakpoint);
    const std::vector<std::string> parts{"mine",
                                         ".",
                                         "->",
                                         "next",
                                         "[",
                                         "]",
                                         "(",
                                         ")",
                                         "float",
                                         "*",
                                         "&",
                                         "t",
                                         "1",
                                         "0x7fffffffffffffff",
                                         "/",
                                         "%",
                                         "%r1",
                                         "@",
                                         "more",
                                         "-",
                                         "<<",
                                         "?",
                                         ":",
                                         "1.5f",
                                         "weights",
                                         "big",
                                         "sizeof",
                                         "!",
                                         "==",
                                         "(int)",
                                         "(unsigned char*)",
                                         "'a'",
                                         "inner",
                                         "b",
                                         " ",
                                         "$warp",
                                         "e5",
                                         "::"};
    std::mt19937 random(11);
    int fine = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (std::size_t count = 1 + random() % 9; count > 0; --count) text += parts[random() % parts.size()];
        try {
            (void)one.value_of(text);
            ++fine;
        } catch (const DebugError&) {
        }
    }
    EXPECT_GT(fine, 200);
    EXPECT_THROW((void)one.value_of(std::string(500, '(')), DebugError);
    EXPECT_THROW((void)one.value_of(std::string(1000, '-') + "1"), DebugError);
    EXPECT_THROW((void)one.value_of(std::string(100'000, '1')), DebugError);
    std::string deep = "mine";
    for (int i = 0; i < 200; ++i) deep += ".next";
    EXPECT_THROW((void)one.value_of(deep), DebugError);
}

TEST(Values, OfOptimisedCodeAreRegisters) {
    WS_NEED_COMPILER();
    Debugged one(kSum, "sum", {1, 1, 1}, {128, 1, 1}, true);
    one.buffer(ramp(128)).buffer(std::vector<float>(1));
    debug::Debugger& debugger = one.debugger();
    EXPECT_FALSE(debugger.text().knows_variables());
    (void)debugger.add_breakpoint({0, 8}, "threadIdx.x == 3", false);
    ASSERT_EQ(debugger.run().why, Why::breakpoint);
    EXPECT_EQ(one.value_of("part[3]"), "3") << "the declaration says what the shared array is";
    EXPECT_EQ(one.value_of("%tid.x"), "3");
    EXPECT_THROW((void)one.value_of("t"), DebugError);
    EXPECT_NE(one.say({"info registers"}).find("%r1"), std::string::npos);
}

}  // namespace
}  // namespace ws
