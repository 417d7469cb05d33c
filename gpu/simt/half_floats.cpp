#include "gpu/simt/half_floats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "gpu/simt/integers.h"

namespace ws::simt {
namespace {

struct Format {
    int fraction_bits = 0;
    int lowest = 0;  // the weight of the lowest bit of the smallest number is 2 to this
    u16 infinity = 0;
};

constexpr Format kHalf{10, -24, 0x7C00};
constexpr Format kBfloat{7, -133, 0x7F80};

const Format& format_of(Type type) {
    return type == Type::f16 ? kHalf : kBfloat;
}

u16 infinity_of(Type type) {
    return format_of(type).infinity;
}

double half_to_double(u16 half) {
    const int exponent = half >> 10 & 31;
    const int fraction = half & 1023;
    double value = 0;
    if (exponent == 31) {
        value = fraction ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    } else if (exponent == 0) {
        value = std::ldexp(fraction, -24);
    } else {
        value = std::ldexp(1024 + fraction, exponent - 25);
    }
    return half & 0x8000 ? -value : value;
}

// The lowest bit is set where anything was cut off: rounded once more to at most 51 bits, that gives what one
// rounding of the exact sum would (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
double sum_to_odd(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    const double error = (a - (sum - part)) + (b - part);
    u64 bits = std::bit_cast<u64>(sum);
    if (error == 0 || !std::isfinite(sum) || (bits & 1)) return sum;
    const bool away_from_zero = (error > 0) == (sum > 0);
    bits += away_from_zero ? 1 : u64(-1);
    return std::bit_cast<double>(bits);
}

}  // namespace

// bfloat16 is the upper half of a float of 32 bits.
double small_to_double(u16 bits, Type format) {
    return format == Type::f16 ? half_to_double(bits) : double(std::bit_cast<float>(u32(bits) << 16));
}

u16 double_to_small(double value, Type type, Rounding rounding) {
    const Format& format = format_of(type);
    if (std::isnan(value)) return kSmallNan;
    const u16 sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    if (std::isinf(value)) return sign | format.infinity;
    if (size == 0) return sign;
    int exponent = 0;
    (void)std::frexp(size, &exponent);  // size = m * 2^exponent with m in [0.5, 1)
    const int unit = std::max(exponent - format.fraction_bits - 1, format.lowest);  // weight of the last bit
    const double scaled = std::ldexp(size, -unit);
    const bool away = (rounding == Rounding::up && sign == 0) || (rounding == Rounding::down && sign != 0);
    const double rounded = rounding == Rounding::nearest ? std::nearbyint(scaled)
                           : away                        ? std::ceil(scaled)
                                                         : std::floor(scaled);
    // The hidden bit of a normal number, and a carry out of its fraction, count one in the exponent.
    const int bits = ((unit - format.lowest) << format.fraction_bits) + int(rounded);
    if (bits < format.infinity) return u16(sign | bits);
    const bool to_infinity = rounding == Rounding::nearest || away;
    return u16(sign | (to_infinity ? format.infinity : format.infinity - 1));
}

u16 fused_small(double a, double b, double c, Type format) {
    return double_to_small(sum_to_odd(a * b, c), format, Rounding::nearest);  // the product is exact
}

u16 flushed_small(u16 bits, Type format) {
    return (bits & infinity_of(format)) == 0 ? bits & 0x8000 : bits;
}

bool is_nan_small(u16 bits, Type format) {
    return (bits & 0x7FFF) > infinity_of(format);
}

}  // namespace ws::simt
