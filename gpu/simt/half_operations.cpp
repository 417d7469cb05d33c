#include "gpu/simt/half_operations.h"

#include <algorithm>
#include <cmath>

#include "gpu/simt/half_floats.h"
#include "gpu/simt/lane_access.h"
#include "gpu/simt/special_operations.h"

namespace ws::simt {
namespace {

constexpr u16 kSign = 0x8000;

u16 one_of(Type format) {
    return format == Type::f16 ? 0x3C00 : 0x3F80;
}

// A number beats no number, unless NaN is asked for; -0 lies below +0.
u16 extreme(u16 a, u16 b, const HalfArithmetic& how) {
    const bool no_a = is_nan_small(a, how.format);
    const bool no_b = is_nan_small(b, how.format);
    if ((no_a && no_b) || ((no_a || no_b) && how.prefers_nan)) return kSmallNan;
    if (no_a || no_b) return no_a ? b : a;
    const double x = small_to_double(a, how.format);
    const double y = small_to_double(b, how.format);
    const bool a_is_less = x < y || (x == y && (a & kSign) > (b & kSign));
    return a_is_less == (how.operation == HalfOperation::min) ? a : b;
}

// With the sizes' extreme and the product's sign, if that is asked for.
u16 signed_extreme(u16 a, u16 b, const HalfArithmetic& how) {
    if (!how.xor_sign) return extreme(a, b, how);
    const u16 size = extreme(a & ~kSign, b & ~kSign, how);
    return size == kSmallNan ? size : u16(size | ((a ^ b) & kSign));
}

u16 computed(const HalfArithmetic& how, u16 a, u16 b, u16 c) {
    const Type format = how.format;
    const double x = small_to_double(a, format);
    const double y = small_to_double(b, format);
    const auto rounded = [&](double value) { return double_to_small(value, format, Rounding::nearest); };
    switch (how.operation) {
        case HalfOperation::add:
            return fused_small(x, 1, y, format);
        case HalfOperation::sub:
            return fused_small(x, 1, -y, format);
        case HalfOperation::mul:
            return rounded(x * y);
        case HalfOperation::fma:
            return fused_small(x, y, small_to_double(c, format), format);
        case HalfOperation::neg:
            return a ^ kSign;
        case HalfOperation::abs:
            return a & ~kSign;
        case HalfOperation::min:
        case HalfOperation::max:
            return signed_extreme(a, b, how);
        case HalfOperation::ex2:
            return rounded(std::exp2(x));
        case HalfOperation::tanh:
            return rounded(std::tanh(x));
    }
    return 0;
}

// What modifiers do to a result.
u16 finished(u16 made, const Modifiers& modifiers, const HalfArithmetic& how) {
    if (modifiers.flush) made = flushed_small(made, how.format);
    const bool none = is_nan_small(made, how.format);
    if (how.not_negative && !none && (made & kSign)) made = 0;
    if (!modifiers.saturate) return made;
    if (none || (made & kSign)) return 0;
    return std::min(made, one_of(how.format));
}

u16 half_of(u32 word, int half) {
    return u16(word >> (16 * half));
}

}  // namespace

void half_arithmetic(Warp& warp, const Instruction& i) {
    const auto& how = detail_of<HalfArithmetic>(i);
    const auto read = [&](s32 offset, int lane, int half) -> u16 {
        if (offset < 0) return 0;
        const u16 bits = half_of(slot<u32>(warp, offset)[lane], half);
        return i.modifiers.flush ? flushed_small(bits, how.format) : bits;
    };
    for_lanes(warp.mask, [&](int lane) {
        u32 made = 0;
        for (int half = 0; half < how.count; ++half) {
            const u16 one =
                computed(how, read(i.a, lane, half), read(i.b, lane, half), read(i.c, lane, half));
            made |= u32(finished(one, i.modifiers, how)) << (16 * half);
        }
        slot<u32>(warp, i.d)[lane] = made;
    });
}

void half_comparison(Warp& warp, const Instruction& i) {
    const auto& how = detail_of<HalfComparison>(i);
    u32 answers[2] = {0, 0};
    for_lanes(warp.mask, [&](int lane) {
        u32 made = 0;
        for (int half = 0; half < 2; ++half) {
            const auto read = [&](s32 offset) {
                const u16 bits = half_of(slot<u32>(warp, offset)[lane], half);
                return small_to_double(i.modifiers.flush ? flushed_small(bits, how.format) : bits,
                                       how.format);
            };
            const bool holds = compares(how.comparison, read(i.a), read(i.b));
            answers[half] |= u32(holds) << lane;
            if (holds) made |= u32(how.as_mask ? 0xFFFF : one_of(how.format)) << (16 * half);
        }
        if (how.to_register) slot<u32>(warp, i.d)[lane] = made;
    });
    if (how.to_register) return;
    const s32 places[2] = {i.d, i.e};
    for (int half = 0; half < 2; ++half) {
        u32& d = *slot<u32>(warp, places[half]);
        d = (d & ~warp.mask) | answers[half];
    }
}

void half_pair(Warp& warp, const Instruction& i) {
    const auto& how = detail_of<HalfPair>(i);
    const auto made = [&](float value) -> u32 {
        const u16 bits = double_to_small(value, how.format, Rounding(i.modifiers.rounding));
        const bool negative = !is_nan_small(bits, how.format) && (bits & kSign);
        return how.not_negative && negative ? 0 : bits;
    };
    for_lanes(warp.mask, [&](int lane) {
        slot<u32>(warp, i.d)[lane] =
            made(slot<float>(warp, i.a)[lane]) << 16 | made(slot<float>(warp, i.b)[lane]);
    });
}

}  // namespace ws::simt
