// The lab on intrinsics: arguments are all floats of a binade, results are as near to the functions as the
// guide says, and the check knows how near.

#include "gpu/labs/intrinsics/intrinsics.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "gpu/core/frame_target.h"
#include "gpu/core/ulps.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/result_check.h"
#include "gpu/engine/run_to_end.h"
#include "gpu/labs/intrinsics/functions.h"
#include "tests/shared_engine.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

constexpr Extent kSmall{256, 64};
constexpr double kInfinite = std::numeric_limits<double>::infinity();

float float_in(const std::uint8_t* bytes, std::size_t at) {
    float value = 0;
    std::memcpy(&value, bytes + at * sizeof value, sizeof value);
    return value;
}
void put_float(HostBytes& bytes, std::size_t at, float value) {
    std::memcpy(&bytes[at * sizeof value], &value, sizeof value);
}

Problem problem_at(int exponent, Extent size = kSmall) {
    return generated_problem(intrinsics::lab(), size, {{"EXPONENT", exponent}});
}

const Buffer& buffer_of(int step) {
    return intrinsics::lab().buffers[std::size_t(step) + 1];
}

Check check_of(int step, const Problem& problem, const HostBytes& made) {
    return compare(buffer_of(step), problem.size, made, 0, made, 255, reference_result(problem, step + 1),
                   problem.input.get());
}

// What the simulated GPU makes of it, checked as the window does.
const Snapshot& run_version(int version, int exponent) {
    Engine& engine = engine_with_picture({16, 16}, "none");
    Work work = with_version(first_work(intrinsics::lab()), version_of(intrinsics::lab(), version));
    work.device = DeviceKind::simt;
    work.target_gpu = "H200";
    work.size = kSmall;
    work.knobs = {{"EXPONENT", exponent}};
    HostTarget target;
    run_to_end(engine, work, 1, target);
    return engine.snapshot();
}

InstructionCounts counts_of(int version, int exponent) {
    const Snapshot& snapshot = run_version(version, exponent);
    for (const StepSnapshot& step : snapshot.steps) {
        if (step.runs && step.counts.result) return step.counts.result->counters->total;
    }
    throw std::runtime_error("no counts of V" + std::to_string(version));
}

TEST(Intrinsics, UlpsAreDistancesOfNeighbours) {
    EXPECT_EQ(ulp_of(1.0f), 0x1p-23);
    EXPECT_EQ(ulp_of(-1.5f), 0x1p-23);
    EXPECT_EQ(ulp_of(std::nextafter(1.0f, 0.0f)), 0x1p-24);
    EXPECT_EQ(ulp_of(0.0f), 0x1p-149);
    EXPECT_EQ(ulp_of(std::numeric_limits<float>::denorm_min()), 0x1p-149);
    EXPECT_EQ(ulp_of(std::numeric_limits<float>::max()), 0x1p104);
    const float infinite = std::numeric_limits<float>::infinity();
    const float none = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(ulps_apart(1.0f, 1.0f), 0);
    EXPECT_EQ(ulps_apart(std::nextafter(3.0f, 4.0f), 3.0f), 1);
    EXPECT_EQ(ulps_apart(-0x1p-23f, 0x1p-23f), double(1 << 24));
    EXPECT_EQ(ulps_apart(infinite, std::numeric_limits<float>::max()), 1);
    EXPECT_EQ(ulps_apart(infinite, infinite), 0);
    EXPECT_EQ(ulps_apart(none, none), 0);
    EXPECT_EQ(ulps_apart(none, 1), kInfinite);
    EXPECT_EQ(ulps_apart(1, none), kInfinite);
}

TEST(Intrinsics, ArgumentsAreAllFloatsOfABinade) {
    const Lab& lab = intrinsics::lab();
    for (const int exponent : {-24, 0, 24}) {
        const Problem whole = problem_at(exponent, lab.sizes.first);
        const std::size_t count = whole.size.pixels();
        ASSERT_EQ(count, std::size_t(1) << 23);
        float last = std::nextafter(std::ldexp(1.0f, exponent), 0.0f);
        std::size_t neighbours = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const float value = float_in(whole.input->data(), i);
            neighbours += std::bit_cast<std::uint32_t>(value) == std::bit_cast<std::uint32_t>(last) + 1;
            last = value;
        }
        EXPECT_EQ(neighbours, count);
        EXPECT_EQ(std::nextafter(last, 1e30f), std::ldexp(2.0f, exponent));
        // Fewer of them lie as far from each other.
        const Problem small = problem_at(exponent);
        const std::size_t step = count / kSmall.pixels();
        for (std::size_t i = 0; i < kSmall.pixels(); ++i)
            ASSERT_EQ(float_in(small.input->data(), i), float_in(whole.input->data(), i * step));
    }
}

// By functions of more digits.
TEST(Intrinsics, DefinitionsAreRoundedCorrectly) {
    using Long = long double;
    const auto expect = [](int step, Long (*function)(Long)) {
        for (const int exponent : {-7, 0, 2}) {
            const Problem problem = problem_at(exponent);
            const HostBytes defined = reference_result(problem, step + 1);
            EXPECT_EQ(defined, reference_result(problem, step + 2)) << "of the exact version the same";
            for (std::size_t i = 0; i < kSmall.pixels(); ++i) {
                const float x = float_in(problem.input->data(), i);
                ASSERT_EQ(float_in(defined.data(), i), float(function(Long(x)))) << step << " of " << x;
            }
        }
    };
    namespace step = intrinsics::step;
    expect(step::sine, [](Long x) { return std::sin(x); });
    expect(step::cosine, [](Long x) { return std::cos(x); });
    expect(step::exponential, [](Long x) { return std::exp(x); });
    expect(step::logarithm, [](Long x) { return std::log(x); });
    expect(step::binary_logarithm, [](Long x) { return std::log2(x); });
    expect(step::power, [](Long x) { return x * x * std::sqrt(x); });
    expect(step::reciprocal, [](Long x) { return 1 / x; });
    expect(step::root, [](Long x) { return std::sqrt(x); });
    expect(step::reciprocal_root, [](Long x) { return 1 / std::sqrt(x); });
    expect(step::quotient, [](Long x) { return Long(intrinsics::kDividend) / x; });
}

TEST(Intrinsics, BoundsAreTheGuides) {
    namespace step = intrinsics::step;
    const auto allowed = [](int step, float x) {
        return buffer_of(step).allowed_ulps(x, float(intrinsics::function_of(step).exact(double(x))));
    };
    EXPECT_EQ(allowed(step::exponential, 1), 3);
    EXPECT_EQ(allowed(step::exponential, 10), 13);
    EXPECT_EQ(allowed(step::exponential, 80), 95);
    EXPECT_EQ(allowed(step::exponential_exact, 80), 2);
    EXPECT_EQ(allowed(step::logarithm, 2.5f), 3);
    EXPECT_EQ(allowed(step::binary_logarithm, 0.25f), 2);
    // log2 1.5 lies from 0.5 to 1, where an ulp is 2^-24.
    EXPECT_EQ(allowed(step::binary_logarithm, 1.5f), 4.5);
    EXPECT_NEAR(allowed(step::sine, 1.5f), std::exp2(2.59) + 0.5, 1e-9);
    EXPECT_NEAR(allowed(step::cosine, 0.5f), std::exp2(2.81) + 0.5, 1e-9);
    EXPECT_EQ(allowed(step::sine, 3.2f), kInfinite) << "beyond pi the guide states nothing";
    EXPECT_EQ(allowed(step::cosine, -3.2f), kInfinite);
    EXPECT_EQ(allowed(step::sine_exact, 1e6f), 2);
    EXPECT_EQ(allowed(step::quotient, 7), 2);
    for (const int exact : {step::reciprocal_exact, step::root_exact, step::quotient_exact})
        EXPECT_EQ(allowed(exact, 7), 0);
}

TEST(Intrinsics, TheCheckAllowsTheBoundAndNoMore) {
    namespace step = intrinsics::step;
    const Problem problem = problem_at(0);
    const HostBytes defined = reference_result(problem, step::exponential + 1);
    const auto shifted = [&](std::size_t at, int ulps) {
        HostBytes made = defined;
        float value = float_in(made.data(), at);
        for (int i = 0; i < ulps; ++i) value = std::nextafter(value, 1e30f);
        put_float(made, at, value);
        return made;
    };
    const std::size_t last = kSmall.pixels() - 1;
    const Check right = check_of(step::exponential, problem, defined);
    ASSERT_TRUE(right.accuracy);
    EXPECT_EQ(right.accuracy->largest_ulps, 0);
    // 2 + floor(1.173 x): 4 of 2, 3 of 1.
    const Check allowed = check_of(step::exponential, problem, shifted(last, 4));
    EXPECT_EQ(allowed.state, Check::State::equal);
    ASSERT_TRUE(allowed.accuracy);
    EXPECT_EQ(allowed.accuracy->largest_ulps, 4);
    EXPECT_EQ(allowed.accuracy->at, float_in(problem.input->data(), last));
    EXPECT_DOUBLE_EQ(allowed.accuracy->mean_ulps, 4.0 / double(kSmall.pixels()));
    EXPECT_EQ(allowed.accuracy->unstated, 0u);
    EXPECT_EQ(english(allowed.message), "errors up to 4 ulp, 0.00024 on average, within the stated bound");
    const Check wrong = check_of(step::exponential, problem, shifted(last, 5));
    EXPECT_EQ(wrong.state, Check::State::different);
    EXPECT_FALSE(wrong.accuracy);
    EXPECT_EQ(check_of(step::exponential, problem, shifted(0, 3)).state, Check::State::equal);
    EXPECT_EQ(check_of(step::exponential, problem, shifted(0, 4)).state, Check::State::different);
    EXPECT_EQ(check_of(step::exponential_exact, problem, shifted(0, 3)).state, Check::State::different);
    HostBytes none = defined;
    put_float(none, 3, std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(check_of(step::exponential, problem, none).state, Check::State::different);
    // Correct rounding is to the bit.
    HostBytes root = reference_result(problem, step::root_exact + 1);
    EXPECT_EQ(check_of(step::root_exact, problem, root).state, Check::State::equal);
    put_float(root, 5, std::nextafter(float_in(root.data(), 5), 2.0f));
    EXPECT_EQ(check_of(step::root_exact, problem, root).state, Check::State::different);
    EXPECT_EQ(check_of(step::root, problem, root).state, Check::State::equal);
}

TEST(Intrinsics, WhatNobodyStatesIsSaid) {
    namespace step = intrinsics::step;
    const auto message = [](int exponent) {
        const Problem problem = problem_at(exponent);
        HostBytes made = reference_result(problem, step::sine + 1);
        put_float(made, kSmall.pixels() - 1, 0.5f);  // far off, where no bound is known
        const Check check = check_of(step::sine, problem, made);
        EXPECT_EQ(check.state, exponent > 0 ? Check::State::equal : Check::State::different);
        return english(check.message);
    };
    EXPECT_NE(message(5).find("; no bound is stated"), std::string::npos);
    EXPECT_EQ(message(5).find(" for "), std::string::npos);
    EXPECT_NE(message(1).find("; no bound is stated for 7"), std::string::npos) << message(1);
    EXPECT_NE(message(0).find("1 of 16384 elements differ"), std::string::npos) << message(0);
}

TEST(Intrinsics, EveryVersionKeepsToItsBound) {
    WS_NEED_COMPILER();
    for (const Version& version : intrinsics::lab().versions) {
        for (const int exponent : {-24, -1, 0, 1, 6, 20}) {
            const Check& check = run_version(version.number, exponent).result.check;
            EXPECT_EQ(check.state, Check::State::equal)
                << "V" << version.number << " at 2^" << exponent << ": " << check.message;
            ASSERT_TRUE(check.accuracy) << "V" << version.number;
            EXPECT_NE(english(check.message).find("of the simulated GPU"), std::string::npos)
                << "no GPU's errors: " << check.message;
        }
    }
}

// Of what rounds between the instructions the simulated GPU makes the error that a GPU makes.
TEST(Intrinsics, ErrorsOfPowersGrowWithTheArgument) {
    WS_NEED_COMPILER();
    namespace step = intrinsics::step;
    const auto largest = [](int step, int exponent) {
        const std::optional<Accuracy>& accuracy = run_version(step + 1, exponent).result.check.accuracy;
        return accuracy ? accuracy->largest_ulps : kInfinite;
    };
    EXPECT_LE(largest(step::exponential, -4), 1);
    EXPECT_GT(largest(step::exponential, 5), 10 * largest(step::exponential, 0));
    EXPECT_LT(largest(step::exponential, 5), 2 + 1.173 * 64);
    EXPECT_LE(largest(step::exponential_exact, 5), 2);
}

TEST(Intrinsics, ExactFunctionsTakeMoreInstructions) {
    WS_NEED_COMPILER();
    namespace step = intrinsics::step;
    const auto executed = [](int step, int exponent) {
        return double(counts_of(step + 1, exponent).thread_instructions);
    };
    for (int step = step::sine; step < step::count; step += 2) {
        if (step == step::root || step == step::reciprocal || step == step::quotient ||
            step == step::reciprocal_root)
            continue;  // one instruction of PTX, whose machine code is longer
        EXPECT_GT(executed(step + 1, 0), 1.3 * executed(step, 0)) << step;
    }
    EXPECT_GT(executed(step::sine_exact, 20), 2 * executed(step::sine_exact, 0)) << "of large arguments";
}

}  // namespace
}  // namespace ws
