// On a real GPU: every version of every lab, over block shapes and sizes, gives the defined result to the
// bit, and the occupancy that is shown is the driver's.

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "gpu/analysis/occupancy.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/statistics.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/result_check.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/filters/naive.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/transpose/transpose.h"
#include "tests/gpu_support.h"

namespace ws::testing {
namespace {

Problem random_problem(const Lab& lab, Extent size, unsigned seed) {
    return lab.takes_picture() ? picture_problem(lab, random_picture(size, seed))
                               : generated_problem(lab, size);
}

// What a buffer holds: of the filters and the transpose element by element, independent of the lab's own
// code, of any other lab as that says.
HostBytes definition(const Problem& problem, int buffer) {
    const Extent size = problem.size;
    if (problem.lab == &filters::lab()) {
        RgbaImage picture(size);
        picture.bytes = *problem.input;
        return filters::naive::picture(picture, filters::filters_of(buffer)).bytes;
    }
    if (problem.lab != &transpose::lab()) return reference_result(problem, buffer);
    HostBytes made(problem.input->begin(), problem.input->end());
    if (buffer != transpose::buffer::transposed) return made;
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x)
            std::memcpy(&made[4 * (std::size_t(x) * std::size_t(size.height) + std::size_t(y))],
                        &(*problem.input)[4 * (std::size_t(y) * std::size_t(size.width) + std::size_t(x))],
                        4);
    }
    return made;
}

// To the bit, or as near as the buffer allows.
bool is_as_defined(const Buffer& buffer, const HostBytes& made, const HostBytes& defined) {
    if (made.size() != defined.size()) return false;
    for (std::size_t at = 0; at < made.size(); at += std::size_t(bytes_of(buffer.element))) {
        if (!ws::is_as_defined(buffer, &made[at], &defined[at])) return false;
    }
    return true;
}

Check check(Device& device, const Plan& plan, const Problem& problem, const HostBytes& expected) {
    constexpr std::uint8_t kPoisons[2] = {0xA5, 0x5A};
    const Result<HostBytes> first = device.run_poisoned(plan, kPoisons[0]);
    if (!first.ok()) return {Check::State::failed, first.message()};
    const Result<HostBytes> second = device.run_poisoned(plan, kPoisons[1]);
    if (!second.ok()) return {Check::State::failed, second.message()};
    return compare(plan.lab->buffers[std::size_t(plan.shows)], problem.size, first.value(), kPoisons[0],
                   second.value(), kPoisons[1], expected, problem.input.get());
}

struct Row {
    const Lab* lab = nullptr;
    int number = 0;
    [[nodiscard]] const Version& version() const { return version_of(*lab, number); }
    [[nodiscard]] std::string text() const { return std::string(lab->id) + " V" + std::to_string(number); }
};

class GpuVersions : public ::testing::TestWithParam<Row> {};

TEST_P(GpuVersions, EveryBlockAndSizeGivesTheDefinedResult) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    Planner planner(device.facts().profile);
    const Row row = GetParam();
    std::vector<Work> all{work_for(*row.lab, row.version())};
    for (const Block block : block_shapes()) all.push_back(work_for(*row.lab, row.version(), block));
    planner.compile_ahead(all);
    int compared = 0;
    for (const Extent size : picture_sizes()) {
        const Problem problem = random_problem(*row.lab, size, unsigned(size.width * 1000 + size.height));
        device.set_problem(problem);
        for (std::size_t view = 0; view < row.lab->views.size(); ++view) {
            if (row.lab->views[view].ways.empty()) continue;
            const HostBytes expected = definition(problem, shown_buffer(row.lab->views[view], row.version()));
            for (Work work : all) {
                work.view = int(view);
                const Check result = check(device, planner.plan(work, size), problem, expected);
                ASSERT_EQ(result.state, Check::State::equal)
                    << row.text() << ", block " << to_string(work.block(main_step(*row.lab, row.version())))
                    << ", size " << size.width << " x " << size.height << ", " << row.lab->views[view].name
                    << ": " << result.message;
                ++compared;
            }
        }
    }
    std::printf("%s: %d results equal\n", row.text().c_str(), compared);
}

// Small enough for compute-sanitizer, which slows kernels down a hundredfold.
TEST_P(GpuVersions, AFewBlocksForTheSanitizers) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    Planner planner(device.facts().profile);
    const Row row = GetParam();
    for (const Extent size : {Extent{1, 1}, Extent{65, 63}, Extent{130, 67}}) {
        const Problem problem = random_problem(*row.lab, size, 7);
        device.set_problem(problem);
        std::vector<Work> all{work_for(*row.lab, row.version())};
        for (const Block block : {Block{7, 5}, Block{1, 1024}, Block{32, 32}})
            all.push_back(work_for(*row.lab, row.version(), block));
        for (const Work& work : all) {
            const Plan plan = planner.plan(work, size);
            const Check result = check(device, plan, problem, definition(problem, plan.shows));
            EXPECT_EQ(result.state, Check::State::equal) << row.text() << ": " << result.message;
        }
    }
}

// Lanes beside each other, with pictures of different sizes one after the other.
TEST_P(GpuVersions, LanesGiveTheDefinedPictures) {
    const Row row = GetParam();
    if (!row.lab->takes_picture()) return;
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    Planner planner(device.facts().profile);
    const Plan plan = planner.plan(work_for(*row.lab, row.version()), {64, 64});
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, lane = std::shared_ptr<PictureLane>(device.make_lane(plan))] {
            std::vector<Extent> sizes = picture_sizes();
            sizes.push_back({2311, 1117});  // travels in more than two pieces, both ways
            for (const Extent size : sizes) {
                const Picture picture = random_picture(size, unsigned(size.width));
                const Result<GrayImage> made = lane->run(picture);
                wrong += !made.ok() || made.value().size != size ||
                         !is_as_defined(row.lab->buffers[std::size_t(plan.shows)], made.value().bytes,
                                        definition(picture_problem(*row.lab, picture), plan.shows));
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST_P(GpuVersions, OccupancyIsTheDrivers) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    const GpuLimits limits = GpuTable().completed(device.facts().profile).limits;
    Planner planner(device.facts().profile);
    const Row row = GetParam();
    for (const Block block : block_shapes()) {
        const Plan plan = planner.plan(work_for(*row.lab, row.version(), block), {640, 480});
        for (const Launch& launch : plan.launches) {
            const CompileReport& report = launch.kernel->report;
            const Occupancy ours =
                occupancy_of({launch.block.threads(), report.registers, report.shared_bytes}, limits);
            EXPECT_EQ(ours.active_blocks, device.active_blocks(launch))
                << row.text() << " " << row.lab->steps[std::size_t(launch.step)].name << ", block "
                << to_string(launch.block) << ", " << report.registers << " registers, "
                << report.shared_bytes << " bytes of shared memory";
        }
    }
}

// Between kernels there is a gap, and one begins while the last blocks of another end: not more than that.
TEST_P(GpuVersions, TheTotalIsAboutTheSumOfItsSteps) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    const Extent size{3648, 2736};
    const Row row = GetParam();
    device.set_problem(random_problem(*row.lab, size, 3));
    Planner planner(device.facts().profile);
    const Plan plan = planner.plan(work_for(*row.lab, row.version()), size);
    HostTarget target;
    std::vector<double> sums, totals;
    for (int i = 0; i < 2000 && (sums.size() < 20 || totals.size() < 20); ++i) {
        const FrameResult result = device.run(plan, target);
        ASSERT_FALSE(result.failure) << result.failure->message;
        if (!result.times) continue;
        double sum = 0;
        for (const Sample& sample : result.times->steps) sum += sample.launches > 0 ? sample.ms : 0;
        if (sum > 0) sums.push_back(sum);
        if (result.times->total.launches > 0) totals.push_back(result.times->total.ms);
    }
    const double ratio = statistics_of(totals).median / statistics_of(sums).median;
    EXPECT_GT(ratio, 0.7);
    EXPECT_LT(ratio, 1.4);
}

std::vector<Row> all_rows() {
    std::vector<Row> rows;
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) rows.push_back({lab, version.number});
    }
    return rows;
}

INSTANTIATE_TEST_SUITE_P(All, GpuVersions, ::testing::ValuesIn(all_rows()), [](const auto& test) {
    std::string name = std::string(test.param.lab->id) + "_V" + std::to_string(test.param.number);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

}  // namespace
}  // namespace ws::testing
