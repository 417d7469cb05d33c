// Kernels that a person edits: they run under the checks of the simulated GPU before a device gets them, and
// the last good one stays.

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>

#include "app/views/source_rows.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/files.h"
#include "gpu/engine/engine.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/picture/test_picture.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

const Beside kAll{.versions = true};

class EditedKernel : public ::testing::Test {
  protected:
    EditedKernel() : folder_(fs::temp_directory_path() / ("warpscope_edited_" + std::to_string(getpid()))) {
        fs::remove_all(folder_);
        (void)KernelLibrary::write_to(folder_, false);
        EngineOptions options;
        options.kernel_folder = folder_;
        engine_.emplace(options);
        engine_->set_picture(std::make_shared<const RgbaImage>(draw_test_picture({200, 120})), "small");
        work_ = with_version(first_work(filters::lab()), version_of(filters::lab(), 1));
        work_.device = DeviceKind::simt;
        work_.view = filters::view::blur;
    }
    ~EditedKernel() override { fs::remove_all(folder_); }

    // Replaces the only place of `from` in the blur's file.
    void edit(const std::string& from, const std::string& to) {
        const fs::path path = folder_ / (blur().source.name + ".cu");
        std::string text = read_file(path);
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        write_file(path, text.replace(at, from.size(), to));
    }
    // Until the folder has been looked at again, and all is compiled and checked.
    void prepare() {
        for (int i = 0; i < 6; ++i) {
            engine_->prepare(work_, kAll);
            usleep(60'000);
        }
        engine_->wait_for_kernels();
    }
    // Of the version: as the headline, its bar and the pages of its kernel have it.
    struct Figures {
        std::optional<double> told, bar, step;
        const CompiledKernel* machine = nullptr;
        friend bool operator==(const Figures&, const Figures&) = default;
    };
    Figures figures() const {
        const Snapshot& snapshot = engine_->snapshot();
        Figures found{snapshot.told.now.estimated(), {}, {}, blur().built.machine_code.get()};
        const auto bar = snapshot.told.versions.find(work_.version);
        if (bar != snapshot.told.versions.end()) found.bar = bar->second.estimated();
        if (blur().estimate()) found.step = blur().estimate()->ms;
        return found;
    }
    // Those of all versions, too.
    void count_all() {
        engine_->wait_for_counts();
        for (int i = 0; i < 1000 && (engine_->comparing() || engine_->compiling_ahead()); ++i) {
            engine_->prepare(work_, kAll);
            usleep(10'000);
        }
    }
    const StepSnapshot& blur() const { return engine_->snapshot().steps[filters::step::blur]; }
    int line_with(const std::string& part) const {
        for (const SourceLine& line : blur().built.lines->lines) {
            if (line.change != LineChange::removed &&
                blur().built.lines->of(line).find(part) != std::string::npos)
                return line.number;
        }
        return 0;
    }

    fs::path folder_;
    std::optional<Engine> engine_;
    Work work_;
};

bool no_compiler(const Engine& engine) {
    return engine.snapshot().compiler.missing;
}

TEST_F(EditedKernel, AStrayWriteIsRefusedWithItsLineBlockAndThread) {
    if (no_compiler(*engine_)) GTEST_SKIP() << engine_->snapshot().compiler.name;
    prepare();
    const Snapshot& snapshot = engine_->snapshot();
    ASSERT_FALSE(snapshot.run.stale);
    EXPECT_FALSE(blur().source.edited) << "as it was written by the program";
    const std::uint64_t good = engine_->plan().generation;

    edit("dst[y * width + x] =", "dst[y * width + x + 100000000] =");
    prepare();
    ASSERT_TRUE(snapshot.run.failure);
    EXPECT_TRUE(snapshot.run.stale);
    EXPECT_EQ(engine_->plan().generation, good) << "the last good plan stays";
    EXPECT_EQ(snapshot.run.failure->step, filters::step::blur);
    EXPECT_EQ(snapshot.run.failure->line, line_with("100000000")) << snapshot.run.failure->message;
    for (const char* part : {"line", "block", "thread"})
        EXPECT_NE(snapshot.run.failure->message.find(part), std::string::npos)
            << snapshot.run.failure->message;
    const auto trouble = trouble_of(snapshot, blur());
    ASSERT_TRUE(trouble);
    EXPECT_EQ(trouble->kind, SourceTrouble::Kind::refused);

    edit(" + 100000000] =", "] =");
    prepare();
    EXPECT_FALSE(snapshot.run.failure);
    EXPECT_FALSE(snapshot.run.stale) << "mended";
}

TEST_F(EditedKernel, OneThatIsRightRunsAfterItsTrial) {
    if (no_compiler(*engine_)) GTEST_SKIP() << engine_->snapshot().compiler.name;
    prepare();
    const std::uint64_t good = engine_->plan().generation;
    edit("dst[y * width + x] =", "dst[x + y * width] =");
    prepare();
    EXPECT_TRUE(blur().source.edited);
    EXPECT_FALSE(engine_->snapshot().run.failure);
    EXPECT_FALSE(engine_->snapshot().run.stale);
    EXPECT_NE(engine_->plan().generation, good);
}

TEST_F(EditedKernel, OneThatDoesNotCompileLeavesTheCountsOfTheLastGoodOne) {
    if (no_compiler(*engine_)) GTEST_SKIP() << engine_->snapshot().compiler.name;
    prepare();
    engine_->wait_for_counts();
    ASSERT_NE(own_counters(blur()), nullptr);
    const std::uint64_t counted = own_counters(blur())->total.instructions;
    const int store = line_with("dst[y * width + x] =");
    edit("dst[y * width + x] =", "\n    broken\n    dst[y * width + x] =");
    prepare();
    engine_->wait_for_counts();
    EXPECT_EQ(blur().built.state, CompileState::failed);
    const auto trouble = trouble_of(engine_->snapshot(), blur());
    ASSERT_TRUE(trouble) << blur().built.error;
    EXPECT_GE(trouble->line, line_with("broken"));
    ASSERT_NE(own_counters(blur()), nullptr) << "those of the last good kernel stay";
    EXPECT_FALSE(blur().counts.stale) << "nothing else is being counted";
    EXPECT_EQ(own_counters(blur())->total.instructions, counted);
    EXPECT_EQ(counted_line(*blur().built.lines, line_with("dst[y * width + x] =")), store)
        << "counts stay beside their lines";
}

// A refused kernel's figures are those of the last good one, in the story's bars, too.
TEST_F(EditedKernel, WhatIsRefusedHasTheFiguresOfTheLastGoodOne) {
    if (no_compiler(*engine_)) GTEST_SKIP() << engine_->snapshot().compiler.name;
    prepare();
    count_all();
    const Figures good = figures();
    ASSERT_TRUE(good.told && good.step && good.machine);
    ASSERT_EQ(good.told, good.bar);
    const std::string right = "dst[y * width + x] =";
    const std::string marks[] = {"broken\n    ", "dst[y * width + x + 100000000] = dst[x + 1] = dst[x] ="};
    for (const std::string& mark : marks) {
        edit(right, mark + right);
        prepare();
        count_all();
        EXPECT_TRUE(engine_->snapshot().run.stale) << mark;
        EXPECT_EQ(figures(), good) << mark;
        EXPECT_GT(blur().counts.source.saved_at, 1'600'000'000) << "when it was saved, in this century";
        EXPECT_LT(blur().counts.source.saved_at, std::time(nullptr) + 60);
        edit(mark, "");
        prepare();
    }
    // In another block, too, and then of the kernel that is mended.
    edit(right, marks[0] + right);
    prepare();
    work_.block(filters::step::blur) = {64, 4};
    prepare();
    count_all();
    EXPECT_EQ(blur().counts.result->key.launch.block, (Block{64, 4}));
    EXPECT_FALSE(blur().counts.stale);
    EXPECT_NE(figures().told, good.told);
    edit(marks[0] + right, "float twice = 2; dst[y * width + x] = 0 * twice; " + right);
    prepare();
    count_all();
    EXPECT_FALSE(engine_->snapshot().run.stale);
    EXPECT_NE(blur().counts.source.text.find("twice"), std::string::npos);
}

TEST_F(EditedKernel, SavedChangesAreSeenWithinASecond) {
    if (no_compiler(*engine_)) GTEST_SKIP() << engine_->snapshot().compiler.name;
    prepare();
    edit("dst[y * width + x] =", "dst[x + y * width] =");
    for (int i = 0; i < 100 && !blur().source.edited; ++i) {
        engine_->prepare(work_);
        usleep(10'000);
    }
    EXPECT_TRUE(blur().source.edited);
}

}  // namespace
}  // namespace ws
