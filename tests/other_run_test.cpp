// The result of other work beside the one that is shown: as its kernels compute it, on each kind of device.

#include "gpu/engine/other_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "gpu/compile/kernel_library.h"
#include "gpu/core/files.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/engine.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/transpose/transpose.h"
#include "gpu/picture/test_picture.h"
#include "gpu_support.h"
#include "staged_faults.h"
#include "tests/compiled_kernels.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

// A device that computes at once, as a real GPU does, whatever it is inside.
class AtOnce final : public testing::Decorated {
  public:
    explicit AtOnce(std::unique_ptr<Device> inside, int& runs) : Decorated(std::move(inside)), runs_(runs) {
        facts_ = inside_->facts();
        facts_.can.shows_progress = facts_.can.becomes_any_gpu = false;
    }
    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
    [[nodiscard]] Result<std::vector<HostBytes>> run_once(const Plan& plan, std::uint8_t poison,
                                                          const std::vector<int>& buffers) override {
        ++runs_;
        return Decorated::run_once(plan, poison, buffers);
    }

  private:
    DeviceFacts facts_;
    int& runs_;
};

Work work_of(const Lab& lab, int version, DeviceKind device) {
    Work work = with_version(first_work(lab), version_of(lab, version));
    if (!lab.takes_picture()) work.size = {96, 64};
    work.device = device;
    return work;
}

Beside result_of(int version) {
    Beside beside;
    beside.result = {ResultOf::Kind::version, version};
    return beside;
}

// Frames until the work's own result is checked and the other one is there.
void run_until_there(Engine& engine, const Work& work, const Beside& beside) {
    HostTarget target;
    engine.prepare(work, beside);
    engine.wait_for_kernels();
    for (int i = 0; i < 2000; ++i) {
        engine.prepare(work, beside);
        if (engine.wants_run()) (void)engine.run(target);
        if (engine.snapshot().result.check.state != Check::State::pending) break;
        usleep(5000);
    }
    engine.wait_for_other();
}

class OtherRunTest : public ::testing::Test {
  protected:
    OtherRunTest() : folder_(fs::temp_directory_path() / ("warpscope_other_" + std::to_string(getpid()))) {
        fs::remove_all(folder_);
    }
    ~OtherRunTest() override { fs::remove_all(folder_); }
    void start(EngineOptions options = {}) {
        options.cache_folder = testing::compiled_kernels();
        engine_.emplace(std::move(options));
        engine_->set_picture(std::make_shared<const RgbaImage>(draw_test_picture({150, 90})), "small");
    }
    // Kernels from files of which V1's blur is changed.
    EngineOptions with_edited(const std::string& from, const std::string& to) {
        (void)KernelLibrary::write_to(folder_, false);
        const fs::path path = folder_ / "blur_g1.cu";
        std::string text = read_file(path);
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        if (at != std::string::npos) write_file(path, text.replace(at, from.size(), to));
        EngineOptions options;
        options.kernel_folder = folder_;
        return options;
    }
    [[nodiscard]] const std::optional<OtherResult>& other() const { return engine_->snapshot().result.other; }
    void expect_defined(int buffer) {
        ASSERT_TRUE(other());
        EXPECT_EQ(english(other()->problem), "");
        ASSERT_TRUE(other()->bytes);
        EXPECT_EQ(other()->buffer, buffer);
        EXPECT_EQ(*other()->bytes, reference_result(engine_->snapshot().problem, buffer));
    }

    fs::path folder_;
    std::optional<Engine> engine_;
};

#define WS_NEED_THE_ENGINES_COMPILER() \
    if (engine_->snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC"

TEST_F(OtherRunTest, IsThatOfItsKernelsOnTheSimulatedGpuAndBesideTheCpu) {
    for (const DeviceKind device : {DeviceKind::simt, DeviceKind::cpu}) {
        start();
        WS_NEED_THE_ENGINES_COMPILER();
        const Work work = work_of(filters::lab(), 5, device);
        engine_->prepare(work);
        EXPECT_FALSE(other()) << "nobody asked for it";
        run_until_there(*engine_, work, result_of(3));
        expect_defined(filters::buffer::edges);
        EXPECT_EQ(other()->work.version, 3);
        // Another view of the work: the other's, too.
        Work blurred = work;
        blurred.view = filters::view::blur;
        run_until_there(*engine_, blurred, result_of(3));
        expect_defined(filters::buffer::blurred);
        // Of the original: what the lab begins with.
        blurred.view = filters::view::original;
        run_until_there(*engine_, blurred, result_of(3));
        expect_defined(filters::buffer::edges);
        engine_->prepare(work);
        EXPECT_FALSE(other());
        EXPECT_FALSE(engine_->simulating() && device == DeviceKind::cpu);
    }
}

TEST_F(OtherRunTest, OfAMatrixAndOfTheBaseline) {
    start();
    WS_NEED_THE_ENGINES_COMPILER();
    const Lab& lab = lab_named("transpose");
    const Work work = work_of(lab, 7, DeviceKind::simt);
    run_until_there(*engine_, work, result_of(1));
    expect_defined(transpose::buffer::copied);
    Beside beside;
    beside.result = {ResultOf::Kind::baseline, 0};
    run_until_there(*engine_, work, beside);
    EXPECT_EQ(other()->work.version, 6) << "nothing is pinned: the version before";
    expect_defined(transpose::buffer::transposed);
    // One that was pinned on another input is computed on this one.
    const PinnedWork pinned{work_of(lab, 3, DeviceKind::simt), {1234, {8, 8}}};
    beside.pinned = &pinned;
    run_until_there(*engine_, work, beside);
    EXPECT_EQ(other()->work.version, 3);
    expect_defined(transpose::buffer::transposed);
}

TEST_F(OtherRunTest, OnADeviceThatComputesAtOnceItIsRunOnceAndKept) {
    int runs = 0;
    EngineOptions options;
    options.devices.decorate = [&](std::unique_ptr<Device> device) {
        return std::make_unique<AtOnce>(std::move(device), runs);
    };
    start(std::move(options));
    WS_NEED_THE_ENGINES_COMPILER();
    const Work work = work_of(filters::lab(), 5, DeviceKind::simt);
    run_until_there(*engine_, work, result_of(3));
    expect_defined(filters::buffer::edges);
    const int before = runs;
    EXPECT_GE(before, 3) << "two of the check, one of the other";
    const auto bytes = other()->bytes;
    for (int i = 0; i < 5; ++i) engine_->prepare(work, result_of(3));
    run_until_there(*engine_, work, result_of(4));
    run_until_there(*engine_, work, result_of(3));
    EXPECT_EQ(other()->bytes, bytes) << "it was kept";
    EXPECT_EQ(runs, before + 1) << "V4's alone";
}

TEST_F(OtherRunTest, WhatAKernelGetsWrongIsShownWrong) {
    start(with_edited("= sum / 256;", "= x == 5 && y == 7 ? 3 : sum / 256;"));
    WS_NEED_THE_ENGINES_COMPILER();
    Work work = work_of(filters::lab(), 5, DeviceKind::simt);
    work.view = filters::view::blur;
    run_until_there(*engine_, work, result_of(1));
    ASSERT_TRUE(other());
    ASSERT_TRUE(other()->bytes) << other()->problem;
    HostBytes defined = reference_result(engine_->snapshot().problem, filters::buffer::blurred);
    const std::size_t at = 7 * 150 + 5;
    EXPECT_NE(defined[at], 3);
    defined[at] = 3;
    EXPECT_EQ(*other()->bytes, defined);
}

// A stray write of an edited kernel is found before a device gets it.
TEST_F(OtherRunTest, AnEditedKernelIsTriedFirst) {
    int runs = 0;
    EngineOptions options = with_edited("dst[y * width + x] =", "dst[y * width + x + 100000000] =");
    options.devices.decorate = [&](std::unique_ptr<Device> device) {
        return std::make_unique<AtOnce>(std::move(device), runs);
    };
    start(std::move(options));
    WS_NEED_THE_ENGINES_COMPILER();
    const Work work = work_of(filters::lab(), 12, DeviceKind::simt);  // has a blur of its own
    run_until_there(*engine_, work, {});
    const int before = runs;
    run_until_there(*engine_, work, result_of(1));
    // V1's edges take its blur.
    ASSERT_TRUE(other());
    EXPECT_FALSE(other()->bytes);
    EXPECT_NE(english(other()->problem).find("line"), std::string::npos) << other()->problem;
    EXPECT_EQ(runs, before) << "it was never launched";
}

TEST_F(OtherRunTest, WhatDoesNotCompileSaysSo) {
    start(with_edited("__constant__ int weights", "int broken = ;\n__constant__ int weights"));
    WS_NEED_THE_ENGINES_COMPILER();
    const Work work = work_of(filters::lab(), 5, DeviceKind::simt);
    run_until_there(*engine_, work, result_of(1));
    ASSERT_TRUE(other());
    EXPECT_FALSE(other()->bytes);
    EXPECT_NE(english(other()->problem).find("does not compile"), std::string::npos) << other()->problem;
    EXPECT_FALSE(engine_->simulating() && engine_->snapshot().result.check.state == Check::State::pending);
}

// The path of a real GPU.
TEST_F(OtherRunTest, OnAGpu) {
    const Result<std::vector<DeviceFacts>> devices = cuda_devices();
    WS_NEED_GPU(devices);
    start();
    for (const int version : {0, 3, 12, 17}) {
        run_until_there(*engine_, work_of(filters::lab(), 5, DeviceKind::cuda), result_of(version));
        expect_defined(filters::buffer::edges);
    }
    run_until_there(*engine_, work_of(lab_named("transpose"), 7, DeviceKind::cuda), result_of(3));
    expect_defined(transpose::buffer::transposed);
}

}  // namespace
}  // namespace ws
