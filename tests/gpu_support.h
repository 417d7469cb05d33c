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
#include "gpu/engine/planner.h"
#include "gpu/engine/targets.h"
#include "gpu/labs/filters/filters.h"

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

inline Picture random_picture(Extent size, unsigned seed) {
    RgbaImage image(size);
    std::minstd_rand random(seed);
    for (std::uint8_t& byte : image.bytes) byte = std::uint8_t(random() >> 7);
    return std::make_shared<const RgbaImage>(std::move(image));
}

// Plans for any work, compiled for a GPU of the given capability.
class Planner {
  public:
    explicit Planner(const GpuProfile& gpu)
        : service_({}), capability_(gpu.limits.capability), multiprocessors_(gpu.multiprocessors) {}

    void compile_ahead(const std::vector<Work>& all) {
        std::vector<CompileRequest> list;
        for (const Work& work : all) {
            for (const StepRequest& step : requests(work)) list.push_back(request_of(work, step));
        }
        service_.ask(std::move(list));
    }
    // Fails the test where a kernel does not compile.
    [[nodiscard]] Plan plan(const Work& work, Extent size) {
        Plan plan;
        plan.lab = work.lab;
        plan.shows =
            shown_buffer(work.lab->views[std::size_t(work.view)], version_of(*work.lab, work.version));
        plan.generation = ++generations_;
        for (const StepRequest& step : requests(work)) {
            if (!runs_step(work, step.step)) continue;
            const CompileOutcome outcome = service_.wait_for(request_of(work, step));
            EXPECT_TRUE(outcome.kernel) << outcome.error;
            plan.launches.push_back(
                launch_of(step, arguments_of(work, step.step), outcome.kernel, size, multiprocessors_));
        }
        return plan;
    }

  private:
    [[nodiscard]] std::vector<StepRequest> requests(const Work& work) {
        return step_requests(
            work, [this](std::string_view name) -> const KernelSource& { return library_.find(name); });
    }
    [[nodiscard]] CompileRequest request_of(const Work& work, const StepRequest& step) {
        const CodeTarget target = runnable_target(service_.compiler()->architectures(), capability_);
        return compile_request(*work.lab, step, target);
    }
    KernelLibrary library_;
    CompileService service_;
    ComputeCapability capability_;
    int multiprocessors_ = 0;
    std::uint64_t generations_ = 0;
};

// A lab as it begins, in this version with its own blocks.
inline Work work_for(const Lab& lab, const Version& version) {
    return with_version(first_work(lab), version);
}
inline Work work_for(const Lab& lab, const Version& version, Block block) {
    Work work = work_for(lab, version);
    work.blocks.fill(block);
    return work;
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
