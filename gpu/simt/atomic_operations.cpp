// Atomic operations on memory, lane by lane.

#include "gpu/simt/special_operations.h"

#include <array>
#include <atomic>
#include <bit>

#include "gpu/simt/half_floats.h"
#include "gpu/simt/lane_access.h"
#include "gpu/simt/observer_sets.h"
#include "gpu/simt/places.h"
#include "gpu/simt/reduction.h"

namespace ws::simt {
namespace {

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

// Adds one or two floats of 16 bits.
template <typename Bits>
u64 add_small(std::byte* place, Type format, u64 operand) {
    std::atomic_ref<Bits> memory(*reinterpret_cast<Bits*>(place));
    Bits old = memory.load(std::memory_order_relaxed);
    while (true) {
        Bits made = 0;
        for (std::size_t shift = 0; shift < 8 * sizeof(Bits); shift += 16) {
            const double sum_a = small_to_double(u16(old >> shift), format);
            const double sum_b = small_to_double(u16(operand >> shift), format);
            made = Bits(made | Bits(fused_small(sum_a, 1, sum_b, format)) << shift);
        }
        if (memory.compare_exchange_weak(old, made)) return u64(old);
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
        case Type::f16:
        case Type::bf16:
            return add_small<u16>(place, type, operand);
        case Type::f16x2:
        case Type::bf16x2:
            return add_small<u32>(place, element_of(type), operand);
        default:
            return update<u32, u32>(place, reduction, operand, other);
    }
}

template <class Observer>
void atomic(Warp& warp, const Instruction& i) {
    const auto& access = detail_of<AtomicAccess>(i);
    const Type type = access.type;
    const int bytes = bits_of(type) / 8;
    std::array<u64, kLanes> addresses{};
    for_lanes(warp.mask, [&](int lane) {
        const u64 address = addresses[std::size_t(lane)] =
            (access.wide_address ? slot<u64>(warp, i.a)[lane] : slot<u32>(warp, i.a)[lane]) +
            u64(access.offset);
        std::byte* place = place_of<Observer>(warp, i, lane, address, bytes, Access::update);
        u64 old = 0;
        if (place) {
            const u64 operand = i.b >= 0 ? read_bits(warp, i.b, type, lane) : 0;
            const u64 other = i.c >= 0 ? read_bits(warp, i.c, type, lane) : 0;
            old = update(type, place, access.reduction, operand, other);
        }
        if (i.d >= 0) write_bits(warp, i.d, lane, old, bytes == 8);
    });
    observer_of<Observer>(warp).access(warp, {i, addresses.data(), warp.mask});
}

}  // namespace

constinit const Observed kAtomic = observed([]<class Observer> {
    return Handlers{&atomic<Observer>, &atomic<Observer>};
});

}  // namespace ws::simt
