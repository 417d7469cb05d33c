// Divergence and barriers on the simulated GPU, and every kind of fault that it must find.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "simt_support.h"

namespace ws {
namespace {

using testing::found;
using testing::Kernel;

// ---- divergence and barriers

TEST(SimtFlow, NestedLoopsAndEarlyExits) {
    WS_NEED_COMPILER();
    std::vector<int> d(200);
    Kernel kernel(
        R"(extern "C" __global__ void k(int* d, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) return;
        int sum = 0;
        for (int a = 0; a < i % 11; ++a) { if (a == 7) break; for (int b = a; b < i % 5; ++b) { if ((a + b) % 3 == 1) continue; sum += a * b + 1; } }
        if (i % 13 == 4) { d[i] = -sum; return; }
        d[i] = sum; })",
        "k");
    const auto outcome = kernel.buffer(d, false).value(200).run({4, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    for (int i = 0; i < 200; ++i) {
        int sum = 0;
        for (int a = 0; a < i % 11; ++a) {
            if (a == 7) break;
            for (int b = a; b < i % 5; ++b) {
                if ((a + b) % 3 == 1) continue;
                sum += a * b + 1;
            }
        }
        EXPECT_EQ(d[std::size_t(i)], i % 13 == 4 ? -sum : sum) << i;
    }
    EXPECT_GT(outcome.counters.total.divergent_branches, 0u);
    EXPECT_LT(outcome.counters.total.warp_execution_efficiency(), 0.95);
}

TEST(SimtFlow, EndlessLoopsAreStopped) {
    WS_NEED_COMPILER();
    std::vector<int> d(32);
    Kernel kernel("extern \"C\" __global__ void k(volatile int* d) {\n while (d[threadIdx.x] == 0) {}\n}",
                  "k");
    kernel.options().step_limit = 100000;
    const auto outcome = kernel.buffer(d).run({1, 1, 1}, {32, 1, 1});
    EXPECT_TRUE(outcome.stopped);
    EXPECT_TRUE(found(outcome, Finding::Kind::stopped, 2)) << testing::findings_text(outcome);
}

TEST(SimtFlow, CancellingEndsABlockThatNeverEnds) {
    WS_NEED_COMPILER();
    std::vector<int> d(32);
    Kernel kernel("extern \"C\" __global__ void k(volatile int* d) {\n while (d[threadIdx.x] == 0) {}\n}",
                  "k");
    std::atomic<bool> cancel{false};
    kernel.options().cancel = &cancel;
    kernel.options().step_limit = ~0ull;
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        cancel = true;
    });
    const auto outcome = kernel.buffer(d).run({1, 1, 1}, {32, 1, 1});
    other.join();
    EXPECT_TRUE(outcome.cancelled);
    EXPECT_FALSE(outcome.stopped);
    EXPECT_TRUE(outcome.counters.findings.empty());
}

TEST(SimtFlow, ABarrierThatCannotBeMetIsADeadlock) {
    WS_NEED_COMPILER();
    std::vector<int> d(64);
    Kernel kernel(R"(extern "C" __global__ void k(int* d) {
        if (threadIdx.x < 32) asm volatile("bar.sync 1;"); else asm volatile("bar.sync 2;");
        d[threadIdx.x] = 1; })",
                  "k");
    const auto outcome = kernel.buffer(d).run({1, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(outcome.stopped);
    EXPECT_NE(testing::findings_text(outcome).find("deadlock"), std::string::npos)
        << testing::findings_text(outcome);
}

TEST(SimtFlow, ABarrierInDivergentCodeIsTold) {
    WS_NEED_COMPILER();
    std::vector<int> d(64);
    Kernel kernel(
        "extern \"C\" __global__ void k(int* d) {\n if (threadIdx.x % 2) {\n  d[threadIdx.x] = 1;\n  asm "
        "volatile(\"bar.sync 0;\");\n }\n}",
        "k");
    const auto outcome = kernel.buffer(d).run({1, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(found(outcome, Finding::Kind::divergent_barrier, 4)) << testing::findings_text(outcome);
}

// ---- findings

// Runs a kernel of lines over an int buffer of 64 elements and one of 64 that nothing wrote.
simt::LaunchOutcome faulty(const std::string& body, simt::Shape block = {64, 1, 1}, int grid = 1) {
    static std::vector<int> in(64, 1), out(64);
    std::fill(out.begin(), out.end(), 0);
    Kernel kernel(
        "extern \"C\" __global__ void k(int* out, int* in) {\n int t = threadIdx.x;\n" + body + "\n}", "k");
    return kernel.buffer(out, false).buffer(in).run({grid, 1, 1}, block);
}

TEST(SimtChecks, SoundKernelsGiveNone) {
    WS_NEED_COMPILER();
    const auto outcome = faulty("__shared__ int s[64]; s[t] = in[t]; __syncthreads(); out[t] = s[63 - t];");
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
}

TEST(SimtChecks, OutOfBounds) {
    WS_NEED_COMPILER();
    const auto read = faulty("out[t] = in[t + 1];");
    EXPECT_TRUE(found(read, Finding::Kind::out_of_bounds, 3));
    EXPECT_NE(testing::findings_text(read).find("block (0, 0, 0), thread (63, 0, 0)"), std::string::npos)
        << testing::findings_text(read);
    EXPECT_TRUE(found(faulty("out[t] = 1;\n out[t * 2] = in[t];"), Finding::Kind::out_of_bounds, 4));
    EXPECT_TRUE(found(faulty("out[t] = in[t - 1];"), Finding::Kind::out_of_bounds, 3));
    EXPECT_TRUE(found(faulty("__shared__ int s[64]; s[t] = 0;\n __syncthreads(); out[t] = s[t + in[t]];"),
                      Finding::Kind::out_of_bounds, 4));
    EXPECT_TRUE(found(faulty("*(int*)(long long)(t * 8) = 1; out[t] = 1;"), Finding::Kind::out_of_bounds, 3));
}

TEST(SimtChecks, Misaligned) {
    WS_NEED_COMPILER();
    EXPECT_TRUE(found(faulty("out[t] = *(int*)((char*)in + t);"), Finding::Kind::misaligned, 3));
}

TEST(SimtChecks, Uninitialised) {
    WS_NEED_COMPILER();
    EXPECT_TRUE(found(faulty("in[t] = out[t]; out[t] = 1;"), Finding::Kind::uninitialised, 3));
    EXPECT_TRUE(found(
        faulty("volatile __shared__ int s[64]; if (t < 32) s[t] = 1;\n __syncthreads();\n out[t] = s[t];"),
        Finding::Kind::uninitialised, 5));
}

TEST(SimtChecks, RacesOnSharedMemory) {
    WS_NEED_COMPILER();
    EXPECT_TRUE(found(faulty("volatile __shared__ int s[64]; s[t] = in[t];\n out[t] = s[63 - t];"),
                      Finding::Kind::race_shared));
    EXPECT_TRUE(found(faulty("volatile __shared__ int s[64]; s[0] = t;\n __syncthreads(); out[t] = s[0];"),
                      Finding::Kind::race_shared, 3));
    EXPECT_TRUE(found(
        faulty(
            "volatile __shared__ int s[64]; s[t] = in[t]; __syncthreads(); out[t] = s[63 - t];\n s[t] = 2;"),
        Finding::Kind::race_shared, 4));
    // Within a warp its synchronising instructions order the lanes.
    const auto warp = faulty(
        "volatile __shared__ int s[32]; s[t] = in[t]; __syncwarp(); out[t] = s[31 - t]; out[t + 32] = 1;",
        {32, 1, 1});
    EXPECT_TRUE(warp.counters.findings.empty()) << testing::findings_text(warp);
    EXPECT_TRUE(
        found(faulty("volatile __shared__ int s[32]; s[t] = in[t]; out[t] = s[31 - t]; out[t + 32] = 1;",
                     {32, 1, 1}),
              Finding::Kind::race_shared, 3));
}

TEST(SimtChecks, RacesOnGlobalMemory) {
    WS_NEED_COMPILER();
    EXPECT_TRUE(found(faulty("out[t / 2] = t; out[t / 2 + 32] = 1;"), Finding::Kind::race_global, 3));
    EXPECT_TRUE(found(faulty("out[t] = blockIdx.x;", {64, 1, 1}, 2), Finding::Kind::race_global, 3));
    EXPECT_TRUE(found(faulty("out[t] = in[t];", {64, 1, 1}, 2), Finding::Kind::same_value, 3))
        << "two blocks write the same";
    const auto atomics = faulty("atomicAdd(&in[0], t); out[t] = 1;");
    EXPECT_TRUE(atomics.counters.findings.empty()) << testing::findings_text(atomics);
}

TEST(SimtChecks, UnwrittenOutput) {
    WS_NEED_COMPILER();
    EXPECT_TRUE(found(faulty("if (t < 50) out[t] = in[t];"), Finding::Kind::unwritten));
}

}  // namespace
}  // namespace ws
