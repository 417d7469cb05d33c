// The lab on textures: the turned picture at every angle and with every address mode, and how many sectors a
// warp reads along a line and in a tile.

#include "gpu/labs/texture/texture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>

#include "gpu/analysis/estimate.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/texture/sine.cuh"
#include "gpu/simt/simt_device.h"
#include "tests/compiled_kernels.h"
#include "tests/shared_engine.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

enum Mode { kClamp, kWrap, kBorder };

Picture noise(Extent size) {
    RgbaImage image(size);
    std::minstd_rand random(11);
    for (std::uint8_t& byte : image.bytes) byte = std::uint8_t(random() >> 7);
    return std::make_shared<const RgbaImage>(std::move(image));
}

Plan plan_of(int version, const KnobValues& knobs) {
    static const KernelLibrary library;
    const Lab& lab = texture::lab();
    Work work = with_version(first_work(lab), version_of(lab, version));
    work.knobs = knobs;
    Plan plan;
    plan.lab = &lab;
    plan.shows = shown_buffer(lab.views[std::size_t(work.view)], version_of(lab, version));
    plan.generation = 1;
    for (const StepRequest& request : step_requests(
             work, [](std::string_view name) -> const KernelSource& { return library.find(name); })) {
        const CompileOutcome compiled = testing::compiled(compile_request(lab, request, {75, true}));
        EXPECT_TRUE(compiled.kernel) << compiled.error;
        plan.launches.push_back(
            launch_of(request, arguments_of(work, request.step), compiled.kernel, {1, 1}, 28));
    }
    return plan;
}

HostBytes computed(Plan plan, const Problem& problem, std::uint8_t poison) {
    for (Launch& launch : plan.launches) cover(launch, problem.size);
    simt::SimtDevice device(GpuTable().named("RTX 3060"));
    device.set_problem(problem);
    const auto made = device.run_poisoned(plan, poison);
    EXPECT_TRUE(made.ok()) << made.message();
    return made.ok() ? made.value() : HostBytes();
}

// How far the result is from its definition, over two poisons; more than a byte has where a pixel is missing.
int worst_error(const Plan& plan, const Problem& problem) {
    const HostBytes defined = reference_result(problem, plan.shows);
    int worst = 0;
    for (const std::uint8_t poison : {std::uint8_t(0xA5), std::uint8_t(0x5A)}) {
        const HostBytes made = computed(plan, problem, poison);
        if (made.size() != defined.size()) return 999;
        for (std::size_t i = 0; i < made.size(); ++i)
            worst = std::max(worst, std::abs(int(made[i]) - int(defined[i])));
    }
    return worst;
}

// Of the version on an H200 with the built-in picture's size.
StepResult texture_result(int version, int angle, const std::string& gpu = "H200") {
    Engine& engine = engine_with_picture({1024, 768}, "none");
    const Lab& lab = texture::lab();
    Work work = with_version(first_work(lab), version_of(lab, version));
    work.device = DeviceKind::simt;
    work.target_gpu = gpu;
    work.knobs["ANGLE"] = angle;
    work.knobs["ADDRESS"] = kWrap;  // so that no warp lies outside
    engine.prepare(work);
    engine.wait_for_counts();
    engine.prepare(work);
    for (const StepSnapshot& step : engine.snapshot().steps) {
        if (step.runs && step.counts.result) return *step.counts.result;
    }
    throw std::runtime_error("no counts of V" + std::to_string(version));
}

double load_sectors(int version, int angle) {
    return texture_result(version, angle).counters->total.global_load.sectors_per_request();
}
double texture_sectors(int version, int angle) {
    return texture_result(version, angle).counters->total.texture.sectors_per_request();
}

TEST(Texture, SinesAreThoseOfDegrees) {
    for (std::size_t degree = 0; degree < std::size(texture::kSine); ++degree)
        EXPECT_FLOAT_EQ(texture::kSine[degree], float(std::sin(double(degree) * std::numbers::pi / 180)));
}

TEST(Texture, EveryAngleAndAddressModeIsAsDefined) {
    WS_NEED_COMPILER();
    for (const Version& version : texture::lab().versions) {
        for (const int angle : {0, 17, 45, 90}) {
            for (const int address : {kClamp, kWrap, kBorder}) {
                const KnobValues knobs{{"ANGLE", angle}, {"ADDRESS", address}};
                const Plan plan = plan_of(version.number, knobs);
                const double tolerance = plan.lab->buffers[std::size_t(plan.shows)].tolerance;
                EXPECT_EQ(tolerance > 0, version.number == 7) << "weights of 8 bits";
                for (const Extent size : {Extent{1, 1}, Extent{53, 1}, Extent{67, 41}, Extent{40, 99}})
                    EXPECT_LE(worst_error(plan, picture_problem(texture::lab(), noise(size), knobs)),
                              tolerance)
                        << "V" << version.number << " at " << angle << " degrees, address mode " << address
                        << ", " << size.width << " x " << size.height;
            }
        }
    }
}

TEST(Texture, AnotherAngleOrAddressModeIsAnotherResult) {
    const Picture picture = noise({67, 41});
    const auto result = [&](int angle, int address) {
        const KnobValues knobs{{"ANGLE", angle}, {"ADDRESS", address}};
        return reference_result(picture_problem(texture::lab(), picture, knobs), texture::buffer::nearest);
    };
    EXPECT_NE(result(30, kClamp), result(31, kClamp));
    EXPECT_NE(result(30, kClamp), result(30, kWrap));
    EXPECT_NE(result(30, kClamp), result(30, kBorder));
    EXPECT_NE(result(30, kWrap), result(30, kBorder));
    EXPECT_EQ(result(0, kClamp), result(0, kBorder)) << "nothing lies outside";
}

TEST(Texture, AQuarterTurnIsOne) {
    const Extent square{31, 31};
    const Picture picture = noise(square);
    const auto result = [&](int angle) {
        return reference_result(picture_problem(texture::lab(), picture, {{"ANGLE", angle}}),
                                texture::buffer::linear);
    };
    const HostBytes straight = result(0);
    const HostBytes turned = result(90);
    for (std::size_t y = 0; y < 31; ++y) {
        for (std::size_t x = 0; x < 31; ++x)
            ASSERT_EQ(turned[y * 31 + x], straight[(30 - x) * 31 + y]) << x << ", " << y;
    }
}

// The weights are rounded: it is not what the definition is, and not farther from it than that explains.
TEST(Texture, WeightsOfEightBitsShow) {
    WS_NEED_COMPILER();
    const KnobValues knobs{{"ANGLE", 17}};
    const Problem problem = picture_problem(texture::lab(), noise({128, 96}), knobs);
    const int error = worst_error(plan_of(7, knobs), problem);
    EXPECT_GE(error, 1);
    EXPECT_LE(error, 2);
}

TEST(Texture, ALineNeedsMoreSectorsAsTheAngleGrows) {
    WS_NEED_COMPILER();
    double before = 0;
    for (const int angle : {0, 10, 30, 60, 90}) {
        const double sectors = load_sectors(1, angle);
        EXPECT_GT(sectors, before) << angle;
        before = sectors;
    }
    EXPECT_NEAR(load_sectors(1, 0), 4, 0.01) << "32 pixels of 4 bytes, next to each other";
}

TEST(Texture, ATileInTilesNeedsFewSectorsAtEveryAngle) {
    WS_NEED_COMPILER();
    for (const int angle : {30, 45, 60, 90}) {
        EXPECT_LT(texture_sectors(4, angle), load_sectors(1, angle)) << angle;
        EXPECT_LT(texture_sectors(5, angle), load_sectors(2, angle)) << angle;
        EXPECT_LT(texture_sectors(5, angle), texture_sectors(4, angle)) << angle;
    }
    // A tile of 8 x 4 is 2 x 2 sectors of 4 x 2 pixels where it does not lie across them.
    EXPECT_NEAR(texture_sectors(5, 0), 4, 0.01);
    EXPECT_NEAR(load_sectors(2, 0), 4, 0.01);
}

TEST(Texture, AFilteredFetchIsOneRequest) {
    WS_NEED_COMPILER();
    const InstructionCounts by_hand = texture_result(6, 30).counters->total;
    const InstructionCounts by_texture = texture_result(7, 30).counters->total;
    EXPECT_EQ(by_hand.texture.requests, 0u);
    EXPECT_EQ(by_texture.global_load.requests, 0u);
    EXPECT_EQ(by_hand.global_load.requests, 4 * by_texture.texture.requests);
    EXPECT_LT(by_texture.instructions, by_hand.instructions);
}

TEST(Texture, TheTexPipeTakesFourLanesInAClock) {
    WS_NEED_COMPILER();
    const StepResult result = texture_result(5, 0);
    ASSERT_TRUE(result.estimate);
    const GpuProfile& gpu = result.key.gpu;
    const double clocks = double(result.counters->total.texture.requests) * 32 / 4;
    const double ms = clocks / gpu.multiprocessors / (double(gpu.clock_mhz) * 1000);
    EXPECT_NEAR(result.estimate->longest(bit(Part::texture)) / ms, 1, 0.1);
    EXPECT_EQ(texture_result(2, 0).estimate->longest(bit(Part::texture)), 0);
}

// Kepler alone has a way for them.
TEST(Texture, ReadOnlyLoadsGoThroughKeplersTextureCache) {
    WS_NEED_COMPILER();
    const CacheModel plain = texture_result(2, 30, "Tesla K40m").counters->caches;
    const CacheModel read_only = texture_result(3, 30, "Tesla K40m").counters->caches;
    EXPECT_EQ(plain.texture_sectors, 0u);
    EXPECT_EQ(plain.l1_sectors, 0u);
    EXPECT_GT(read_only.texture_hits, 0u);
    EXPECT_LT(read_only.l2_sectors, plain.l2_sectors);
    const CacheModel later = texture_result(3, 30).counters->caches;
    EXPECT_EQ(later.texture_sectors, 0u);
    EXPECT_EQ(later.l1_hits, texture_result(2, 30).counters->caches.l1_hits);
}

// Before 2.0 nothing else is cached.
TEST(Texture, TheFirstGpusCacheTexturesAlone) {
    WS_NEED_COMPILER();
    const StepResult fetched = texture_result(5, 30, "GTX 280");
    EXPECT_GT(fetched.counters->caches.texture_hits, 0u);
    EXPECT_EQ(fetched.counters->caches.l1_sectors, 0u);
    const StepResult loaded = texture_result(2, 30, "GTX 280");
    EXPECT_EQ(loaded.counters->caches.texture_sectors, 0u);
    ASSERT_TRUE(fetched.estimate && loaded.estimate);
    EXPECT_LT(fetched.estimate->longest(bit(Part::memory)), loaded.estimate->longest(bit(Part::memory)));
}

}  // namespace
}  // namespace ws
