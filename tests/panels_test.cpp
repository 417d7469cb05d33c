// What the panels say: drawn without a window, their text collected as ImGui logs it.

#include <gtest/gtest.h>
#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/block_editor.h"
#include "app/canvas/text.h"
#include "app/window/capture.h"
#include "gpu/analysis/comparison.h"
#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/analysis/profiles.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"

namespace ws {
namespace {

StepResult result_of(const std::string& gpu, int step, Block block, std::uint64_t instructions) {
    StepResult result;
    result.key.gpu = GpuTable().named(gpu);
    result.key.launch.step = step;
    result.key.launch.block = block;
    KernelCounters counters;
    counters.kernel = "blur_g1";
    counters.gpu = gpu;
    counters.block = block;
    counters.blocks_total = 1000;
    counters.blocks_simulated = 100;
    counters.warps = 8000;
    counters.total.instructions = instructions;
    counters.total.thread_instructions = 32 * instructions;
    counters.total.pipes[std::size_t(Pipe::alu)] = instructions;
    counters.total.global_load = {1000, 4000, 100'000, 128'000, 0};
    result.occupancy = occupancy_of({block.threads(), 32, 0}, result.key.gpu.limits);
    result.estimate = estimate_time(counters, *result.occupancy, result.key.gpu);
    result.counters = std::make_shared<const KernelCounters>(std::move(counters));
    return result;
}

std::string clipboard;

class Panels : public ::testing::Test {
  protected:
    Panels() {
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {900, 6000};
        io.Fonts->AddFontDefault();
        io.Fonts->AddFontDefault();  // the monospaced one
        unsigned char* pixels = nullptr;
        int width = 0;
        int height = 0;
        io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
        io.SetClipboardTextFn = [](void*, const char* text) { clipboard = text; };
        snapshot_.target = GpuTable().named("RTX 3060");
        snapshot_.work = with_version(first_work(filters::lab()), version_of(filters::lab(), 1));
        snapshot_.steps.resize(filters::lab().steps.size());
        for (std::size_t i = 0; i < snapshot_.steps.size(); ++i) {
            StepSnapshot& shown = snapshot_.steps[i];
            shown.step = int(i);
            shown.name = filters::lab().steps[i].name;
            shown.exists = shown.runs = shown.step != filters::step::fused;
            shown.source.name = "blur_g1";
            shown.block = {32, 2};
        }
    }
    ~Panels() override { ImGui::DestroyContext(); }

    using Draw = void (*)(const Snapshot&, const ViewState&, Edits&);
    void frame(Draw draw) {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        begin_frame_texts();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({900, 6000});
        ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoSavedSettings);
        ImGui::LogToClipboard();
        draw(snapshot_, view_, edits_);
        ImGui::LogFinish();
        ImGui::End();
        ImGui::Render();
    }
    // Twice: a table knows its columns from the second frame on.
    std::string text_of(Draw draw) {
        frame(draw);
        frame(draw);
        // A line that wraps reads as one.
        std::string line;
        for (const char c : clipboard) {
            const bool blank = c == ' ' || c == '\n' || c == '\r';
            if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
        }
        return line;
    }
    StepSnapshot& blur() { return snapshot_.steps[filters::step::blur]; }

    Snapshot snapshot_;
    ViewState view_;
    Edits edits_;
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_F(Panels, MemoryShowsTheBaselineWithItsBlock) {
    blur().result = result_of("RTX 3060", filters::step::blur, {32, 2}, 50'000'000);
    blur().baseline = {0, result_of("RTX 3060", filters::step::blur, {8, 8}, 70'000'000), "", "", ""};
    const std::string text = text_of(draw_memory);
    EXPECT_TRUE(has(text, "Now: block 32 x 2. Baseline V0: block 8 x 8.")) << text;
    EXPECT_TRUE(has(text, "50.00 M")) << text;
    EXPECT_TRUE(has(text, "70.00 M")) << text;
    EXPECT_FALSE(has(text, "Counting the baseline")) << text;
}

TEST_F(Panels, MemoryNamesTheUnitThatTheGpuHas) {
    blur().result = result_of("RTX 3060", filters::step::blur, {32, 2}, 50'000'000);
    std::string text = text_of(draw_memory);
    EXPECT_TRUE(has(text, "sectors per load") && has(text, "load sectors")) << text;
    EXPECT_FALSE(has(text, "transactions") || has(text, "{}")) << text;
    blur().result = result_of("GTX 280", filters::step::blur, {32, 2}, 50'000'000);
    text = text_of(draw_memory);
    EXPECT_TRUE(has(text, "transactions per load") && has(text, "load transactions")) << text;
    EXPECT_FALSE(has(text, "sectors")) << text;
}

TEST_F(Panels, MemoryNeverPairsAStaleResultWithABaseline) {
    blur().result = result_of("GTX 280", filters::step::blur, {32, 16}, 50'000'000);
    blur().stale = true;
    blur().baseline.version = 0;
    const std::string text = text_of(draw_memory);
    EXPECT_TRUE(has(text, "Counts of blur_g1, 32 x 16, on GTX 280; counting the current choice")) << text;
    EXPECT_FALSE(has(text, "V0: ")) << text;
    EXPECT_FALSE(has(text, "than the baseline")) << text;
}

TEST_F(Panels, MemorySaysWhyThereIsNoComparison) {
    blur().result = result_of("RTX 3060", filters::step::blur, {32, 2}, 50'000'000);
    blur().baseline.version = 15;
    blur().baseline.problem = "fused_f4.cu needs compute capability 6.1";
    const std::string text = text_of(draw_memory);
    EXPECT_TRUE(has(text, "No comparison with V15: fused_f4.cu needs compute capability 6.1")) << text;
    EXPECT_FALSE(has(text, "Counting the baseline")) << "what will never come is not waited for";
}

TEST_F(Panels, MemoryReportsWhatGainsNothing) {
    blur().result = result_of("RTX 3060", filters::step::blur, {32, 8}, 50'000'000);
    blur().result->key.launch.banks = BankWidth::eight_bytes;
    StepResult before = result_of("RTX 3060", filters::step::blur, {32, 8}, 50'000'000);
    blur().baseline = {8, before, "", verdict(*blur().result, before, "V8"), ""};
    for (const auto draw : {draw_memory, draw_versions}) {
        const std::string text = text_of(draw);
        EXPECT_TRUE(has(text, "gains nothing over V8")) << text;
        EXPECT_TRUE(has(text, "Only compute capability 3.x has banks of 8 bytes")) << text;
    }
}

TEST_F(Panels, EstimatesOfThePreviousBlockAddUpToNothing) {
    snapshot_.device.kind = DeviceKind::simt;
    snapshot_.device.can.shows_progress = true;
    snapshot_.progress = Progress{};
    for (StepSnapshot& step : snapshot_.steps)
        if (step.runs) step.result = result_of("RTX 3060", step.step, {32, 2}, 50'000'000);
    double sum = 0;
    for (const StepSnapshot& step : snapshot_.steps)
        if (step.runs) sum += step.estimate()->ms;
    std::string text = text_of(draw_times);
    EXPECT_TRUE(has(text, std::string(time_text(sum)))) << text;
    blur().stale = true;
    text = text_of(draw_times);
    EXPECT_FALSE(has(text, std::string(time_text(sum)))) << text;
    EXPECT_TRUE(has(text, "counting the current one")) << text;
}

TEST_F(Panels, CompileReportNeverShowsRegistersOfPtx) {
    CompiledKernel ptx;
    ptx.is_ptx = true;
    ptx.report.architecture = "compute_86";
    ptx.report.compiler = "NVRTC 13.0";
    blur().kernel = std::make_shared<const CompiledKernel>(ptx);
    std::string text = text_of(draw_compile_report);
    EXPECT_TRUE(has(text, "not known: only PTX was compiled")) << text;
    EXPECT_FALSE(has(text, "0 bytes")) << text;
    CompiledKernel code;
    code.report.architecture = "sm_86";
    code.report.compiler = "NVRTC 13.0";
    code.report.registers = 37;
    blur().machine_code = std::make_shared<const CompiledKernel>(code);
    text = text_of(draw_compile_report);
    EXPECT_TRUE(has(text, "37")) << text;
    EXPECT_TRUE(has(text, "sm_86 by NVRTC 13.0; compute_86 runs")) << text;
}

TEST_F(Panels, SourceShowsNoCountsOfAnotherText) {
    blur().source.text = "__global__ void blur() {}\n";
    blur().result = result_of("RTX 3060", filters::step::blur, {32, 2}, 1000);
    KernelCounters counters = *blur().result->counters;
    counters.lines = {{1, counters.total}};
    blur().result->counters = std::make_shared<const KernelCounters>(counters);
    EXPECT_TRUE(has(text_of(draw_source), "100.0"));
    blur().stale = true;
    EXPECT_FALSE(has(text_of(draw_source), "100.0"));
}

TEST_F(Panels, AskForNothingBySomeoneLooking) {
    for (const Panel& panel : panels()) {
        (void)text_of(panel.draw);
        EXPECT_TRUE(edits_.empty()) << panel.title;
    }
    // Nor while the kernel on the screen takes other blocks than those that are chosen.
    StepSnapshot& fused = snapshot_.steps[filters::step::fused];
    for (StepSnapshot& step : snapshot_.steps) step.runs = false;
    fused.runs = fused.exists = true;
    fused.source.knobs = {{"BLOCK_X", 32, 32, 32, ""}, {"BLOCK_Y", 1, 1, 2, ""}};
    fused.block = {32, 2};
    (void)text_of(draw_blocks);
    EXPECT_TRUE(edits_.empty());
}

// What was looked at may not be there any more, or not be listed: then the heaviest that runs is shown.
TEST_F(Panels, InspectAStepThatIsThere) {
    const auto inspected = [this](const char* step) {
        static std::string_view chosen;
        view_.preferences.step = step;
        frame([](const Snapshot& snapshot, const ViewState& view, Edits& edits) {
            chosen = choose_step("test", snapshot, view, edits).name;
        });
        return chosen;
    };
    EXPECT_EQ(inspected("edge"), "edge");
    EXPECT_EQ(inspected(""), "blur");
    EXPECT_EQ(inspected("fused"), "blur");
    EXPECT_EQ(inspected("of another lab"), "blur");
}

// A click into the middle of what was drawn last.
TEST_F(Panels, AButtonIsAnEdit) {
    frame(draw_blocks);
    ImGuiIO& io = ImGui::GetIO();
    bool asked = false;
    for (float y = 20; y < 1200 && !asked; y += 6) {
        io.MousePos = {40, y};
        frame(draw_blocks);
        io.MouseDown[0] = true;
        frame(draw_blocks);
        io.MouseDown[0] = false;
        frame(draw_blocks);
        for (const Edit& edit : edits_.all()) {
            const auto* work = std::get_if<WorkEdit>(&edit);
            asked |= work && std::holds_alternative<ChooseVersion>(*work);
        }
    }
    EXPECT_TRUE(asked) << "\"the version's own\" was not found";
}

// Never inside of a number or a name, whatever the width of the panel.
TEST_F(Panels, TextsBreakAtBlanksAlone) {
    ImGui::NewFrame();
    ImGui::Begin("test");
    const float line_height = ImGui::GetTextLineHeight();
    for (const std::string text :
         {"estimated 104.9 µs: 1.75-fold, i.e. 3,648 columns of blur_g1.cu, then 2.5x as fast!",
          "two lines:\n0.25 ms in the first; 1.5 ms in the second, block 32 x 2", "", "1.75",
          "  indented 1.5"}) {
        for (float width = 1; width < 700; width += 3.5f) {
            begin_frame_texts();
            const std::string_view broken = broken_at_blanks(text, width);
            ASSERT_EQ(broken.size(), text.size());
            float widest_word = 0;
            int lines = 1;
            for (std::size_t at = 0, line = 0; at <= broken.size(); ++at) {
                const bool ends = at == broken.size() || broken[at] == '\n';
                if (at < broken.size() && broken[at] != text[at]) {
                    EXPECT_TRUE(text[at] == ' ' && broken[at] == '\n') << broken;
                }
                if (!ends) continue;
                const std::string_view shown = broken.substr(line, at - line);
                if (shown.find(' ') != std::string_view::npos && shown.front() != ' ') {
                    EXPECT_LE(ImGui::CalcTextSize(shown.data(), shown.data() + shown.size()).x, width)
                        << shown;
                }
                widest_word =
                    std::max(widest_word, ImGui::CalcTextSize(shown.data(), shown.data() + shown.size()).x);
                lines += at < broken.size();
                line = at + 1;
            }
            // ImGui breaks nothing else, as long as each line fits.
            if (widest_word <= width && !text.empty()) {
                const float height =
                    ImGui::CalcTextSize(broken.data(), broken.data() + broken.size(), false, width + 1).y;
                EXPECT_FLOAT_EQ(height, float(lines) * line_height) << broken;
            }
        }
    }
    ImGui::End();
    ImGui::Render();
}

TEST(Capture, NamesAVersionOnlyIfItRan) {
    Snapshot snapshot;
    snapshot.work = with_version(first_work(filters::lab()), version_of(filters::lab(), 7));
    snapshot.input_name = "photo";
    snapshot.size = snapshot.shown_size = {640, 480};
    snapshot.device.name = "some CPU";
    const auto text_of = [](const CaptureRequest& request) {
        std::string text = request.stem;
        for (const std::string& line : request.caption) text += "\n" + line;
        return text;
    };
    // The native pipeline computed it.
    Drawn drawn;
    drawn.key.device = DeviceKind::cpu;
    drawn.key.lab = filters::lab().id;
    drawn.key.shows = filters::buffer::edges;
    drawn.version = 7;
    drawn.view = filters::view::edge;
    drawn.step = filters::step::blur;
    drawn.native = true;
    drawn.block = {1, 1};
    drawn.current = true;
    snapshot.drawn = drawn;
    std::string text = text_of(describe_capture(snapshot, "."));
    EXPECT_FALSE(has(text, "V7")) << text;
    EXPECT_TRUE(has(text, "native pipeline")) << text;
    // Version 7 was chosen, but what is on the screen is still version 3's.
    drawn.key.device = DeviceKind::simt;
    drawn.key.shows = filters::buffer::blurred;
    drawn.version = 3;
    drawn.view = filters::view::blur;
    drawn.native = false;
    drawn.block = {32, 4};
    drawn.current = false;
    snapshot.drawn = drawn;
    text = text_of(describe_capture(snapshot, "."));
    EXPECT_FALSE(has(text, "V7")) << text;
    EXPECT_TRUE(has(text, "_V3_32x4")) << text;
    EXPECT_TRUE(has(text, "blurred by V3 block 32 x 4, blur block 32 x 4")) << text;
    // The original needs none.
    snapshot.work.view = filters::view::original;
    text = text_of(describe_capture(snapshot, "."));
    EXPECT_FALSE(has(text, "V7") || has(text, "V3")) << text;
    EXPECT_TRUE(has(text, "the original")) << text;
}

TEST(BlockEditor, RefusesWithTheReason) {
    KernelSource any;
    any.name = "any";
    any.knobs = {{"BLOCK_X", 32, 1, 1024, ""}, {"BLOCK_Y", 8, 1, 1024, ""}};
    EXPECT_EQ(refusal(any, {32, 32}), "");
    EXPECT_EQ(refusal(any, {33, 32}), "33 x 32 is 1056 threads; a block has at most 1024");
    EXPECT_NE(refusal(any, {0, 32}), "");
    EXPECT_NE(refusal(any, {2'000'000'000, 2'000'000'000}), "") << "no overflow";
    KernelSource warp = any;
    warp.name = "warp";
    warp.knobs = {{"BLOCK_X", 32, 32, 32, ""}, {"BLOCK_Y", 2, 1, 8, ""}};
    EXPECT_EQ(refusal(warp, {32, 9}), "warp.cu takes blocks of 32 x 1 to 8");
}

}  // namespace
}  // namespace ws
