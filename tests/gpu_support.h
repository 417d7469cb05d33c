#pragma once
// What tests of the real GPU share.

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>

#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/device.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/engine/targets.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

namespace ws::testing {

// Whether skipping is forbidden: WARPSCOPE_REQUIRE_GPU=1.
inline bool gpu_required() {
    const char* value = std::getenv("WARPSCOPE_REQUIRE_GPU");
    return value && std::string(value) == "1";
}

// Skips the test by name on a machine without a GPU.
#define WS_NEED_GPU(device)                                                                       \
    if (!(device).ok()) {                                                                         \
        if (::ws::testing::gpu_required()) FAIL() << "a GPU is required: " << (device).message(); \
        GTEST_SKIP() << "needs a CUDA GPU: " << (device).message();                               \
    }

inline RgbaImage random_picture(Extent size, unsigned seed) {
    RgbaImage image(size);
    std::minstd_rand random(seed);
    for (std::uint8_t& byte : image.bytes) byte = std::uint8_t(random() >> 7);
    return image;
}

// Plans for any settings, compiled for a GPU of the given capability.
class Planner {
  public:
    explicit Planner(const GpuProfile& gpu)
        : service_({}), capability_(gpu.limits.capability), multiprocessors_(gpu.multiprocessors) {}

    [[nodiscard]] PerStage<CompileRequest> requests(const Settings& settings) {
        const CodeTarget target = runnable_target(service_.compiler()->architectures(), capability_);
        PerStage<CompileRequest> list;
        for (const StageRequest& stage : stages(settings))
            list[index_of(stage.stage)] = compile_request(stage, target);
        return list;
    }
    void compile_ahead(const std::vector<Settings>& all) {
        std::vector<CompileRequest> list;
        for (const Settings& settings : all) {
            for (CompileRequest& request : requests(settings)) {
                if (!request.name.empty()) list.push_back(std::move(request));
            }
        }
        service_.ask(std::move(list));
    }
    // Fails the test where a kernel does not compile.
    [[nodiscard]] Plan plan(const Settings& settings, Extent picture) {
        Plan plan;
        plan.view = settings.view;
        plan.blur_first = settings.blur_first;
        plan.generation = ++generations_;
        const Version& version = version_numbered(settings.version);
        const PerStage<CompileRequest> compile = requests(settings);
        for (const StageRequest& stage : stages(settings)) {
            if (!runs_stage(version, settings.view, settings.blur_first, stage.stage)) continue;
            const CompileOutcome outcome = service_.wait_for(compile[index_of(stage.stage)]);
            EXPECT_TRUE(outcome.kernel) << outcome.error;
            plan.launches.push_back(launch_of(version, stage.stage, outcome.kernel, stage.block, stage.tiling,
                                              picture, multiprocessors_));
        }
        return plan;
    }

  private:
    std::vector<StageRequest> stages(const Settings& settings) {
        return stage_requests(
            settings, [this](std::string_view name) -> const KernelSource& { return library_.find(name); });
    }
    KernelLibrary library_;
    CompileService service_;
    ComputeCapability capability_;
    int multiprocessors_ = 0;
    std::uint64_t generations_ = 0;
};

inline Settings settings_for(const Version& version, Block block) {
    Settings settings = with_version(Settings{}, version);
    settings.blocks.fill(block);
    return settings;
}

// Block shapes from one thread to 1024, flat, tall, square and odd.
inline const std::vector<Block>& block_shapes() {
    static const std::vector<Block> shapes{
        {1, 1},   {1, 2},   {2, 1},   {3, 3},   {1, 32},  {32, 1},   {8, 8},    {32, 2},  {8, 16},
        {32, 4},  {32, 8},  {16, 16}, {64, 4},  {32, 32}, {1024, 1}, {1, 1024}, {512, 2}, {2, 512},
        {256, 4}, {4, 256}, {128, 8}, {8, 128}, {64, 16}, {16, 64},  {7, 5},    {5, 7},   {31, 33},
        {33, 31}, {13, 17}, {1, 765}, {1, 766}, {3, 341}, {341, 3},  {96, 10},  {10, 96}, {24, 24},
        {17, 60}, {60, 17}, {11, 93}, {2, 511}, {33, 1},  {1, 33},   {48, 20},  {20, 51}};
    return shapes;
}

// Pictures of one pixel, one row, one column, and sides that are a multiple of nothing.
inline const std::vector<Extent>& picture_sizes() {
    static const std::vector<Extent> sizes{{1, 1},   {1, 19},  {23, 1},    {2, 2},    {3, 5},
                                           {7, 7},   {31, 33}, {33, 31},   {64, 64},  {65, 63},
                                           {127, 6}, {5, 131}, {257, 129}, {640, 361}};
    return sizes;
}

}  // namespace ws::testing
