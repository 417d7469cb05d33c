#include "gpu/simt/types.h"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <limits>
#include <utility>

namespace ws::simt {

std::optional<Type> type_named(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Type>, 19> kNames{{
        {"pred", Type::pred}, {"u8", Type::u8},       {"b8", Type::u8},         {"s8", Type::s8},
        {"u16", Type::u16},   {"b16", Type::u16},     {"s16", Type::s16},       {"f16", Type::f16},
        {"u32", Type::u32},   {"b32", Type::u32},     {"s32", Type::s32},       {"f32", Type::f32},
        {"u64", Type::u64},   {"b64", Type::u64},     {"s64", Type::s64},       {"f64", Type::f64},
        {"bf16", Type::bf16}, {"f16x2", Type::f16x2}, {"bf16x2", Type::bf16x2},
    }};
    for (const auto& [known, type] : kNames) {
        if (known == name) return type;
    }
    return std::nullopt;
}

int bits_of(Type type) {
    switch (type) {
        case Type::pred:
            return 1;
        case Type::u8:
        case Type::s8:
            return 8;
        case Type::u16:
        case Type::s16:
        case Type::f16:
        case Type::bf16:
            return 16;
        case Type::u32:
        case Type::s32:
        case Type::f32:
        case Type::f16x2:
        case Type::bf16x2:
            return 32;
        default:
            return 64;
    }
}

bool is_float(Type type) {
    return type == Type::f32 || type == Type::f64 || is_small_float(type);
}

bool is_small_float(Type type) {
    return type == Type::f16 || type >= Type::bf16;
}

Type element_of(Type type) {
    return type == Type::f16x2 ? Type::f16 : type == Type::bf16x2 ? Type::bf16 : type;
}

bool is_signed(Type type) {
    return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

double half_to_double(std::uint16_t half) {
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

std::uint16_t double_to_half(double value, Rounding rounding) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value)) return 0x7FFF;
    const double size = std::fabs(value);
    if (std::isinf(value)) return sign | 0x7C00;
    if (size == 0) return sign;
    int exponent = 0;
    (void)std::frexp(size, &exponent);              // size = m * 2^exponent with m in [0.5, 1)
    const int unit = std::max(exponent - 11, -24);  // the weight of the last bit
    const double scaled = std::ldexp(size, -unit);
    const bool away = (rounding == Rounding::up && sign == 0) || (rounding == Rounding::down && sign != 0);
    const double rounded = rounding == Rounding::nearest ? std::nearbyint(scaled)
                           : away                        ? std::ceil(scaled)
                                                         : std::floor(scaled);
    const double result = std::ldexp(rounded, unit);
    if (result > 65504.0) {
        const bool to_infinity = rounding == Rounding::nearest || away;
        return std::uint16_t(sign | (to_infinity ? 0x7C00 : 0x7BFF));
    }
    if (result < std::ldexp(1.0, -14)) return std::uint16_t(sign | int(std::ldexp(result, 24)));
    (void)std::frexp(result, &exponent);
    const int fraction = int(std::ldexp(result, 11 - exponent)) - 1024;
    return std::uint16_t(sign | (exponent + 14) << 10 | fraction);
}

#ifdef __SSE2__
// fesetround would also set the x87's rounding, which nothing here uses and which takes long.
RoundingScope::RoundingScope(Rounding rounding) : changed_(rounding != Rounding::nearest) {
    if (!changed_) return;
    constexpr std::array<unsigned, 4> kModes{_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN,
                                             _MM_ROUND_UP};
    before_ = _mm_getcsr();
    _mm_setcsr((before_ & ~unsigned(_MM_ROUND_MASK)) | kModes[std::size_t(rounding)]);
}

RoundingScope::~RoundingScope() {
    if (changed_) _mm_setcsr(before_);
}
#else
RoundingScope::RoundingScope(Rounding rounding) : changed_(rounding != Rounding::nearest) {
    if (!changed_) return;
    constexpr std::array<int, 4> kModes{FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    before_ = unsigned(std::fegetround());
    std::fesetround(kModes[std::size_t(rounding)]);
}

RoundingScope::~RoundingScope() {
    if (changed_) std::fesetround(int(before_));
}
#endif

}  // namespace ws::simt
