// On a real GPU: every version, over block shapes and picture sizes, gives the defined picture to the bit,
// and the occupancy that is shown is the driver's.

#include "gpu/analysis/occupancy.h"
#include "gpu/analysis/profiles.h"
#include "gpu/cpu/naive.h"
#include "gpu/engine/picture_check.h"
#include "gpu/pipeline/versions.h"
#include "tests/gpu_support.h"

namespace ws::testing {
namespace {

class GpuVersions : public ::testing::TestWithParam<int> {};

TEST_P(GpuVersions, EveryBlockAndSizeGivesTheDefinedPicture) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    Planner planner(device.facts().profile);
    const Version& version = version_numbered(GetParam());
    std::vector<Settings> all{with_version(Settings{}, version)};
    for (const Block block : block_shapes()) all.push_back(settings_for(version, block));
    planner.compile_ahead(all);
    int compared = 0;
    for (const Extent size : picture_sizes()) {
        const RgbaImage source = random_picture(size, unsigned(size.width * 1000 + size.height));
        device.set_picture(std::make_shared<const RgbaImage>(source));
        for (const auto& [view, blur_first] :
             {std::pair{View::edge, true}, {View::edge, false}, {View::blur, true}, {View::gray, true}}) {
            const GrayImage expected = naive::picture(source, view, blur_first);
            for (Settings settings : all) {
                settings.view = view;
                settings.blur_first = blur_first;
                const Check check = check_picture(device, planner.plan(settings, size), expected);
                ASSERT_EQ(check.state, Check::State::equal)
                    << "V" << version.number << ", block " << to_string(settings.block(Stage::blur))
                    << ", picture " << size.width << " x " << size.height << ", " << name_of(view) << ": "
                    << check.message;
                ++compared;
            }
        }
    }
    std::printf("V%d: %d pictures equal\n", version.number, compared);
}

// Small enough for compute-sanitizer, which slows kernels down a hundredfold.
TEST_P(GpuVersions, AFewBlocksForTheSanitizers) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    Planner planner(device.facts().profile);
    const Version& version = version_numbered(GetParam());
    for (const Extent size : {Extent{1, 1}, Extent{65, 63}, Extent{130, 67}}) {
        const RgbaImage source = random_picture(size, 7);
        device.set_picture(std::make_shared<const RgbaImage>(source));
        std::vector<Settings> all{with_version(Settings{}, version)};
        for (const Block block : {Block{7, 5}, Block{1, 1024}, Block{32, 32}})
            all.push_back(settings_for(version, block));
        for (const Settings& settings : all) {
            const Check check =
                check_picture(device, planner.plan(settings, size), naive::picture(source, View::edge, true));
            EXPECT_EQ(check.state, Check::State::equal) << "V" << version.number << ": " << check.message;
        }
    }
}

// Lanes beside each other, with pictures of different sizes one after the other.
TEST_P(GpuVersions, LanesGiveTheDefinedPictures) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    Planner planner(device.facts().profile);
    const Plan plan = planner.plan(with_version(Settings{}, version_numbered(GetParam())), {64, 64});
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, lane = std::shared_ptr<PictureLane>(device.make_lane(plan))] {
            std::vector<Extent> sizes = picture_sizes();
            sizes.push_back({2311, 1117});  // travels in more than two pieces, both ways
            for (const Extent size : sizes) {
                const auto picture =
                    std::make_shared<const RgbaImage>(random_picture(size, unsigned(size.width)));
                const Result<GrayImage> made = lane->run(picture);
                wrong += !made.ok() || made.value() != naive::picture(*picture, View::edge, true);
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
    const Version& version = version_numbered(GetParam());
    for (const Block block : block_shapes()) {
        const Plan plan = planner.plan(settings_for(version, block), {640, 480});
        for (const Launch& launch : plan.launches) {
            const CompileReport& report = launch.kernel->report;
            const Occupancy ours =
                occupancy_of({launch.block.threads(), report.registers, report.shared_bytes}, limits);
            EXPECT_EQ(ours.active_blocks, driver_active_blocks(device, launch))
                << "V" << version.number << " " << name_of(launch.stage) << ", block "
                << to_string(launch.block) << ", " << report.registers << " registers, "
                << report.shared_bytes << " bytes of shared memory";
        }
    }
}

// Between kernels there is a gap, and one begins while the last blocks of another end: not more than that.
TEST_P(GpuVersions, TheTotalIsAboutTheSumOfItsStages) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    const Extent size{3648, 2736};
    device.set_picture(std::make_shared<const RgbaImage>(random_picture(size, 3)));
    Planner planner(device.facts().profile);
    const Plan plan = planner.plan(with_version(Settings{}, version_numbered(GetParam())), size);
    HostTarget target;
    std::vector<double> sums, totals;
    for (int i = 0; i < 2000 && (sums.size() < 20 || totals.size() < 20); ++i) {
        const FrameResult result = device.run(plan, target);
        ASSERT_FALSE(result.failure) << result.failure->message;
        if (!result.times) continue;
        double sum = 0;
        for (const Sample& sample : result.times->stages) sum += sample.launches > 0 ? sample.ms : 0;
        if (sum > 0) sums.push_back(sum);
        if (result.times->total.launches > 0) totals.push_back(result.times->total.ms);
    }
    const double ratio = statistics_of(totals).median / statistics_of(sums).median;
    EXPECT_GT(ratio, 0.7);
    EXPECT_LT(ratio, 1.4);
}

std::vector<int> all_versions() {
    std::vector<int> numbers;
    for (const Version& version : versions()) numbers.push_back(version.number);
    return numbers;
}

INSTANTIATE_TEST_SUITE_P(All, GpuVersions, ::testing::ValuesIn(all_versions()),
                         [](const auto& test) { return "V" + std::to_string(test.param); });

}  // namespace
}  // namespace ws::testing
