// Which launches may run their blocks in any order: those in which no block reads what another one may write.

#include <gtest/gtest.h>

#include <vector>

#include "gpu/simt/addresses.h"
#include "gpu/simt/block_order.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

constexpr std::uint64_t kBufferBytes = 4096;

// Buffers that lie one behind the other.
std::uint64_t buffer(int number) {
    return simt::kGlobalBase + std::uint64_t(number) * 2 * kBufferBytes;
}

// A kernel of this text with these parameters of 8 bytes.
bool stands_alone(const std::string& text, const std::vector<std::uint64_t>& parameters) {
    std::string entry;
    const std::string ptx = testing::ptx_of(text, "k", entry);
    const auto program = simt::load_program(ptx, entry);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.message());
    if (!program.ok()) return false;
    simt::KernelLaunch launch;
    launch.program = program.value();
    std::size_t bytes = 0;
    for (const std::uint64_t parameter : parameters) {
        launch.parameters.resize(bytes + sizeof parameter);
        std::memcpy(launch.parameters.data() + bytes, &parameter, sizeof parameter);
        bytes += sizeof parameter;
    }
    EXPECT_EQ(program.value()->parameter_bytes, bytes) << text;
    std::vector<simt::Region> regions;
    for (int i = 0; i < 4; ++i) regions.push_back({buffer(i), kBufferBytes, nullptr, true, i});
    regions.push_back({simt::kModuleBase, kBufferBytes, nullptr, true, simt::Region::kVariables});
    return simt::blocks_stand_alone(launch, regions);
}

std::string kernel(const std::string& parameters, const std::string& body) {
    return R"(extern "C" __global__ void k()" + parameters +
           ") { const int i = blockIdx.x * blockDim.x + threadIdx.x; " + body + "}";
}

TEST(BlockOrder, SaysNothingWhereEachBlockReadsWhatNoneWrites) {
    WS_NEED_COMPILER();
    const std::uint64_t a = buffer(0), b = buffer(1), c = buffer(2);
    EXPECT_TRUE(stands_alone(kernel("float* out", "out[i] = i;"), {a}));
    const std::string copies = kernel("float* out, float* in", "out[i] = in[i];");
    EXPECT_TRUE(stands_alone(copies, {a, b}));
    EXPECT_TRUE(stands_alone(copies, {a, b + 64})) << "from its middle";
    EXPECT_FALSE(stands_alone(copies, {a, a}));
    EXPECT_FALSE(stands_alone(copies, {a, a + 64}));
    const std::string gathers = kernel("float* out, float* in, int* which", "out[i] = in[which[i]];");
    EXPECT_TRUE(stands_alone(gathers, {a, b, c})) << "numbers that are loaded are no addresses";
    EXPECT_FALSE(stands_alone(gathers, {c, b, c}));
    const std::string moved = kernel("float* out, float* in, size_t by", "out[i + by] = in[i * by];");
    EXPECT_TRUE(stands_alone(moved, {a, b, 3}));
    EXPECT_TRUE(stands_alone(kernel("float* out, float* in",
                                    "__shared__ int sum; sum = 0; __syncthreads();"
                                    "atomicAdd(&sum, int(in[i])); __syncthreads(); out[i] = sum;"),
                             {a, b}))
        << "a block's own memory";
    EXPECT_TRUE(stands_alone("__device__ int table[64];\n" + kernel("int* out", "out[i] = table[i];"), {a}))
        << "a variable of the module";
}

TEST(BlockOrder, FollowsPointersThroughWhatIsComputed) {
    WS_NEED_COMPILER();
    const std::uint64_t a = buffer(0), b = buffer(1), c = buffer(2);
    const std::string either =
        kernel("float* out, float* one, float* two", "out[i] = (i % 3 == 0 ? one : two)[i];");
    EXPECT_TRUE(stands_alone(either, {a, b, c}));
    EXPECT_FALSE(stands_alone(either, {a, b, a}));
    EXPECT_FALSE(stands_alone(either, {a, a, c}));
    const std::string walks =
        kernel("float* out, float* in",
               "float s = 0; for (float* at = in + i; at < in + 512; at += 8) s += *at; out[i] = s;");
    EXPECT_TRUE(stands_alone(walks, {a, b}));
    EXPECT_FALSE(stands_alone(walks, {b, b}));
    const std::string together =
        "struct Two { float* out; float* in; };\n" + kernel("Two two", "two.out[i] = two.in[i + 1];");
    EXPECT_TRUE(stands_alone(together, {a, b}));
    EXPECT_FALSE(stands_alone(together, {b, b}));
}

TEST(BlockOrder, MattersWhereItIsNotKnown) {
    WS_NEED_COMPILER();
    const std::uint64_t a = buffer(0), b = buffer(1);
    EXPECT_FALSE(stands_alone(kernel("float* both", "both[i] = both[i + 1];"), {a}));
    EXPECT_FALSE(stands_alone(kernel("float* out, float** rows", "out[i] = *rows[i];"), {a, b}))
        << "an address that was loaded";
    EXPECT_FALSE(stands_alone(kernel("float** rows", "*rows[i] = 1;"), {a}));
    EXPECT_FALSE(stands_alone(kernel("int* sum", "atomicAdd(sum, i);"), {a}));
    EXPECT_FALSE(stands_alone("__device__ int count;\n" + kernel("int* out", "out[i] = count++;"), {a}))
        << "a variable of the module";
    EXPECT_FALSE(stands_alone(kernel("int* out", "out[i] = i; if (i == 3) printf(\"%d\", i);"), {a}))
        << "a call";
    EXPECT_FALSE(stands_alone(kernel("int* out, size_t in", "out[i] = *(int*)in;"), {a, 64}))
        << "what is no buffer's address";
}

}  // namespace
}  // namespace ws
