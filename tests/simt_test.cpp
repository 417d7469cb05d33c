// The simulated GPU as a whole: the versions' own code against the native pipeline, samples against whole
// launches, the device.

#include "gpu/simt/simt_device.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "gpu/analysis/estimate.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/work.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "gpu/simt/sample.h"
#include "gpu/simt/step_launch.h"
#include "simt_support.h"
#include "tests/compiled_kernels.h"
#include "tests/launch_buffers.h"

namespace ws {
namespace {

constexpr int kMultiprocessors = 28;  // of the RTX 3060

Picture random_picture(Extent size) {
    RgbaImage image(size);
    std::minstd_rand random(7);
    for (std::uint8_t& byte : image.bytes) byte = std::uint8_t(random() >> 7);
    return std::make_shared<const RgbaImage>(std::move(image));
}

Problem problem_of(const Lab& lab, Extent size) {
    return lab.takes_picture() ? picture_problem(lab, random_picture(size)) : generated_problem(lab, size);
}

// To the bit, or as near as the buffer allows.
bool is_defined_result(const Lab& lab, const Problem& problem, int buffer, const HostBytes& made) {
    const Buffer& about = lab.buffers[std::size_t(buffer)];
    const HostBytes defined = reference_result(problem, buffer);
    if (made.size() != defined.size()) return false;
    for (std::size_t at = 0; at < made.size(); at += std::size_t(bytes_of(about.element))) {
        const std::uint8_t* argument = about.allowed_ulps ? problem.input->data() + at : nullptr;
        if (!is_as_defined(about, &made[at], &defined[at], argument)) return false;
    }
    return true;
}

struct VersionOfLab {
    const Lab* lab = nullptr;
    int version = 0;
};

std::ostream& operator<<(std::ostream& out, const VersionOfLab& row) {
    return out << row.lab->id << " V" << row.version;
}

// Plans of a version of any lab, for work of any size, compiled once for a block.
class Versions : public ::testing::TestWithParam<VersionOfLab> {
  protected:
    Plan plan(Block block, Extent size) {
        const Lab& lab = *GetParam().lab;
        const Version& version = version_of(lab, GetParam().version);
        Work work = with_version(first_work(lab), version);
        if (block.threads() > 0) work.blocks.fill(block);
        Plan made;
        made.lab = &lab;
        made.shows = shown_buffer(lab.views[std::size_t(work.view)], version);
        made.generation = ++generation_;
        for (const StepRequest& request : step_requests(
                 work, [&](std::string_view name) -> const KernelSource& { return library_.find(name); })) {
            if (!runs_step(work, request.step)) continue;
            const int architecture = std::max(75, request.source->needs.number());
            const CompileOutcome compiled =
                testing::compiled(compile_request(lab, request, {architecture, true}));
            EXPECT_TRUE(compiled.kernel) << compiled.error;
            made.launches.push_back(launch_of(request, arguments_of(work, request.step), compiled.kernel,
                                              size, kMultiprocessors));
        }
        EXPECT_FALSE(made.launches.empty());
        return made;
    }
    KernelLibrary library_;
    std::uint64_t generation_ = 0;
};

TEST_P(Versions, GiveTheDefinedResult) {
    WS_NEED_COMPILER();
    std::vector<Block> blocks{{0, 0}, {7, 5}, {33, 31}};
    // Kernels with a tile unroll long loops for few threads, which take the compiler long: gpu_versions_test
    // has those.
    if (GetParam().lab == &filters::lab()) blocks.insert(blocks.end(), {{1, 1}, {32, 2}, {64, 1}, {3, 40}});
    for (const Block block : blocks) {
        Plan plan;
        simt::SimtDevice device(GpuTable().named("RTX 3060"));  // which has the kernels' programs then
        for (const Extent size :
             {Extent{1, 1}, Extent{1, 37}, Extent{53, 1}, Extent{67, 41}, Extent{128, 35}}) {
            if (plan.launches.empty()) plan = this->plan(block, size);
            for (Launch& launch : plan.launches) cover(launch, size);
            const Problem problem = problem_of(*plan.lab, size);
            device.set_problem(problem);
            for (const std::uint8_t poison : {std::uint8_t(0xA5), std::uint8_t(0x5A)}) {
                const auto made = device.run_poisoned(plan, poison);
                ASSERT_TRUE(made.ok()) << made.message();
                EXPECT_TRUE(is_defined_result(*plan.lab, problem, plan.shows, made.value()))
                    << GetParam() << " block " << block.x << " x " << block.y << ", " << size.width << " x "
                    << size.height;
            }
        }
    }
}

// On one multiprocessor strips are high, so that kernels reach the part of their work that has no border in
// sight.
TEST_P(Versions, GiveTheDefinedResultInHighStrips) {
    WS_NEED_COMPILER();
    Plan plan;
    simt::SimtDevice device(GpuTable().named("RTX 3060"));
    for (const Extent size : {Extent{111, 397}, Extent{113, 400}, Extent{226, 301}, Extent{224, 302},
                              Extent{450, 131}, Extent{600, 133}}) {
        if (plan.launches.empty()) plan = this->plan({0, 0}, size);
        for (Launch& launch : plan.launches) {
            launch.multiprocessors = 1;
            cover(launch, size);
        }
        const Problem problem = problem_of(*plan.lab, size);
        device.set_problem(problem);
        const auto made = device.run_poisoned(plan, 0xA5);
        ASSERT_TRUE(made.ok()) << made.message();
        EXPECT_TRUE(is_defined_result(*plan.lab, problem, plan.shows, made.value()))
            << GetParam() << ", " << size.width << " x " << size.height;
    }
}

TEST_P(Versions, HaveNothingForTheChecksToFind) {
    WS_NEED_COMPILER();
    // The picture ends 1, 2 and 3 pixels into a word of 16 bytes; behind it there is what must not be seen.
    // The last two have high strips.
    for (const Extent size : {Extent{75, 43}, Extent{230, 9}, Extent{5, 3}, Extent{1, 2}, Extent{2, 5},
                              Extent{113, 397}, Extent{451, 132}}) {
        Plan plan = this->plan({0, 0}, size);
        const Problem problem = problem_of(*plan.lab, size);
        testing::LaunchBuffers buffers(*plan.lab, plan.launches, size, 0xFF);
        buffers.fill_from(problem);
        for (Launch& launch : plan.launches) {
            if (size.height > 100) launch.multiprocessors = 1;
            cover(launch, size);
            const auto program = simt::load_program(launch.kernel->binary.data(), launch.kernel->entry);
            ASSERT_TRUE(program.ok()) << program.message();
            simt::Gpu gpu(GpuTable().named("H200"));
            const simt::KernelLaunch staged =
                simt::step_launch(gpu, program.value(), launch, *plan.lab, size, buffers.places());
            simt::LaunchOptions options = simt::step_options();
            options.check = true;
            const simt::LaunchOutcome outcome = gpu.launch(staged, options);
            EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
        }
        EXPECT_TRUE(is_defined_result(*plan.lab, problem, plan.shows, buffers[plan.shows]));
    }
}

// To the bit, and to the last count.
TEST_P(Versions, RunTranslatedAsInterpreted) {
    WS_NEED_COMPILER();
    for (const Extent size : {Extent{193, 70}, Extent{256, 64}}) {
        const Plan plan = this->plan({0, 0}, size);
        const Problem problem = problem_of(*plan.lab, size);
        testing::LaunchBuffers interpreted(*plan.lab, plan.launches, size, 0x5A);
        interpreted.fill_from(problem);
        testing::LaunchBuffers translated = interpreted;
        for (const Launch& launch : plan.launches) {
            const auto program = simt::load_program(launch.kernel->binary.data(), launch.kernel->entry);
            ASSERT_TRUE(program.ok()) << program.message();
            const auto run = [&](simt::Translate translate, testing::LaunchBuffers& buffers) {
                simt::Gpu gpu(GpuTable().named("RTX 3060"), translate);
                return gpu.launch(
                    simt::step_launch(gpu, program.value(), launch, *plan.lab, size, buffers.places()),
                    simt::step_options());
            };
            const simt::LaunchOutcome expected = run(simt::Translate::never, interpreted);
            const simt::LaunchOutcome made = run(simt::Translate::at_once, translated);
            EXPECT_EQ(made.counters.total, expected.counters.total) << GetParam();
            EXPECT_EQ(testing::counts_by_line(made), testing::counts_by_line(expected)) << GetParam();
            EXPECT_EQ(testing::findings_text(made), testing::findings_text(expected));
            for (int i = 0; i < int(plan.lab->buffers.size()); ++i)
                EXPECT_EQ(translated[i], interpreted[i]) << GetParam() << ", buffer " << i;
        }
    }
}

// Counts and estimate of a sample against those of the whole launch.
void expect_sample_like_whole(const Lab& lab, const Launch& launch, const std::string& gpu_name,
                              Extent size) {
    const GpuProfile gpu = GpuTable().named(gpu_name);
    simt::Gpu simulated(gpu);
    const auto program = simt::load_program(launch.kernel->binary.data(), launch.kernel->entry);
    ASSERT_TRUE(program.ok());
    if (program.value()->static_shared_bytes > std::uint64_t(gpu.limits.shared_bytes_opt_in))
        return;  // it is not launched there
    testing::LaunchBuffers buffers(lab, {launch}, size, 3);
    const simt::KernelLaunch staged =
        simt::step_launch(simulated, program.value(), launch, lab, size, buffers.places());
    simt::LaunchOptions options = simt::step_options();
    simt::LaunchOutcome sample =
        simt::count_sample(simulated, staged, options, simt::layout_of(lab, launch, size));
    sample.counters.unique_bytes = std::uint64_t(least_bytes(lab, launch.arguments, size));
    options.model_caches = options.track_touched = true;
    const simt::LaunchOutcome whole = simulated.launch(staged, options);
    const std::string where = launch.kernel->source_name + ", " +
                              std::string(lab.steps[std::size_t(launch.step)].name) + " on " + gpu_name +
                              ", " + std::to_string(size.width) + " x " + std::to_string(size.height);
    // Of kernels that read anywhere, each block is another one.
    const bool anywhere = lab.reach == kReadsAnywhere;
    const double tolerance = anywhere ? 0.05 : 0.01;
    const auto near = [&](const char* what, double a, double b) {
        EXPECT_NEAR(a, b, tolerance * b + 1) << what << ", " << where;
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
    // What caches hold of words from anywhere in an array, a part of the launch tells less exactly.
    const bool scattered = s.global_load.sectors_per_request() > 30;
    // Of kernels that live on atomics nothing is estimated.
    const double of_whole = estimate_time(whole.counters, occupancy, gpu).ms;
    EXPECT_EQ(estimated > 0, of_whole > 0) << where;
    if (of_whole > 0) {
        EXPECT_NEAR(estimated / of_whole, 1, anywhere ? 0.25 : scattered ? 0.1 : tolerance) << where;
    }
    EXPECT_FALSE(sample.counters.accesses.empty());
}

TEST_P(Versions, SampleStandsForTheWhole) {
    WS_NEED_COMPILER();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    std::vector<Extent> sizes{{641, 480}};  // counts are the same; the time is not
#else
    // Of these each version has two, and each of these a quarter of all versions and more.
    const std::vector<Extent> all{{3647, 250}, {1919, 400}, {1000, 700}, {641, 480}};
    const auto first = std::size_t(GetParam().version);
    std::vector<Extent> sizes{all[first % all.size()], all[(first + 1) % all.size()]};
#endif
    const Lab& lab = *GetParam().lab;
    const int heaviest = main_step(lab, version_of(lab, GetParam().version));
    // An element is much work: all products of a row, or chains of operations.
    if (lab.native.float_operations || lab.counts_operations()) sizes = {{500, 129}, {321, 240}};
    for (const Extent size : sizes) {
        const Plan plan = this->plan({0, 0}, size);
        const auto found = std::find_if(plan.launches.begin(), plan.launches.end(),
                                        [&](const Launch& launch) { return launch.step == heaviest; });
        const Launch& launch = found == plan.launches.end() ? plan.launches.front() : *found;
        expect_sample_like_whole(*plan.lab, launch, "RTX 3060", size);
        // Segments instead of sectors, and no caches; without what the later kernels need.
        const GpuProfile old = GpuTable().named("GTX 280");
        const bool fits = launch.block.threads() <= old.limits.threads_per_block;
        if (fits && can_run(library_.find(launch.kernel->source_name), old.limits.capability))
            expect_sample_like_whole(*plan.lab, launch, old.name, size);
    }
}

TEST(Sample, IsSmallWhereThePictureIsLarge) {
    for (const Extent tile : {Extent{8, 8}, Extent{32, 2}, Extent{1, 32}, Extent{120, 112}}) {
        const Extent size{3647, 2736};
        Launch launch;
        launch.step = filters::step::blur;
        launch.tile = tile;
        launch.arguments = arguments_of(first_work(filters::lab()), launch.step);
        std::uint64_t chosen = 0;
        std::uint64_t stands_for = 0;
        for (const simt::Stratum& stratum :
             simt::choose_blocks(simt::layout_of(filters::lab(), launch, size), simt::kCountedElements)) {
            chosen += stratum.blocks.size();
            stands_for += stratum.stands_for;
        }
        EXPECT_EQ(stands_for, grid_for(size, tile).pixels());
        EXPECT_LT(chosen * tile.pixels(), size.pixels() / 12) << tile.width << " x " << tile.height;
    }
}

std::vector<VersionOfLab> all_rows() {
    std::vector<VersionOfLab> rows;
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) rows.push_back({lab, version.number});
    }
    return rows;
}

INSTANTIATE_TEST_SUITE_P(All, Versions, ::testing::ValuesIn(all_rows()), [](const auto& tested) {
    std::string name = std::string(tested.param.lab->id) + "_V" + std::to_string(tested.param.version);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

// A step of a version for a picture of this size, compiled.
Launch compiled_launch(int step, int version, Block block, Extent size, int multiprocessors) {
    static const KernelLibrary library;
    const Lab& lab = filters::lab();
    Work work = with_version(first_work(lab), version_of(lab, version));
    work.block(step) = block;
    const auto requests =
        step_requests(work, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
    const StepRequest& request = *request_of(requests, step);
    EXPECT_EQ(request.block, block);
    const CompileOutcome compiled = testing::compiled(compile_request(lab, request, {75, true}));
    EXPECT_TRUE(compiled.kernel) << compiled.error;
    return launch_of(request, arguments_of(work, step), compiled.kernel, size, multiprocessors);
}

TEST(SimtDevice, DrawsASmallPictureFirstAndThenTheWhole) {
    WS_NEED_COMPILER();
    const Extent size{1600, 1200};
    const Problem problem = picture_problem(filters::lab(), random_picture(size));
    simt::SimtDevice device(GpuTable().named("GTX 280"));
    EXPECT_EQ(device.facts().name, "simulated GTX 280");
    device.set_problem(problem);
    Plan plan;
    plan.lab = &filters::lab();
    plan.shows = filters::buffer::gray;
    plan.generation = 1;
    plan.launches = {compiled_launch(filters::step::gray, 0, {32, 8}, size, 0)};
    HostTarget target;
    int drawn = 0;
    // By the clock, and long enough for a sanitizer.
    const auto start = std::chrono::steady_clock::now();
    const auto waits = [&] { return std::chrono::steady_clock::now() - start < std::chrono::minutes(4); };
    while (!(device.progress().complete && drawn > 0) && waits()) {
        drawn += device.run(plan, target).drawn;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    drawn += device.run(plan, target).drawn;
    EXPECT_GE(drawn, 1);
    EXPECT_EQ(target.picture().bytes, reference_result(problem, filters::buffer::gray));
    ASSERT_TRUE(device.result());
    EXPECT_EQ(*device.result(), target.picture().bytes);
    EXPECT_FALSE(device.run(plan, target).drawn) << "nothing new is there";
    device.redraw();
    EXPECT_TRUE(device.run(plan, target).drawn);
}

// What a GPU refuses is a failure of the launch, as on a real one: its error and the arithmetic.
TEST(SimtDevice, RefusesWhatTheGpuRefuses) {
    WS_NEED_COMPILER();
    simt::SimtDevice device(GpuTable().named("GTX 280"));
    device.set_problem(picture_problem(filters::lab(), random_picture({640, 480})));
    Plan plan;
    plan.lab = &filters::lab();
    const auto refused = [&](int step, int version, Block block) {
        ++plan.generation;
        plan.launches = {compiled_launch(step, version, block, {640, 480}, 30)};
        plan.shows = plan.launches.front().output();
        HostTarget target;
        for (int i = 0; i < 30'000; ++i) {
            if (const auto failure = device.run(plan, target).failure) return *failure;
            if (device.progress().complete) break;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return LaunchFailure{};
    };
    const LaunchFailure threads = refused(filters::step::gray, 0, {32, 32});
    EXPECT_EQ(threads.code, "cudaErrorInvalidConfiguration (invalid configuration argument)");
    EXPECT_NE(threads.message.find("32 x 32 x 1 = 1024 threads are too many for a block"), std::string::npos)
        << threads.message;
    EXPECT_NE(threads.message.find("at most 512"), std::string::npos) << threads.message;
    EXPECT_EQ(threads.step, filters::step::gray);
    const LaunchFailure shuffles = refused(filters::step::fused, 14, {32, 2});
    EXPECT_NE(shuffles.message.find("needs compute capability 3.0"), std::string::npos) << shuffles.message;
    EXPECT_EQ(shuffles.step, filters::step::fused);
    EXPECT_EQ(refused(filters::step::gray, 0, {32, 8}).code, "");
}

}  // namespace
}  // namespace ws
