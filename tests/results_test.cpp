// Results and their keys: what the engine shows beside what.

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "filter_problems.h"
#include "gpu/core/files.h"
#include "gpu/core/result_key.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/transpose/transpose.h"
#include "tests/compiled_kernels.h"
#include "waiting.h"

namespace ws {
namespace {

using testing::picture_of;
using testing::problem_of;
using testing::soon;

Work version_work(int number) {
    return with_version(first_work(filters::lab()), version_of(filters::lab(), number));
}

TEST(Keys, AreValues) {
    const Picture one = picture_of({100, 50});
    const Picture same = picture_of({100, 50});
    const auto key = [](const Picture& picture) { return input_key(problem_of(picture)); };
    EXPECT_EQ(key(one), key(same)) << "the same picture at another address";
    EXPECT_FALSE(key(one) == key(picture_of({100, 50}, 1))) << "one byte differs";
    EXPECT_FALSE(key(one) == key(picture_of({50, 100})));
    const auto ramp = [](Extent size) { return input_key(generated_problem(transpose::lab(), size)); };
    EXPECT_EQ(ramp({64, 32}), ramp({64, 32}));
    EXPECT_FALSE(ramp({64, 32}) == ramp({32, 64})) << "the same numbers in rows of another length";
    for (std::size_t size = 0; size < 80; ++size) {
        std::vector<std::uint8_t> bytes(size, 7);
        const std::uint64_t hash = content_hash(bytes.data(), size);
        for (std::size_t i = 0; i < size; ++i) {
            ++bytes[i];
            EXPECT_NE(content_hash(bytes.data(), size), hash) << size << ", byte " << i;
            --bytes[i];
        }
        bytes.push_back(0);
        EXPECT_NE(content_hash(bytes.data(), size + 1), hash) << "a zero more";
    }
}

TEST(Keys, BoardHoldsTheLatestOfEach) {
    Board<std::string, int> board(2);
    board.put("a", 1);
    board.put("b", 2);
    board.put("a", 3);
    ASSERT_TRUE(board.find("a"));
    EXPECT_EQ(*board.find("a"), 3);
    board.put("c", 4);
    EXPECT_FALSE(board.find("b")) << "put longest ago";
    EXPECT_TRUE(board.find("a") && board.find("c"));
}

class Results : public ::testing::Test {
  protected:
    void SetUp() override {
        EngineOptions options;
        options.cache_folder = testing::compiled_kernels();
        engine_.emplace(std::move(options));
        if (engine_->snapshot().compiler.missing) GTEST_SKIP() << "needs NVRTC";
        engine_->set_picture(picture_of({300, 200}), "photo");
        show(version_work(1));
    }
    void show(Work work) {
        work.device = DeviceKind::cpu;  // counting does not depend on what runs
        work_ = work;
        engine_->prepare(work_);
    }
    void show_and_wait(const Work& work) {
        show(work);
        engine_->wait_for_counts();
    }
    const StepSnapshot& step(int step) { return engine_->snapshot().steps[std::size_t(step)]; }
    const StepSnapshot& blur() { return step(filters::step::blur); }
    static bool pairs_up(const StepSnapshot& shown) {
        if (!shown.counts.result) return !shown.counts.baseline.result;
        const StepResult& result = *shown.counts.result;
        const Block block = result.key.launch.block;
        return result.counters->block == block && result.counters->gpu == result.key.gpu.name &&
               (!result.occupancy || (result.occupancy->resources.threads == block.threads() &&
                                      result.occupancy->limits == result.key.gpu.limits)) &&
               (shown.counts.stale || block == shown.shape.block) &&
               !(shown.counts.stale && shown.counts.baseline.result) &&
               !(shown.counts.stale && shown.estimate());
    }
    std::optional<Engine> engine_;
    Work work_;
};

TEST_F(Results, TheVersionBeforeIsCountedInItsOwnBlocks) {
    // V0 was shown in another block first: its counts there are not what V1 is compared with.
    Work wide = version_work(0);
    wide.block(filters::step::blur) = {128, 4};
    show_and_wait(wide);
    EXPECT_EQ(blur().counts.result->key.launch.block, (Block{128, 4}));
    show_and_wait(version_work(1));
    ASSERT_TRUE(blur().counts.baseline.result);
    EXPECT_EQ(blur().counts.baseline.version, 0);
    EXPECT_EQ(blur().counts.baseline.result->key.launch.block, (Block{8, 8}));
    EXPECT_EQ(blur().counts.baseline.result->counters->block, (Block{8, 8}));
    const auto sectors = [](const StepResult& result) {
        return result.counters->total.global_load.sectors_per_request();
    };
    EXPECT_GT(sectors(*blur().counts.baseline.result), 1.5 * sectors(*blur().counts.result))
        << "8 x 8 against 32 x 2";
}

TEST_F(Results, AnotherBlockMakesTheOldCountsStaleWithTheirOwnEstimate) {
    show_and_wait(version_work(1));
    ASSERT_TRUE(blur().estimate());
    const double before = blur().estimate()->ms;
    Work next = work_;
    // As a slider moves: whatever is there at each moment belongs together.
    for (const int x : {64, 96, 128, 192, 256, 384, 512}) {
        next.block(filters::step::blur) = {x, 1};
        show(next);
        EXPECT_TRUE(pairs_up(blur()));
        if (blur().counts.stale) {
            EXPECT_FALSE(blur().estimate());
            ASSERT_TRUE(blur().counts.result->estimate);
        }
        for (int i = 0; i < 20; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
            engine_->prepare(next);
            for (const StepSnapshot& shown : engine_->snapshot().steps) EXPECT_TRUE(pairs_up(shown));
        }
    }
    engine_->wait_for_counts();
    EXPECT_EQ(blur().counts.result->key.launch.block, (Block{512, 1}));
    // Back: the result is on the board, and is there at once.
    show(version_work(1));
    ASSERT_TRUE(blur().estimate());
    EXPECT_DOUBLE_EQ(blur().estimate()->ms, before);
}

TEST_F(Results, AnotherPictureKnobViewOrGpuIsAnotherResult) {
    show_and_wait(version_work(8));
    const CountKey first = blur().counts.result->key;
    const CountKey first_edge = step(filters::step::edge).counts.result->key;
    ASSERT_TRUE(blur().counts.baseline.result);
    // The same name and size.
    engine_->set_picture(picture_of({300, 200}, 99), "photo");
    show(work_);
    EXPECT_TRUE(blur().counts.stale);
    EXPECT_FALSE(blur().counts.baseline.result);
    engine_->wait_for_counts();
    EXPECT_FALSE(blur().counts.result->key.input == first.input);
    EXPECT_TRUE(blur().counts.baseline.result->key.input == blur().counts.result->key.input);
    // A knob.
    Work padded = work_;
    padded.knobs["PAD"] = 1;
    show(padded);
    EXPECT_TRUE(blur().counts.stale);
    EXPECT_FALSE(blur().counts.baseline.result);
    engine_->wait_for_counts();
    EXPECT_EQ(blur().counts.result->key.launch.kernel.knobs.at("PAD"), 1);
    // Edges of the gray picture instead of the blurred one.
    Work sharp = work_;
    sharp.view = filters::view::edge_of_gray;
    show_and_wait(sharp);
    const auto reads = [](const CountKey& key) { return input_of(key.launch.arguments); };
    EXPECT_EQ(reads(step(filters::step::edge).counts.result->key), filters::buffer::gray);
    EXPECT_EQ(reads(first_edge), filters::buffer::blurred);
    EXPECT_EQ(reads(step(filters::step::edge).counts.baseline.result->key), filters::buffer::gray);
    // Another GPU.
    Work old = work_;
    old.target_gpu = "GTX 980";
    show(old);
    EXPECT_TRUE(blur().counts.stale);
    EXPECT_FALSE(blur().counts.baseline.result);
    engine_->wait_for_counts();
    EXPECT_EQ(blur().counts.result->key.gpu.name, "GTX 980");
    EXPECT_EQ(blur().counts.baseline.result->key.gpu.name, "GTX 980");
}

TEST_F(Results, AnEditedKernelIsAnotherResult) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("warpscope_results_" + std::to_string(::getpid()));
    (void)KernelLibrary::write_to(folder, false);
    EngineOptions options;
    options.kernel_folder = folder;
    engine_.emplace(options);
    engine_->set_picture(picture_of({300, 200}), "photo");
    show_and_wait(version_work(4));
    ASSERT_TRUE(blur().counts.result && blur().counts.baseline.result);
    const std::uint64_t text = blur().counts.result->key.launch.kernel.text;
    const std::uint64_t text_before = blur().counts.baseline.result->key.launch.kernel.text;
    const std::string name = blur().source.name;
    write_file(folder / (name + ".cu"), "// edited\n" + blur().source.text);
    ASSERT_TRUE(soon([&] {
        engine_->prepare(work_);
        EXPECT_TRUE(pairs_up(blur()));
        return blur().counts.result && !blur().counts.stale &&
               blur().counts.result->key.launch.kernel.text != text;
    }));
    engine_->wait_for_counts();
    EXPECT_EQ(blur().counts.baseline.result->key.launch.kernel.text, text_before) << "V3's file is as it was";
    // The file of the version before.
    const std::string other(version_of(filters::lab(), 3).steps[filters::step::blur].kernel);
    write_file(folder / (other + ".cu"), "// edited\n" + read_file(folder / (other + ".cu")));
    ASSERT_TRUE(soon([&] {
        engine_->prepare(work_);
        return blur().counts.baseline.result &&
               blur().counts.baseline.result->key.launch.kernel.text != text_before;
    }));
    std::filesystem::remove_all(folder);
}

TEST_F(Results, OneKernelIsComparedWithTheSumOfThoseBefore) {
    show_and_wait(version_work(12));
    const StepSnapshot& fused = step(filters::step::fused);
    ASSERT_TRUE(fused.runs && fused.counts.result);
    EXPECT_EQ(fused.counts.baseline.version, 11);
    ASSERT_TRUE(fused.counts.baseline.result) << fused.counts.baseline.problem;
    const InstructionCounts sum = fused.counts.baseline.result->counters->total;
    const double estimated = fused.counts.baseline.result->estimate->ms;
    show_and_wait(version_work(11));
    std::uint64_t instructions = 0;
    double ms = 0;
    for (const int part : {filters::step::gray, filters::step::blur, filters::step::edge}) {
        instructions += step(part).counts.result->counters->total.instructions;
        ms += step(part).estimate()->ms;
    }
    EXPECT_EQ(sum.instructions, instructions);
    EXPECT_DOUBLE_EQ(estimated, ms);
    // And one kernel with one.
    show_and_wait(version_work(13));
    ASSERT_TRUE(step(filters::step::fused).counts.baseline.result);
    EXPECT_EQ(step(filters::step::fused).counts.baseline.result->key.launch.step, filters::step::fused);
}

TEST_F(Results, EveryVersionHasAComparisonOrAReason) {
    for (const char* gpu : {"RTX 3060", "Quadro K2100M"}) {
        for (const Version& version : filters::lab().versions) {
            Work work = version_work(version.number);
            work.target_gpu = gpu;
            show_and_wait(work);
            const StepSnapshot& shown = main_step(engine_->snapshot());
            EXPECT_TRUE(shown.counts.result || !shown.counts.problem.empty())
                << gpu << " V" << version.number;
            if (version.number == 0 || !shown.counts.result) continue;
            EXPECT_NE(shown.counts.baseline.result.has_value(), !shown.counts.baseline.problem.empty())
                << gpu << " V" << version.number;
        }
    }
}

TEST_F(Results, WiderBanksGainNothingWhereThereAreNone) {
    Work work = version_work(9);
    show_and_wait(work);
    EXPECT_NE(blur().counts.baseline.verdict.find("gains nothing over V8"), std::string::npos)
        << blur().counts.baseline.verdict;
    EXPECT_NE(blur().counts.baseline.verdict.find("Only compute capability 3.x has banks of 8 bytes"),
              std::string::npos)
        << blur().counts.baseline.verdict;
}

TEST_F(Results, RegistersComeFromMachineCodeAlone) {
    Work work = version_work(5);
    show_and_wait(work);
    ASSERT_TRUE(blur().built.machine_code);
    EXPECT_FALSE(blur().built.machine_code->is_ptx);
    EXPECT_GT(blur().built.machine_code->report.registers, 0);
    EXPECT_EQ(blur().occupancy.now->resources.registers, blur().built.machine_code->report.registers);
}

TEST_F(Results, WhatIsDrawnSaysWhoseItIs) {
    HostTarget target;
    engine_->run(target);
    ASSERT_TRUE(engine_->snapshot().result.drawn);
    EXPECT_TRUE(engine_->snapshot().result.drawn->current);
    EXPECT_EQ(engine_->snapshot().result.drawn->key.shows, filters::buffer::edges);
    Work gray = work_;
    gray.view = filters::view::gray;
    engine_->prepare(gray);
    EXPECT_FALSE(engine_->snapshot().result.drawn->current);
    EXPECT_EQ(engine_->snapshot().result.drawn->key.shows, filters::buffer::edges)
        << "the picture is still the edges";
    engine_->run(target);
    EXPECT_TRUE(engine_->snapshot().result.drawn->current);
    EXPECT_EQ(engine_->snapshot().result.drawn->key.shows, filters::buffer::gray);
}

}  // namespace
}  // namespace ws
