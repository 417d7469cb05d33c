// The simulated GPU as a whole: the versions' own code against the native pipeline, divergence and barriers,
// what it counts by capability, and every fault that it must find.

#include "gpu/simt/simt_device.h"

#include <random>

#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/settings.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/targets.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"
#include "gpu/simt/sample.h"
#include "gpu/simt/stage_launch.h"
#include "simt_support.h"

namespace ws {
namespace {

using testing::found;
using testing::Kernel;

constexpr int kMultiprocessors = 28;  // of the RTX 3060

RgbaImage random_picture(Extent size) {
    RgbaImage image(size);
    std::minstd_rand random(7);
    for (std::uint8_t& byte : image.bytes) byte = std::uint8_t(random() >> 7);
    return image;
}

// Plans of a version for any picture, compiled once for a block.
class Versions : public ::testing::TestWithParam<int> {
  protected:
    Plan plan(Block blur, Extent size) {
        Settings settings = with_version({}, version_numbered(GetParam()));
        if (blur.threads() > 0) settings.blocks.fill(blur);
        Plan made;
        made.generation = ++generation_;
        const Version& version = version_numbered(GetParam());
        for (const StageRequest& stage : stage_requests(
                 settings,
                 [&](std::string_view name) -> const KernelSource& { return library_.find(name); })) {
            if (!runs_stage(version, View::edge, true, stage.stage)) continue;
            const int architecture = std::max(75, stage.source->needs.number());
            const CompileRequest request = compile_request(stage, {architecture, true});
            const auto compiled = testing::compiler()->compile(request);
            EXPECT_TRUE(compiled.ok());
            made.launches.push_back(launch_of(version, stage.stage,
                                              std::make_shared<const CompiledKernel>(compiled.value()),
                                              stage.block, stage.tiling, size, kMultiprocessors));
        }
        return made;
    }
    KernelLibrary library_{{}};
    std::uint64_t generation_ = 0;
};

TEST_P(Versions, GiveTheDefinedPicture) {
    WS_NEED_COMPILER();
    for (const Block block :
         {Block{0, 0}, Block{1, 1}, Block{7, 5}, Block{32, 2}, Block{64, 1}, Block{3, 40}, Block{33, 31}}) {
        Plan plan;
        for (const Extent size :
             {Extent{1, 1}, Extent{1, 37}, Extent{53, 1}, Extent{67, 41}, Extent{128, 35}}) {
            const RgbaImage picture = random_picture(size);
            if (plan.launches.empty()) plan = this->plan(block, size);
            for (Launch& launch : plan.launches) cover(launch, size);
            simt::SimtDevice device(GpuTable().named("RTX 3060"));
            device.set_picture(std::make_shared<const RgbaImage>(picture));
            for (const std::uint8_t poison : {std::uint8_t(0xA5), std::uint8_t(0x5A)}) {
                const auto made = device.run_poisoned(plan, poison);
                ASSERT_TRUE(made.ok()) << made.message();
                EXPECT_EQ(made.value().bytes, reference_picture(picture, View::edge, true).bytes)
                    << "V" << GetParam() << " block " << block.x << " x " << block.y << ", " << size.width
                    << " x " << size.height;
            }
        }
    }
}

// On one multiprocessor strips are high, so that kernels reach the part of their work that has no border in
// sight.
TEST_P(Versions, GiveTheDefinedPictureInHighStrips) {
    WS_NEED_COMPILER();
    Plan plan;
    for (const Extent size : {Extent{111, 397}, Extent{113, 400}, Extent{226, 301}, Extent{224, 302},
                              Extent{450, 131}, Extent{600, 133}}) {
        const RgbaImage picture = random_picture(size);
        if (plan.launches.empty()) plan = this->plan({0, 0}, size);
        for (Launch& launch : plan.launches) {
            launch.multiprocessors = 1;
            cover(launch, size);
        }
        simt::SimtDevice device(GpuTable().named("RTX 3060"));
        device.set_picture(std::make_shared<const RgbaImage>(picture));
        const auto made = device.run_poisoned(plan, 0xA5);
        ASSERT_TRUE(made.ok()) << made.message();
        EXPECT_EQ(made.value().bytes, reference_picture(picture, View::edge, true).bytes)
            << "V" << GetParam() << ", " << size.width << " x " << size.height;
    }
}

TEST_P(Versions, HaveNothingForTheChecksToFind) {
    WS_NEED_COMPILER();
    // The picture ends 1, 2 and 3 pixels into a word of 16 bytes; behind it there is what must not be seen.
    // The last two have high strips.
    for (const Extent size : {Extent{75, 43}, Extent{230, 9}, Extent{5, 3}, Extent{1, 2}, Extent{2, 5},
                              Extent{113, 397}, Extent{451, 132}}) {
        const RgbaImage picture = random_picture(size);
        Plan plan = this->plan({0, 0}, size);
        std::vector<std::uint8_t> input(picture.bytes.begin(), picture.bytes.end());
        input.resize(picture.bytes.readable_size(), 0xFF);
        for (Launch& launch : plan.launches) {
            if (size.height > 100) launch.multiprocessors = 1;
            cover(launch, size);
            const auto program = simt::load_program(launch.kernel->binary.data(), launch.kernel->entry);
            ASSERT_TRUE(program.ok()) << program.message();
            std::vector<std::uint8_t> output(size.pixels());
            simt::Gpu gpu(GpuTable().named("H200"));
            const simt::KernelLaunch staged =
                simt::stage_launch(gpu, program.value(), launch, size, input.data(),
                                   reads_rgba(launch.stage) ? 4 : 1, output.data());
            simt::LaunchOptions options = simt::stage_options();
            options.check = true;
            const simt::LaunchOutcome outcome = gpu.launch(staged, options);
            EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
            input = output;
        }
        EXPECT_EQ(input, reference_picture(picture, View::edge, true).bytes);
    }
}

// Counts and estimate of a sample against those of the whole launch.
void expect_sample_like_whole(const Launch& launch, const std::string& gpu_name, Extent size) {
    const GpuProfile gpu = GpuTable().named(gpu_name);
    simt::Gpu simulated(gpu);
    const auto program = simt::load_program(launch.kernel->binary.data(), launch.kernel->entry);
    ASSERT_TRUE(program.ok());
    const int bytes = reads_rgba(launch.stage) ? 4 : 1;
    std::vector<std::uint8_t> input(readable_bytes(size.pixels() * std::size_t(bytes)), 3);
    std::vector<std::uint8_t> output(size.pixels());
    const simt::KernelLaunch staged =
        simt::stage_launch(simulated, program.value(), launch, size, input.data(), bytes, output.data());
    simt::LaunchOptions options = simt::stage_options();
    simt::LaunchOutcome sample = simt::count_sample(simulated, staged, options, launch.tile, size, bytes);
    sample.counters.unique_bytes = std::uint64_t(least_bytes(launch.stage, size));
    options.model_caches = options.track_touched = true;
    const simt::LaunchOutcome whole = simulated.launch(staged, options);
    const std::string where = std::string(name_of(launch.stage)) + " on " + gpu_name + ", " +
                              std::to_string(size.width) + " x " + std::to_string(size.height);
    const auto near = [&](const char* what, double a, double b) {
        EXPECT_NEAR(a, b, 0.02 * b + 1) << what << ", " << where;
    };
    const InstructionCounts& s = sample.counters.total;
    const InstructionCounts& w = whole.counters.total;
    near("instructions", double(s.instructions), double(w.instructions));
    near("load requests", double(s.global_load.requests), double(w.global_load.requests));
    near("load sectors", double(s.global_load.sectors), double(w.global_load.sectors));
    near("load replays", double(s.global_load.requests + s.global_load.replays),
         double(w.global_load.requests + w.global_load.replays));
    near("bytes", double(s.global_bytes_transferred()), double(w.global_bytes_transferred()));
    near("store sectors", double(s.global_store.sectors), double(w.global_store.sectors));
    near("shared loads", double(s.shared_load.wavefronts), double(w.shared_load.wavefronts));
    near("shared stores", double(s.shared_store.wavefronts), double(w.shared_store.wavefronts));
    const Occupancy occupancy = occupancy_of({launch.block.threads(), 32, 0}, gpu.limits);
    const double estimated = estimate_time(sample.counters, occupancy, gpu).ms;
    EXPECT_NEAR(estimated / estimate_time(whole.counters, occupancy, gpu).ms, 1, 0.02) << where;
    EXPECT_FALSE(sample.counters.accesses.empty());
}

TEST_P(Versions, SampleStandsForTheWholePicture) {
    WS_NEED_COMPILER();
    for (const Extent size : {Extent{3647, 250}, Extent{1919, 400}, Extent{1000, 700}, Extent{641, 480}}) {
        const Plan plan = this->plan({0, 0}, size);
        const Launch& blur = plan.launches[plan.launches.size() / 2];  // or the only one
        expect_sample_like_whole(blur, "RTX 3060", size);
        // Segments instead of sectors, and no caches; without what the later kernels need.
        if (blur.stage != Stage::fused) expect_sample_like_whole(blur, "GTX 280", size);
    }
}

TEST(Sample, IsSmallWhereThePictureIsLarge) {
    for (const Extent tile : {Extent{8, 8}, Extent{32, 2}, Extent{1, 32}, Extent{120, 112}}) {
        const Extent size{3647, 2736};
        const Extent grid = grid_for(size, tile);
        std::uint64_t chosen = 0;
        std::uint64_t stands_for = 0;
        for (const simt::Stratum& stratum : simt::choose_blocks(grid, tile, size, simt::kCountedPixels)) {
            chosen += stratum.blocks.size();
            stands_for += stratum.stands_for;
        }
        EXPECT_EQ(stands_for, grid.pixels());
        EXPECT_LT(chosen * tile.pixels(), size.pixels() / 12) << tile.width << " x " << tile.height;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Versions, ::testing::Range(0, int(versions().size())),
                         [](const auto& version) { return "V" + std::to_string(version.param); });

TEST(SimtDevice, DrawsASmallPictureFirstAndThenTheWhole) {
    WS_NEED_COMPILER();
    const KernelLibrary library{{}};
    const Extent size{1600, 1200};
    const RgbaImage picture = random_picture(size);
    simt::SimtDevice device(GpuTable().named("GTX 280"));
    EXPECT_EQ(device.facts().name, "simulated GTX 280");
    device.set_picture(std::make_shared<const RgbaImage>(picture));
    Plan plan;
    plan.generation = 1;
    plan.view = View::gray;
    Settings settings = with_version({}, version_numbered(0));
    settings.block(Stage::gray) = {32, 8};
    const auto requests = stage_requests(
        settings, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
    const auto kernel = testing::compiler()->compile(compile_request(requests[0], {75, true}));
    ASSERT_TRUE(kernel.ok());
    plan.launches = {{.stage = Stage::gray,
                      .kernel = std::make_shared<const CompiledKernel>(kernel.value()),
                      .block = {32, 8},
                      .tiling = {{32, 8}}}};
    cover(plan.launches.front(), size);
    HostTarget target;
    int drawn = 0;
    for (int i = 0; i < 5000 && !(device.status().complete && drawn > 0); ++i) {
        drawn += device.run(plan, target).drawn;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    drawn += device.run(plan, target).drawn;
    EXPECT_GE(drawn, 1);
    EXPECT_EQ(target.picture().bytes, reference_picture(picture, View::gray, true).bytes);
    EXPECT_FALSE(device.run(plan, target).drawn) << "nothing new is there";
    device.redraw();
    EXPECT_TRUE(device.run(plan, target).drawn);
}

// What a GPU refuses is a failure of the launch, as on a real one: its error and the arithmetic.
TEST(SimtDevice, RefusesWhatTheGpuRefuses) {
    WS_NEED_COMPILER();
    const KernelLibrary library{{}};
    simt::SimtDevice device(GpuTable().named("GTX 280"));
    device.set_picture(std::make_shared<const RgbaImage>(random_picture({640, 480})));
    Plan plan;
    plan.view = View::gray;
    const auto refused = [&](Stage stage, int version, Block block) {
        Settings settings = with_version({}, version_numbered(version));
        settings.block(stage) = block;
        const auto requests = stage_requests(
            settings, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
        const StageRequest& request = *request_of(requests, stage);
        const auto kernel = testing::compiler()->compile(compile_request(request, {75, true}));
        EXPECT_TRUE(kernel.ok());
        ++plan.generation;
        plan.launches = {launch_of(version_numbered(version), stage,
                                   std::make_shared<const CompiledKernel>(kernel.value()), block,
                                   request.tiling, {640, 480}, 30)};
        HostTarget target;
        for (int i = 0; i < 30'000; ++i) {
            if (const auto failure = device.run(plan, target).failure) return *failure;
            if (device.status().complete) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return LaunchFailure{};
    };
    const LaunchFailure threads = refused(Stage::gray, 0, {32, 32});
    EXPECT_EQ(threads.code, "cudaErrorInvalidConfiguration (invalid configuration argument)");
    EXPECT_NE(threads.message.find("32 x 32 x 1 = 1024 threads are too many for a block"), std::string::npos)
        << threads.message;
    EXPECT_NE(threads.message.find("at most 512"), std::string::npos) << threads.message;
    const LaunchFailure shuffles = refused(Stage::fused, 14, {32, 2});
    EXPECT_NE(shuffles.message.find("needs compute capability 3.0"), std::string::npos) << shuffles.message;
    EXPECT_EQ(refused(Stage::gray, 0, {32, 8}).code, "");
}

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
