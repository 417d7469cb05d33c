// 32-bit floats with a rounding, saturation or flushing of their own, and those whose result the hardware
// only approximates: 32 lanes together, compiled once for every instruction set by Highway. Approximations
// are computed better than the hardware does.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "gpu/simt/instruction.h"
#include "gpu/simt/integers.h"
#include "gpu/simt/types.h"
#include "gpu/simt/warp.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gpu/simt/float_operations.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ws::simt::HWY_NAMESPACE {

struct Lanes {
    alignas(64) float of[kLanes];
};

HWY_INLINE u32 bits_of(float value) {
    return std::bit_cast<u32>(value);
}

// Subnormal numbers become 0 of their sign.
HWY_INLINE float flushed(float value) {
    const u32 bits = bits_of(value);
    return std::bit_cast<float>((bits & 0x7F800000) == 0 ? bits & 0x80000000 : bits);
}

HWY_INLINE void read(Warp& warp, const Instruction& i, s32 offset, Lanes& to) {
    const float* from = slot<float>(warp, offset);
    if (i.modifiers.flush) {
        for (int lane = 0; lane < kLanes; ++lane) to.of[lane] = flushed(from[lane]);
    } else {
        for (int lane = 0; lane < kLanes; ++lane) to.of[lane] = from[lane];
    }
}

// What the hardware does to a result, whatever it was computed by: one NaN for all.
HWY_INLINE void write(Warp& warp, const Instruction& i, Lanes& made) {
    if (i.modifiers.saturate) {
        for (float& value : made.of) value = value >= 0 ? (value > 1 ? 1.0f : value) : 0.0f;
    }
    for (float& value : made.of) value = value == value ? value : std::bit_cast<float>(0x7FFFFFFFu);
    if (i.modifiers.flush) {
        for (float& value : made.of) value = flushed(value);
    }
    float* d = slot<float>(warp, i.d);
    const u32 mask = warp.mask;
    for (int lane = 0; lane < kLanes; ++lane) d[lane] = (mask >> lane & 1) ? made.of[lane] : d[lane];
}

// The compiler must neither move arithmetic out of a rounding scope nor compute it beforehand: it cannot know
// what happens here to what `lanes` points to.
HWY_INLINE void pin(const Lanes* lanes) {
    __asm__ volatile("" : : "r"(lanes) : "memory");
}

// d = compute(a, b, c), of which the function takes as many as there are sources.
template <int kSources, typename F>
void compute(Warp& warp, const Instruction& i) {
    Lanes in[3];
    Lanes made;
    read(warp, i, i.a, in[0]);
    if constexpr (kSources > 1) read(warp, i, i.b, in[1]);
    if constexpr (kSources > 2) read(warp, i, i.c, in[2]);
    {
        const RoundingScope rounding{Rounding(i.modifiers.rounding)};
        pin(in);
        pin(&made);
        for (int lane = 0; lane < kLanes; ++lane) {
            if constexpr (kSources == 1) made.of[lane] = F{}(in[0].of[lane]);
            if constexpr (kSources == 2) made.of[lane] = F{}(in[0].of[lane], in[1].of[lane]);
            if constexpr (kSources == 3) made.of[lane] = F{}(in[0].of[lane], in[1].of[lane], in[2].of[lane]);
        }
        pin(&made);
    }
    write(warp, i, made);
}

// A number beats no number, and -0 is below +0: equal numbers differ in the sign at most.
HWY_INLINE float lesser(float a, float b) {
    const float either = a == b ? std::bit_cast<float>(bits_of(a) | bits_of(b)) : (a < b ? a : b);
    return a != a ? b : (b != b ? a : either);
}
HWY_INLINE float greater(float a, float b) {
    const float either = a == b ? std::bit_cast<float>(bits_of(a) & bits_of(b)) : (a > b ? a : b);
    return a != a ? b : (b != b ? a : either);
}

// .xorsign.abs: of the magnitudes, with the product's sign.
HWY_INLINE float with_sign_of_product(float magnitude, float a, float b) {
    return std::bit_cast<float>((bits_of(magnitude) & 0x7FFFFFFF) | ((bits_of(a) ^ bits_of(b)) & 0x80000000));
}
HWY_INLINE float lesser_magnitude(float a, float b) {
    return with_sign_of_product(lesser(__builtin_fabsf(a), __builtin_fabsf(b)), a, b);
}
HWY_INLINE float greater_magnitude(float a, float b) {
    return with_sign_of_product(greater(__builtin_fabsf(a), __builtin_fabsf(b)), a, b);
}

#define WS_FLOAT(key, layout, sources, pipe, flops, parameters, ...)                                 \
    {                                                                                                \
        key, layout, &compute<sources, decltype([] parameters -> float { return __VA_ARGS__; })>,    \
            &compute<sources, decltype([] parameters -> float { return __VA_ARGS__; })>, pipe, flops \
    }
#define WS_ONE(key, pipe, flops, ...) WS_FLOAT(key, "44", 1, pipe, flops, (float a), __VA_ARGS__)
#define WS_TWO(key, pipe, flops, ...) WS_FLOAT(key, "444", 2, pipe, flops, (float a, float b), __VA_ARGS__)
#define WS_THREE(key, pipe, flops, ...) \
    WS_FLOAT(key, "4444", 3, pipe, flops, (float a, float b, float c), __VA_ARGS__)

constexpr Pipe kSingle = Pipe::fma;
constexpr Pipe kSpecial = Pipe::xu;

// Lists the operations; a function, since Highway wants one to dispatch.
const Operation* find_float(std::string_view key) {
    static const Operation kTable[] = {
        WS_TWO("add.f32", kSingle, 1, a + b),
        WS_TWO("sub.f32", kSingle, 1, a - b),
        WS_TWO("mul.f32", kSingle, 1, a * b),
        WS_THREE("fma.f32", kSingle, 2, __builtin_fmaf(a, b, c)),
        WS_TWO("min.f32", kSingle, 0, lesser(a, b)),
        WS_TWO("max.f32", kSingle, 0, greater(a, b)),
        WS_TWO("min.NaN.f32", kSingle, 0, a != a || b != b ? a + b : lesser(a, b)),
        WS_TWO("max.NaN.f32", kSingle, 0, a != a || b != b ? a + b : greater(a, b)),
        WS_TWO("min.xorsign.abs.f32", kSingle, 0, lesser_magnitude(a, b)),
        WS_TWO("max.xorsign.abs.f32", kSingle, 0, greater_magnitude(a, b)),
        WS_TWO("min.NaN.xorsign.abs.f32", kSingle, 0, a != a || b != b ? a + b : lesser_magnitude(a, b)),
        WS_TWO("max.NaN.xorsign.abs.f32", kSingle, 0, a != a || b != b ? a + b : greater_magnitude(a, b)),
        WS_ONE("neg.f32", kSingle, 0, -a),
        WS_ONE("abs.f32", kSingle, 0, __builtin_fabsf(a)),
        WS_TWO("div.f32", kSingle, 1, a / b),
        WS_TWO("div.full.f32", kSpecial, 1, float(double(a) / double(b))),
        WS_TWO("div.approx.f32", kSpecial, 1, float(double(a) / double(b))),
        WS_ONE("sqrt.f32", kSpecial, 1, __builtin_sqrtf(a)),
        WS_ONE("sqrt.approx.f32", kSpecial, 1, __builtin_sqrtf(a)),
        WS_ONE("rsqrt.approx.f32", kSpecial, 1, float(1.0 / __builtin_sqrt(double(a)))),
        WS_ONE("rcp.f32", kSpecial, 1, 1.0f / a),
        WS_ONE("rcp.approx.f32", kSpecial, 1, 1.0f / a),
    };
    return entry_named(key, kTable);
}

}  // namespace ws::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ws::simt {

HWY_EXPORT(find_float);

const Operation* find_float_operation(std::string_view key) {
    return HWY_DYNAMIC_DISPATCH(find_float)(key);
}

}  // namespace ws::simt
#endif
