// The filters' table of versions; views, and the way from work to kernels, arguments and launches.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/analysis/profiles.h"
#include "gpu/core/error.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/transpose/transpose.h"
#include "gpu/simt/simt_device.h"

namespace ws {
namespace {

// The twelve versions of the original lecture (2016): what the Gaussian kernel runs with, and the kernels
// beside it.
struct LectureRow {
    std::string_view blur, gray, edge;
    Block block;
    CachePreference cache;
    BankWidth banks;
};
constexpr auto kL1 = CachePreference::l1;
constexpr auto kShared = CachePreference::shared;
constexpr auto kFour = BankWidth::standard;
constexpr auto kEight = BankWidth::eight_bytes;
constexpr std::array kLecture{
    LectureRow{"blur_g1", "gray_c1", "edge_s1", {8, 8}, kL1, kFour},
    LectureRow{"blur_g1", "gray_c1", "edge_s1", {32, 2}, kL1, kFour},
    LectureRow{"blur_g1", "gray_c1", "edge_s1", {8, 16}, kL1, kFour},
    LectureRow{"blur_g1", "gray_c1", "edge_s1", {32, 4}, kL1, kFour},
    LectureRow{"blur_g2", "gray_c1", "edge_s1", {32, 4}, kL1, kFour},
    LectureRow{"blur_g3", "gray_c1", "edge_s1", {32, 4}, kShared, kFour},
    LectureRow{"blur_g4", "gray_c1", "edge_s1", {32, 8}, kShared, kFour},
    LectureRow{"blur_g5", "gray_c1", "edge_s1", {32, 8}, kShared, kFour},
    LectureRow{"blur_g6", "gray_c1", "edge_s1", {32, 8}, kShared, kFour},
    LectureRow{"blur_g6", "gray_c1", "edge_s1", {32, 8}, kShared, kEight},
    LectureRow{"blur_g7", "gray_c1", "edge_s1", {32, 8}, kShared, kEight},
    LectureRow{"blur_g7", "gray_c2", "edge_s2", {32, 8}, kShared, kEight},
};

namespace step = filters::step;
namespace buffer = filters::buffer;
namespace view = filters::view;

const Version& filter_version(int number) {
    return version_of(filters::lab(), number);
}

Work filter_work(int version, int shown = view::edge) {
    Work work = with_version(first_work(filters::lab()), filter_version(version));
    work.view = shown;
    return work;
}

const View& filter_view(int place) {
    return filters::lab().views[std::size_t(place)];
}

Work transpose_work(int version) {
    return with_version(first_work(transpose::lab()), version_of(transpose::lab(), version));
}

TEST(Versions, TheFirstTwelveAreTheLectures) {
    ASSERT_GE(filters::lab().versions.size(), kLecture.size());
    for (std::size_t i = 0; i < kLecture.size(); ++i) {
        const Version& version = filters::lab().versions[i];
        const LectureRow& row = kLecture[i];
        EXPECT_EQ(version.steps[step::blur].kernel, row.blur) << "V" << i;
        EXPECT_EQ(version.steps[step::gray].kernel, row.gray) << "V" << i;
        EXPECT_EQ(version.steps[step::edge].kernel, row.edge) << "V" << i;
        EXPECT_TRUE(version.steps[step::fused].kernel.empty()) << "V" << i;
        EXPECT_EQ(version.steps[step::blur].block, row.block) << "V" << i;
        EXPECT_EQ(version.steps[step::gray].block, (Block{32, 8})) << "V" << i;
        EXPECT_EQ(version.steps[step::edge].block, (Block{32, 8})) << "V" << i;
        EXPECT_EQ(version.steps[step::blur].cache, row.cache) << "V" << i;
        EXPECT_EQ(version.steps[step::blur].banks, row.banks) << "V" << i;
    }
    int number = 0;
    for (const Version& version : filters::lab().versions) EXPECT_EQ(version.number, number++);
}

TEST(Versions, TheWholePipelineRunsInOneKernelWhereThereIsOne) {
    for (const Version& version : filters::lab().versions) {
        const bool whole = !version.steps[step::fused].kernel.empty();
        const auto runs = [&](int shown, int of) {
            return runs_step(filter_work(version.number, shown), of);
        };
        EXPECT_EQ(runs(view::edge, step::fused), whole);
        EXPECT_EQ(runs(view::edge, step::blur), !whole);
        EXPECT_FALSE(runs(view::edge_of_gray, step::fused)) << "without blur it is not whole";
        EXPECT_TRUE(runs(view::blur, step::blur));
        EXPECT_FALSE(runs(view::gray, step::blur));
        EXPECT_FALSE(runs(view::original, step::gray));
    }
}

TEST(Versions, AStepRunsOnlyWhereWhatIsShownNeedsIt) {
    const auto runs = [](int shown, int of) { return runs_step(filter_work(0, shown), of); };
    EXPECT_FALSE(runs(view::original, step::gray));
    EXPECT_TRUE(runs(view::gray, step::gray));
    EXPECT_FALSE(runs(view::gray, step::blur));
    EXPECT_TRUE(runs(view::blur, step::blur));
    EXPECT_FALSE(runs(view::blur, step::edge));
    EXPECT_TRUE(runs(view::edge, step::blur));
    EXPECT_TRUE(runs(view::edge_of_gray, step::edge));
    EXPECT_FALSE(runs(view::edge_of_gray, step::blur));
    EXPECT_FALSE(runs_anything(filter_work(0, view::original)));
    EXPECT_TRUE(runs_anything(filter_work(0, view::gray)));
    // One of the steps of the transpose, whichever the version has.
    EXPECT_TRUE(runs_step(transpose_work(1), transpose::step::copy));
    EXPECT_FALSE(runs_step(transpose_work(1), transpose::step::transpose));
    EXPECT_TRUE(runs_step(transpose_work(3), transpose::step::transpose));
    EXPECT_FALSE(runs_step(transpose_work(3), transpose::step::copy));
    EXPECT_TRUE(runs_step(transpose_work(11), transpose::step::fill));
    EXPECT_EQ(input_of(arguments_of(transpose_work(11), transpose::step::fill)), -1);
}

TEST(Views, AVersionTakesTheFirstWayWhoseStepsItHas) {
    for (const Version& version : filters::lab().versions) {
        const bool whole = !version.steps[step::fused].kernel.empty();
        const std::vector<Pass>* way = way_of(filter_view(view::edge), version);
        ASSERT_TRUE(way);
        EXPECT_EQ(way, &filter_view(view::edge).ways[whole ? 0 : 1]) << "V" << version.number;
        EXPECT_EQ(way->size(), whole ? 1u : 3u);
        way = way_of(filter_view(view::original), version);
        ASSERT_TRUE(way) << "nothing has to run, which every version can";
        EXPECT_TRUE(way->empty());
    }
    Version grays = filter_version(0);
    grays.steps[step::blur].kernel = "";
    EXPECT_EQ(way_of(filter_view(view::edge), grays), nullptr) << "neither way is whole";
    EXPECT_EQ(way_of(filter_view(view::blur), grays), nullptr);
    EXPECT_TRUE(way_of(filter_view(view::edge_of_gray), grays));
}

TEST(Views, ShowWhatTheLastPassWrites) {
    for (const Version& version : filters::lab().versions) {
        EXPECT_EQ(shown_buffer(filter_view(view::original), version), buffer::picture);
        EXPECT_EQ(shown_buffer(filter_view(view::gray), version), buffer::gray);
        EXPECT_EQ(shown_buffer(filter_view(view::blur), version), buffer::blurred);
        EXPECT_EQ(shown_buffer(filter_view(view::edge), version), buffer::edges);
        EXPECT_EQ(shown_buffer(filter_view(view::edge_of_gray), version), buffer::edges_of_gray);
    }
    // What a copy gives lies in another buffer than what a transpose gives; one view shows either.
    const Lab& lab = transpose::lab();
    const View& result = lab.views[std::size_t(first_view(lab))];
    EXPECT_EQ(shown_buffer(result, version_of(lab, 1)), transpose::buffer::copied);
    EXPECT_EQ(shown_buffer(result, version_of(lab, 3)), transpose::buffer::transposed);
    EXPECT_EQ(shown_buffer(result, version_of(lab, 11)), transpose::buffer::filled);
}

TEST(Views, HaveACounterpartWithoutAStep) {
    const Lab& lab = filters::lab();
    EXPECT_EQ(view_with(lab, view::edge, false), view::edge_of_gray);
    EXPECT_EQ(view_with(lab, view::edge_of_gray, true), view::edge);
    EXPECT_EQ(view_with(lab, view::edge, true), view::edge);
    EXPECT_EQ(view_with(lab, view::edge_of_gray, false), view::edge_of_gray);
    for (const int alone : {view::original, view::gray, view::blur}) {
        EXPECT_EQ(view_with(lab, alone, true), alone);
        EXPECT_EQ(view_with(lab, alone, false), alone);
    }
}

TEST(Views, AShortcutIsOneStepForWhatOthersDoTogether) {
    for (std::size_t i = 0; i < filters::lab().steps.size(); ++i)
        EXPECT_EQ(is_shortcut(filters::lab(), int(i)), i == step::fused) << filters::lab().steps[i].name;
    for (std::size_t i = 0; i < transpose::lab().steps.size(); ++i)
        EXPECT_FALSE(is_shortcut(transpose::lab(), int(i))) << "either is all that there is to do";
}

// Input and output, after which the kernels take width and height.
void expect_arguments(const Work& work, int of, int input, int output) {
    using Kind = Argument::Kind;
    const std::vector<Argument> arguments = arguments_of(work, of);
    const std::string where = "V" + std::to_string(work.version) + ", " +
                              std::string(work.lab->views[std::size_t(work.view)].name) + ", " +
                              std::string(work.lab->steps[std::size_t(of)].name);
    const std::vector<Argument> expected{
        {Kind::input, input}, {Kind::output, output}, {Kind::width, -1}, {Kind::height, -1}};
    EXPECT_EQ(arguments, expected) << where;
    EXPECT_EQ(input_of(arguments), input) << where;
    EXPECT_EQ(output_of(arguments), output) << where;
}

TEST(Arguments, AreThoseOfWhatIsShown) {
    for (const int version : {0, 11, 17}) {
        expect_arguments(filter_work(version, view::gray), step::gray, buffer::picture, buffer::gray);
        expect_arguments(filter_work(version, view::blur), step::gray, buffer::picture, buffer::gray);
        expect_arguments(filter_work(version, view::blur), step::blur, buffer::gray, buffer::blurred);
        expect_arguments(filter_work(version, view::edge_of_gray), step::edge, buffer::gray,
                         buffer::edges_of_gray);
        expect_arguments(filter_work(version, view::edge), step::edge, buffer::blurred, buffer::edges);
    }
    expect_arguments(filter_work(12), step::fused, buffer::picture, buffer::edges);
    expect_arguments(transpose_work(1), transpose::step::copy, transpose::buffer::source,
                     transpose::buffer::copied);
    expect_arguments(transpose_work(3), transpose::step::transpose, transpose::buffer::source,
                     transpose::buffer::transposed);
}

// Kernels beside what is shown have occupancy and counts, too.
TEST(Arguments, OfAStepThatDoesNotRunAreThoseOfAViewThatRunsIt) {
    expect_arguments(filter_work(0, view::gray), step::blur, buffer::gray, buffer::blurred);
    expect_arguments(filter_work(0, view::gray), step::edge, buffer::blurred, buffer::edges);
    expect_arguments(filter_work(0, view::original), step::gray, buffer::picture, buffer::gray);
    expect_arguments(filter_work(12, view::edge_of_gray), step::fused, buffer::picture, buffer::edges);
    expect_arguments(filter_work(12, view::edge), step::edge, buffer::blurred, buffer::edges);
    EXPECT_EQ(input_of({}), -1);
    EXPECT_EQ(output_of({{Argument::Kind::width, -1}}), -1);
}

// The same step, passed other buffers by another way: what counts is the way that the version takes.
TEST(Arguments, AreThoseOfTheVersionsWay) {
    using Kind = Argument::Kind;
    const auto pass = [](int of, int from, int to) -> Pass {
        return {of, {{Kind::input, from}, {Kind::output, to}, {Kind::width, -1}, {Kind::height, -1}}};
    };
    Lab lab;
    lab.buffers = {{"in"}, {"between"}, {"out"}};
    lab.steps = {{"first", "f"}, {"second", "s"}};
    lab.by_weight = {1, 0};
    lab.views = {{.name = "out",
                  .title = "out",
                  .shows = 2,
                  .ways = {{pass(0, 0, 1), pass(1, 1, 2)}, {pass(1, 0, 2)}}}};
    lab.versions = {{0, "both", "", "", {{"f1", {32, 8}}, {"s1", {32, 8}}}, {}},
                    {1, "one", "", "", {{}, {"s1", {32, 8}}}, {}}};
    expect_arguments(with_version(first_work(lab), lab.versions[0]), 1, 1, 2);
    expect_arguments(with_version(first_work(lab), lab.versions[1]), 1, 0, 2);
}

TEST(Arguments, AStepReadsAndWritesAtLeastItsElements) {
    const auto least = [](const Work& work, int of, Extent size) {
        return least_bytes(*work.lab, arguments_of(work, of), size);
    };
    EXPECT_EQ(least(filter_work(0), step::gray, {10, 7}), 70 * (4 + 1));
    EXPECT_EQ(least(filter_work(0), step::blur, {10, 7}), 70 * (1 + 1));
    EXPECT_EQ(least(filter_work(0), step::edge, {10, 7}), 70 * (1 + 1));
    EXPECT_EQ(least(filter_work(0, view::edge_of_gray), step::edge, {10, 7}), 70 * (1 + 1));
    EXPECT_EQ(least(filter_work(12), step::fused, {10, 7}), 70 * (4 + 1));
    EXPECT_EQ(least(transpose_work(1), transpose::step::copy, {10, 7}), 70 * (4 + 4));
    EXPECT_EQ(least(transpose_work(3), transpose::step::transpose, {10, 7}), 70 * (4 + 4));
    EXPECT_EQ(least(transpose_work(11), transpose::step::fill, {10, 7}), 70 * 4) << "nothing is read";
}

TEST(Work, AVersionBringsItsOwnBlocksAndKnobs) {
    Work work = first_work(filters::lab());
    work.view = view::blur;
    work.target_gpu = "GTX 280";
    work.device = DeviceKind::simt;
    work.knobs["MIN_BLOCKS"] = 3;
    work.blocks.fill({1, 1});
    const Work made = with_version(work, filter_version(8));
    EXPECT_EQ(made.version, 8);
    const Version& version = filter_version(8);
    for (std::size_t i = 0; i < version.steps.size(); ++i) EXPECT_EQ(made.blocks[i], version.steps[i].block);
    EXPECT_TRUE(made.knobs.empty()) << "what was set for another version's kernel";
    EXPECT_EQ(made.lab, &filters::lab());
    EXPECT_EQ(made.view, view::blur);
    EXPECT_EQ(made.target_gpu, "GTX 280");
    EXPECT_EQ(made.device, DeviceKind::simt);
}

class Requests : public ::testing::Test {
  protected:
    Requests() {
        for (const Lab* lab : {&filters::lab(), &transpose::lab()}) {
            for (const Version& version : lab->versions) {
                for (const StepKernel& one : version.steps)
                    if (!one.kernel.empty()) sources_[std::string(one.kernel)].name = one.kernel;
            }
        }
    }
    KernelLookup lookup() {
        return
            [this](std::string_view name) -> const KernelSource& { return sources_.at(std::string(name)); };
    }
    std::vector<StepRequest> of(const Work& work) { return step_requests(work, lookup()); }
    std::map<std::string, KernelSource> sources_;
};

TEST_F(Requests, AKnobTakesTheUsersValueElseTheVersionsElseTheKernels) {
    sources_["blur_g6"].knobs = {{"WIDE_STORES", 0, 0, 2, ""}, {"OTHER", 5, 1, 9, ""}};
    const auto knob = [&](int version, std::optional<int> chosen, const char* name) {
        Work work = filter_work(version);
        if (chosen) work.knobs[name] = *chosen;
        return request_of(of(work), step::blur)->knobs.at(name);
    };
    EXPECT_EQ(knob(8, std::nullopt, "WIDE_STORES"), 0) << "the kernel's";
    EXPECT_EQ(knob(9, std::nullopt, "WIDE_STORES"), 1) << "the version's";
    EXPECT_EQ(knob(9, 2, "WIDE_STORES"), 2) << "the user's";
    EXPECT_EQ(knob(9, 3, "WIDE_STORES"), 1) << "out of its range";
    EXPECT_EQ(knob(9, 10, "OTHER"), 5);
}

TEST_F(Requests, EveryKernelGetsItsBlock) {
    for (const Lab* lab : {&filters::lab(), &transpose::lab()}) {
        for (const Version& version : lab->versions) {
            const std::vector<StepRequest> requests = of(with_version(first_work(*lab), version));
            const auto kernels = std::count_if(version.steps.begin(), version.steps.end(),
                                               [](const StepKernel& one) { return !one.kernel.empty(); });
            EXPECT_EQ(requests.size(), std::size_t(kernels)) << lab->id << " V" << version.number;
            for (const StepRequest& request : requests) {
                const StepKernel& own = version.steps[std::size_t(request.step)];
                EXPECT_EQ(request.source->name, own.kernel);
                EXPECT_EQ(request.block, own.block);
                EXPECT_EQ(request.knobs.at("BLOCK_X"), own.block.x);
                EXPECT_EQ(request.knobs.at("BLOCK_Y"), own.block.y);
            }
        }
    }
    const std::vector<StepRequest> separate = of(filter_work(0));
    EXPECT_EQ(request_of(separate, step::fused), nullptr);
    EXPECT_EQ(request_of(separate, step::edge), &separate[step::edge]);
}

TEST_F(Requests, ALaunchHasThePreferencesOfItsVersionForTheKernelThatItIsAbout) {
    for (const Version& version : filters::lab().versions) {
        const Work work = filter_work(version.number);
        const StepKernel& blur = version.steps[step::blur];
        const StepKernel& fused = version.steps[step::fused];
        if (!fused.kernel.empty()) {
            EXPECT_EQ(blur.cache, fused.cache) << "V" << version.number;
            EXPECT_EQ(blur.banks, fused.banks) << "V" << version.number;
        }
        for (StepRequest request : of(work)) {
            request.block = {32, 4};
            request.tiling = {{64, 4}, 0, 0};
            const Launch launch = launch_of(request, arguments_of(work, request.step), nullptr, {130, 9}, 28);
            const bool about = request.step == step::blur || request.step == step::fused;
            EXPECT_EQ(launch.step, request.step);
            EXPECT_EQ(launch.block, (Block{32, 4}));
            EXPECT_EQ(launch.tile, (Extent{64, 4}));
            EXPECT_EQ(launch.grid, (Extent{3, 3})) << "blocks that reach beyond the picture count";
            EXPECT_EQ(launch.multiprocessors, 28);
            EXPECT_EQ(launch.cache, about ? blur.cache : CachePreference::none) << version.number;
            EXPECT_EQ(launch.banks, about ? blur.banks : BankWidth::standard) << version.number;
            EXPECT_EQ(launch.arguments, arguments_of(work, request.step));
            EXPECT_EQ(launch.input(), request.step == step::gray || request.step == step::fused
                                          ? buffer::picture
                                      : request.step == step::blur ? buffer::gray
                                                                   : buffer::blurred);
        }
    }
}

TEST_F(Requests, TheCompilerIsAskedForTheStepsEntry) {
    for (const StepRequest& request : of(filter_work(12))) {
        const CompileRequest asked = compile_request(filters::lab(), request, {86, true});
        EXPECT_EQ(asked.entry, filters::lab().steps[std::size_t(request.step)].entry);
        EXPECT_EQ(asked.name, request.source->name);
        EXPECT_EQ(asked.knobs, request.knobs);
        EXPECT_EQ(asked.architecture, 86);
        EXPECT_TRUE(asked.to_ptx);
        EXPECT_EQ(asked.register_cap, register_cap(request.block.threads()));
    }
}

TEST_F(Requests, PtxAndCodeForTheTargetAreOnePassOfTheCompiler) {
    const auto compiler = Nvrtc::open();
    if (!compiler.ok()) GTEST_SKIP() << compiler.message();
    Surroundings around;
    around.find = lookup();
    around.input = {7, {64, 48}};
    around.compiler = compiler.value().get();
    const auto kernels_on = [&](const char* gpu, Block block) {
        around.target = GpuTable().named(gpu);
        around.device = simt::SimtDevice(around.target).facts();
        Work work = filter_work(3);
        work.blocks.fill(block);
        return plan_work(work, around).kernels;
    };
    for (const PlannedKernel& kernel : kernels_on("H200", {32, 32})) {
        EXPECT_TRUE(kernel.ptx.with_code);
        EXPECT_TRUE(kernel.run.to_ptx && kernel.run.with_code) << "what the simulated GPU runs";
        EXPECT_FALSE(kernel.code.with_code) << "it is the code";
        EXPECT_EQ(kernel.code.architecture, kernel.ptx.architecture);
        EXPECT_EQ(kernel.code.register_cap, kernel.ptx.register_cap);
    }
    // Its register file is smaller, and machine code that stands for it fits that.
    for (const PlannedKernel& kernel : kernels_on("GTX 280", {32, 16})) {
        EXPECT_NE(kernel.code.register_cap, kernel.ptx.register_cap);
        EXPECT_FALSE(kernel.ptx.with_code);
    }
}

TEST_F(Requests, APlanIsTheSameForTheSameValues) {
    Surroundings around;
    around.find = lookup();
    around.input = {7, {64, 48}};
    const PlannedWork one = plan_work(filter_work(3), around);
    EXPECT_EQ(one.key, plan_work(filter_work(3), around).key);
    EXPECT_EQ(one.key.lab, "filters");
    EXPECT_EQ(one.key.shows, buffer::edges);
    EXPECT_EQ(one.key.input, around.input);
    ASSERT_EQ(one.kernels.size(), 3u);
    for (const PlannedKernel& kernel : one.kernels) {
        EXPECT_TRUE(kernel.runs);
        EXPECT_EQ(kernel.launch.arguments, arguments_of(filter_work(3), kernel.request.step));
        EXPECT_TRUE(kernel.run.name.empty()) << "there is no compiler";
    }
    EXPECT_EQ(one.key.launches.size(), 3u);
    EXPECT_FALSE(one.key == plan_work(filter_work(3, view::blur), around).key);
    EXPECT_FALSE(one.key == plan_work(filter_work(3, view::edge_of_gray), around).key);
    around.input.content = 8;
    EXPECT_FALSE(one.key == plan_work(filter_work(3), around).key);
    // What is measured is of the very card; what is counted is not.
    around.device.place.uuid = "GPU-1";
    const WorkKey counted = plan_work(filter_work(3), around).key;
    around.device.can.measures_time = true;
    const WorkKey measured = plan_work(filter_work(3), around).key;
    around.device.place.uuid = "GPU-2";
    EXPECT_FALSE(measured == plan_work(filter_work(3), around).key);
    around.device.can.measures_time = false;
    EXPECT_EQ(counted, plan_work(filter_work(3), around).key);
    // What nothing has to be run for has no launches.
    const PlannedWork original = plan_work(filter_work(3, view::original), around);
    EXPECT_EQ(original.key.shows, buffer::picture);
    EXPECT_TRUE(original.key.launches.empty());
    EXPECT_TRUE(std::none_of(original.kernels.begin(), original.kernels.end(),
                             [](const PlannedKernel& kernel) { return kernel.runs; }));
}

TEST(Planner, RegistersAreCappedWhereABlockWouldNotFit) {
    EXPECT_EQ(register_cap(1024), 64);
    EXPECT_EQ(register_cap(1000), 64) << "whole warps on each of four schedulers";
    EXPECT_EQ(register_cap(600), 96) << "65536 / 640 = 102, in steps of 8";
    EXPECT_EQ(register_cap(512), 128);
    EXPECT_EQ(register_cap(257), 168);
    EXPECT_EQ(register_cap(256), 0) << "255 registers, the most there are, fit";
    EXPECT_EQ(register_cap(1), 0);
}

// Between two launches of gray the others touch two more pictures; what they read has just been written.
TEST(Planner, BytesBetweenAreThoseOfOthersWhereALaunchReadsWhatNobodyElseTouches) {
    constexpr Extent kSize{123, 77};
    constexpr double kPicture = 123 * 77;
    const Work three = filter_work(11);
    EXPECT_EQ(bytes_between(three, step::gray, kSize), 2 * kPicture);
    EXPECT_EQ(bytes_between(three, step::blur, kSize), 0);
    EXPECT_EQ(bytes_between(three, step::edge, kSize), 0);
    EXPECT_EQ(bytes_between(three, step::fused, kSize), 0) << "it does not run";
    EXPECT_EQ(bytes_between(filter_work(16), step::fused, kSize), 0) << "nothing else runs";
    EXPECT_EQ(bytes_between(filter_work(11, view::gray), step::gray, kSize), 0);
    EXPECT_EQ(bytes_between(filter_work(11, view::blur), step::gray, kSize), kPicture);
    EXPECT_EQ(bytes_between(filter_work(11, view::original), step::gray, kSize), 2 * kPicture)
        << "as in the first view, whose figures are told";
}

// A result of the clock is kept under all that it depends on.
TEST(Planner, ClocksOfAKernelBesideOthersAreKeptApart) {
    PlannedKernel kernel;
    const ClockKey alone = kernel.clock_key();
    kernel.bytes_between = 1000;
    EXPECT_FALSE(kernel.clock_key() == alone);
    EXPECT_FALSE(kernel.clock_key(2) == kernel.clock_key());
    EXPECT_EQ(kernel.clock_key().bytes_between, 1000);
    EXPECT_EQ(kernel.clock_key(2).blocks, 2);
}

}  // namespace
}  // namespace ws
