// The frequent operations, 32 lanes together: loops that the compiler turns into SIMD, compiled once for
// every instruction set by Highway, which picks one when the program runs.

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "gpu/simt/instruction.h"
#include "gpu/simt/integers.h"
#include "gpu/simt/warp.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gpu/simt/vector_operations.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ws::simt::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Writes a lane: always, or if it is active.
template <bool kFull, typename T>
HWY_INLINE void put(T* out, int lane, u32 mask, T value) {
    if constexpr (kFull) {
        out[lane] = value;
    } else {
        out[lane] = (mask >> lane & 1) ? value : out[lane];
    }
}

template <typename D, typename A, typename F, bool kFull>
void unary(Warp& warp, const Instruction& i) {
    const A* a = lanes<A>(warp, i.a);
    D* d = lanes<D>(warp, i.d);
    const u32 mask = warp.mask;
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) put<kFull, D>(d, lane, mask, F{}(a[lane]));
}

template <typename D, typename A, typename B, typename F, bool kFull>
void binary(Warp& warp, const Instruction& i) {
    const A* a = lanes<A>(warp, i.a);
    const B* b = lanes<B>(warp, i.b);
    D* d = lanes<D>(warp, i.d);
    const u32 mask = warp.mask;
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) put<kFull, D>(d, lane, mask, F{}(a[lane], b[lane]));
}

template <typename D, typename A, typename B, typename C, typename F, bool kFull>
void ternary(Warp& warp, const Instruction& i) {
    const A* a = lanes<A>(warp, i.a);
    const B* b = lanes<B>(warp, i.b);
    const C* c = lanes<C>(warp, i.c);
    D* d = lanes<D>(warp, i.d);
    const u32 mask = warp.mask;
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) put<kFull, D>(d, lane, mask, F{}(a[lane], b[lane], c[lane]));
}

// ---- predicates

template <typename F>
void predicate(Warp& warp, const Instruction& i) {
    u32& d = *slot<u32>(warp, i.d);
    const u32 a = *slot<u32>(warp, i.a);
    const u32 b = i.b >= 0 ? *slot<u32>(warp, i.b) : 0;
    d = (d & ~warp.mask) | (F{}(a, b) & warp.mask);
}

template <typename T, typename F>
HWY_INLINE u32 compared(Warp& warp, const Instruction& i) {
    const hn::ScalableTag<T> tag;
    const std::size_t step = hn::Lanes(tag);
    const T* a = lanes<T>(warp, i.a);
    const T* b = lanes<T>(warp, i.b);
    u32 bits = 0;
    for (std::size_t lane = 0; lane < kLanes; lane += step) {
        const auto answer = F{}(hn::Load(tag, a + lane), hn::Load(tag, b + lane));
        HWY_ALIGN u8 bytes[8] = {};
        hn::StoreMaskBits(tag, answer, bytes);
        u32 part = 0;
        std::memcpy(&part, bytes, sizeof part);
        bits |= part << lane;
    }
    return bits;
}

template <typename T, typename F, bool kNot>
void compare(Warp& warp, const Instruction& i) {
    u32 bits = compared<T, F>(warp, i);
    if constexpr (kNot) bits = ~bits;
    u32& d = *slot<u32>(warp, i.d);
    d = (d & ~warp.mask) | (bits & warp.mask);
}

template <typename T, bool kFull>
void select(Warp& warp, const Instruction& i) {
    const T* a = lanes<T>(warp, i.a);
    const T* b = lanes<T>(warp, i.b);
    T* d = lanes<T>(warp, i.d);
    const u32 choice = *slot<u32>(warp, i.c);
    const u32 mask = warp.mask;
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane)
        put<kFull, T>(d, lane, mask, (choice >> lane & 1) ? a[lane] : b[lane]);
}

// ---- conversions

// Beyond the range of the type the result is its nearest end; no number becomes 0.
HWY_INLINE s32 to_s32(float a) {
    return a >= 2147483648.0f ? 2147483647 : a >= -2147483648.0f ? s32(a) : a == a ? s32(-2147483647 - 1) : 0;
}
HWY_INLINE u32 to_u32(float a) {
    return a >= 4294967296.0f ? ~0u : a > 0 ? u32(a) : 0;
}
// What is no number is always the same one.
HWY_INLINE float one_nan(float a) {
    return a == a ? a : std::bit_cast<float>(0x7FFFFFFFu);
}

// ---- the table

#define WS_UNARY(key, layout, D, A, pipe, flops, ...)                                           \
    Operation {                                                                                 \
        key, layout, &unary<D, A, decltype([](A a) -> D { return D(__VA_ARGS__); }), true>,     \
            &unary<D, A, decltype([](A a) -> D { return D(__VA_ARGS__); }), false>, pipe, flops \
    }
#define WS_BINARY(key, layout, D, A, B, pipe, flops, ...)                                                \
    Operation {                                                                                          \
        key, layout, &binary<D, A, B, decltype([](A a, B b) -> D { return D(__VA_ARGS__); }), true>,     \
            &binary<D, A, B, decltype([](A a, B b) -> D { return D(__VA_ARGS__); }), false>, pipe, flops \
    }
#define WS_TERNARY(key, layout, D, A, B, C, pipe, flops, ...)                                               \
    Operation {                                                                                             \
        key, layout,                                                                                        \
            &ternary<D, A, B, C, decltype([](A a, B b, C c) -> D { return D(__VA_ARGS__); }), true>,        \
            &ternary<D, A, B, C, decltype([](A a, B b, C c) -> D { return D(__VA_ARGS__); }), false>, pipe, \
            flops                                                                                           \
    }
#define WS_DOT2(types, A, B)                                                                     \
    WS_TERNARY("dp2a.lo." types, "4444", u32, u32, u32, u32, kInt, 0, (dot2<A, B>(a, b, c, 0))), \
        WS_TERNARY("dp2a.hi." types, "4444", u32, u32, u32, u32, kInt, 0, (dot2<A, B>(a, b, c, 2)))
#define WS_PREDICATE(key, layout, ...)                             \
    Operation {                                                    \
        key, layout, &predicate<decltype([](u32 a, u32 b) -> u32 { \
            (void)b;                                               \
            return __VA_ARGS__;                                    \
        })>,                                                       \
            &predicate<decltype([](u32 a, u32 b) -> u32 {          \
                (void)b;                                           \
                return __VA_ARGS__;                                \
            })>,                                                   \
            Pipe::alu, 0                                           \
    }
#define WS_COMPARE(key, layout, T, operation, inverted, pipe)                                             \
    Operation {                                                                                           \
        key, layout, &compare<T, decltype([](auto a, auto b) { return hn::operation(a, b); }), inverted>, \
            &compare<T, decltype([](auto a, auto b) { return hn::operation(a, b); }), inverted>, pipe, 0  \
    }
#define WS_SIGNED_COMPARES(type, layout, T)                           \
    WS_COMPARE("setp.lt." type, layout, T, Lt, false, Pipe::alu),     \
        WS_COMPARE("setp.le." type, layout, T, Gt, true, Pipe::alu),  \
        WS_COMPARE("setp.gt." type, layout, T, Gt, false, Pipe::alu), \
        WS_COMPARE("setp.ge." type, layout, T, Lt, true, Pipe::alu),  \
        WS_COMPARE("setp.eq." type, layout, T, Eq, false, Pipe::alu), \
        WS_COMPARE("setp.ne." type, layout, T, Eq, true, Pipe::alu)

template <typename T>
HWY_INLINE T shift_left(T a, u32 b) {
    return b < sizeof(T) * 8 ? T(a << b) : T(0);
}
template <typename T>
HWY_INLINE T shift_right(T a, u32 b) {
    constexpr u32 kBits = sizeof(T) * 8;
    if constexpr (std::numeric_limits<T>::is_signed) return T(a >> (b < kBits ? b : kBits - 1));
    return b < kBits ? T(a >> b) : T(0);
}

// The four bytes that the lowest digits of the selector name, out of eight; digits from 8 on copy the sign.
HWY_INLINE u32 permute(u32 a, u32 b, u32 selector) {
    const u64 bytes = u64(b) << 32 | a;
    u32 made = 0;
    for (u32 i = 0; i < 4; ++i) {
        const u32 choice = selector >> (4 * i) & 0xF;
        const u32 byte = u32(bytes >> (8 * (choice & 7))) & 0xFF;
        const u32 sign = (0 - (byte >> 7)) & 0xFF;
        made |= ((choice & 8) != 0 ? sign : byte) << (8 * i);
    }
    return made;
}

template <typename A, typename B>
HWY_INLINE u32 dot4(u32 a, u32 b, u32 c) {
    for (u32 i = 0; i < 4; ++i) c += u32(s32(A(a >> (8 * i))) * s32(B(b >> (8 * i))));
    return c;
}

// Two 16-bit halves of a with two bytes of b, from its byte `first` on.
template <typename A, typename B>
HWY_INLINE u32 dot2(u32 a, u32 b, u32 c, u32 first) {
    for (u32 i = 0; i < 2; ++i) c += u32(s32(A(a >> (16 * i))) * s32(B(b >> (8 * (first + i)))));
    return c;
}

// So many bits from a position on, both modulo 256; what lies beyond the number is 0.
HWY_INLINE u32 bit_field(u32 value, u32 at, u32 length) {
    const u32 moved = shift_right(value, at & 0xFF);
    return moved & ~shift_left(~0u, length & 0xFF);
}

constexpr Pipe kInt = Pipe::alu;
constexpr Pipe kFloat = Pipe::fma;
constexpr Pipe kConvert = Pipe::conversion;

// Lists the operations; a function, since Highway wants one to dispatch.
const Operation* find(std::string_view key) {
    static const Operation kTable[] = {
        WS_UNARY("mov.32", "44", u32, u32, kInt, 0, a),
        WS_UNARY("mov.64", "88", u64, u64, kInt, 0, a),
        WS_PREDICATE("mov.pred", "pp", a),
        WS_PREDICATE("not.pred", "pp", ~a),
        WS_PREDICATE("and.pred", "ppp", a & b),
        WS_PREDICATE("or.pred", "ppp", a | b),
        WS_PREDICATE("xor.pred", "ppp", a ^ b),
        WS_BINARY("add.32", "444", u32, u32, u32, kInt, 0, a + b),
        WS_BINARY("add.64", "888", u64, u64, u64, kInt, 0, a + b),
        WS_BINARY("add.16", "222", u32, u32, u32, kInt, 0, (a + b) & 0xFFFF),
        WS_BINARY("sub.32", "444", u32, u32, u32, kInt, 0, a - b),
        WS_BINARY("sub.64", "888", u64, u64, u64, kInt, 0, a - b),
        WS_BINARY("sub.16", "222", u32, u32, u32, kInt, 0, (a - b) & 0xFFFF),
        WS_BINARY("mul.lo.32", "444", u32, u32, u32, kInt, 0, a * b),
        WS_BINARY("mul.lo.64", "888", u64, u64, u64, kInt, 0, a * b),
        WS_BINARY("mul.lo.16", "222", u32, u32, u32, kInt, 0, (a * b) & 0xFFFF),
        WS_TERNARY("mad.lo.32", "4444", u32, u32, u32, u32, kInt, 0, a * b + c),
        WS_TERNARY("mad.lo.64", "8888", u64, u64, u64, u64, kInt, 0, a * b + c),
        WS_TERNARY("mad.lo.16", "2222", u32, u32, u32, u32, kInt, 0, (a * b + c) & 0xFFFF),
        WS_BINARY("mul.wide.u32", "844", u64, u32, u32, kInt, 0, u64(a) * b),
        WS_BINARY("mul.wide.s32", "844", s64, s32, s32, kInt, 0, s64(a) * b),
        WS_BINARY("mul.wide.u16", "422", u32, u32, u32, kInt, 0, a * b),
        WS_BINARY("mul.wide.s16", "422", u32, u32, u32, kInt, 0, u32(s32(s16(a)) * s32(s16(b)))),
        WS_TERNARY("mad.wide.u32", "8448", u64, u32, u32, u64, kInt, 0, u64(a) * b + c),
        WS_TERNARY("mad.wide.s32", "8448", u64, s32, s32, u64, kInt, 0, u64(s64(a) * b) + c),
        WS_TERNARY("mad.wide.u16", "4224", u32, u32, u32, u32, kInt, 0, a * b + c),
        WS_TERNARY("mad.wide.s16", "4224", u32, u32, u32, u32, kInt, 0, u32(s32(s16(a)) * s32(s16(b))) + c),
        WS_BINARY("min.s32", "444", s32, s32, s32, kInt, 0, a < b ? a : b),
        WS_BINARY("max.s32", "444", s32, s32, s32, kInt, 0, a > b ? a : b),
        WS_BINARY("min.u32", "444", u32, u32, u32, kInt, 0, a < b ? a : b),
        WS_BINARY("max.u32", "444", u32, u32, u32, kInt, 0, a > b ? a : b),
        WS_UNARY("neg.s32", "44", u32, u32, kInt, 0, 0 - a),
        WS_UNARY("neg.s64", "88", u64, u64, kInt, 0, 0 - a),
        WS_UNARY("abs.s32", "44", u32, s32, kInt, 0, a < 0 ? 0u - u32(a) : u32(a)),
        WS_BINARY("and.32", "444", u32, u32, u32, kInt, 0, a & b),
        WS_BINARY("or.32", "444", u32, u32, u32, kInt, 0, a | b),
        WS_BINARY("xor.32", "444", u32, u32, u32, kInt, 0, a ^ b),
        WS_BINARY("and.16", "222", u32, u32, u32, kInt, 0, a & b),
        WS_BINARY("or.16", "222", u32, u32, u32, kInt, 0, a | b),
        WS_BINARY("xor.16", "222", u32, u32, u32, kInt, 0, a ^ b),
        WS_UNARY("not.32", "44", u32, u32, kInt, 0, ~a),
        WS_UNARY("not.16", "22", u32, u32, kInt, 0, ~a & 0xFFFF),
        WS_BINARY("and.64", "888", u64, u64, u64, kInt, 0, a & b),
        WS_BINARY("or.64", "888", u64, u64, u64, kInt, 0, a | b),
        WS_BINARY("xor.64", "888", u64, u64, u64, kInt, 0, a ^ b),
        WS_UNARY("not.64", "88", u64, u64, kInt, 0, ~a),
        WS_BINARY("shl.32", "444", u32, u32, u32, kInt, 0, shift_left(a, b)),
        WS_BINARY("shl.64", "884", u64, u64, u32, kInt, 0, shift_left(a, b)),
        WS_BINARY("shl.16", "224", u32, u32, u32, kInt, 0, shift_left(a, b) & 0xFFFF),
        WS_BINARY("shr.u32", "444", u32, u32, u32, kInt, 0, shift_right(a, b)),
        WS_BINARY("shr.s32", "444", s32, s32, u32, kInt, 0, shift_right(a, b)),
        WS_BINARY("shr.u64", "884", u64, u64, u32, kInt, 0, shift_right(a, b)),
        WS_BINARY("shr.s64", "884", s64, s64, u32, kInt, 0, shift_right(a, b)),
        WS_BINARY("shr.u16", "224", u32, u32, u32, kInt, 0, shift_right(a, b)),
        WS_BINARY("shr.s16", "224", u32, u32, u32, kInt, 0, u32(shift_right(s32(s16(a)), b)) & 0xFFFF),
        WS_BINARY("mul.hi.u32", "444", u32, u32, u32, kInt, 0, u64(a) * b >> 32),
        WS_BINARY("mul.hi.s32", "444", s32, s32, s32, kInt, 0, s64(a) * b >> 32),
        WS_TERNARY("mad.hi.u32", "4444", u32, u32, u32, u32, kInt, 0, u32(u64(a) * b >> 32) + c),
        WS_TERNARY("mad.hi.s32", "4444", u32, s32, s32, u32, kInt, 0, u32(s64(a) * b >> 32) + c),
        WS_TERNARY("bfe.u32", "4444", u32, u32, u32, u32, kInt, 0, bit_field(a, b, c)),
        WS_TERNARY("prmt.32", "4444", u32, u32, u32, u32, kInt, 0, permute(a, b, c)),
        WS_TERNARY("dp4a.u32.u32", "4444", u32, u32, u32, u32, kInt, 0, (dot4<u8, u8>(a, b, c))),
        WS_TERNARY("dp4a.u32.s32", "4444", u32, u32, u32, u32, kInt, 0, (dot4<u8, std::int8_t>(a, b, c))),
        WS_TERNARY("dp4a.s32.u32", "4444", u32, u32, u32, u32, kInt, 0, (dot4<std::int8_t, u8>(a, b, c))),
        WS_TERNARY("dp4a.s32.s32", "4444", u32, u32, u32, u32, kInt, 0,
                   (dot4<std::int8_t, std::int8_t>(a, b, c))),
        WS_DOT2("u32.u32", u16, u8),
        WS_DOT2("u32.s32", u16, std::int8_t),
        WS_DOT2("s32.u32", s16, u8),
        WS_DOT2("s32.s32", s16, std::int8_t),
        WS_TERNARY("shf.l.wrap.32", "4444", u32, u32, u32, u32, kInt, 0,
                   u32((u64(b) << 32 | a) << (c & 31) >> 32)),
        WS_TERNARY("shf.r.wrap.32", "4444", u32, u32, u32, u32, kInt, 0, u32((u64(b) << 32 | a) >> (c & 31))),
        WS_TERNARY("shf.l.clamp.32", "4444", u32, u32, u32, u32, kInt, 0,
                   c >= 32 ? a : u32((u64(b) << 32 | a) << c >> 32)),
        WS_TERNARY("shf.r.clamp.32", "4444", u32, u32, u32, u32, kInt, 0,
                   c >= 32 ? b : u32((u64(b) << 32 | a) >> c)),
        WS_SIGNED_COMPARES("s32", "p44", s32),
        WS_SIGNED_COMPARES("u32", "p44", u32),
        WS_SIGNED_COMPARES("s64", "p88", s64),
        WS_SIGNED_COMPARES("u64", "p88", u64),
        WS_COMPARE("setp.lt.f32", "p44", float, Lt, false, kFloat),
        WS_COMPARE("setp.le.f32", "p44", float, Le, false, kFloat),
        WS_COMPARE("setp.gt.f32", "p44", float, Gt, false, kFloat),
        WS_COMPARE("setp.ge.f32", "p44", float, Ge, false, kFloat),
        WS_COMPARE("setp.eq.f32", "p44", float, Eq, false, kFloat),
        WS_COMPARE("setp.neu.f32", "p44", float, Eq, true, kFloat),
        WS_COMPARE("setp.geu.f32", "p44", float, Lt, true, kFloat),
        WS_COMPARE("setp.gtu.f32", "p44", float, Le, true, kFloat),
        WS_COMPARE("setp.leu.f32", "p44", float, Gt, true, kFloat),
        WS_COMPARE("setp.ltu.f32", "p44", float, Ge, true, kFloat),
        Operation{"selp.32", "444p", &select<u32, true>, &select<u32, false>, kInt, 0},
        Operation{"selp.16", "222p", &select<u32, true>, &select<u32, false>, kInt, 0},
        Operation{"selp.64", "888p", &select<u64, true>, &select<u64, false>, kInt, 0},
        WS_UNARY("cvt.u32.u16", "44", u32, u32, kConvert, 0, a),
        WS_UNARY("cvt.u32.u8", "44", u32, u32, kConvert, 0, a & 0xFF),
        WS_UNARY("cvt.s32.s16", "44", u32, u32, kConvert, 0, u32(s32(s16(a)))),
        WS_UNARY("cvt.s32.s8", "44", u32, u32, kConvert, 0, u32(s32(std::int8_t(a)))),
        WS_UNARY("cvt.u16.u32", "44", u32, u32, kConvert, 0, a & 0xFFFF),
        WS_UNARY("cvt.u64.u32", "84", u64, u32, kConvert, 0, a),
        WS_UNARY("cvt.s64.s32", "84", s64, s32, kConvert, 0, a),
        WS_UNARY("cvt.u32.u64", "48", u32, u64, kConvert, 0, a),
        WS_UNARY("cvt.rn.f32.s32", "44", float, s32, kConvert, 0, float(a)),
        WS_UNARY("cvt.rn.f32.u32", "44", float, u32, kConvert, 0, float(a)),
        WS_UNARY("cvt.rn.f32.u16", "44", float, u32, kConvert, 0, float(s32(a))),
        WS_UNARY("cvt.rn.f32.u8", "44", float, u32, kConvert, 0, float(s32(a & 0xFF))),
        WS_UNARY("cvt.rzi.s32.f32", "44", s32, float, kConvert, 0, to_s32(a)),
        WS_UNARY("cvt.rni.s32.f32", "44", s32, float, kConvert, 0, to_s32(__builtin_rintf(a))),
        WS_UNARY("cvt.rmi.s32.f32", "44", s32, float, kConvert, 0, to_s32(__builtin_floorf(a))),
        WS_UNARY("cvt.rzi.u32.f32", "44", u32, float, kConvert, 0, to_u32(a)),
        WS_UNARY("cvt.rni.f32.f32", "44", float, float, kConvert, 0, one_nan(__builtin_rintf(a))),
        WS_UNARY("cvt.rmi.f32.f32", "44", float, float, kConvert, 0, one_nan(__builtin_floorf(a))),
        WS_UNARY("cvt.rzi.f32.f32", "44", float, float, kConvert, 0, one_nan(__builtin_truncf(a))),
        WS_UNARY("cvt.rn.f32.f64", "48", float, double, kConvert, 0, one_nan(float(a))),
        WS_UNARY("cvt.f64.f32", "84", double, float, kConvert, 0, a),
        WS_UNARY("cvt.rn.f64.s64", "88", double, s64, kConvert, 0, double(a)),
        WS_BINARY("add.f32", "444", float, float, float, kFloat, 1, a + b),
        WS_BINARY("sub.f32", "444", float, float, float, kFloat, 1, a - b),
        WS_BINARY("mul.f32", "444", float, float, float, kFloat, 1, a* b),
        WS_TERNARY("fma.f32", "4444", float, float, float, float, kFloat, 2, __builtin_fmaf(a, b, c)),
        WS_UNARY("neg.f32", "44", u32, u32, kFloat, 0, a ^ 0x80000000u),
        WS_UNARY("abs.f32", "44", u32, u32, kFloat, 0, a & 0x7FFFFFFFu),
        WS_UNARY("sqrt.f32", "44", float, float, Pipe::xu, 1, __builtin_sqrtf(a)),
        WS_BINARY("div.f32", "444", float, float, float, kFloat, 1, a / b),
    };
    return entry_named(key, kTable);
}

}  // namespace ws::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ws::simt {

HWY_EXPORT(find);

const Operation* find_vector_operation(std::string_view key) {
    return HWY_DYNAMIC_DISPATCH(find)(key);
}

}  // namespace ws::simt
#endif
