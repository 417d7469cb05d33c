#include "gpu/simt/special_operations.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/simt/memory_access.h"
#include "gpu/simt/warp.h"

namespace ws::simt {
namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

template <typename Work>
void for_lanes(u32 mask, const Work& work) {
    for (; mask != 0; mask &= mask - 1) work(std::countr_zero(mask));
}

u64 read_bits(const Warp& warp, s32 offset, Type type, int lane) {
    const u64 bits = bits_of(type) == 64 ? slot<u64>(warp, offset)[lane] : slot<u32>(warp, offset)[lane];
    return bits_of(type) >= 64 ? bits : bits & ((1ull << bits_of(type)) - 1);
}

void write_bits(Warp& warp, s32 offset, int lane, u64 bits, bool wide) {
    if (wide) {
        slot<u64>(warp, offset)[lane] = bits;
    } else {
        slot<u32>(warp, offset)[lane] = u32(bits);
    }
}

s64 as_signed(u64 bits, Type type) {
    const int unused = 64 - bits_of(type);
    return s64(bits << unused) >> unused;
}

double as_double(u64 bits, Type type) {
    if (type == Type::f16) return half_to_double(u16(bits));
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

// A float to an integer: beyond the range its nearest end, no number becomes 0.
u64 float_to_integer(double value, Type to, Rounding rounding) {
    if (std::isnan(value)) return 0;
    value = whole(value, rounding);
    const int bits = bits_of(to);
    if (is_signed(to)) {
        const double end = std::ldexp(1.0, bits - 1);
        if (value >= end) return u64(~(~0ull << (bits - 1)));
        if (value <= -end) return ~0ull << (bits - 1);
        return u64(s64(value));
    }
    if (value <= 0) return 0;
    if (value >= std::ldexp(1.0, bits)) return bits == 64 ? ~0ull : (1ull << bits) - 1;
    return u64(value);
}

u64 float_bits(double value, Type to, const Modifiers& modifiers) {
    if (modifiers.saturate) value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
    if (to == Type::f16) return double_to_half(value, Rounding(modifiers.rounding));
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
    return to == Type::f16 ? double_to_half(made, Rounding(modifiers.rounding)) : std::bit_cast<u64>(made);
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

u64 converted(u64 bits, Type from, Type to, bool to_whole, const Modifiers& modifiers) {
    if (!is_float(from)) {
        return is_float(to) ? integer_to_float(bits, from, to, modifiers)
                            : integer_to_integer(bits, from, to, modifiers.saturate);
    }
    double value = as_double(bits, from);
    if (modifiers.flush && from == Type::f32 && std::fpclassify(float(value)) == FP_SUBNORMAL)
        value = std::copysign(0.0, value);
    if (!is_float(to)) return float_to_integer(value, to, Rounding(modifiers.rounding));
    if (to_whole) value = whole(value, Rounding(modifiers.rounding));
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

template <typename T>
T reduced(Reduction reduction, T old, T operand, T other) {
    switch (reduction) {
        case Reduction::add:
            return T(old + operand);
        case Reduction::min:
            return std::min(old, operand);
        case Reduction::max:
            return std::max(old, operand);
        case Reduction::exch:
            return operand;
        case Reduction::cas:
            return old == operand ? other : old;
        case Reduction::inc:
            return old >= operand ? T(0) : T(old + 1);
        case Reduction::dec:
            return old == 0 || old > operand ? operand : T(old - 1);
        default:
            break;
    }
    if constexpr (std::is_integral_v<T>) {
        if (reduction == Reduction::bit_and) return old & operand;
        if (reduction == Reduction::bit_or) return old | operand;
        if (reduction == Reduction::bit_xor) return old ^ operand;
    }
    return old;
}

// Exchanges as one step, whatever other workers do.
template <typename T, typename Bits>
u64 update(std::byte* place, Reduction reduction, u64 operand, u64 other) {
    std::atomic_ref<Bits> memory(*reinterpret_cast<Bits*>(place));
    Bits old = memory.load(std::memory_order_relaxed);
    while (true) {
        const T made = reduced<T>(reduction, std::bit_cast<T>(old), std::bit_cast<T>(Bits(operand)),
                                  std::bit_cast<T>(Bits(other)));
        if (memory.compare_exchange_weak(old, std::bit_cast<Bits>(made))) return u64(old);
    }
}

u64 update(Type type, std::byte* place, Reduction reduction, u64 operand, u64 other) {
    switch (type) {
        case Type::s32:
            return update<s32, u32>(place, reduction, operand, other);
        case Type::f32:
            return update<float, u32>(place, reduction, operand, other);
        case Type::u64:
            return update<u64, u64>(place, reduction, operand, other);
        case Type::s64:
            return update<s64, u64>(place, reduction, operand, other);
        case Type::f64:
            return update<double, u64>(place, reduction, operand, other);
        case Type::u16:
            return update<u16, u16>(place, reduction, operand, other);
        default:
            return update<u32, u32>(place, reduction, operand, other);
    }
}

}  // namespace

void convert(Warp& warp, const Instruction& i) {
    const auto to = Type(i.v[0]);
    const auto from = Type(i.v[1]);
    for_lanes(warp.mask, [&](int lane) {
        u64 made = converted(read_bits(warp, i.a, from, lane), from, to, i.v[2] != 0, i.modifiers);
        // The register may be wider than the type: signed values extend their sign, others zeros.
        const int size = bits_of(to);
        if (size < 64) made = is_signed(to) ? u64(as_signed(made, to)) : made & ((1ull << size) - 1);
        if (i.v[3] == 16) made &= 0xFFFF;
        write_bits(warp, i.d, lane, made, i.v[3] == 64);
    });
}

void compare(Warp& warp, const Instruction& i) {
    const auto type = Type(i.v[0]);
    const auto comparison = Comparison(i.modifiers.variant);
    u32 bits = 0;
    for_lanes(warp.mask, [&](int lane) {
        const u64 a = read_bits(warp, i.a, type, lane);
        const u64 b = read_bits(warp, i.b, type, lane);
        bool answer = false;
        if (is_float(type)) {
            double x = as_double(a, type);
            double y = as_double(b, type);
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

void shuffle(Warp& warp, const Instruction& i) {
    ++warp.sync_epoch;
    u32 values[kLanes];
    std::memcpy(values, slot<u32>(warp, i.a), sizeof values);
    u32 valid = 0;
    for_lanes(warp.mask, [&](int lane) {
        const u32 b = slot<u32>(warp, i.b)[lane];
        const u32 c = slot<u32>(warp, i.c)[lane];
        const int clamp = int(c & 31);
        const int segment = int(c >> 8 & 31);
        const int last = (lane & segment) | (clamp & ~segment);
        const int first = lane & segment;
        int from = lane;
        bool inside = true;
        switch (Shuffle(i.modifiers.variant)) {
            case Shuffle::up:
                from = lane - int(b & 31);
                inside = from >= last;
                break;
            case Shuffle::down:
                from = lane + int(b & 31);
                inside = from <= last;
                break;
            case Shuffle::bfly:
                from = lane ^ int(b & 31);
                inside = from <= last;
                break;
            case Shuffle::idx:
                from = first | int(b & 31 & u32(~segment));
                inside = from <= last;
                break;
        }
        if (!inside) from = lane;
        slot<u32>(warp, i.d)[lane] = values[from & 31];
        valid |= u32(inside) << lane;
    });
    if (i.v[1] >= 0) {
        u32& p = *slot<u32>(warp, i.v[1]);
        p = (p & ~warp.mask) | valid;
    }
}

void vote(Warp& warp, const Instruction& i) {
    ++warp.sync_epoch;
    u32 predicate = *slot<u32>(warp, i.a);
    if (i.immediate) predicate = ~predicate;
    u32 answer = 0;
    u32 ballots[kLanes];
    for_lanes(warp.mask, [&](int lane) {
        const u32 members = warp.mask & slot<u32>(warp, i.b)[lane];
        const u32 yes = predicate & members;
        ballots[lane] = yes;
        bool result = false;
        switch (Vote(i.modifiers.variant)) {
            case Vote::all:
                result = yes == members;
                break;
            case Vote::any:
                result = yes != 0;
                break;
            case Vote::uni:
                result = yes == members || yes == 0;
                break;
            case Vote::ballot:
                break;
        }
        answer |= u32(result) << lane;
    });
    if (Vote(i.modifiers.variant) == Vote::ballot) {
        for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = ballots[lane]; });
    } else {
        u32& d = *slot<u32>(warp, i.d);
        d = (d & ~warp.mask) | answer;
    }
}

namespace {
u64 value_of(const Warp& warp, const Instruction& i, int lane) {
    return i.bytes == 8 ? slot<u64>(warp, i.a)[lane] : slot<u32>(warp, i.a)[lane];
}
}  // namespace

void match_any(Warp& warp, const Instruction& i) {
    ++warp.sync_epoch;
    u32 answers[kLanes];
    for_lanes(warp.mask, [&](int lane) {
        const u32 members = warp.mask & slot<u32>(warp, i.b)[lane];
        u32 equal = 0;
        for_lanes(members, [&](int other) {
            equal |= u32(value_of(warp, i, other) == value_of(warp, i, lane)) << other;
        });
        answers[lane] = equal;
    });
    for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = answers[lane]; });
}

void match_all(Warp& warp, const Instruction& i) {
    ++warp.sync_epoch;
    u32 answers[kLanes];
    u32 predicate = 0;
    for_lanes(warp.mask, [&](int lane) {
        const u32 members = warp.mask & slot<u32>(warp, i.b)[lane];
        bool same = true;
        for_lanes(members,
                  [&](int other) { same = same && value_of(warp, i, other) == value_of(warp, i, lane); });
        answers[lane] = same ? members : 0;
        predicate |= u32(same) << lane;
    });
    for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = answers[lane]; });
    if (i.v[0] >= 0) {
        u32& p = *slot<u32>(warp, i.v[0]);
        p = (p & ~warp.mask) | predicate;
    }
}

void active_mask(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = warp.mask; });
}

void reduce_warp(Warp& warp, const Instruction& i) {
    ++warp.sync_epoch;
    const auto reduction = Reduction(i.modifiers.variant);
    u32 answers[kLanes];
    for_lanes(warp.mask, [&](int lane) {
        const u32 members = warp.mask & slot<u32>(warp, i.b)[lane];
        bool first = true;
        u32 made = 0;
        for_lanes(members, [&](int other) {
            const u32 value = slot<u32>(warp, i.a)[other];
            if (first) {
                made = value;
            } else if (Type(i.v[0]) == Type::s32) {
                made = u32(reduced<s32>(reduction, s32(made), s32(value), 0));
            } else {
                made = reduced<u32>(reduction, made, value, 0);
            }
            first = false;
        });
        answers[lane] = made;
    });
    for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = answers[lane]; });
}

void atomic(Warp& warp, const Instruction& i) {
    const auto type = Type(i.v[0]);
    const int bytes = bits_of(type) / 8;
    const auto reduction = Reduction(i.modifiers.variant);
    for_lanes(warp.mask, [&](int lane) {
        const u64 address =
            (i.wide_address ? slot<u64>(warp, i.a)[lane] : slot<u32>(warp, i.a)[lane]) + u64(i.immediate);
        std::byte* place = place_of(warp, i, lane, address, bytes, true, true, true);
        u64 old = 0;
        if (place) {
            const u64 operand = i.b >= 0 ? read_bits(warp, i.b, type, lane) : 0;
            const u64 other = i.c >= 0 ? read_bits(warp, i.c, type, lane) : 0;
            old = update(type, place, reduction, operand, other);
        }
        if (i.d >= 0) write_bits(warp, i.d, lane, old, bytes == 8);
    });
    if (warp.worker->sites) ++warp.worker->sites[i.site].requests;
}

void texture_2d(Warp& warp, const Instruction& i) {
    if (warp.worker->sites) ++warp.worker->sites[i.site].requests;
    for_lanes(warp.mask, [&](int lane) {
        const u64 handle = slot<u64>(warp, i.a)[lane];
        std::array<float, 4> texel{};
        const auto coordinate = [&](s32 offset) {
            return i.bytes == 1 ? float(slot<s32>(warp, offset)[lane]) + 0.5f
                                : slot<float>(warp, offset)[lane];
        };
        if (warp.worker->textures && handle >= 1 && handle <= warp.worker->textures->size())
            texel = sample((*warp.worker->textures)[handle - 1], coordinate(i.b), coordinate(i.c));
        for (std::size_t k = 0; k < 4; ++k) {
            if (i.v[k] < 0) continue;
            slot<u32>(warp, i.v[k])[lane] =
                i.modifiers.variant == 0 ? std::bit_cast<u32>(texel[k]) : u32(s32(texel[k]));
        }
    });
}

namespace {
std::byte* param_place(Warp& warp, const Instruction& i, int lane) {
    return warp.frame + i.a + s64(lane) * i.b + i.immediate;
}
}  // namespace

void load_param(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        for (int k = 0; k < i.count; ++k) {
            u64 value = 0;
            std::memcpy(&value, param_place(warp, i, lane) + k * i.bytes, i.bytes);
            if (i.modifiers.variant == 1) value = u64(s64(value << (64 - 8 * i.bytes)) >> (64 - 8 * i.bytes));
            write_bits(warp, i.v[k], lane, value, i.wide_address);
        }
    });
}

void store_param(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        for (int k = 0; k < i.count; ++k) {
            const u64 value = i.wide_address ? slot<u64>(warp, i.v[k])[lane] : slot<u32>(warp, i.v[k])[lane];
            std::memcpy(param_place(warp, i, lane) + k * i.bytes, &value, i.bytes);
        }
    });
}

void clock(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) { write_bits(warp, i.d, lane, warp.worker->steps, i.bytes == 8); });
}

void order_warp(Warp& warp, const Instruction& /*instruction*/) {
    ++warp.sync_epoch;
}

void pack_vector(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        u64 made = 0;
        for (int k = 0; k < i.count; ++k) {
            const u64 part = slot<u32>(warp, i.v[k])[lane];
            made |= (part & (i.bytes == 4   ? 0xFFFFFFFFull
                             : i.bytes == 2 ? 0xFFFFull
                                            : 0xFFull))
                    << (8 * i.bytes * k);
        }
        write_bits(warp, i.d, lane, made, i.bytes * i.count == 8);
    });
}

void unpack_vector(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) {
        const u64 whole_value =
            i.bytes * i.count == 8 ? slot<u64>(warp, i.a)[lane] : slot<u32>(warp, i.a)[lane];
        for (int k = 0; k < i.count; ++k) {
            if (i.v[k] < 0) continue;
            const u64 part = whole_value >> (8 * i.bytes * k);
            slot<u32>(warp, i.v[k])[lane] = u32(i.bytes == 4   ? part
                                                : i.bytes == 2 ? part & 0xFFFF
                                                               : part & 0xFF);
        }
    });
}

}  // namespace ws::simt
