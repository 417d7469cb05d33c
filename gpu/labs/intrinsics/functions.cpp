#include "gpu/labs/intrinsics/functions.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "gpu/core/ulps.h"
#include "gpu/labs/intrinsics/intrinsics.h"

namespace ws::intrinsics {
namespace {

// Bounds: CUDA C++ Programming Guide, mathematical functions, maximum errors of single-precision functions
// and intrinsics; those of 1/x, roots and x/y without correct rounding are of -prec-div=false and
// -prec-sqrt=false, which make them the same instructions.

constexpr double kNotStated = std::numeric_limits<double>::infinity();

template <int ulps>
double at_most(float /*argument*/, float /*defined*/) {
    return ulps;
}

// An absolute error; the definition is off by half an ulp itself.
double absolute(double error, float defined) {
    return error / ulp_of(defined) + 0.5;
}

double allowed_sine(float argument, float defined) {
    static const double kError = std::exp2(-21.41);
    return std::abs(argument) <= std::numbers::pi ? absolute(kError, defined) : kNotStated;
}
double allowed_cosine(float argument, float defined) {
    static const double kError = std::exp2(-21.19);
    return std::abs(argument) <= std::numbers::pi ? absolute(kError, defined) : kNotStated;
}
double allowed_exponential(float argument, float /*defined*/) {
    return 2 + std::floor(std::abs(1.173 * double(argument)));
}
bool near_one(float argument) {
    return argument >= 0.5f && argument <= 2.0f;
}
double allowed_logarithm(float argument, float defined) {
    static const double kError = std::exp2(-21.41);
    return near_one(argument) ? absolute(kError, defined) : 3;
}
double allowed_binary_logarithm(float argument, float defined) {
    constexpr double kError = 0x1p-22;
    return near_one(argument) ? absolute(kError, defined) : 2;
}
// Stated is that it is 2^(y log2 x) of its parts: the error of the exponent (the logarithm's, and the
// product's rounding) times ln 2 is the relative error, and a relative error of 2^-24 at most an ulp. The
// exponential adds 2 ulp.
double allowed_power(float argument, float /*defined*/) {
    const double exponent = double(kExponent) * std::log2(double(argument));
    const double unit = ulp_of(float(exponent));
    const double of_logarithm = near_one(argument) ? 0x1p-22 : 2.5 * ulp_of(std::log2(argument));
    return 2 + (double(kExponent) * of_logarithm + 0.5 * unit) * std::numbers::ln2 * 0x1p24;
}

// One after the other, each rounded: a relative error of 2^-24 in each.
double allowed_reciprocal_of_root(float /*argument*/, float /*defined*/) {
    return 2;
}

double power_of(double argument) {
    return std::pow(argument, double(kExponent));
}

constexpr std::array<Function, step::count / 2> kFunctions{{
    {[](double x) { return std::sin(x); }, allowed_sine, at_most<2>},
    {[](double x) { return std::cos(x); }, allowed_cosine, at_most<2>},
    {[](double x) { return std::exp(x); }, allowed_exponential, at_most<2>},
    {[](double x) { return std::log(x); }, allowed_logarithm, at_most<1>},
    {[](double x) { return std::log2(x); }, allowed_binary_logarithm, at_most<1>},
    {power_of, allowed_power, at_most<8>},  // 4 in newer guides
    {[](double x) { return 1 / x; }, at_most<1>, at_most<0>},
    {[](double x) { return std::sqrt(x); }, at_most<1>, at_most<0>},  // from 5.2 on
    {[](double x) { return 1 / std::sqrt(x); }, at_most<2>, allowed_reciprocal_of_root},
    {[](double x) { return double(kDividend) / x; }, at_most<2>, at_most<0>},
}};

}  // namespace

const Function& function_of(int step) {
    return kFunctions.at(std::size_t(step) / 2);
}

}  // namespace ws::intrinsics
