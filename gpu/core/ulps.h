#pragma once
// Errors of floats in units in the last place (ulp): the distance of neighbouring floats where the right one
// lies.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace ws {

// How far results that approximate a function are from it, in units in the last place.
struct Accuracy {
    double largest_ulps = 0;
    float at = 0;  // the argument with the largest error
    double mean_ulps = 0;
    std::size_t unstated = 0;  // arguments for which nobody says how far a result may be off
};

// Infinity counts as the power of two behind the largest float.
[[nodiscard]] inline double finite_value(float value) {
    return std::isinf(value) ? std::copysign(0x1p128, double(value)) : double(value);
}
[[nodiscard]] inline double ulp_of(float value) {
    constexpr int kDigits = 23;
    constexpr int kBias = 127;
    const int biased = int(std::bit_cast<std::uint32_t>(value) >> kDigits & 0xFF);
    const int exponent = (biased < 1 ? 1 : biased > 254 ? 254 : biased) - kBias - kDigits;
    return std::bit_cast<double>(std::uint64_t(exponent + 1023) << 52);
}
// How far `made` is from `defined`; infinite where one of them is no number.
[[nodiscard]] inline double ulps_apart(float made, float defined) {
    if (std::isnan(made) || std::isnan(defined))
        return std::isnan(made) && std::isnan(defined) ? 0 : std::numeric_limits<double>::infinity();
    return std::abs(finite_value(made) - finite_value(defined)) / ulp_of(defined);
}

}  // namespace ws
