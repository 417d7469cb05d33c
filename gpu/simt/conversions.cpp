// Conversions between all types with all roundings, and comparisons of all types.

#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu/simt/half_floats.h"
#include "gpu/simt/lane_access.h"
#include "gpu/simt/special_operations.h"

namespace ws::simt {
namespace {

double as_double(u64 bits, Type type) {
    if (type == Type::f16 || type == Type::bf16) return small_to_double(u16(bits), type);
    if (type == Type::f32) return double(std::bit_cast<float>(u32(bits)));
    return std::bit_cast<double>(bits);
}

template <typename T>
T opaque(T value) {
    __asm__ volatile("" : "+m"(value) : : "memory");
    return value;
}

double whole(double value, Rounding rounding) {
    switch (rounding) {
        case Rounding::nearest:
            return std::nearbyint(value);
        case Rounding::zero:
            return std::trunc(value);
        case Rounding::down:
            return std::floor(value);
        case Rounding::up:
            return std::ceil(value);
    }
    return value;
}

// Exactly.
double power_of_two(int exponent) {
    constexpr int kBias = 1023;
    constexpr int kFractionBits = 52;
    return std::bit_cast<double>(u64(kBias + exponent) << kFractionBits);
}

// A float to an integer: beyond the range its nearest end, no number becomes 0.
u64 float_to_integer(double value, Type to, Rounding rounding) {
    if (std::isnan(value)) return 0;
    value = whole(value, rounding);
    const int bits = bits_of(to);
    if (is_signed(to)) {
        const double end = power_of_two(bits - 1);
        if (value >= end) return u64(~(~0ull << (bits - 1)));
        if (value <= -end) return ~0ull << (bits - 1);
        return u64(s64(value));
    }
    if (value <= 0) return 0;
    if (value >= power_of_two(bits)) return bits == 64 ? ~0ull : (1ull << bits) - 1;
    return u64(value);
}

u64 float_bits(double value, Type to, const Modifiers& modifiers) {
    if (modifiers.saturate) value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
    if (to == Type::f16 || to == Type::bf16) return double_to_small(value, to, Rounding(modifiers.rounding));
    if (to == Type::f64) return std::bit_cast<u64>(value);
    if (std::isnan(value)) return 0x7FFFFFFFu;
    float made = 0;
    {
        const RoundingScope scope{Rounding(modifiers.rounding)};
        made = opaque(float(opaque(value)));
    }
    if (modifiers.flush && std::fpclassify(made) == FP_SUBNORMAL) made = std::copysign(0.0f, made);
    return std::bit_cast<u32>(made);
}

u64 integer_to_float(u64 bits, Type from, Type to, const Modifiers& modifiers) {
    const RoundingScope scope{Rounding(modifiers.rounding)};
    bits = opaque(bits);
    if (to == Type::f32) {
        float made = is_signed(from) ? float(as_signed(bits, from)) : float(bits);
        made = opaque(made);
        if (modifiers.saturate) made = std::clamp(made, 0.0f, 1.0f);
        return std::bit_cast<u32>(made);
    }
    double made = is_signed(from) ? double(as_signed(bits, from)) : double(bits);
    made = opaque(made);
    if (modifiers.saturate) made = std::clamp(made, 0.0, 1.0);
    return is_small_float(to) ? double_to_small(made, to, Rounding(modifiers.rounding))
                              : std::bit_cast<u64>(made);
}

u64 integer_to_integer(u64 bits, Type from, Type to, bool saturate) {
    u64 made = is_signed(from) ? u64(as_signed(bits, from)) : bits;
    if (!saturate) return made;
    const int size = bits_of(to);
    if (is_signed(to)) {
        const s64 high = s64(~(~0ull << (size - 1)));
        if (!is_signed(from)) return std::min(made, u64(high));
        return u64(std::clamp(s64(made), -high - 1, high));
    }
    const u64 high = size == 64 ? ~0ull : (1ull << size) - 1;
    if (is_signed(from) && s64(made) < 0) return 0;
    return std::min(made, high);
}

u64 converted(u64 bits, const Conversion& conversion, const Modifiers& modifiers) {
    const Type to = conversion.to;
    const Type from = conversion.from;
    if (!is_float(from)) {
        return is_float(to) ? integer_to_float(bits, from, to, modifiers)
                            : integer_to_integer(bits, from, to, modifiers.saturate);
    }
    double value = as_double(bits, from);
    if (modifiers.flush && from == Type::f32 && std::fpclassify(float(value)) == FP_SUBNORMAL)
        value = std::copysign(0.0, value);
    if (!is_float(to)) return float_to_integer(value, to, Rounding(modifiers.rounding));
    if (conversion.to_whole) value = whole(value, Rounding(modifiers.rounding));
    if (conversion.not_negative && value <= 0) value = 0;  // -0 too
    return float_bits(value, to, modifiers);
}

template <typename T>
bool holds(Comparison comparison, T a, T b) {
    bool unordered = false;
    if constexpr (std::is_floating_point_v<T>) unordered = std::isnan(a) || std::isnan(b);
    switch (comparison) {
        case Comparison::eq:
            return a == b;
        case Comparison::ne:
            return !unordered && a != b;
        case Comparison::lt:
            return a < b;
        case Comparison::le:
            return a <= b;
        case Comparison::gt:
            return a > b;
        case Comparison::ge:
            return a >= b;
        case Comparison::equ:
            return unordered || a == b;
        case Comparison::neu:
            return a != b;
        case Comparison::ltu:
            return unordered || a < b;
        case Comparison::leu:
            return unordered || a <= b;
        case Comparison::gtu:
            return unordered || a > b;
        case Comparison::geu:
            return unordered || a >= b;
        case Comparison::num:
            return !unordered;
        case Comparison::nan:
            return unordered;
    }
    return false;
}

}  // namespace

bool compares(Comparison comparison, double a, double b) {
    return holds(comparison, a, b);
}

void convert(Warp& warp, const Instruction& i) {
    const auto& conversion = detail_of<Conversion>(i);
    const Type to = conversion.to;
    const int size_of_source = bits_of(conversion.from);
    const int size = bits_of(to);
    const bool extends_sign = is_signed(to);
    for_lanes(warp.mask, [&](int lane) {
        u64 made = conversion.wide_source ? slot<u64>(warp, i.a)[lane] : slot<u32>(warp, i.a)[lane];
        if (size_of_source < 64)
            made &= (1ull << size_of_source) - 1;  // the register may be wider than the type
        made = converted(made, conversion, i.modifiers);
        // So may the result's: signed values extend their sign, others zeros.
        if (size < 64) made = extends_sign ? u64(as_signed(made, to)) : made & ((1ull << size) - 1);
        const int bits = conversion.register_bits;
        if (bits < 32) made &= (1ull << bits) - 1;
        write_bits(warp, i.d, lane, made, bits == 64);
    });
}

void compare(Warp& warp, const Instruction& i) {
    const Type type = detail_of<TypedComparison>(i).type;
    const Comparison comparison = detail_of<TypedComparison>(i).comparison;
    u32 bits = 0;
    for_lanes(warp.mask, [&](int lane) {
        const u64 a = read_bits(warp, i.a, type, lane);
        const u64 b = read_bits(warp, i.b, type, lane);
        bool answer = false;
        if (is_float(type)) {
            double x = as_double(a, type);
            double y = as_double(b, type);
            if (i.modifiers.flush && type == Type::f16) {
                x = small_to_double(flushed_small(u16(a), type), type);
                y = small_to_double(flushed_small(u16(b), type), type);
            }
            if (i.modifiers.flush && type == Type::f32) {
                if (std::fpclassify(float(x)) == FP_SUBNORMAL) x = 0;
                if (std::fpclassify(float(y)) == FP_SUBNORMAL) y = 0;
            }
            answer = holds(comparison, x, y);
        } else if (is_signed(type)) {
            answer = holds(comparison, as_signed(a, type), as_signed(b, type));
        } else {
            answer = holds(comparison, a, b);
        }
        bits |= u32(answer) << lane;
    });
    u32& d = *slot<u32>(warp, i.d);
    d = (d & ~warp.mask) | bits;
}

}  // namespace ws::simt
