#include "gpu/simt/special_operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

#include "gpu/simt/async_copies.h"
#include "gpu/simt/block_shadow.h"
#include "gpu/simt/lane_access.h"
#include "gpu/simt/memory_access.h"
#include "gpu/simt/places.h"
#include "gpu/simt/report.h"
#include "gpu/simt/warp.h"
#include "gpu/simt/warp_members.h"

namespace ws::simt {
namespace {

// Integers wrap.
template <typename T>
T sum_of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
        return a + b;
}

template <typename T>
T reduced(Reduction reduction, T old, T operand, T other) {
    switch (reduction) {
        case Reduction::add:
            return sum_of(old, operand);
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

namespace {
// The lanes that a lane may read from.
u32 takes_part(const Warp& warp, const Instruction& i, int lane) {
    return i.v[0] >= 0 ? warp.mask & (slot<u32>(warp, i.v[0])[lane] | 1u << lane) : warp.mask;
}
}  // namespace

void shuffle(Warp& warp, const Instruction& i) {
    meet(warp, i, i.v[0]);
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
        if ((takes_part(warp, i, lane) >> (from & 31) & 1) == 0)
            report_absent_source(warp, i, lane, from & 31);
        slot<u32>(warp, i.d)[lane] = values[from & 31];
        valid |= u32(inside) << lane;
    });
    if (i.v[1] >= 0) {
        u32& p = *slot<u32>(warp, i.v[1]);
        p = (p & ~warp.mask) | valid;
    }
}

void vote(Warp& warp, const Instruction& i) {
    meet(warp, i, i.v[0]);
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
    meet(warp, i, i.b);
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
    meet(warp, i, i.b);
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
    meet(warp, i, i.b);
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
        std::byte* place = place_of(warp, i, lane, address, bytes, Access::update);
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

namespace {
// Where a lane's copy goes, and what it brings: late, where copies are followed.
void deliver(Warp& warp, const Instruction& i, int lane, const std::array<std::byte, 16>& read) {
    const u64 to = (i.wide_address ? slot<u64>(warp, i.b)[lane] : slot<u32>(warp, i.b)[lane]) + u64(i.v[0]);
    if (AsyncCopies* copies = warp.worker->copies) {
        if (place_of_copy(warp, i, lane, to, i.bytes))
            copies->begin(warp.index * kLanes + lane, {to, i.bytes, read, 0});
        return;
    }
    Instruction target = i;
    target.space = Space::shared;
    std::byte* place = place_of(warp, target, lane, to, i.bytes, Access::write);
    if (place) std::copy_n(read.begin(), i.bytes, place);
}
}  // namespace

void copy_async(Warp& warp, const Instruction& i) {
    std::array<u64, kLanes> addresses{};
    u32 reading = 0;
    for_lanes(warp.mask, [&](int lane) {
        const auto at = std::size_t(lane);
        addresses[at] = slot<u64>(warp, i.a)[lane] + u64(i.immediate);
        const int size = i.c >= 0 ? int(std::min<u32>(slot<u32>(warp, i.c)[lane], i.bytes)) : i.bytes;
        // All bytes in one piece, or the first ones each on their own.
        std::array<std::byte, 16> read{};
        const int piece = size == i.bytes ? size : 1;
        for (int k = 0; k < size; k += piece) {
            const std::byte* from = place_of(warp, i, lane, addresses[at] + u64(k), piece, Access::read);
            if (from) std::copy_n(from, piece, read.begin() + k);
        }
        if (size > 0) reading |= 1u << lane;
        deliver(warp, i, lane, read);
    });
    if (warp.worker->sites && reading != 0) count_access(*warp.worker, i, addresses.data(), reading);
}

void commit_copies(Warp& warp, const Instruction& /*instruction*/) {
    AsyncCopies* copies = warp.worker->copies;
    if (!copies) return;
    for_lanes(warp.mask, [&](int lane) { copies->commit(warp.index * kLanes + lane); });
}

void wait_for_copies(Warp& warp, const Instruction& i) {
    Worker& worker = *warp.worker;
    if (!worker.copies) return;
    for_lanes(warp.mask, [&](int lane) {
        const int thread = warp.index * kLanes + lane;
        for (const AsyncCopies::Copy& copy : worker.copies->wait(thread, int(i.immediate))) {
            std::copy_n(copy.data.begin(), copy.bytes, worker.shared + copy.offset);
            worker.shadow->end_copy(copy.offset, copy.bytes, thread);
        }
    });
}

void fence(Warp& warp, const Instruction& i) {
    if (warp.worker->shadow) warp.worker->shadow->order().fence(warp.index, warp.mask, i.beyond_block);
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
        const std::vector<Texture>* textures = warp.worker->textures;
        if (!textures || handle < 1 || handle > textures->size())
            return end_launch(
                *warp.worker, i.line, warp.index * kLanes + lane,
                fmt::format("a fault: the texture handle {:#x} names no texture of the launch", handle));
        texel = sample((*textures)[handle - 1], coordinate(i.b), coordinate(i.c));
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

void order_warp(Warp& warp, const Instruction& i) {
    meet(warp, i, i.b);
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
