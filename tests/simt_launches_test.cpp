// Kernels that launch kernels on the simulated GPU: parameters, grids, streams, order, what is refused; and
// that their machine code can be linked.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gpu/compile/device_runtime.h"
#include "gpu/core/error.h"
#include "simt_support.h"
#include "tests/architectures.h"

namespace ws {
namespace {

using testing::found;
using testing::Kernel;
using testing::Ran;
using testing::run_source;

// A child kernel, then k, whose first thread does what the body says, from line 4 on.
Ran launched(const std::string& child, const std::string& body, simt::Shape block = {32, 1, 1}, int grid = 1,
             bool check = true) {
    const std::string text = child + "\nextern \"C\" __global__ void k(int* out, int* in) {\n" +
                             " int t = threadIdx.x; if (t != 0) return;\n" + body + "\n}\n";
    return run_source(text, block, grid, 75, check);
}
const std::string kMarks =
    "__global__ void marks(int* at, int value) { at[blockIdx.x * blockDim.x + "
    "threadIdx.x] = value; }";

TEST(SimtLaunches, RunAGridOfAKernelWithItsParameters) {
    WS_NEED_COMPILER();
    const Ran made = launched(kMarks, " marks<<<2, 16>>>(out + 3, 7);");
    EXPECT_TRUE(made.clean()) << made;
    for (int i = 0; i < 256; ++i) EXPECT_EQ(made.out[std::size_t(i)], i >= 3 && i < 35 ? 7 : 0) << i;
}

TEST(SimtLaunches, PassParametersOfEveryKindAsTheHostDoes) {
    WS_NEED_COMPILER();
    const Ran made = launched(
        "struct Pair { char kind; double number; }; struct Three { short at[3]; };\n"
        "__global__ void child(char a, int* out, double b, Pair pair, unsigned char c, Three three, long "
        "long d) "
        "{ out[0] = a; out[1] = int(b); out[2] = pair.kind; out[3] = int(pair.number); out[4] = c; out[5] = "
        "three.at[2]; out[6] = int(d >> 32); }",
        " child<<<1, 1>>>('a', out, -2.5e3, Pair{'b', 99}, 200, Three{{1, 2, -3}}, 5ll << 32);");
    EXPECT_TRUE(made.clean()) << made;
    const std::vector<int> wanted{'a', -2500, 'b', 99, 200, -3, 5};
    EXPECT_EQ(std::vector<int>(made.out.begin(), made.out.begin() + 7), wanted);
}

TEST(SimtLaunches, HaveGridsBlocksAndSharedMemoryOfTheirOwn) {
    WS_NEED_COMPILER();
    const Ran made = launched(
        "__global__ void child(int* out) { extern __shared__ int room[];\n"
        " const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
        " const int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);\n"
        " room[t] = b; __syncthreads(); if (t == 0) out[b] = room[blockDim.x * blockDim.y * blockDim.z - 1] "
        "+ 1; }",
        " child<<<dim3(2, 3, 4), dim3(4, 3, 2), 24 * sizeof(int)>>>(out);");
    EXPECT_TRUE(made.clean()) << made;
    for (int i = 0; i < 24; ++i) EXPECT_EQ(made.out[std::size_t(i)], i + 1) << i;
    EXPECT_EQ(made.out[24], 0);
}

// In one stream one after the other; the tail stream behind all, with what they launched themselves.
TEST(SimtLaunches, KeepTheOrderOfStreams) {
    WS_NEED_COMPILER();
    const std::string child =
        "__device__ int next; __global__ void child(int* out, int number) { out[next++] = number; }\n"
        "__global__ void twice(int* out, int number) { child<<<1, 1>>>(out, number); out[next++] = number + "
        "1; }";
    const Ran made = launched(child,
                              " child<<<1, 1, 0, cudaStreamTailLaunch>>>(out, 9);\n"
                              " twice<<<1, 1>>>(out, 1); child<<<1, 1>>>(out, 3);\n"
                              " cudaStream_t own; out[200] = cudaStreamCreateWithFlags(&own, "
                              "cudaStreamNonBlocking);\n"
                              " child<<<1, 1, 0, own>>>(out, 4); out[201] = cudaStreamDestroy(own);\n"
                              " child<<<1, 1, 0, cudaStreamFireAndForget>>>(out, 5); out[202] = 1;");
    EXPECT_TRUE(made.clean()) << made;
    const std::vector<int> wanted{2, 1, 3, 4, 5, 9, 0};
    EXPECT_EQ(std::vector<int>(made.out.begin(), made.out.begin() + 7), wanted);
    EXPECT_EQ(std::vector<int>(made.out.begin() + 200, made.out.begin() + 203), (std::vector<int>{0, 0, 1}));
}

TEST(SimtLaunches, NestToACertainDepth) {
    WS_NEED_COMPILER();
    const std::string child =
        "__global__ void deeper(int* out, int depth) { out[depth] = depth; if (depth < DEPTH) { deeper<<<1, "
        "1>>>(out, depth + 1); out[100] = cudaPeekAtLastError(); out[101] = cudaGetLastError(); out[102] = "
        "cudaGetLastError(); } }";
    const Ran made = launched("#define DEPTH 24\n" + child, " deeper<<<1, 1>>>(out, 1);");
    EXPECT_TRUE(made.clean()) << made;
    for (int i = 1; i <= 24; ++i) EXPECT_EQ(made.out[std::size_t(i)], i);
    EXPECT_EQ(made.out[100], 0);
    const Ran over = launched("#define DEPTH 25\n" + child, " deeper<<<1, 1>>>(out, 1);");
    EXPECT_TRUE(over.finds(Finding::Kind::refused_launch, 2)) << over;
    EXPECT_TRUE(over.says("cudaErrorLaunchMaxDepthExceeded ('")) << over;
    EXPECT_EQ(over.out[24], 24);
    EXPECT_EQ(over.out[25], 0);
    EXPECT_EQ(over.out[100], 65);
    EXPECT_EQ(over.out[101], 65);
    EXPECT_EQ(over.out[102], 0) << "it was taken";
}

TEST(SimtLaunches, WaitInAPoolThatHasAnEnd) {
    WS_NEED_COMPILER();
    const std::string child = "__global__ void one(int* out) { ++out[0]; }";
    const std::string body =
        " for (int i = 0; i < COUNT; ++i) { one<<<1, 1>>>(out);\n"
        " if (cudaGetLastError() != cudaSuccess) ++out[1]; }";
    const Ran fits = launched("#define COUNT 2048\n" + child, body, {32, 1, 1}, 1, false);
    EXPECT_TRUE(fits.clean()) << fits;
    EXPECT_EQ(fits.out[0], 2048);
    EXPECT_EQ(fits.out[1], 0);
    const Ran over = launched("#define COUNT 2060\n" + child, body, {32, 1, 1}, 1, false);
    EXPECT_EQ(over.out[0], 2048);
    EXPECT_EQ(over.out[1], 12);
    EXPECT_TRUE(over.finds(Finding::Kind::refused_launch, 5)) << over;
    EXPECT_TRUE(over.says("cudaErrorLaunchPendingCountExceeded")) << over;
    EXPECT_EQ(severity_of(Finding::Kind::refused_launch), Severity::error);
}

TEST(SimtLaunches, RefuseWhatTheGpuWouldNotTake) {
    WS_NEED_COMPILER();
    const Ran made = launched(kMarks,
                              " marks<<<1, 2048>>>(out, 1);\n out[10] = cudaGetLastError();\n"
                              " marks<<<0, 32>>>(out, 1);\n out[11] = cudaGetLastError();\n"
                              " marks<<<1, 32, 1 << 20>>>(out, 1);\n out[12] = cudaGetLastError();\n"
                              " marks<<<1, 4>>>(out, 1); out[13] = cudaGetLastError();");
    EXPECT_TRUE(made.says("cudaErrorInvalidConfiguration (a block of 2048 x 1 x 1 threads has 2048 along x"))
        << made;
    EXPECT_TRUE(made.finds(Finding::Kind::refused_launch, 4)) << made;
    EXPECT_TRUE(made.finds(Finding::Kind::refused_launch, 6)) << made;
    EXPECT_TRUE(made.finds(Finding::Kind::refused_launch, 8)) << made;
    EXPECT_EQ(std::vector<int>(made.out.begin() + 10, made.out.begin() + 14), (std::vector<int>{9, 9, 1, 0}));
    EXPECT_EQ(made.out[3], 1);
}

TEST(SimtLaunches, FaultsOfAChildSayWhereItCameFrom) {
    WS_NEED_COMPILER();
    const Ran outside =
        launched("__global__ void child(int* out) {\n out[1000] = 1; }", " child<<<1, 1>>>(out);");
    EXPECT_TRUE(outside.finds(Finding::Kind::out_of_bounds, 2)) << outside;
    EXPECT_TRUE(outside.says("in a grid of 'child' that line 5 launched")) << outside;
    const Ran trapped = launched("__global__ void child(int* out) { if (out[0] == 1) __trap(); ++out[0]; }",
                                 " child<<<1, 1>>>(out); child<<<1, 1>>>(out); child<<<1, 1>>>(out);");
    EXPECT_TRUE(trapped.outcome.stopped);
    EXPECT_TRUE(trapped.finds(Finding::Kind::stopped, 1)) << trapped;
    EXPECT_EQ(trapped.out[0], 1);
    const Ran raced =
        launched("__global__ void child(int* out) { out[0] = threadIdx.x; }", " child<<<1, 64>>>(out);");
    EXPECT_TRUE(raced.finds(Finding::Kind::race_global, 1)) << raced;
}

// What one grid has written, another one may read; what none has written stays a finding.
TEST(SimtLaunches, SeeWhatGridsBeforeHaveWritten) {
    WS_NEED_COMPILER();
    const std::string text =
        "__global__ void rest(int* out, int from) { out[from + threadIdx.x] = out[0] + threadIdx.x; }\n"
        "extern \"C\" __global__ void k(int* out, int count) { out[0] = 5; rest<<<1, count>>>(out, 1); }";
    std::vector<int> out(64);
    Kernel whole(text, "k");
    const auto clean = whole.buffer(out, false).value(63).run({1, 1, 1}, {1, 1, 1});
    EXPECT_TRUE(clean.counters.findings.empty()) << testing::findings_text(clean);
    EXPECT_EQ(out[63], 5 + 62);
    Kernel part(text, "k");
    const auto notes = part.buffer(out, false).value(60).run({1, 1, 1}, {1, 1, 1});
    EXPECT_TRUE(found(notes, Finding::Kind::unwritten)) << testing::findings_text(notes);
    EXPECT_NE(testing::findings_text(notes).find("12 of 256 bytes"), std::string::npos);
    Kernel unknown(
        "__global__ void sums(int* out) { out[0] = out[1]; }\n"
        "extern \"C\" __global__ void k(int* out, int) { sums<<<1, 1>>>(out); }",
        "k");
    const auto bad = unknown.buffer(out, false).value(0).run({1, 1, 1}, {1, 1, 1});
    EXPECT_TRUE(found(bad, Finding::Kind::uninitialised)) << testing::findings_text(bad);
}

TEST(SimtLaunches, CountWhatChildrenDo) {
    WS_NEED_COMPILER();
    const std::string body = " for (int i = 0; i < 3; ++i)\n marks<<<4, 32>>>(out + 128 * (i % 2), i);";
    const Ran made = launched(kMarks, body, {32, 1, 1}, 1, false);
    const InstructionCounts& total = made.outcome.counters.total;
    EXPECT_EQ(total.device_launches, 3u);
    const auto lines = testing::counts_by_line(made.outcome);
    EXPECT_EQ(lines.at(5).device_launches, 3u);
    EXPECT_EQ(lines.at(1).global_store.requests, 12u);
    EXPECT_EQ(lines.at(1).global_store.sectors, 48u);
    EXPECT_EQ(made.outcome.counters.blocks_total, 1u) << "of the host's launch";
    std::uint64_t sum = 0;
    for (const auto& [line, counts] : lines) sum += counts.instructions;
    EXPECT_EQ(sum, total.instructions);
    // Blocks of a sample launch, too, and are scaled as such.
    EXPECT_EQ(total.scaled(2.5).device_launches, 8u);
}

TEST(SimtLaunches, AreNotThereBefore3_5) {
    WS_NEED_COMPILER();
    std::vector<int> out(64, 0);
    Kernel old(kMarks + "\nextern \"C\" __global__ void k(int* out) { marks<<<1, 32>>>(out, 1); }", "k",
               "GTX 650 Ti");
    try {
        (void)old.buffer(out).run({1, 1, 1}, {1, 1, 1});
        FAIL();
    } catch (const RefusedLaunch& refused) {
        EXPECT_NE(refused.reason().find("3.5 (launches from kernels)"), std::string::npos)
            << refused.reason();
    }
}

// ---- their machine code

CompiledKernel compiled(const std::string& text, int architecture, bool to_ptx = false) {
    CompileRequest request;
    request.name = "test";
    request.text = text;
    request.entry = "k";
    request.architecture = architecture;
    request.to_ptx = to_ptx;
    Result<CompiledKernel> made = testing::compiler()->compile(request);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.message());
    return made.ok() ? made.value() : CompiledKernel{};
}
const std::string kLaunching =
    kMarks + "\nextern \"C\" __global__ void k(int* out) { marks<<<1, 32>>>(out, 1); }";

TEST(DeviceRuntime, IsForTextsThatLaunch) {
    EXPECT_TRUE(launches_kernels("void f() { g<<<1, 2>>>(); }"));
    EXPECT_FALSE(launches_kernels("// g<<<1, 2>>>();\nconst char* text = \"<<<\"; int a = b << 3;"));
    WS_NEED_COMPILER();
    const int architecture = testing::compiler()->architectures().back();
    EXPECT_FALSE(needs_device_runtime(compiled("extern \"C\" __global__ void k() {}", architecture)));
    EXPECT_TRUE(needs_device_runtime(compiled(kLaunching, architecture)));
    EXPECT_TRUE(needs_device_runtime(compiled(kLaunching, 75, true)));
}

TEST(DeviceRuntime, IsLinkedWithTheMachineCode) {
    WS_NEED_COMPILER();
    // Of the GPUs that are no part of a chip with a processor: others' libraries have the runtime for those.
    for (const int architecture : testing::kArchitectures) {
        if (!testing::builds(*testing::compiler(), architecture)) continue;
        CompiledKernel kernel = compiled(kLaunching, architecture);
        Result<std::vector<char>> linked = with_device_runtime(kernel);
        if (!linked.ok() && linked.message().find("is missing") != std::string::npos)
            GTEST_SKIP() << linked.message();
        ASSERT_TRUE(linked.ok()) << linked.message();
        kernel.binary = std::move(linked.value());
        EXPECT_FALSE(needs_device_runtime(kernel)) << architecture;
    }
}

TEST(DeviceRuntime, IsNamedWhereItIsMissing) {
    WS_NEED_COMPILER();
    const CompiledKernel kernel = compiled(kLaunching, testing::compiler()->architectures().back());
    setenv("WARPSCOPE_NVJITLINK", "/nowhere/libnvJitLink.so", 1);
    const Result<std::vector<char>> without_linker = with_device_runtime(kernel);
    unsetenv("WARPSCOPE_NVJITLINK");
    ASSERT_FALSE(without_linker.ok());
    EXPECT_NE(without_linker.message().find("libnvJitLink"), std::string::npos);
    EXPECT_NE(without_linker.message().find("--device simt"), std::string::npos);
    setenv("WARPSCOPE_CUDADEVRT", "/nowhere/libcudadevrt.a", 1);
    const Result<std::vector<char>> without_runtime = with_device_runtime(kernel);
    unsetenv("WARPSCOPE_CUDADEVRT");
    ASSERT_FALSE(without_runtime.ok());
    EXPECT_NE(without_runtime.message().find("libcudadevrt.a"), std::string::npos)
        << without_runtime.message();
    const Result<std::vector<char>> ptx = with_device_runtime(compiled(kLaunching, 75, true));
    ASSERT_FALSE(ptx.ok());
    EXPECT_NE(ptx.message().find("has no assembler"), std::string::npos);
}

}  // namespace
}  // namespace ws
