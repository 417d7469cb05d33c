// The less frequent operations, lane by lane: 64-bit floats, bit fields, division of integers, approximations
// of transcendental functions.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "gpu/simt/instruction.h"
#include "gpu/simt/integers.h"
#include "gpu/simt/types.h"
#include "gpu/simt/warp.h"

namespace ws::simt {
namespace {

__extension__ using wide_u = unsigned __int128;
__extension__ using wide_s = __int128;

// The compiler must neither move arithmetic out of a rounding scope nor compute it beforehand.
template <typename T>
T opaque(T value) {
    __asm__ volatile("" : "+m"(value) : : "memory");
    return value;
}

template <typename T>
T flushed(T value, const Modifiers& modifiers) {
    if constexpr (std::is_floating_point_v<T>) {
        if (modifiers.flush && std::fpclassify(value) == FP_SUBNORMAL) return std::copysign(T(0), value);
    }
    return value;
}

template <typename T>
T finished(T value, const Modifiers& modifiers) {
    if constexpr (std::is_floating_point_v<T>) {
        if (modifiers.saturate) value = std::isnan(value) ? T(0) : std::clamp(value, T(0), T(1));
        if (std::isnan(value)) {  // one NaN for all, as the hardware makes it
            if constexpr (std::is_same_v<T, float>)
                value = std::bit_cast<float>(0x7FFFFFFFu);
            else
                value = std::bit_cast<double>(0x7FF8000000000000ull);
        }
    }
    return flushed(value, modifiers);
}

// An operand as the instruction sees it.
template <typename T>
T operand(const Warp& warp, const Instruction& i, s32 offset, int lane) {
    return opaque(flushed(slot<T>(warp, offset)[lane], i.modifiers));
}

// d = compute(lane) for the active lanes, in the instruction's rounding.
template <typename D, typename Compute>
void for_each_lane(Warp& warp, const Instruction& i, const Compute& compute) {
    const RoundingScope rounding{Rounding(i.modifiers.rounding)};
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        slot<D>(warp, i.d)[lane] = finished(opaque(D(compute(lane))), i.modifiers);
    }
}

template <typename D, typename A, typename F>
void unary(Warp& warp, const Instruction& i) {
    for_each_lane<D>(warp, i, [&](int lane) { return F{}(operand<A>(warp, i, i.a, lane)); });
}

template <typename D, typename A, typename B, typename F>
void binary(Warp& warp, const Instruction& i) {
    for_each_lane<D>(warp, i, [&](int lane) {
        return F{}(operand<A>(warp, i, i.a, lane), operand<B>(warp, i, i.b, lane));
    });
}

template <typename D, typename A, typename B, typename C, typename F>
void ternary(Warp& warp, const Instruction& i) {
    for_each_lane<D>(warp, i, [&](int lane) {
        return F{}(operand<A>(warp, i, i.a, lane), operand<B>(warp, i, i.b, lane),
                   operand<C>(warp, i, i.c, lane));
    });
}

// Integers with four sources: bit-field insertion.
template <typename T>
void insert_field(Warp& warp, const Instruction& i) {
    constexpr u32 kBits = sizeof(T) * 8;
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        const T field = slot<T>(warp, i.a)[lane];
        const T base = slot<T>(warp, i.b)[lane];
        const u32 at = slot<u32>(warp, i.c)[lane] & 0xFF;
        const u32 length = slot<u32>(warp, i.e)[lane] & 0xFF;
        T bits = 0;
        for (u32 bit = 0; bit < length && at + bit < kBits; ++bit) bits |= T(1) << (at + bit);
        slot<T>(warp, i.d)[lane] = (base & ~bits) | (at < kBits ? T(field << at) & bits : T(0));
    }
}

template <typename T>
T extract_field(T value, u32 at, u32 length) {
    constexpr u32 kBits = sizeof(T) * 8;
    using U = std::make_unsigned_t<T>;
    at &= 0xFF;
    length &= 0xFF;
    const bool negative =
        std::is_signed_v<T> && length > 0 && (U(value) >> std::min(at + length - 1, kBits - 1) & 1);
    U field = at < kBits ? U(value) >> at : U(0);
    if (at + length > kBits && negative && at > 0) field |= at < kBits ? U(~U(0)) << (kBits - at) : ~U(0);
    if (length >= kBits) return T(field);
    const U low = length == 0 ? U(0) : U(~U(0)) >> (kBits - length);
    return T(negative ? field | ~low : field & low);
}

template <typename T>
T divided(T a, T b) {
    if (b == 0) return T(-1);
    if constexpr (std::is_signed_v<T>) {
        if (b == -1) return T(0 - std::make_unsigned_t<T>(a));
    }
    return T(a / b);
}
template <typename T>
T remainder_of(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
        if (b == -1) return 0;
    }
    return T(a % b);
}

// A number beats no number, and -0 is below +0.
template <typename T>
T lesser(T a, T b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
template <typename T>
T lesser_or_nan(T a, T b) {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : lesser(a, b);
}
template <typename T>
T greater(T a, T b) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b ? a : b;
}

template <typename T>
T greater_or_nan(T a, T b) {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<T>::quiet_NaN() : greater(a, b);
}

u32 reversed(u32 a) {
    u32 made = 0;
    for (int i = 0; i < 32; ++i) made |= (a >> i & 1) << (31 - i);
    return made;
}
u64 reversed(u64 a) {
    return u64(reversed(u32(a))) << 32 | reversed(u32(a >> 32));
}

// N low bits of a number, filled up with zeros or with the highest of them.
template <typename T>
T extended(T value, u32 bits) {
    if (bits >= 32) return value;
    return bits == 0 ? T(0) : T(T(u32(value) << (32 - bits)) >> (32 - bits));
}

// So many ones from a position on.
u32 ones(u32 from, u32 count) {
    return u32(((1ull << std::min(count, 32u)) - 1) << std::min(from, 32u));
}

// Of two numbers of 16 bits in a register each.
template <typename T, typename F>
u32 of_halves(u32 a, u32 b, const F& f) {
    return u32(u16(f(T(a), T(b)))) | u32(u16(f(T(a >> 16), T(b >> 16)))) << 16;
}

// prmt with a mode: byte k of the result is the one of b:a that `which` names.
template <typename Which>
u32 permuted(u32 a, u32 b, const Which& which) {
    const u64 both = u64(b) << 32 | a;
    u32 made = 0;
    for (u32 k = 0; k < 4; ++k) made |= u32(both >> (8 * which(k)) & 0xFF) << (8 * k);
    return made;
}

// |a - b| of each of their parts of so many bits, side by side or their sum.
template <int kBits, bool kSum>
u32 differences(u32 a, u32 b) {
    constexpr u32 kPart = (1u << kBits) - 1;
    u32 made = 0;
    for (int at = 0; at < 32; at += kBits) {
        const u32 one = a >> at & kPart;
        const u32 other = b >> at & kPart;
        made += (one < other ? other - one : one - other) << (kSum ? 0 : at);
    }
    return made;
}

s32 clamped(s64 value) {
    return s32(std::clamp<s64>(value, std::numeric_limits<s32>::min(), std::numeric_limits<s32>::max()));
}

s64 product24(s32 a, s32 b) {
    return s64(s32(u32(a) << 8) >> 8) * (s32(u32(b) << 8) >> 8);
}
u64 product24(u32 a, u32 b) {
    return u64(a & 0xFFFFFF) * (b & 0xFFFFFF);
}

// The position of the highest bit that differs from the sign, -1 if there is none.
u32 highest_bit(u64 a) {
    return a == 0 ? ~0u : u32(63 - std::countl_zero(a));
}

// How far the highest such bit has to be shifted up to become the uppermost, -1 if there is none.
u32 shift_amount(u64 a) {
    return a == 0 ? ~0u : u32(std::countl_zero(a));
}

#define WS_UNARY(key, layout, D, A, pipe, flops, ...)                                                      \
    Operation {                                                                                            \
        key, layout, nullptr, &unary<D, A, decltype([](A a) -> D { return D(__VA_ARGS__); })>, pipe, flops \
    }
#define WS_BINARY(key, layout, D, A, B, pipe, flops, ...)                                               \
    Operation {                                                                                         \
        key, layout, nullptr, &binary<D, A, B, decltype([](A a, B b) -> D { return D(__VA_ARGS__); })>, \
            pipe, flops                                                                                 \
    }
#define WS_TERNARY(key, layout, D, A, B, C, pipe, flops, ...)                                       \
    Operation {                                                                                     \
        key, layout, nullptr,                                                                       \
            &ternary<D, A, B, C,                                                                    \
                     decltype([](A a, B b, [[maybe_unused]] C c) -> D { return D(__VA_ARGS__); })>, \
            pipe, flops                                                                             \
    }

#define WS_HALVES(key, T, ...) \
    WS_BINARY(key, "444", u32, u32, u32, kInt, 0, of_halves<T>(a, b, [](T x, T y) { return __VA_ARGS__; }))
// The least or the greatest of three.
#define WS_LEAST(name, F)                                                                  \
    WS_TERNARY(name ".f32", "4444", float, float, float, float, kFloat, 0, F(F(a, b), c)), \
        WS_TERNARY(name ".NaN.f32", "4444", float, float, float, float, kFloat, 0,         \
                   F##_or_nan(F##_or_nan(a, b), c)),                                       \
        WS_TERNARY(name ".abs.f32", "4444", float, float, float, float, kFloat, 0,         \
                   F(F(std::fabs(a), std::fabs(b)), std::fabs(c))),                        \
        WS_TERNARY(name ".NaN.abs.f32", "4444", float, float, float, float, kFloat, 0,     \
                   F##_or_nan(F##_or_nan(std::fabs(a), std::fabs(b)), std::fabs(c)))
#define WS_PERMUTE(mode, ...)                                           \
    WS_TERNARY("prmt." mode ".32", "4444", u32, u32, u32, u32, kInt, 0, \
               permuted(a, b, [c = c & 3]([[maybe_unused]] u32 k) { return __VA_ARGS__; }))

constexpr Pipe kInt = Pipe::alu;
constexpr Pipe kFloat = Pipe::fma;
constexpr Pipe kSpecial = Pipe::xu;
constexpr Pipe kDouble = Pipe::fp64;

const Operation kTable[] = {
    WS_BINARY("mul.hi.u64", "888", u64, u64, u64, kInt, 0, wide_u(a) * b >> 64),
    WS_BINARY("mul.hi.s64", "888", s64, s64, s64, kInt, 0, wide_s(a) * b >> 64),
    WS_BINARY("mul.hi.u16", "222", u32, u32, u32, kInt, 0, a* b >> 16),
    WS_BINARY("mul.hi.s16", "222", u32, u32, u32, kInt, 0, u32(s32(s16(a)) * s32(s16(b))) >> 16),
    WS_TERNARY("mad.hi.u64", "8888", u64, u64, u64, u64, kInt, 0, u64(wide_u(a) * b >> 64) + c),
    WS_TERNARY("mad.hi.s64", "8888", u64, s64, s64, u64, kInt, 0, u64(wide_s(a) * b >> 64) + c),
    WS_TERNARY("mad.hi.u16", "2222", u32, u32, u32, u32, kInt, 0, ((a * b >> 16) + c) & 0xFFFF),
    WS_TERNARY("mad.hi.s16", "2222", u32, u32, u32, u32, kInt, 0,
               ((u32(s32(s16(a)) * s32(s16(b))) >> 16) + c) & 0xFFFF),
    WS_TERNARY("mad.hi.sat.s32", "4444", s32, s32, s32, s32, kInt, 0, clamped((s64(a) * b >> 32) + c)),
    WS_BINARY("mul24.lo.u32", "444", u32, u32, u32, kInt, 0, product24(a, b)),
    WS_BINARY("mul24.lo.s32", "444", s32, s32, s32, kInt, 0, product24(a, b)),
    WS_BINARY("mul24.hi.u32", "444", u32, u32, u32, kInt, 0, product24(a, b) >> 16),
    WS_BINARY("mul24.hi.s32", "444", s32, s32, s32, kInt, 0, product24(a, b) >> 16),
    WS_TERNARY("mad24.lo.u32", "4444", u32, u32, u32, u32, kInt, 0, product24(a, b) + c),
    WS_TERNARY("mad24.lo.s32", "4444", s32, s32, s32, s32, kInt, 0, product24(a, b) + c),
    WS_TERNARY("mad24.hi.u32", "4444", u32, u32, u32, u32, kInt, 0, (product24(a, b) >> 16) + c),
    WS_TERNARY("mad24.hi.s32", "4444", s32, s32, s32, s32, kInt, 0, (product24(a, b) >> 16) + c),
    WS_TERNARY("mad24.hi.sat.s32", "4444", s32, s32, s32, s32, kInt, 0,
               clamped(s32(product24(a, b) >> 16) + s64(c))),
    WS_TERNARY("sad.u16", "2222", u32, u32, u32, u32, kInt, 0, u16(c + (a < b ? b - a : a - b))),
    WS_TERNARY("sad.s16", "2222", u32, u32, u32, u32, kInt, 0, u16(c + u32(std::abs(s16(a) - s16(b))))),
    WS_TERNARY("sad.u64", "8888", u64, u64, u64, u64, kInt, 0, c + (a < b ? b - a : a - b)),
    WS_TERNARY("sad.s64", "8888", u64, s64, s64, u64, kInt, 0,
               c + (a < b ? u64(b) - u64(a) : u64(a) - u64(b))),
    WS_TERNARY("vabsdiff2", "4444", u32, u32, u32, u32, kInt, 0, differences<16, false>(a, b)),
    WS_TERNARY("vabsdiff4", "4444", u32, u32, u32, u32, kInt, 0, differences<8, false>(a, b)),
    WS_TERNARY("vabsdiff2.add", "4444", u32, u32, u32, u32, kInt, 0, c + differences<16, true>(a, b)),
    WS_TERNARY("vabsdiff4.add", "4444", u32, u32, u32, u32, kInt, 0, c + differences<8, true>(a, b)),
    WS_TERNARY("sad.s32", "4444", u32, s32, s32, u32, kInt, 0, c + u32(a < b ? s64(b) - a : s64(a) - b)),
    WS_TERNARY("sad.u32", "4444", u32, u32, u32, u32, kInt, 0, c + (a < b ? b - a : a - b)),
    WS_BINARY("div.u32", "444", u32, u32, u32, kInt, 0, divided(a, b)),
    WS_BINARY("div.s32", "444", s32, s32, s32, kInt, 0, divided(a, b)),
    WS_BINARY("div.u64", "888", u64, u64, u64, kInt, 0, divided(a, b)),
    WS_BINARY("div.s64", "888", s64, s64, s64, kInt, 0, divided(a, b)),
    WS_BINARY("div.u16", "222", u32, u32, u32, kInt, 0, u16(divided(u16(a), u16(b)))),
    WS_BINARY("div.s16", "222", u32, u32, u32, kInt, 0, u16(divided(s16(a), s16(b)))),
    WS_BINARY("rem.u32", "444", u32, u32, u32, kInt, 0, remainder_of(a, b)),
    WS_BINARY("rem.s32", "444", s32, s32, s32, kInt, 0, remainder_of(a, b)),
    WS_BINARY("rem.u64", "888", u64, u64, u64, kInt, 0, remainder_of(a, b)),
    WS_BINARY("rem.s64", "888", s64, s64, s64, kInt, 0, remainder_of(a, b)),
    WS_BINARY("rem.u16", "222", u32, u32, u32, kInt, 0, u16(remainder_of(u16(a), u16(b)))),
    WS_BINARY("rem.s16", "222", u32, u32, u32, kInt, 0, u16(remainder_of(s16(a), s16(b)))),
    WS_BINARY("min.u64", "888", u64, u64, u64, kInt, 0, std::min(a, b)),
    WS_BINARY("max.u64", "888", u64, u64, u64, kInt, 0, std::max(a, b)),
    WS_BINARY("min.s64", "888", s64, s64, s64, kInt, 0, std::min(a, b)),
    WS_BINARY("max.s64", "888", s64, s64, s64, kInt, 0, std::max(a, b)),
    WS_BINARY("min.u16", "222", u32, u32, u32, kInt, 0, std::min(a, b)),
    WS_BINARY("max.u16", "222", u32, u32, u32, kInt, 0, std::max(a, b)),
    WS_BINARY("min.s16", "222", u32, u32, u32, kInt, 0, u16(std::min(s16(a), s16(b)))),
    WS_BINARY("max.s16", "222", u32, u32, u32, kInt, 0, u16(std::max(s16(a), s16(b)))),
    WS_BINARY("min.relu.s32", "444", s32, s32, s32, kInt, 0, std::max(std::min(a, b), 0)),
    WS_BINARY("max.relu.s32", "444", s32, s32, s32, kInt, 0, std::max(std::max(a, b), 0)),
    WS_HALVES("add.u16x2", u16, x + y),
    WS_HALVES("add.s16x2", s16, x + y),
    WS_HALVES("min.u16x2", u16, std::min(x, y)),
    WS_HALVES("max.u16x2", u16, std::max(x, y)),
    WS_HALVES("min.s16x2", s16, std::min(x, y)),
    WS_HALVES("max.s16x2", s16, std::max(x, y)),
    WS_HALVES("min.relu.s16x2", s16, std::max<int>(std::min(x, y), 0)),
    WS_HALVES("max.relu.s16x2", s16, std::max<int>(std::max(x, y), 0)),
    WS_UNARY("abs.s64", "88", u64, s64, kInt, 0, a < 0 ? 0 - u64(a) : u64(a)),
    WS_UNARY("abs.s16", "22", u32, u32, kInt, 0, u16(std::abs(int(s16(a))))),
    WS_UNARY("neg.s16", "22", u32, u32, kInt, 0, u16(0 - a)),
    WS_UNARY("cnot.32", "44", u32, u32, kInt, 0, a == 0),
    WS_UNARY("cnot.16", "22", u32, u32, kInt, 0, a == 0),
    WS_UNARY("cnot.64", "88", u64, u64, kInt, 0, a == 0),
    WS_BINARY("add.sat.s32", "444", s32, s32, s32, kInt, 0, clamped(s64(a) + b)),
    WS_BINARY("sub.sat.s32", "444", s32, s32, s32, kInt, 0, clamped(s64(a) - b)),
    WS_UNARY("popc.32", "44", u32, u32, kInt, 0, std::popcount(a)),
    WS_UNARY("popc.64", "48", u32, u64, kInt, 0, std::popcount(a)),
    WS_UNARY("clz.32", "44", u32, u32, kInt, 0, std::countl_zero(a)),
    WS_UNARY("clz.64", "48", u32, u64, kInt, 0, std::countl_zero(a)),
    WS_UNARY("brev.32", "44", u32, u32, kInt, 0, reversed(a)),
    WS_UNARY("brev.64", "88", u64, u64, kInt, 0, reversed(a)),
    WS_UNARY("bfind.u32", "44", u32, u32, kInt, 0, highest_bit(a)),
    WS_UNARY("bfind.s32", "44", u32, s32, kInt, 0, highest_bit(u32(a < 0 ? ~a : a))),
    WS_UNARY("bfind.u64", "48", u32, u64, kInt, 0, highest_bit(a)),
    WS_UNARY("bfind.s64", "48", u32, s64, kInt, 0, highest_bit(u64(a < 0 ? ~a : a))),
    WS_UNARY("bfind.shiftamt.u32", "44", u32, u32, kInt, 0, shift_amount(u64(a) << 32)),
    WS_UNARY("bfind.shiftamt.s32", "44", u32, s32, kInt, 0, shift_amount(u64(a < 0 ? ~a : a) << 32)),
    WS_UNARY("bfind.shiftamt.u64", "48", u32, u64, kInt, 0, shift_amount(a)),
    WS_UNARY("bfind.shiftamt.s64", "48", u32, s64, kInt, 0, shift_amount(u64(a < 0 ? ~a : a))),
    WS_BINARY("bmsk.clamp.u32", "444", u32, u32, u32, kInt, 0, ones(a, b)),
    WS_BINARY("bmsk.wrap.u32", "444", u32, u32, u32, kInt, 0, ones(a & 31, b & 31)),
    WS_BINARY("szext.clamp.u32", "444", u32, u32, u32, kInt, 0, extended(a, b)),
    WS_BINARY("szext.clamp.s32", "444", s32, s32, u32, kInt, 0, extended(a, b)),
    WS_BINARY("szext.wrap.u32", "444", u32, u32, u32, kInt, 0, extended(a, b & 31)),
    WS_BINARY("szext.wrap.s32", "444", s32, s32, u32, kInt, 0, extended(a, b & 31)),
    WS_PERMUTE("f4e", c + k),
    WS_PERMUTE("b4e", (c - k) & 7),
    WS_PERMUTE("rc8", c),
    WS_PERMUTE("ecl", std::max(k, c)),
    WS_PERMUTE("ecr", std::min(k, c)),
    WS_PERMUTE("rc16", 2 * (c & 1) + (k & 1)),
    WS_TERNARY("bfe.s32", "4444", s32, s32, u32, u32, kInt, 0, extract_field(a, b, c)),
    WS_TERNARY("bfe.u64", "8844", u64, u64, u32, u32, kInt, 0, extract_field(a, b, c)),
    WS_TERNARY("bfe.s64", "8844", s64, s64, u32, u32, kInt, 0, extract_field(a, b, c)),
    Operation{"bfi.32", "44444", nullptr, &insert_field<u32>, kInt, 0},
    Operation{"bfi.64", "88844", nullptr, &insert_field<u64>, kInt, 0},
    WS_BINARY("copysign.f32", "444", float, float, float, kFloat, 0, std::copysign(b, a)),
    WS_BINARY("copysign.f64", "888", double, double, double, kDouble, 0, std::copysign(b, a)),
    WS_UNARY("sin.approx.f32", "44", float, float, kSpecial, 1, std::sin(double(a))),
    WS_UNARY("cos.approx.f32", "44", float, float, kSpecial, 1, std::cos(double(a))),
    WS_UNARY("ex2.approx.f32", "44", float, float, kSpecial, 1, std::exp2(double(a))),
    WS_UNARY("lg2.approx.f32", "44", float, float, kSpecial, 1, std::log2(double(a))),
    WS_UNARY("tanh.approx.f32", "44", float, float, kSpecial, 1, std::tanh(double(a))),
    WS_BINARY("add.f64", "888", double, double, double, kDouble, 1, a + b),
    WS_BINARY("sub.f64", "888", double, double, double, kDouble, 1, a - b),
    WS_BINARY("mul.f64", "888", double, double, double, kDouble, 1, a* b),
    WS_TERNARY("fma.f64", "8888", double, double, double, double, kDouble, 2, std::fma(a, b, c)),
    WS_BINARY("div.f64", "888", double, double, double, kDouble, 1, a / b),
    WS_BINARY("min.f64", "888", double, double, double, kDouble, 0, lesser(a, b)),
    WS_BINARY("max.f64", "888", double, double, double, kDouble, 0, greater(a, b)),
    WS_LEAST("min3", lesser),
    WS_LEAST("max3", greater),
    WS_UNARY("neg.f64", "88", double, double, kDouble, 0, -a),
    WS_UNARY("abs.f64", "88", double, double, kDouble, 0, std::fabs(a)),
    WS_UNARY("sqrt.f64", "88", double, double, kDouble, 1, std::sqrt(a)),
    WS_UNARY("rcp.f64", "88", double, double, kDouble, 1, 1.0 / a),
    // The hardware's estimates keep 20 bits of the fraction; code that follows refines them.
    WS_UNARY("rcp.approx.f64", "88", double, double, kDouble, 1, 1.0 / a),
    WS_UNARY("rsqrt.approx.f64", "88", double, double, kDouble, 1, 1.0 / std::sqrt(a)),
};

}  // namespace

const Operation* find_scalar_operation(std::string_view key) {
    return entry_named(key, kTable);
}

}  // namespace ws::simt
