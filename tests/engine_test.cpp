// The engine without a window: devices, plans, checks, failures.

#include "gpu/engine/engine.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "gpu/core/files.h"
#include "gpu/cpu/naive.h"
#include "gpu/engine/picture_check.h"
#include "gpu/engine/targets.h"
#include "gpu/picture/test_picture.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

Picture small_picture(Extent size = {123, 77}) {
    return std::make_shared<const RgbaImage>(draw_test_picture(size));
}

Settings cpu_settings(int version) {
    Settings settings = with_version(Settings{}, version_numbered(version));
    settings.device = DeviceKind::cpu;
    return settings;
}

TEST(Engine, GivesTheDefinedPictureForEveryView) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    for (const View view : {View::gray, View::blur, View::edge}) {
        for (const bool blur_first : {true, false}) {
            Settings settings = cpu_settings(3);
            settings.view = view;
            settings.blur_first = blur_first;
            engine.prepare(settings);
            ASSERT_TRUE(engine.wants_run());
            engine.run(target);
            EXPECT_EQ(target.picture(), naive::picture(*engine.picture(), view, blur_first)) << name_of(view);
        }
    }
    Settings original = cpu_settings(3);
    original.view = View::original;
    engine.prepare(original);
    EXPECT_FALSE(engine.wants_run()) << "no kernel runs for the original";
}

TEST(Engine, TimesStartAnewWithTheWork) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    engine.prepare(cpu_settings(0));
    HostTarget target;
    const Snapshot& snapshot = engine.snapshot();
    engine.run(target);
    EXPECT_EQ(snapshot.total_ms.samples, 0) << "warming up";
    EXPECT_TRUE(snapshot.warming_up);
    const auto start = std::chrono::steady_clock::now();
    while (snapshot.total_ms.samples < 5 &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
        engine.run(target);
    EXPECT_EQ(snapshot.total_ms.samples, 5);
    EXPECT_GT(snapshot.total_ms.median, 0);
    EXPECT_EQ(snapshot.stages[index_of(Stage::blur)].time_ms.samples, 5);
    Settings gray = cpu_settings(0);
    gray.view = View::gray;
    engine.prepare(gray);
    EXPECT_EQ(snapshot.total_ms.samples, 0);
    EXPECT_FALSE(snapshot.stages[index_of(Stage::blur)].runs);
}

TEST(Engine, PictureOfAnotherSizeIsTakenAtOnce) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    engine.prepare(cpu_settings(0));
    engine.run(target);
    engine.set_picture(small_picture({31, 200}), "tall");
    engine.prepare(cpu_settings(0));
    engine.run(target);
    EXPECT_EQ(target.picture(), naive::picture(*engine.picture(), View::edge, true));
    EXPECT_EQ(engine.snapshot().picture, (Extent{31, 200}));
}

TEST(Engine, OccupancyFollowsBlockAndTarget) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    Settings settings = cpu_settings(0);
    settings.target_gpu = "Quadro K2100M";
    engine.prepare(settings);
    engine.wait_for_kernels();
    const StageSnapshot& blur = engine.snapshot().stages[index_of(Stage::blur)];
    ASSERT_TRUE(blur.occupancy);
    EXPECT_DOUBLE_EQ(blur.occupancy->percent, 50) << "V0 on Kepler, as in the lecture";
    EXPECT_NE(engine.snapshot().target_note.find("nearest"), std::string::npos)
        << engine.snapshot().target_note;
    settings.block(Stage::blur) = {32, 32};
    engine.prepare(settings);
    engine.wait_for_kernels();
    EXPECT_EQ(blur.occupancy->resources.threads, 1024);
    settings.target_gpu = "H200";
    engine.prepare(settings);
    engine.wait_for_kernels();
    EXPECT_EQ(engine.snapshot().target_note.find("nearest"), std::string::npos)
        << engine.snapshot().target_note;
}

TEST(Engine, RefusesWhatDoesNotExist) {
    Engine engine({});
    engine.set_picture(small_picture(), "small");
    engine.prepare(cpu_settings(0));
    Settings settings = cpu_settings(0);
    settings.version = 99;
    EXPECT_THROW(engine.prepare(settings), UsageError);
    settings = cpu_settings(0);
    settings.target_gpu = "RTX 9999";
    EXPECT_THROW(engine.prepare(settings), UsageError);
    HostTarget target;
    engine.prepare(cpu_settings(0));
    engine.run(target);
    EXPECT_EQ(target.picture(), naive::picture(*engine.picture(), View::edge, true))
        << "it goes on as before";
}

TEST(Engine, AFailedLaunchLeavesTheLastGoodPicture) {
    EngineOptions options;
    options.fault = StagedFault::launch;
    Engine engine(options);
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    engine.prepare(cpu_settings(0));
    engine.run(target);
    const GrayImage good = target.picture();
    Settings blurred = cpu_settings(0);
    blurred.view = View::blur;
    engine.prepare(blurred);
    engine.run(target);
    engine.run(target);  // the staged failure
    ASSERT_TRUE(engine.snapshot().failure);
    EXPECT_TRUE(engine.snapshot().stale);
    engine.prepare(blurred);
    EXPECT_FALSE(engine.wants_run()) << "what failed is not tried again";
    engine.prepare(cpu_settings(0));
    EXPECT_FALSE(engine.snapshot().failure) << "other work is";
    engine.run(target);
    EXPECT_EQ(target.picture(), good);
}

TEST(Engine, ALostDeviceIsReplaced) {
    EngineOptions options;
    options.fault = StagedFault::device_lost;
    Engine engine(options);
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    engine.prepare(cpu_settings(0));
    engine.run(target);
    const int epoch = engine.device_epoch();
    engine.run(target);  // the staged loss
    EXPECT_NE(engine.device_epoch(), epoch);
    EXPECT_NE(engine.snapshot().device_loss, "");
    engine.prepare(cpu_settings(0));
    EXPECT_EQ(engine.snapshot().picture, (Extent{123, 77}));
}

TEST(Engine, NoMemoryKeepsThePictureBefore) {
    EngineOptions options;
    options.fault = StagedFault::no_memory;
    Engine engine(options);
    engine.set_picture(small_picture(), "small");
    HostTarget target;
    engine.prepare(cpu_settings(0));
    EXPECT_THROW(engine.set_picture(small_picture({9, 9}), "tiny"), Error);
    EXPECT_EQ(engine.snapshot().picture_name, "small");
    engine.run(target);
    EXPECT_EQ(target.picture(), naive::picture(*engine.picture(), View::edge, true));
}

TEST(Engine, FollowsKernelFilesWithinASecond) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("warpscope_engine_" + std::to_string(::getpid()));
    (void)KernelLibrary::write_to(folder, false);
    EngineOptions options;
    options.kernel_folder = folder;
    Engine engine(options);
    engine.set_picture(small_picture(), "small");
    const Settings settings = cpu_settings(1);
    engine.prepare(settings);
    engine.wait_for_kernels();
    const StageSnapshot& blur = engine.snapshot().stages[index_of(Stage::blur)];
    ASSERT_EQ(blur.state, CompileState::ready);
    const auto before = blur.kernel;
    const std::string text = blur.source.text;
    const auto wait_until = [&](auto condition) {
        const auto start = std::chrono::steady_clock::now();
        while (!condition()) {
            engine.prepare(settings);
            if (std::chrono::steady_clock::now() - start > std::chrono::seconds(20)) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        return true;
    };
    // A compile error is reported with its line.
    write_file(folder / "blur_g1.cu", "int x = ;\n" + text);
    EXPECT_TRUE(wait_until([&] { return blur.state == CompileState::failed; }));
    EXPECT_NE(blur.compile_error.find("blur_g1.cu(1): error"), std::string::npos) << blur.compile_error;
    // Mended, it compiles again.
    write_file(folder / "blur_g1.cu", "// mended\n" + text);
    EXPECT_TRUE(wait_until([&] { return blur.state == CompileState::ready; }));
    EXPECT_NE(blur.kernel, before);
    EXPECT_TRUE(blur.compile_error.empty());
    std::filesystem::remove_all(folder);
}

TEST(Targets, WhatIsLikelyNext) {
    Settings settings = with_version(Settings{}, version_numbered(5));
    settings.block(Stage::blur) = {32, 8};
    const std::vector<Settings> next = likely_next(settings);
    const auto holds = [&](auto matches) { return std::any_of(next.begin(), next.end(), matches); };
    EXPECT_TRUE(holds([](const Settings& s) { return s.version == 4; }));
    EXPECT_TRUE(holds([](const Settings& s) { return s.version == 6; }));
    for (const Block block : {Block{24, 8}, Block{48, 8}, Block{32, 6}, Block{32, 12}}) {
        EXPECT_TRUE(holds([&](const Settings& s) { return s.version == 5 && s.block(Stage::blur) == block; }))
            << to_string(block);
    }
    for (const Settings& one : next) {
        for (const Block block : one.blocks) EXPECT_TRUE(block.valid()) << to_string(block);
    }
    // At the ends of the sliders and of the table there is less.
    settings = with_version(settings, versions().back());
    for (const Settings& one : likely_next(settings)) EXPECT_LE(one.version, versions().back().number);
}

TEST(PictureCheck, SeesWrongAndUnwrittenPixels) {
    const GrayImage reference = naive::picture(draw_test_picture({40, 30}), View::edge, true);
    GrayImage first = reference;
    GrayImage second = reference;
    EXPECT_EQ(compare(first, 0xA5, second, 0x5A, reference).state, Check::State::equal);
    first.bytes[41] ^= 1;
    second.bytes[41] ^= 1;
    const Check wrong = compare(first, 0xA5, second, 0x5A, reference);
    EXPECT_EQ(wrong.state, Check::State::different);
    EXPECT_NE(wrong.message.find("1 of 1200 pixels differ"), std::string::npos) << wrong.message;
    EXPECT_NE(wrong.message.find("column 1, row 1"), std::string::npos) << wrong.message;
    first = second = reference;
    first.bytes[7] = 0xA5;
    second.bytes[7] = 0x5A;
    EXPECT_NE(compare(first, 0xA5, second, 0x5A, reference).message.find("never written"), std::string::npos);
    const Check nothing =
        compare(GrayImage(reference.size, 0xA5), 0xA5, GrayImage(reference.size, 0x5A), 0x5A, reference);
    EXPECT_NE(nothing.message.find("write nothing"), std::string::npos) << nothing.message;
    EXPECT_EQ(compare(GrayImage({1, 1}), 0, second, 0, reference).state, Check::State::failed);
}

TEST(Versions, TableIsWhole) {
    int number = 0;
    for (const Version& version : versions()) {
        EXPECT_EQ(version.number, number++);
        EXPECT_FALSE(version.title.empty());
        EXPECT_FALSE(version.changed.empty());
        EXPECT_FALSE(version.why.empty());
        for (const Block block : version.blocks) EXPECT_TRUE(block.valid());
    }
    EXPECT_GE(number, 12);
    EXPECT_THROW((void)version_numbered(-1), UsageError);
}

}  // namespace
}  // namespace ws
