// Launches that hardware refuses: limits by compute capability, launch bounds, shared memory, registers, and
// instructions that a GPU lacks; and launches that end early.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "gpu/compile/kernel_library.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/labs.h"
#include "gpu/simt/launch_limits.h"
#include "gpu/simt/requirements.h"
#include "tests/compiled_kernels.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

constexpr const char* kKernels = R"(
extern "C" {
__global__ void plain(int* o) { o[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128) bounded(int* o) { o[threadIdx.x] = 1; }
__global__ void tile20k(int* o) { __shared__ int s[5000]; s[threadIdx.x] = o[0]; __syncthreads(); o[1] = s[o[2]]; }
__global__ void tile50k(int* o) { __shared__ int s[12500]; s[threadIdx.x] = o[0]; __syncthreads(); o[1] = s[o[2]]; }
__global__ void dynamic(int* o) { extern __shared__ int s[]; s[threadIdx.x] = o[0]; __syncthreads(); o[1] = s[o[2]]; }
__global__ void atomic_global(int* o) { atomicAdd(o, 1); }
__global__ void atomic_shared(int* o) { __shared__ int s; atomicAdd(&s, o[0]); __syncthreads(); o[1] = s; }
__global__ void atomic_wide(unsigned long long* o) { atomicAdd(o, 1ull); }
__global__ void atomic_wide_max(unsigned long long* o) { atomicMax(o, 1ull); }
__global__ void atomic_float(float* o) { atomicAdd(o, 1.0f); }
__global__ void atomic_double(double* o) { atomicAdd(o, 1.0); }
__global__ void atomic_block(int* o) { atomicAdd_block(o, 1); }
__global__ void twice(double* o) { o[0] = o[1] * 2; }
__global__ void copied_double(double* o) { o[0] = o[1]; }
__global__ void any_lane(int* o) { o[0] = __any_sync(~0u, o[1]); }
__global__ void ballot(int* o) { o[0] = __ballot_sync(~0u, o[1]); }
__global__ void together(int* o) { o[0] = o[1]; __syncwarp(); o[2] = o[3]; }
__global__ void shuffle(int* o) { o[threadIdx.x] = __shfl_xor_sync(~0u, o[threadIdx.x], 1); }
__global__ void match(int* o) { o[0] = __match_any_sync(~0u, o[1]); }
__global__ void reduce(int* o) { o[0] = __reduce_add_sync(~0u, o[1]); }
__global__ void copy(int* o) {
    __shared__ int s[32];
    const unsigned to = __cvta_generic_to_shared(s + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(to), "l"(o + threadIdx.x) : "memory");
    o[threadIdx.x] = s[threadIdx.x];
}
// What a compiler for an old GPU does in other instructions is asked of no GPU.
__global__ void ordinary(unsigned* o, const float* __restrict__ f) {
    o[0] = __byte_perm(o[1], o[2], 0x1234) + __popc(o[3]) + __clz(o[4]) + (o[5] << 7 | o[5] >> 25);
    o[7] = (o[8] & 255) * 3 + (o[8] >> 8 & 255) * 5 + (o[8] >> 16 & 255) * 7 + (o[8] >> 24) * 9;  // the compiler's dp4a
    o[6] = __float_as_uint(fmaf(f[0], f[1], f[2]) / sqrtf(f[3]) + rsqrtf(f[4]));
    reinterpret_cast<uint4*>(o)[4] = reinterpret_cast<uint4*>(o)[5];
    __threadfence();
}
__global__ void endless(unsigned* o) { for (;;) atomicAdd(o, 1u); }
__global__ void second_hangs(volatile int* o) { while (blockIdx.x == 1 && o[0] == 0) {} }
}
)";

const std::string& ptx() {
    static std::string entry;
    static const std::string text = testing::ptx_of(kKernels, "plain", entry, 80);
    return text;
}

struct Case {
    const char* kernel;
    const char* gpu;
    simt::Shape grid{1, 1, 1};
    simt::Shape block{32, 1, 1};
    std::uint64_t shared = 0;
    int registers = 0;

    [[nodiscard]] GpuProfile profile() const { return GpuTable().named(gpu); }
};

simt::KernelLaunch launch_of(const Case& one) {
    simt::KernelLaunch launch;
    const auto program = simt::load_program(ptx(), one.kernel);
    EXPECT_TRUE(program.ok()) << one.kernel << ": " << (program.ok() ? "" : program.message());
    if (program.ok()) launch.program = program.value();
    launch.grid = one.grid;
    launch.block = one.block;
    launch.dynamic_shared_bytes = one.shared;
    launch.registers = one.registers;
    return launch;
}

void takes(const Case& one) {
    EXPECT_NO_THROW(simt::refuse_impossible(one.profile(), launch_of(one)))
        << one.kernel << " on " << one.gpu;
}

void refuses(const Case& one, const std::string& code, const std::string& arithmetic) {
    try {
        simt::refuse_impossible(one.profile(), launch_of(one));
        ADD_FAILURE() << one.gpu << " takes " << one.kernel << ", which should be refused for " << arithmetic;
    } catch (const RefusedLaunch& refused) {
        EXPECT_EQ(refused.code().rfind(code, 0), 0u) << refused.what();
        EXPECT_NE(std::string(refused.what()).find(arithmetic), std::string::npos) << refused.what();
    }
}

constexpr const char* kConfiguration = "cudaErrorInvalidConfiguration";
constexpr const char* kResources = "cudaErrorLaunchOutOfResources";
constexpr const char* kNoImage = "cudaErrorNoKernelImageForDevice";

TEST(Launch, GridsByCapability) {
    WS_NEED_COMPILER();
    constexpr int kLargest = 2147483647;
    takes({"plain", "GTX 560 Ti", {65535, 65535, 65535}});
    refuses({"plain", "GTX 560 Ti", {65536, 1, 1}}, kConfiguration, "65536 along x, 65535 at most");
    takes({"plain", "Quadro K2100M", {kLargest, 1, 1}});
    refuses({"plain", "H200", {1, 65536, 1}}, kConfiguration, "65536 along y, 65535 at most");
    refuses({"plain", "H200", {1, 1, 65536}}, kConfiguration, "65536 along z");
    takes({"plain", "GTX 280", {65535, 65535, 1}});
    refuses({"plain", "GTX 280", {1, 1, 2}}, kConfiguration,
            "2 along z, 1 at most: this GPU's grids have two");
    refuses({"plain", "H200", {1, 0, 1}}, kConfiguration, "every side is at least 1");
}

TEST(Launch, BlocksByCapability) {
    WS_NEED_COMPILER();
    takes({"plain", "GTX 280", {1, 1, 1}, {16, 32, 1}});
    refuses({"plain", "GTX 280", {1, 1, 1}, {32, 32, 1}}, kConfiguration,
            "32 x 32 x 1 = 1024 threads are too many");
    refuses({"plain", "GTX 280", {1, 1, 1}, {1, 513, 1}}, kConfiguration, "513 along y, 512 at most");
    takes({"plain", "RTX 3060", {1, 1, 1}, {1, 1024, 1}});
    takes({"plain", "RTX 3060", {1, 1, 1}, {16, 1, 64}});
    refuses({"plain", "RTX 3060", {1, 1, 1}, {1, 1, 65}}, kConfiguration, "65 along z, 64 at most");
    refuses({"plain", "RTX 3060", {1, 1, 1}, {1025, 1, 1}}, kConfiguration, "1025 along x, 1024 at most");
}

TEST(Launch, BoundsOfTheKernel) {
    WS_NEED_COMPILER();
    takes({"bounded", "H200", {1, 1, 1}, {8, 4, 4}});
    refuses({"bounded", "H200", {1, 1, 1}, {129, 1, 1}}, kResources,
            "129 threads a block, but the kernel was compiled for at most 128");
    // .reqntid names the very block.
    const auto exact = simt::load_program(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry exact()\n.reqntid 64, 2\n{ ret; }",
        "exact");
    ASSERT_TRUE(exact.ok()) << exact.message();
    const Case plain{"plain", "H200", {1, 1, 1}, {64, 2, 1}};
    simt::KernelLaunch launch = launch_of(plain);
    launch.program = exact.value();
    EXPECT_NO_THROW(simt::refuse_impossible(plain.profile(), launch));
    launch.block = {128, 1, 1};
    EXPECT_THROW(simt::refuse_impossible(plain.profile(), launch), RefusedLaunch);
    EXPECT_FALSE(
        simt::load_program(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry exact()\n.maxntid 0\n{ ret; }",
            "exact")
            .ok());
}

TEST(Launch, SharedMemoryByCapability) {
    WS_NEED_COMPILER();
    takes({"tile20k", "GTX 560 Ti"});
    refuses({"tile20k", "GTX 280"}, "an error of ptxas (uses too much shared data: 0x4e20 bytes, 0x4000 max)",
            "20000 bytes, 16384 at most");
    refuses({"tile50k", "H200"}, "an error of ptxas (uses too much shared data: 0xc350 bytes, 0xc000 max)",
            "extern __shared__ with up to 232448");
    takes({"dynamic", "GTX 280", {1, 1, 1}, {32, 1, 1}, 16384});
    refuses({"dynamic", "GTX 280", {1, 1, 1}, {32, 1, 1}, 16385}, "cudaErrorInvalidValue", "16384");
    // What a program may ask for beyond 48 KB.
    for (const auto& [gpu, most] : {std::pair{"GTX 1080", 48 << 10},
                                    {"Tesla V100", 96 << 10},
                                    {"RTX 2080", 64 << 10},
                                    {"A100", 163 << 10},
                                    {"RTX 3060", 99 << 10},
                                    {"H200", 227 << 10},
                                    {"RTX 5090", 99 << 10}}) {
        takes({"dynamic", gpu, {1, 1, 1}, {32, 1, 1}, std::uint64_t(most)});
        refuses({"dynamic", gpu, {1, 1, 1}, {32, 1, 1}, std::uint64_t(most) + 1}, "cudaErrorInvalidValue",
                std::to_string(most));
    }
    refuses({"tile20k", "RTX 3060", {1, 1, 1}, {32, 1, 1}, 99 << 10}, "cudaErrorInvalidValue",
            "20000 bytes of static and 101376 of dynamic shared memory are 121376");
}

// Shared memory of the other kernels of a file is not the kernel's.
TEST(Launch, SharedMemoryIsTheKernelsOwn) {
    WS_NEED_COMPILER();
    EXPECT_EQ(simt::load_program(ptx(), "plain").value()->static_shared_bytes, 0u);
    EXPECT_EQ(simt::load_program(ptx(), "tile20k").value()->static_shared_bytes, 20000u);
    // An array that two functions share stands in the module, and counts for those that use it.
    const std::string module =
        ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 4 .b8 both[400];\n"
        ".extern .shared .align 16 .b8 more[];\n"
        ".visible .entry user() { .reg .b32 %r<2>; ld.shared.u32 %r1, [both+8]; ret; }\n"
        ".visible .entry other() { .shared .align 4 .b8 own[800]; .reg .b32 %r<3>;\n"
        "  mov.u32 %r1, more; st.shared.u32 [own], %r1; ret; }\n"
        ".visible .entry third(.param .u64 p) { .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
        "  ld.param.u64 %rd1, [p]; mov.u32 %r1, more; st.global.u32 [%rd1], %r1; ret; }\n";
    EXPECT_EQ(simt::load_program(module, "user").value()->static_shared_bytes, 400u);
    EXPECT_EQ(simt::load_program(module, "other").value()->static_shared_bytes, 800u);
    // Dynamic shared memory begins where the kernel's own ends.
    std::vector<int> out(1, -1);
    testing::Kernel third = testing::Kernel::from_ptx(module, "third");
    third.buffer(out, false).launch().dynamic_shared_bytes = 64;
    EXPECT_TRUE(third.run({1, 1, 1}, {1, 1, 1}).counters.findings.empty());
    EXPECT_EQ(out[0], 0);
}

TEST(Launch, RegistersOfABlock) {
    WS_NEED_COMPILER();
    takes({"plain", "H200", {1, 1, 1}, {1024, 1, 1}, 0, 64});
    // 186 x 32 = 5952 registers of a warp are handed out as 6144.
    refuses({"plain", "H200", {1, 1, 1}, {1024, 1, 1}, 0, 186}, kResources,
            "186 registers x 1024 threads take 196608 registers as allocated, a block has at most "
            "65536");
    takes({"plain", "H200", {1, 1, 1}, {256, 1, 1}, 0, 255});
    takes({"plain", "GTX 280", {1, 1, 1}, {512, 1, 1}, 0, 32});
    refuses({"plain", "GTX 280", {1, 1, 1}, {512, 1, 1}, 0, 33}, kResources, "16896 registers");
    takes({"plain", "H200", {1, 1, 1}, {1024, 1, 1}, 0, 0});  // not known
}

TEST(Launch, MemoryOfTheGpu) {
    simt::Gpu gpu(GpuTable().named("GTX 280"));
    std::byte unused{};  // what the buffers hold is not touched
    EXPECT_NO_THROW((void)gpu.map(std::span(&unused, 3ull << 28)));
    const std::uint64_t address = gpu.map(std::span(&unused, 1ull << 28));
    EXPECT_THROW((void)gpu.allocate(1ull << 28), RefusedLaunch);
    gpu.release(address);
    EXPECT_NO_THROW((void)gpu.map(std::span(&unused, 1ull << 28)));
}

TEST(Launch, InstructionsByCapability) {
    WS_NEED_COMPILER();
    const GpuTable table;
    struct Needs {
        const char* kernel;
        ComputeCapability capability;
        const char* feature;
    };
    for (const Needs& needs :
         {Needs{"atomic_global", {1, 1}, "atomics on global memory"},
          Needs{"atomic_shared", {1, 2}, "atomics on shared memory"},
          Needs{"atomic_wide", {1, 2}, "64-bit atomics"},
          Needs{"atomic_wide_max", {3, 2}, "64-bit atomicMax"},
          Needs{"atomic_float", {2, 0}, "atomicAdd of floats"},
          Needs{"atomic_double", {6, 0}, "atomicAdd of doubles"},
          Needs{"atomic_block", {6, 0}, "block's scope"}, Needs{"twice", {1, 3}, "doubles"},
          Needs{"any_lane", {1, 2}, "warp votes"}, Needs{"ballot", {2, 0}, "__ballot_sync"},
          Needs{"together", {3, 0}, "__syncwarp"}, Needs{"shuffle", {3, 0}, "warp shuffles"},
          Needs{"match", {7, 0}, "__match_any_sync"}, Needs{"reduce", {8, 0}, "warp reductions"},
          Needs{"copy", {8, 0}, "asynchronous copies"}}) {
        const auto program = simt::load_program(ptx(), needs.kernel);
        ASSERT_TRUE(program.ok()) << program.message();
        for (const GpuLimits& limits : table.capabilities()) {
            const auto missing = simt::missing_feature(*program.value(), limits.capability);
            EXPECT_EQ(missing.has_value(), limits.capability < needs.capability)
                << needs.kernel << " on " << limits.capability.text();
            if (!missing) continue;
            EXPECT_NE(missing->feature.find(needs.feature), std::string::npos) << missing->feature;
            EXPECT_EQ(missing->needs, needs.capability) << needs.kernel;
            EXPECT_GT(missing->line, 0);
        }
    }
    for (const char* kernel : {"plain", "ordinary", "copied_double", "tile20k"}) {
        const auto program = simt::load_program(ptx(), kernel);
        ASSERT_TRUE(program.ok()) << program.message();
        EXPECT_FALSE(simt::missing_feature(*program.value(), {1, 0})) << kernel;
    }
    refuses({"shuffle", "GTX 280"}, kNoImage,
            "'shfl.sync.bfly.b32' (line 20) needs compute capability 3.0 (warp shuffles)");
}

// What a version's kernels say they need is what the table finds in them.
TEST(Launch, VersionsSayWhatTheyNeed) {
    WS_NEED_COMPILER();
    const GpuTable table;
    const KernelLibrary library;
    std::set<std::string_view> seen;
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) {
            const auto requests = step_requests(
                with_version(first_work(*lab), version),
                [&](std::string_view name) -> const KernelSource& { return library.find(name); });
            for (const StepRequest& step : requests) {
                if (!seen.insert(step.source->name).second) continue;
                const CompileOutcome compiled = testing::compiled(compile_request(*lab, step, {80, true}));
                ASSERT_TRUE(compiled.kernel) << compiled.error;
                const std::vector<char>& ptx = compiled.kernel->binary;
                const auto program = simt::load_program({ptx.data(), ptx.size()}, compiled.kernel->entry);
                ASSERT_TRUE(program.ok()) << program.message();
                for (const GpuLimits& limits : table.capabilities()) {
                    const auto missing = simt::missing_feature(*program.value(), limits.capability);
                    const bool runs = can_run(*step.source, limits.capability);
                    const std::string what = step.source->name + " on " + limits.capability.text();
                    EXPECT_FALSE(runs && missing) << what << ": " << missing->opcode;
                    // The compiler also makes dp4a by itself: the table does not know who asked for it.
                    bool by_text = step.source->text.find("__dp4a") != std::string::npos;
                    for (const KernelHeader& header : step.source->headers)
                        by_text |= header.text.find("__dp4a") != std::string::npos;
                    const bool too_large =
                        program.value()->static_shared_bytes > std::uint64_t(limits.shared_bytes_per_block);
                    EXPECT_TRUE(runs || missing || by_text || too_large) << what << ": nothing is missing";
                }
            }
        }
    }
}

TEST(Launch, AnEndlessBlockEndsByTime) {
    WS_NEED_COMPILER();
    std::vector<unsigned> out(1);
    testing::Kernel kernel(kKernels, "endless", "RTX 3060", 80);
    kernel.buffer(out).options().block_seconds = 0.2;
    const auto start = std::chrono::steady_clock::now();
    const simt::LaunchOutcome outcome = kernel.run({4, 1, 1}, {256, 1, 1});
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
    EXPECT_TRUE(outcome.stopped);
    EXPECT_EQ(outcome.counters.blocks_simulated, 0u);
    EXPECT_NE(testing::findings_text(outcome).find("stopped after 0.2 s and "), std::string::npos)
        << testing::findings_text(outcome);
    EXPECT_GT(outcome.counters.total.atomics, 0u) << "what was executed is counted";
}

TEST(Launch, ALongGridIsNoEndlessBlock) {
    WS_NEED_COMPILER();
    std::vector<int> out(1024);
    testing::Kernel kernel(kKernels, "plain", "RTX 3060", 80);
    kernel.buffer(out).options().block_seconds = 0.01;
    kernel.options().check = false;
    const simt::LaunchOutcome outcome = kernel.run({200'000, 1, 1}, {32, 1, 1});
    EXPECT_FALSE(outcome.stopped) << testing::findings_text(outcome);
    EXPECT_EQ(outcome.counters.blocks_simulated, 200'000u);
}

TEST(Launch, CancelledWithWhatIsCounted) {
    WS_NEED_COMPILER();
    std::vector<int> out(1);
    testing::Kernel kernel(kKernels, "second_hangs", "RTX 3060", 80);
    std::atomic<bool> cancel{false};
    std::atomic<std::uint64_t> done{0};
    kernel.buffer(out).options().cancel = &cancel;
    kernel.options().blocks_done = &done;
    kernel.options().threads = 1;
    kernel.options().step_limit = ~0ull;
    kernel.options().block_seconds = 1e6;
    std::thread interrupt([&] {
        while (done < 1) std::this_thread::yield();
        cancel = true;
    });
    const simt::LaunchOutcome outcome = kernel.run({3, 1, 1}, {32, 1, 1});
    interrupt.join();
    EXPECT_TRUE(outcome.cancelled);
    EXPECT_FALSE(outcome.stopped);
    EXPECT_EQ(outcome.counters.blocks_simulated, 1u);
    EXPECT_GT(outcome.counters.total.instructions, 0u);
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
}

}  // namespace
}  // namespace ws
