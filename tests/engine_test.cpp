// The engine without a window: devices, plans, checks, failures.

#include "gpu/engine/engine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "gpu/core/files.h"
#include "gpu/engine/planner.h"
#include "gpu/engine/targets.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/filters/naive.h"
#include "gpu/labs/transpose/transpose.h"
#include "gpu/picture/test_picture.h"
#include "tests/staged_faults.h"
#include "tests/waiting.h"

namespace ws {
namespace {

Picture small_picture(Extent size = {123, 77}) {
    return std::make_shared<const RgbaImage>(draw_test_picture(size));
}

Work cpu_work(int version) {
    Work work = with_version(first_work(filters::lab()), version_of(filters::lab(), version));
    work.device = DeviceKind::cpu;
    return work;
}

// A device that fails, once; what takes its place works.
EngineOptions failing(testing::Fault fault) {
    EngineOptions options;
    options.devices.decorate = [fault, first = true](std::unique_ptr<Device> device) mutable {
        if (std::exchange(first, false)) device = std::make_unique<testing::Faulty>(std::move(device), fault);
        return device;
    };
    return options;
}

GrayImage defined_picture(const RgbaImage& picture, int buffer = filters::buffer::edges) {
    return filters::naive::picture(picture, filters::filters_of(buffer));
}

TEST(Engine, GivesTheDefinedPictureForEveryView) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    const Lab& lab = filters::lab();
    for (const int view :
         {filters::view::gray, filters::view::blur, filters::view::edge, filters::view::edge_of_gray}) {
        Work work = cpu_work(3);
        work.view = view;
        engine.prepare(work);
        ASSERT_TRUE(engine.wants_run());
        EXPECT_TRUE(engine.run(target));
        const View& shown = lab.views[std::size_t(view)];
        EXPECT_EQ(target.picture(), defined_picture(*engine.picture(), shown.shows)) << shown.name;
        EXPECT_EQ(&view_of(engine.snapshot()), &shown);
    }
    Work original = cpu_work(3);
    original.view = filters::view::original;
    engine.prepare(original);
    EXPECT_FALSE(engine.wants_run()) << "no kernel runs for the original";
}

// A lab of numbers: its own size and input, a result that is checked and kept, and no picture.
TEST(Engine, GivesTheDefinedMatrixForEveryVersion) {
    Engine engine({});
    HostTarget target;
    const Snapshot& snapshot = engine.snapshot();
    const Lab& lab = transpose::lab();
    for (const Version& version : lab.versions) {
        Work work = with_version(first_work(lab), version);
        work.device = DeviceKind::cpu;
        work.size = {67, 45};
        engine.prepare(work);
        EXPECT_EQ(snapshot.problem.size, (Extent{67, 45}));
        EXPECT_EQ(snapshot.input_name, "67 x 45");
        const int shows = shown_buffer(view_of(snapshot), version);
        const bool turns = shows == transpose::buffer::transposed;
        EXPECT_EQ(snapshot.shown_size, (turns ? Extent{45, 67} : Extent{67, 45})) << "V" << version.number;
        ASSERT_TRUE(engine.wants_run());
        EXPECT_FALSE(engine.run(target)) << "there is nothing to draw";
        EXPECT_TRUE(snapshot.result.drawn && snapshot.result.drawn->current);
        engine.check_now();
        EXPECT_EQ(snapshot.result.check.state, Check::State::equal) << snapshot.result.check.message;
        const HostBytes& result = engine.checked_result();
        ASSERT_EQ(result.size(), 67u * 45 * sizeof(float));
        for (int row = 0; row < 45; ++row) {
            for (int column = 0; column < 67; ++column) {
                const int at = turns ? 45 * column + row : 67 * row + column;
                float value = -1;
                std::memcpy(&value, &result[std::size_t(at) * sizeof value], sizeof value);
                ASSERT_EQ(value, float(67 * row + column)) << "V" << version.number;
            }
        }
    }
    EXPECT_EQ(target.picture(), GrayImage()) << "never touched";
}

TEST(Engine, AnotherLabTakesItsOwnInput) {
    Engine engine({});
    HostTarget target;
    engine.set_picture(small_picture(), "small");
    engine.prepare(cpu_work(0));
    engine.run(target);
    Work matrix = first_work(transpose::lab());
    matrix.device = DeviceKind::cpu;
    matrix.size = {32, 64};
    engine.prepare(matrix);
    EXPECT_EQ(engine.snapshot().problem.size, (Extent{32, 64}));
    EXPECT_EQ(engine.snapshot().steps.size(), transpose::lab().steps.size());
    EXPECT_FALSE(engine.snapshot().result.drawn->current) << "what is drawn is still the picture";
    engine.run(target);
    // A picture that is opened meanwhile waits for the lab that takes it.
    engine.set_picture(small_picture({40, 30}), "other");
    EXPECT_EQ(engine.snapshot().problem.size, (Extent{32, 64}));
    engine.prepare(cpu_work(0));
    EXPECT_EQ(engine.snapshot().problem.size, (Extent{40, 30}));
    EXPECT_EQ(engine.snapshot().input_name, "other");
    EXPECT_EQ(engine.snapshot().steps.size(), filters::lab().steps.size());
    EXPECT_TRUE(engine.run(target));
    EXPECT_EQ(target.picture(), defined_picture(*engine.picture()));
}

TEST(Engine, TimesStartAnewWithTheWork) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    engine.prepare(cpu_work(0));
    HostTarget target;
    const Snapshot& snapshot = engine.snapshot();
    engine.run(target);
    EXPECT_EQ(snapshot.times.total_ms.samples, 0) << "warming up";
    EXPECT_TRUE(snapshot.run.warming_up);
    const auto start = std::chrono::steady_clock::now();
    while (snapshot.times.total_ms.samples < 5 &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
        engine.run(target);
    EXPECT_EQ(snapshot.times.total_ms.samples, 5);
    EXPECT_GT(snapshot.times.total_ms.median, 0);
    EXPECT_EQ(snapshot.steps[filters::step::blur].times.ms.samples, 5);
    Work gray = cpu_work(0);
    gray.view = filters::view::gray;
    engine.prepare(gray);
    EXPECT_EQ(snapshot.times.total_ms.samples, 0);
    EXPECT_FALSE(snapshot.steps[filters::step::blur].runs);
}

TEST(Engine, PictureOfAnotherSizeIsTakenAtOnce) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    engine.prepare(cpu_work(0));
    engine.run(target);
    engine.set_picture(small_picture({31, 200}), "tall");
    engine.prepare(cpu_work(0));
    engine.run(target);
    EXPECT_EQ(target.picture(), defined_picture(*engine.picture()));
    EXPECT_EQ(engine.snapshot().problem.size, (Extent{31, 200}));
}

// Between two plans, while the second one's kernels are being compiled, what is drawn is still the first's.
TEST(Engine, APictureStaysUntilTheNextKernelsAreThere) {
    Engine engine({});
    if (engine.snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
    engine.set_picture(small_picture({40, 12}), "small");
    Work work = cpu_work(0);
    work.device = DeviceKind::simt;
    engine.prepare(work);
    engine.wait_for_kernels();
    HostTarget target;
    const auto start = std::chrono::steady_clock::now();
    while (!engine.snapshot().result.drawn &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
        engine.run(target);
    ASSERT_TRUE(engine.snapshot().result.drawn);
    engine.set_picture(small_picture({9, 9}), "tiny");
    Work other = with_version(work, version_of(filters::lab(), 7));
    engine.prepare(other);
    EXPECT_EQ(engine.snapshot().result.drawn->version, 0);
    EXPECT_FALSE(engine.snapshot().result.drawn->current);
    EXPECT_EQ(engine.snapshot().result.drawn->key.input.size, (Extent{40, 12}));
    engine.wait_for_kernels();
    while (!engine.snapshot().result.drawn->current &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
        engine.run(target);
    EXPECT_TRUE(engine.snapshot().result.drawn->current);
    EXPECT_EQ(engine.snapshot().result.drawn->version, 7);
    EXPECT_EQ(target.picture(), defined_picture(*engine.picture()));
}

TEST(Engine, OccupancyFollowsBlockAndTarget) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    Work work = cpu_work(0);
    work.target_gpu = "Quadro K2100M";
    engine.prepare(work);
    engine.wait_for_kernels();
    const StepSnapshot& blur = engine.snapshot().steps[filters::step::blur];
    ASSERT_TRUE(blur.occupancy.now);
    EXPECT_DOUBLE_EQ(blur.occupancy.now->percent, 50) << "V0 on Kepler, as in the lecture";
    EXPECT_NE(engine.snapshot().target.note.find("nearest"), std::string::npos)
        << engine.snapshot().target.note;
    work.block(filters::step::blur) = {32, 32};
    engine.prepare(work);
    engine.wait_for_kernels();
    EXPECT_EQ(blur.occupancy.now->resources.threads, 1024);
    work.target_gpu = "H200";
    engine.prepare(work);
    engine.wait_for_kernels();
    EXPECT_EQ(engine.snapshot().target.note.find("nearest"), std::string::npos)
        << engine.snapshot().target.note;
}

TEST(Engine, RefusesWhatDoesNotExist) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    engine.prepare(cpu_work(0));
    Work work = cpu_work(0);
    work.version = 99;
    EXPECT_THROW(engine.prepare(work), UsageError);
    work = cpu_work(0);
    work.target_gpu = "RTX 9999";
    EXPECT_THROW(engine.prepare(work), UsageError);
    HostTarget target;
    engine.prepare(cpu_work(0));
    engine.run(target);
    EXPECT_EQ(target.picture(), defined_picture(*engine.picture())) << "it goes on as before";
}

TEST(Engine, AFailedLaunchLeavesTheLastGoodPicture) {
    Engine engine(failing(testing::Fault::launch));
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    engine.prepare(cpu_work(0));
    engine.run(target);
    const GrayImage good = target.picture();
    Work blurred = cpu_work(0);
    blurred.view = filters::view::blur;
    engine.prepare(blurred);
    EXPECT_FALSE(engine.run(target)) << "the staged failure";
    ASSERT_TRUE(engine.snapshot().run.failure);
    EXPECT_EQ(engine.snapshot().run.failure->step, filters::step::blur);
    EXPECT_TRUE(engine.snapshot().run.stale);
    EXPECT_EQ(target.picture(), good);
    ASSERT_TRUE(engine.snapshot().result.drawn);
    EXPECT_EQ(engine.snapshot().result.drawn->view, filters::view::edge) << "it is still the edges";
    engine.prepare(blurred);
    EXPECT_FALSE(engine.wants_run()) << "what failed is not tried again";
    engine.prepare(cpu_work(0));
    EXPECT_FALSE(engine.snapshot().run.failure) << "other work is";
    engine.run(target);
    EXPECT_EQ(target.picture(), good);
}

TEST(Engine, ALostDeviceIsReplaced) {
    Engine engine(failing(testing::Fault::device_lost));
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    engine.prepare(cpu_work(0));
    engine.run(target);
    const int epoch = engine.device_epoch();
    engine.run(target);  // the staged loss
    EXPECT_NE(engine.device_epoch(), epoch);
    EXPECT_NE(engine.snapshot().device.loss, "");
    engine.prepare(cpu_work(0));
    EXPECT_EQ(engine.snapshot().problem.size, (Extent{123, 77}));
    ASSERT_TRUE(engine.snapshot().result.drawn);
    EXPECT_EQ(engine.snapshot().result.drawn->view, filters::view::edge) << "the picture stays";
    // The work that it was lost with is not tried again where the device is the same; other work is.
    Work blurred = cpu_work(0);
    blurred.view = filters::view::blur;
    engine.prepare(blurred);
    engine.wait_for_kernels();
    EXPECT_TRUE(engine.run(target)) << "it goes on";
    EXPECT_EQ(target.picture(), defined_picture(*engine.picture(), filters::buffer::blurred));
}

TEST(Engine, NoMemoryKeepsThePictureBefore) {
    Engine engine(failing(testing::Fault::no_memory));
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    engine.prepare(cpu_work(0));
    engine.run(target);
    EXPECT_THROW(engine.set_picture(small_picture({9, 9}), "tiny"), Error);
    EXPECT_EQ(engine.snapshot().input_name, "small");
    EXPECT_EQ(engine.snapshot().problem.size, (Extent{123, 77}));
    target.resize({1, 1});
    engine.prepare(cpu_work(0));
    engine.run(target);
    EXPECT_EQ(target.picture(), defined_picture(*engine.picture()));
}

TEST(Engine, FollowsKernelFilesWithinASecond) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("warpscope_engine_" + std::to_string(::getpid()));
    (void)KernelLibrary::write_to(folder, false);
    EngineOptions options;
    options.kernel_folder = folder;
    Engine engine(options);
    engine.set_picture(small_picture(), "small");
    const Work work = cpu_work(1);
    engine.prepare(work);
    engine.wait_for_kernels();
    const StepSnapshot& blur = engine.snapshot().steps[filters::step::blur];
    ASSERT_EQ(blur.built.state, CompileState::ready);
    const auto before = blur.built.kernel;
    const std::string text = blur.source.text;
    const auto wait_until = [&](auto condition) {
        const auto start = std::chrono::steady_clock::now();
        while (!condition()) {
            engine.prepare(work);
            if (std::chrono::steady_clock::now() - start > std::chrono::seconds(20)) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    };
    // A compile error is reported with its line.
    write_file(folder / "blur_g1.cu", "int x = ;\n" + text);
    EXPECT_TRUE(wait_until([&] { return blur.built.state == CompileState::failed; }));
    EXPECT_NE(blur.built.error.find("blur_g1.cu(1): error"), std::string::npos) << blur.built.error;
    // Mended, it compiles again.
    write_file(folder / "blur_g1.cu", "// mended\n" + text);
    EXPECT_TRUE(wait_until([&] { return blur.built.state == CompileState::ready; }));
    EXPECT_NE(blur.built.kernel, before);
    EXPECT_TRUE(blur.built.error.empty());
    std::filesystem::remove_all(folder);
}

// Kernels that an engine has compiled once it is at rest and compiles no more, and nobody has asked it since.
std::ptrdiff_t compiled_at_rest(bool compiles_next) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("warpscope_next_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder);
    EngineOptions options;
    options.cache_folder = folder;
    options.compiles_next = compiles_next;
    {
        Engine engine(options);
        Work work = with_version(first_work(transpose::lab()), version_of(transpose::lab(), 1));
        work.device = DeviceKind::simt;
        work.size = {64, 64};
        engine.prepare(work);
        engine.wait_for_counts();
        HostTarget target;
        EXPECT_TRUE(testing::soon([&] {
            engine.prepare(work);
            if (engine.wants_run()) engine.run(target);
            return engine.at_rest();
        }));
        EXPECT_TRUE(testing::soon([&] { return !engine.compiling_ahead(); }));
    }
    std::ptrdiff_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        files += entry.is_regular_file();
    std::filesystem::remove_all(folder);
    return files;
}

TEST(Engine, CompilesWhatMayBeChosenNextOnlyWhereSomebodyChooses) {
    if (Engine({}).snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
    const std::ptrdiff_t asked = compiled_at_rest(false);
    EXPECT_GT(asked, 0);
    EXPECT_LE(asked, 3) << "its machine code, and PTX to run and to count";
    EXPECT_GE(compiled_at_rest(true), asked + 4) << "the stops of the block's sliders";
}

// A window that nobody touches draws no more frames once the engine is at rest: what it shows until somebody
// does must be all there, also where every kernel has yet to be compiled.
TEST(Engine, IsNotAtRestBeforeAllThatStandsBesideIsThere) {
    EngineOptions options;
    options.cache_folder =
        std::filesystem::temp_directory_path() / ("warpscope_rest_" + std::to_string(::getpid()));
    std::filesystem::remove_all(options.cache_folder);
    {
        Engine engine(options);
        const Snapshot& snapshot = engine.snapshot();
        if (snapshot.compiler.missing) GTEST_SKIP() << "needs NVRTC";
        EXPECT_FALSE(engine.at_rest()) << "nothing has been prepared";
        Work work = with_version(first_work(transpose::lab()), version_of(transpose::lab(), 1));
        work.device = DeviceKind::simt;
        work.size = {64, 64};
        HostTarget target;
        ASSERT_TRUE(testing::soon([&] {
            engine.prepare(work, {.versions = true});
            if (engine.wants_run()) engine.run(target);
            return engine.at_rest();
        }));
        EXPECT_EQ(snapshot.told.versions.size(), transpose::lab().versions.size());
        for (const auto& [version, figures] : snapshot.told.versions)
            EXPECT_TRUE(!figures.steps.empty() || !figures.problem.empty()) << "V" << version;
        work.block(0) = {16, 8};
        engine.prepare(work, {.versions = true});
        EXPECT_FALSE(engine.at_rest());
    }
    std::filesystem::remove_all(options.cache_folder);
}

TEST(Targets, WhatIsLikelyNext) {
    Work work = with_version(first_work(filters::lab()), version_of(filters::lab(), 5));
    work.block(filters::step::blur) = {32, 8};
    const KernelLibrary library;
    const KernelLookup find = [&](std::string_view name) -> const KernelSource& {
        return library.find(name);
    };
    const std::vector<Work> next = likely_next(work, find);
    const auto holds = [&](auto matches) { return std::any_of(next.begin(), next.end(), matches); };
    EXPECT_TRUE(holds([](const Work& s) { return s.version == 4; }));
    EXPECT_TRUE(holds([](const Work& s) { return s.version == 6; }));
    for (const Block block : {Block{24, 8}, Block{48, 8}, Block{32, 6}, Block{32, 12}}) {
        EXPECT_TRUE(holds([&](const Work& s) {
            return s.version == 5 && s.block(filters::step::blur) == block;
        })) << to_string(block);
    }
    EXPECT_EQ(next.front().block(filters::step::blur), (Block{48, 8}))
        << "the slider's next stop comes first";
    EXPECT_TRUE(holds([](const Work& s) { return s.block(filters::step::blur) == Block{64, 8}; }));
    // A side between two stops has both as neighbours.
    work.block(filters::step::blur) = {37, 8};
    for (const int side : {32, 48, 24, 64}) {
        const std::vector<Work> around = likely_next(work, find);
        EXPECT_TRUE(std::ranges::any_of(around, [&](const Work& s) {
            return s.block(filters::step::blur) == Block{side, 8};
        })) << side;
    }
    for (const Work& one : next) {
        for (const Block block : one.blocks) EXPECT_TRUE(block.valid()) << to_string(block);
    }
    // At the ends of the sliders and of the table there is less.
    work = with_version(work, filters::lab().versions.back());
    for (const Work& one : likely_next(work, find))
        EXPECT_LE(one.version, filters::lab().versions.back().number);
}

}  // namespace
}  // namespace ws
