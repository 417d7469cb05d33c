#include "gpu/simt/half_floats.h"

#include <bit>
#include <cmath>

#include "gpu/simt/integers.h"

namespace ws::simt {
namespace {

constexpr u16 kNan = 0x7FFF;

u16 infinity_of(Type format) {
    return format == Type::f16 ? 0x7C00 : 0x7F80;
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

// bfloat16 is the upper half of a float of 32 bits; a double holds the exact value of each.
u16 double_to_bfloat(double value, Rounding rounding) {
    if (std::isnan(value)) return kNan;
    const u16 sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::fabs(value);
    if (std::isinf(value)) return sign | infinity_of(Type::bf16);
    if (size == 0) return sign;
    int exponent = 0;
    (void)std::frexp(size, &exponent);              // size = m * 2^exponent with m in [0.5, 1)
    const int unit = std::max(exponent - 8, -133);  // the weight of the last bit
    const double scaled = std::ldexp(size, -unit);
    const bool away = (rounding == Rounding::up && sign == 0) || (rounding == Rounding::down && sign != 0);
    const double rounded = rounding == Rounding::nearest ? std::nearbyint(scaled)
                           : away                        ? std::ceil(scaled)
                                                         : std::floor(scaled);
    const double result = std::ldexp(rounded, unit);
    if (result >= std::ldexp(1.0, 128)) {
        const bool to_infinity = rounding == Rounding::nearest || away;
        return u16(sign | (to_infinity ? 0x7F80 : 0x7F7F));
    }
    return u16(sign | std::bit_cast<u32>(float(result)) >> 16);
}

}  // namespace

double small_to_double(u16 bits, Type format) {
    return format == Type::f16 ? half_to_double(bits) : double(std::bit_cast<float>(u32(bits) << 16));
}

u16 double_to_small(double value, Type format, Rounding rounding) {
    return format == Type::f16 ? double_to_half(value, rounding) : double_to_bfloat(value, rounding);
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
