// Loads of neighbouring words of shared memory: joined as ptxas 13.0 joins them for 7.5 and 9.0 (as its
// machine code for each of these bodies shows), executed and checked one by one.

#include <gtest/gtest.h>

#include <vector>

#include "tests/simt_support.h"

namespace ws {
namespace {

using testing::Kernel;

struct Body {
    const char* text;
    std::vector<int> machine;  // bytes of the machine's loads
};

// One warp, n = 2; p is float p[64][16].
const Body kBodies[] = {
    {"o[t] = r[0] * r[1];", {8}},
    {"o[t] = r[1] * r[2];", {4, 4}},
    {"o[t] = r[0] * r[1] + r[2];", {16}},
    {"o[t] = r[1] * r[2] + r[3];", {16}},
    {"o[t] = r[2] * r[3] + r[4] * r[5];", {8, 8}},
    {"o[t] = r[1] * r[2] + r[3] * r[4];", {16, 4}},
    {"o[t] = r[0] * r[1] + r[3];", {16}},
    {"o[t] = r[0] * r[2] + r[3];", {16}},
    {"o[t] = r[0] * r[2];", {4, 4}},
    {"o[t] = r[0] * r[1] + r[2] * r[3] + r[4];", {16, 4}},
    {"o[t] = r[-2] * r[-1] + r[-3];", {16}},
    {"o[t] = r[0] * __float_as_int(r[1]) + ((int*)r)[2];", {16}},
    // NVRTC loads a.y once more.
    {"const float2* f = (const float2*)r; float2 a = f[0], b = f[1]; o[t] = a.x * a.y + b.x * b.y;", {16, 4}},
    {"const float2* f = (const float2*)r; float2 a = f[1], b = f[2]; o[t] = a.x * a.y + b.x * b.y;",
     {8, 8, 4}},
    // How the address is computed says how it is aligned.
    {"const float* s = &p[0][0] + 4 * t; o[t] = s[0] * s[1] + s[2] + s[3];", {16}},
    {"const float* s = &p[0][0] + 2 * t; o[t] = s[0] * s[1] + s[2] + s[3];", {8, 8}},
    {"const float* s = &p[0][0] + 3 * t; o[t] = s[0] * s[1] + s[2] + s[3];", {4, 4, 4, 4}},
    {"const float* s = &p[0][0] + (n & ~3); o[t] = s[0] * s[1];", {8}},
    {"const float* s = &p[0][0] + 4 * min(t, n); o[t] = s[0] * s[1];", {8}},
    {"const float* s = &p[0][0] + (n / 3 * 4); o[t] = s[0] * s[1];", {8}},
    // What lies between.
    {"float a = r[0]; p[t][3] = a; o[t] = a * r[1];", {4, 4}},
    {"float a = r[0]; __syncthreads(); o[t] = a * r[1];", {4, 4}},
    {"float a = r[0]; __syncwarp(); o[t] = a + r[1];", {4, 4}},
    {"float a = r[0]; o[t + 32] = a; o[t] = a * r[1];", {8}},
    {"float a = r[0]; atomicAdd(o + 32, 1.0f); o[t] = a * r[1];", {8}},
    {"float a = __shfl_xor_sync(~0u, r[0], 1); o[t] = a + r[1];", {8}},
    {"volatile float* v = (float*)r; o[t] = v[0] * v[1];", {4, 4}},
    // Narrow ones stay as the PTX has them, two doubles are one load.
    {"const short* s = (const short*)r; o[t] = s[0] * s[1] + s[2] * s[3];", {4, 2, 2}},
    {"const double* d = (const double*)r; o[t] = d[0] + d[1];", {16}},
};

TEST(JoinedLoads, AreThoseOfTheMachine) {
    WS_NEED_COMPILER();
    for (const Body& body : kBodies) {
        Kernel kernel(std::string("extern \"C\" __global__ void k(float* o, const float* in, int n) {\n"
                                  "int t = threadIdx.x; __shared__ float p[64][16];\n"
                                  "if (t < 16) for (int i = 0; i < 32; ++i) p[i + 32][t] = p[i][t] = in[t];\n"
                                  "__syncthreads(); const float* r = p[n];\n") +
                          body.text + "\n}",
                      "k", "H200", 90);
        std::vector<float> out(64);
        const std::vector<float> given(32, 1.5f);
        std::vector<float> in = given;
        const auto outcome = kernel.buffer(out).buffer(in).value(2).run({1, 1, 1}, {32, 1, 1});
        EXPECT_TRUE(outcome.counters.findings.empty()) << body.text << "\n"
                                                       << testing::findings_text(outcome);
        EXPECT_EQ(outcome.counters.total.shared_load.requests, body.machine.size()) << body.text;
        // Every lane asks for the same address or for its own; of 16 bytes a broadcast takes two wavefronts.
        std::uint64_t ideal = 0;
        for (const int bytes : body.machine) ideal += bytes > 8 ? 2 : 1;
        EXPECT_GE(outcome.counters.total.shared_load.ideal, ideal) << body.text;
    }
}

// A row of a tile by 16-byte loads: what the H200 counts (6,294,162, with what its counters add by chance).
TEST(JoinedLoads, WavefrontsOfATiledProduct) {
    WS_NEED_COMPILER();
    const char* source = R"(extern "C" __global__ void tile(const float* a, const float* b, float* c, int n) {
        __shared__ float p[16][16], q[16][16];
        int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
        float s = 0;
        for (int k = 0; k < n; k += 16) {
            p[ty][tx] = a[y * n + k + tx]; q[ty][tx] = b[(k + ty) * n + x];
            __syncthreads();
            for (int i = 0; i < 16; i++) s += p[ty][i] * q[i][tx];
            __syncthreads();
        }
        c[y * n + x] = s; })";
    constexpr int kSide = 512;
    Kernel kernel(source, "tile", "H200", 90);
    kernel.options().check = false;
    std::vector<float> a(kSide * kSide, 1.0f);
    std::vector<float> b(kSide * kSide, 2.0f);
    std::vector<float> c(kSide * kSide, -1.0f);
    const auto outcome = kernel.buffer(a).buffer(b).buffer(c).value(kSide).run({32, 32, 1}, {16, 16, 1});
    EXPECT_EQ(c, std::vector<float>(kSide * kSide, 2.0f * kSide));
    EXPECT_EQ(outcome.counters.total.shared_load.wavefronts, 6'291'456u);
    EXPECT_NEAR(double(outcome.counters.total.shared_load.wavefronts) / 6'294'162, 1, 0.001);
    EXPECT_EQ(outcome.counters.total.shared_load.requests, 5'242'880u) << "16 + 4 a tile and warp";
}

// A joined load brings a word that the program does not ask for: nobody looks whether that was written.
TEST(JoinedLoads, AreCheckedWordByWord) {
    WS_NEED_COMPILER();
    for (const bool asks : {false, true}) {
        Kernel kernel(std::string("extern \"C\" __global__ void k(float* o, const float* in, int n) {\n"
                                  "int t = threadIdx.x; __shared__ float p[16];\n"
                                  "if (t < 3) p[t + 1] = in[t];\n__syncthreads();\n"
                                  "o[t] = p[1] + p[2] * p[3]") +
                          (asks ? " - p[0]" : "") + ";\n}",
                      "k", "H200", 90);
        std::vector<float> out(32);
        std::vector<float> in(32, 1.0f);
        const auto outcome = kernel.buffer(out).buffer(in).value(0).run({1, 1, 1}, {32, 1, 1});
        EXPECT_EQ(testing::found(outcome, Finding::Kind::uninitialised), asks)
            << testing::findings_text(outcome);
        EXPECT_EQ(outcome.counters.total.shared_load.requests, 1u);
    }
}

}  // namespace
}  // namespace ws
