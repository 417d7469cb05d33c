// What kernels call: printf and assert, and functions through pointers.

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "gpu/simt/built_in_calls.h"
#include "gpu/simt/formatted_text.h"
#include "gpu/simt/print_sink.h"
#include "simt_support.h"

namespace ws {
namespace {

using testing::Kernel;

// ---- printf

// A buffer of arguments as the compiler lays them out, and memory of our own to read them from.
class Arguments {
  public:
    template <typename T>
    Arguments& add(T value) {
        bytes_.resize((bytes_.size() + sizeof value - 1) / sizeof value * sizeof value);
        const auto at = bytes_.size();
        bytes_.resize(at + sizeof value);
        std::memcpy(bytes_.data() + at, &value, sizeof value);
        return *this;
    }
    [[nodiscard]] simt::FormattedText print(const std::string& format) const {
        const auto read = [](std::uint64_t address, int count) -> std::optional<std::uint64_t> {
            if (address < 4096) return std::nullopt;
            std::uint64_t value = 0;
            std::memcpy(&value, reinterpret_cast<const void*>(address), std::size_t(count));
            return value;
        };
        return simt::formatted_text(read, format, std::uint64_t(bytes_.data()));
    }

  private:
    std::vector<std::byte> bytes_{0};
};

TEST(FormattedText, IsWhatCPrints) {
    char wanted[256];
    const auto expect = [&](const Arguments& given, const std::string& format) {
        const simt::FormattedText made = given.print(format);
        EXPECT_EQ(made.text, wanted) << format;
        return made.conversions;
    };
    std::snprintf(wanted, sizeof wanted, "%d|%5d|%-5d|%05d|%+d", -7, 42, 42, 42, 42);
    EXPECT_EQ(expect(Arguments().add(-7).add(42).add(42).add(42).add(42), "%d|%5d|%-5d|%05d|%+d"), 5);
    std::snprintf(wanted, sizeof wanted, "%u %x %#X %o %lld %llu %ld", 4000000000u, 255, 255, 8, -5ll, 6ull,
                  7l);
    EXPECT_EQ(expect(Arguments().add(4000000000u).add(255).add(255).add(8).add(-5ll).add(6ull).add(7ll),
                     "%u %x %#X %o %lld %llu %ld"),
              7);
    std::snprintf(wanted, sizeof wanted, "%f %.2f %10.3e %g %a", 1.5, 2.25, 1e10, 0.1, 1.0);
    EXPECT_EQ(expect(Arguments().add(1.5).add(2.25).add(1e10).add(0.1).add(1.0), "%f %.2f %10.3e %g %a"), 5);
    std::snprintf(wanted, sizeof wanted, "%*d|%.*f|%c%%", 6, 12, 3, 3.14159, 'x');
    EXPECT_EQ(expect(Arguments().add(6).add(12).add(3).add(3.14159).add(int('x')), "%*d|%.*f|%c%%"), 3);
    const char* text = "warp";
    std::snprintf(wanted, sizeof wanted, "%s|%6s|%-6s|%.2s", text, text, text, text);
    EXPECT_EQ(expect(Arguments().add(text).add(text).add(text).add(text), "%s|%6s|%-6s|%.2s"), 4);
    // An int after which a double lies at the next multiple of 8 bytes.
    std::snprintf(wanted, sizeof wanted, "%d %f %d %s", 1, 2.0, 3, text);
    EXPECT_EQ(expect(Arguments().add(1).add(2.0).add(3).add(text), "%d %f %d %s"), 4);
}

TEST(FormattedText, WhatIsNoConversionStands) {
    EXPECT_EQ(Arguments().print("100 %").text, "100 %");
    EXPECT_EQ(Arguments().print("%n%q").text, "%n%q");
    EXPECT_EQ(Arguments().add(std::uint64_t(0)).print("[%s]").text, "[]");  // a null pointer
    EXPECT_LT(Arguments().add(1).print("%999999999d").text.size(), 5000u);
}

TEST(PrintSink, KeepsTheLowestBlocks) {
    simt::PrintSink sink;
    sink.add(2, "c");
    sink.add(0, "a");
    sink.add(1, "b");
    EXPECT_EQ(sink.text(), "abc");
    EXPECT_FALSE(sink.is_cut());
    sink.add(1, std::string(simt::PrintSink::kMostBytes - 2, 'x'));
    EXPECT_TRUE(sink.is_cut());
    EXPECT_LE(sink.text().size(), simt::PrintSink::kMostBytes);
    EXPECT_EQ(sink.text().substr(0, 3), "abx");
    sink.add(2, "late");
    EXPECT_EQ(sink.text().find("late"), std::string::npos);
}

TEST(SimtPrint, ComesInTheOrderOfBlocksAndLanes) {
    WS_NEED_COMPILER();
    Kernel kernel(R"(extern "C" __global__ void k(int n) {
    if (threadIdx.x % 16 == 3) printf("%d.%d %s %.1f\n", blockIdx.x, threadIdx.x, n > 1 ? "many" : "one", 0.5f * n);
})",
                  "k");
    const auto outcome = kernel.value(3).run({3, 1, 1}, {64, 1, 1});
    std::string wanted;
    for (int block = 0; block < 3; ++block) {
        for (int thread = 3; thread < 64; thread += 16)
            wanted += fmt::format("{}.{} many 1.5\n", block, thread);
    }
    EXPECT_EQ(outcome.printed, wanted);
    EXPECT_FALSE(outcome.printed_cut);
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
}

TEST(SimtPrint, AnAssertionThatFailsEndsTheLaunch) {
    WS_NEED_COMPILER();
    const std::string text = R"(extern "C" __global__ void k(int* d, int n) {
    if (!(threadIdx.x < n)) __assertfail("threadIdx.x < n", "file.cu", 12, "k", 1);
    d[threadIdx.x] = 1;
})";
    std::vector<int> d(64);
    const auto kernel = [&](int n) {
        return Kernel(text, "k").buffer(d, false).value(n).run({1, 1, 1}, {64, 1, 1});
    };
    EXPECT_FALSE(kernel(64).stopped);
    EXPECT_TRUE(kernel(64).printed.empty());
    const auto outcome = kernel(62);
    EXPECT_TRUE(outcome.stopped);
    EXPECT_EQ(outcome.printed,
              "file.cu:12: k: block: [0,0,0], thread: [62,0,0] Assertion `threadIdx.x < n` failed.\n"
              "file.cu:12: k: block: [0,0,0], thread: [63,0,0] Assertion `threadIdx.x < n` failed.\n");
    EXPECT_TRUE(testing::found(outcome, Finding::Kind::stopped, 2)) << testing::findings_text(outcome);
    EXPECT_NE(testing::findings_text(outcome).find("'threadIdx.x < n' failed, thread (62, 0, 0)"),
              std::string::npos)
        << testing::findings_text(outcome);
}

// ---- pointers

const char* const kFunctions = R"(
typedef int (*Op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int twice(int a, int b) { return add(a, a) + b * 0; }
__device__ Op table[3] = {add, sub, twice};
__device__ float other(float x) { return x; }
__device__ float (*unused)(float) = other;
)";

TEST(SimtPointers, EachLaneCallsItsOwn) {
    WS_NEED_COMPILER();
    std::vector<int> d(64);
    Kernel kernel(std::string(kFunctions) + R"(extern "C" __global__ void k(int* d, int step) {
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i <= t % 4; ++i) sum += table[(t + i * step) % 3](t, 7 + i);
    d[t] = sum; })",
                  "k");
    const auto outcome = kernel.buffer(d, false).value(1).run({1, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    for (int t = 0; t < 64; ++t) {
        int sum = 0;
        for (int i = 0; i <= t % 4; ++i)
            sum += (t + i) % 3 == 0 ? t + 7 + i : (t + i) % 3 == 1 ? t - 7 - i : 2 * t;
        EXPECT_EQ(d[std::size_t(t)], sum) << t;
    }
}

TEST(SimtPointers, MayBeChosenByTheCode) {
    WS_NEED_COMPILER();
    std::vector<int> d(32);
    Kernel kernel(std::string(kFunctions) + R"(
__device__ __noinline__ int apply(Op op, int a) { return op(a, 5); }
extern "C" __global__ void k(int* d) {
    int t = threadIdx.x;
    Op op = t & 1 ? add : sub;
    if (t > 3) d[t] = apply(op, 10 * t); else d[t] = -1; })",
                  "k");
    const auto outcome = kernel.buffer(d, false).run({1, 1, 1}, {32, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    for (int t = 0; t < 32; ++t) EXPECT_EQ(d[std::size_t(t)], t <= 3 ? -1 : t & 1 ? 10 * t + 5 : 10 * t - 5);
}

TEST(SimtPointers, ThatPointNowhereEndTheLaunch) {
    WS_NEED_COMPILER();
    const std::string kernel_text = std::string(kFunctions) + R"(
extern "C" __global__ void k(int* d, Op op) { d[threadIdx.x] = op(1, 2); })";
    for (const std::uint64_t pointer : {0ull, 0x1234ull}) {
        std::vector<int> d(32);
        Kernel kernel(kernel_text, "k");
        const auto outcome = kernel.buffer(d, false).value(pointer).run({1, 1, 1}, {32, 1, 1});
        EXPECT_TRUE(outcome.stopped);
        EXPECT_NE(testing::findings_text(outcome).find("through a pointer"), std::string::npos)
            << testing::findings_text(outcome);
    }
}

}  // namespace
}  // namespace ws
