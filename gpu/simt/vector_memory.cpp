// Plain loads and stores, 32 lanes together; compiled once for every instruction set by Highway, which picks
// one when the program runs. What is not plain (out of bounds, misaligned, generic, checked) goes lane by
// lane.

#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/simt/access_pattern.h"
#include "gpu/simt/async_copies.h"
#include "gpu/simt/copy_operations.h"
#include "gpu/simt/instruction.h"
#include "gpu/simt/integers.h"
#include "gpu/simt/memory_access.h"
#include "gpu/simt/observer_sets.h"
#include "gpu/simt/warp.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gpu/simt/vector_memory.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ws::simt::HWY_NAMESPACE {

struct Addresses {
    alignas(64) u64 of[kLanes];
};

HWY_INLINE void address_lanes(Warp& warp, s32 offset, bool wide, u64 added, Addresses& made) {
    if (wide) {
        const u64* base = lanes<u64>(warp, offset);
        for (int lane = 0; lane < kLanes; ++lane) made.of[lane] = base[lane] + added;
    } else {
        const u32* base = lanes<u32>(warp, offset);
        for (int lane = 0; lane < kLanes; ++lane) made.of[lane] = u32(base[lane] + u32(added));
    }
}

// Looks at lanes, or distances between them, that were not those of the execution before.
HWY_NOINLINE void look_at(AccessPattern& pattern, const Addresses& addresses, u32 mask, u64 size) {
    s64 low = 0;
    s64 high = 0;
    pattern.bits = 0;
    ++pattern.changes;
    pattern.mask = mask;
    const int first = std::countr_zero(mask);
    u32 behind = 0;  // lanes that lie right behind the one before
    u32 row = 0;     // where they are in a row with the first
    for (u32 rest = mask; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const u64 away = addresses.of[lane] - addresses.of[first];
        pattern.relative[std::size_t(lane)] = away;
        pattern.narrow[std::size_t(lane)] = u32(away);
        pattern.bits |= away;
        low = std::min(low, s64(away));
        high = std::max(high, s64(away));
        if (lane > 0 && addresses.of[lane] - addresses.of[lane - 1] == size) behind |= 1u << lane;
        if (away == u64(lane - first) * size) row |= 1u << lane;
    }
    pattern.low = u64(low);
    pattern.high = u64(high);
    pattern.same = pattern.bits == 0;
    pattern.quads = false;
    pattern.run = kLanes;
    if (mask != kAllLanes) {
        if (row != mask) pattern.run = 1;
        return;
    }
    pattern.quads = size == 4;
    for (std::size_t lane = 0; lane < kLanes; ++lane) pattern.quads &= pattern.relative[lane] == 16 * lane;
    while (pattern.run > 1) {
        u32 starts = 0;
        for (int lane = 0; lane < kLanes; lane += pattern.run) starts |= 1u << lane;
        if ((behind | starts) == kAllLanes) break;
        pattern.run /= 2;
    }
}

// The pattern of an access of these lanes: of all of them, or of some.
template <bool kFull, class Observer>
HWY_INLINE AccessPattern& pattern_of(Warp& warp, const Instruction& i, const Addresses& addresses, u32 mask) {
    const MemoryAccess& m = memory_of(i);
    Worker& worker = *warp.worker;
    const auto number = std::size_t(m.pattern);
    AccessPattern& pattern = kFull ? worker.patterns[number] : worker.partial_patterns.of(number, mask);
    u64 wrong = kFull ? 0 : mask ^ pattern.mask;
    const u64 first = addresses.of[kFull ? 0 : std::countr_zero(mask)];
    for (int lane = 0; lane < kLanes; ++lane) {
        const u64 other = (addresses.of[lane] - first) ^ pattern.relative[std::size_t(lane)];
        wrong |= kFull ? other : other & (u64(0) - (mask >> lane & 1));
    }
    if (wrong != 0 || pattern.run == 0) {
        tell_hits(observer_of<Observer>(warp), i, pattern);
        look_at(pattern, addresses, mask, u64(m.whole_bytes()));
    }
    return pattern;
}

// The range of the addresses, and all their bits.
struct Range {
    u64 low = 0;
    u64 high = 0;
    u64 bits = 0;
};

HWY_INLINE Range range_of(const AccessPattern& pattern, const Addresses& addresses) {
    const u64 first = addresses.of[std::countr_zero(pattern.mask)];
    return {first + pattern.low, first + pattern.high, first | pattern.bits};
}

HWY_INLINE Range range_of(u32 mask, const Addresses& addresses) {
    const u64 first = addresses.of[std::countr_zero(mask)];
    Range range{first, first, first};
    for (; mask != 0; mask &= mask - 1) {
        const u64 address = addresses.of[std::countr_zero(mask)];
        range = {std::min(range.low, address), std::max(range.high, address), range.bits | address};
    }
    return range;
}

// Where the lanes' data lie: `data` is the place of the address `origin`. Null if the access is not a plain
// one.
struct Place {
    std::byte* data = nullptr;
    u64 origin = 0;
    u64 size = 0;  // of the memory from the origin on
    [[nodiscard]] HWY_INLINE std::byte* of(u64 address) const { return data + (address - origin); }
};

template <class Observer>
HWY_INLINE Place plain_place(Worker& worker, Space space, const Range& range, u64 size, bool store) {
    // Lanes on both sides of address 0 have no range.
    if ((range.bits & (size - 1)) != 0 || range.low > range.high) return {};
    const u64 end = range.high + size;
    if (space == Space::shared) {
        if (Observer::kFollowsLanes) return {};
        return end <= worker.shared.size() && range.high < kWindowSize
                   ? Place{worker.shared.data(), 0, worker.shared.size()}
                   : Place{};
    }
    if (space == Space::constant) {
        const Region* constants = worker.constants;
        if (store || !constants || range.low < constants->base || end - constants->base > constants->size)
            return {};
        return {constants->data, constants->base, constants->size};
    }
    if (space != Space::global) return {};
    const Region* region = find_region(worker, range.low, end);
    if (!region || (Observer::kFollowsLanes && region->writable) || (store && !region->writable)) return {};
    return {region->data, region->base, region->size};
}

// ---- registers from memory

template <int kRun, typename M, typename R>
HWY_INLINE void gather_runs(const Place& place, const Addresses& from, R* d) {
    for (int first = 0; first < kLanes; first += kRun) {
        HWY_ALIGN M row[kRun];
        std::memcpy(row, place.of(from.of[first]), sizeof row);
        for (int k = 0; k < kRun; ++k) d[first + k] = R(row[k]);
    }
}

template <typename M>
HWY_INLINE M value_at(const Place& place, u64 address, int element) {
    M value;
    std::memcpy(&value, place.of(address) + std::size_t(element) * sizeof(M), sizeof value);
    return value;
}

// One element a lane, all lanes.
template <typename M, typename R>
HWY_INLINE void gather(const Place& place, const Addresses& from, const AccessPattern& pattern, R* d) {
    if (pattern.same) {
        std::fill_n(d, kLanes, R(value_at<M>(place, from.of[0], 0)));
        return;
    }
    switch (pattern.run) {
        case 32:
            return gather_runs<32, M>(place, from, d);
        case 16:
            return gather_runs<16, M>(place, from, d);
        case 8:
            return gather_runs<8, M>(place, from, d);
        case 4:
            return gather_runs<4, M>(place, from, d);
        default:
            for (int lane = 0; lane < kLanes; ++lane) d[lane] = R(value_at<M>(place, from.of[lane], 0));
    }
}

// Several elements a lane, all in one piece of memory.
template <int kCount, typename M, typename R>
HWY_INLINE void gather_vectors(Warp& warp, const MemoryAccess& m, const Place& place, u64 first) {
    HWY_ALIGN M row[kCount * kLanes];
    std::memcpy(row, place.of(first), sizeof row);
    for (int element = 0; element < kCount; ++element) {
        R* d = lanes<R>(warp, m.elements[std::size_t(element)]);
        for (int lane = 0; lane < kLanes; ++lane) d[lane] = R(row[kCount * lane + element]);
    }
}

template <typename M, typename R>
HWY_INLINE void load_all(Warp& warp, const MemoryAccess& m, const Place& place, const Addresses& from,
                         const AccessPattern& pattern) {
    if (m.count == 1) return gather<M>(place, from, pattern, lanes<R>(warp, m.elements[0]));
    if (pattern.run == kLanes && m.count == 2) return gather_vectors<2, M, R>(warp, m, place, from.of[0]);
    if (pattern.run == kLanes && m.count == 4) return gather_vectors<4, M, R>(warp, m, place, from.of[0]);
    for (int element = 0; element < m.count; ++element) {
        R* d = lanes<R>(warp, m.elements[std::size_t(element)]);
        for (int lane = 0; lane < kLanes; ++lane) d[lane] = R(value_at<M>(place, from.of[lane], element));
    }
}

template <typename M, typename R>
HWY_INLINE void load_some(Warp& warp, const MemoryAccess& m, const Place& place, const Addresses& from) {
    for (int element = 0; element < m.count; ++element) {
        R* d = lanes<R>(warp, m.elements[std::size_t(element)]);
        for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
            const int lane = std::countr_zero(mask);
            d[lane] = R(value_at<M>(place, from.of[lane], element));
        }
    }
}

// ---- registers to memory

template <int kRun, typename M, typename R>
HWY_INLINE void scatter_runs(const Place& place, const Addresses& to, const R* s) {
    for (int first = 0; first < kLanes; first += kRun) {
        HWY_ALIGN M row[kRun];
        for (int k = 0; k < kRun; ++k) row[k] = M(s[first + k]);
        std::memcpy(place.of(to.of[first]), row, sizeof row);
    }
}

template <typename M, typename R>
HWY_INLINE void store_some(Warp& warp, const MemoryAccess& m, const Place& place, const Addresses& to) {
    for (int element = 0; element < m.count; ++element) {
        const R* s = lanes<R>(warp, m.elements[std::size_t(element)]);
        for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
            const int lane = std::countr_zero(mask);
            const M value = M(s[lane]);
            std::memcpy(place.of(to.of[lane]) + std::size_t(element) * sizeof(M), &value, sizeof value);
        }
    }
}

template <typename M, typename R>
HWY_INLINE void store_all(Warp& warp, const MemoryAccess& m, const Place& place, const Addresses& to,
                          const AccessPattern& pattern) {
    if (m.count == 1 && pattern.run >= 4) {
        const R* s = lanes<R>(warp, m.elements[0]);
        if (pattern.run == 32) return scatter_runs<32, M>(place, to, s);
        if (pattern.run == 16) return scatter_runs<16, M>(place, to, s);
        if (pattern.run == 8) return scatter_runs<8, M>(place, to, s);
        return scatter_runs<4, M>(place, to, s);
    }
    store_some<M, R>(warp, m, place, to);
}

// ---- the operations

// Calls run with a value of the type that an element has in memory.
template <typename R, bool kSigned, typename Run>
HWY_INLINE void by_width(int bytes, const Run& run) {
    if constexpr (kSigned) {
        if (bytes == 1) return run(std::int8_t());
        if (bytes == 2) return run(s16());
        run(s32());
    } else {
        if (bytes == 1) return run(u8());
        if (bytes == 2) return run(u16());
        if (bytes == 4) return run(u32());
        run(R());
    }
}

// For translated code, which then finds accesses of the same pattern and memory by itself.
HWY_INLINE void remember(AccessPattern& pattern, const Place& place, u64 size) {
    constexpr u64 kFar = 1ull << 30;  // distances are to be offsets of 32 bits
    const u64 span = pattern.high - pattern.low;
    // Values of few bytes are gathered as 4.
    const u64 needed = span + std::max<u64>(size, 4);
    const bool is_near = place.data && span < kFar && place.size >= needed;
    pattern.near_place.first = place.origin - pattern.low;
    pattern.near_place.count = is_near ? place.size - needed + 1 : 0;
    pattern.near_place.offset = reinterpret_cast<std::uintptr_t>(place.data) - place.origin;
    pattern.near_place.shape = pattern.run == kLanes ? AccessShape::row
                               : pattern.same        ? AccessShape::same
                               : pattern.run >= 8    ? AccessShape::rows_of_8
                               : pattern.quads       ? AccessShape::quads
                                                     : AccessShape::scattered;
}

// The place of an access, of which the observer knows; null if it goes lane by lane.
template <class Observer>
HWY_INLINE Place observed_place(Warp& warp, const Instruction& i, const Addresses& addresses,
                                AccessPattern& pattern, bool store) {
    const MemoryAccess& m = memory_of(i);
    const auto size = u64(m.whole_bytes());
    const Range range = range_of(pattern, addresses);
    const Place place = plain_place<Observer>(*warp.worker, m.space, range, size, store);
    remember(pattern, place, size);
    if (place.data) observer_of<Observer>(warp).access(warp, {i, addresses.of, warp.mask, &pattern});
    return place;
}

// The data of a plain access. Of a whole warp, which nearly all are, in its place; of some lanes in one
// function for all observers: each has all widths in it, and takes long to compile.
template <typename R, bool kSigned>
HWY_INLINE void read_all(Warp& warp, const MemoryAccess& m, const Place& place, const Addresses& from,
                         const AccessPattern& pattern) {
    // Results narrower than a lane are kept as the register holds them: 16-bit registers zero-extended.
    by_width<R, kSigned>(m.bytes, [&]<typename M>(M) { load_all<M, R>(warp, m, place, from, pattern); });
}
template <typename R, bool kSigned>
HWY_NOINLINE void read_some(Warp& warp, const MemoryAccess& m, Place place, const Addresses& from) {
    by_width<R, kSigned>(m.bytes, [&]<typename M>(M) { load_some<M, R>(warp, m, place, from); });
}
template <typename R>
HWY_INLINE void write_all(Warp& warp, const MemoryAccess& m, const Place& place, const Addresses& to,
                          const AccessPattern& pattern) {
    by_width<R, false>(m.bytes, [&]<typename M>(M) { store_all<M, R>(warp, m, place, to, pattern); });
}
template <typename R>
HWY_NOINLINE void write_some(Warp& warp, const MemoryAccess& m, Place place, const Addresses& to) {
    by_width<R, false>(m.bytes, [&]<typename M>(M) { store_some<M, R>(warp, m, place, to); });
}

template <typename R, bool kSigned, bool kFull, class Observer>
void load(Warp& warp, const Instruction& i) {
    const MemoryAccess& m = memory_of(i);
    Addresses from;
    address_lanes(warp, i.a, m.wide_address, u64(m.offset), from);
    AccessPattern& pattern = pattern_of<kFull, Observer>(warp, i, from, warp.mask);
    const Place place = observed_place<Observer>(warp, i, from, pattern, false);
    if (!place.data) return load_lane_by_lane<Observer>(warp, i, from.of, sizeof(R), kSigned);
    if constexpr (kFull)
        read_all<R, kSigned>(warp, m, place, from, pattern);
    else
        read_some<R, kSigned>(warp, m, place, from);
}

template <typename R, bool kFull, class Observer>
void store(Warp& warp, const Instruction& i) {
    const MemoryAccess& m = memory_of(i);
    Addresses to;
    address_lanes(warp, i.a, m.wide_address, u64(m.offset), to);
    AccessPattern& pattern = pattern_of<kFull, Observer>(warp, i, to, warp.mask);
    const Place place = observed_place<Observer>(warp, i, to, pattern, true);
    if (!place.data) return store_lane_by_lane<Observer>(warp, i, to.of, sizeof(R));
    if constexpr (kFull)
        write_all<R>(warp, m, place, to, pattern);
    else
        write_some<R>(warp, m, place, to);
}

template <int kBytes>
HWY_INLINE void read_copies(AsyncCopies::Batch& batch, const Place& source, const Addresses& from,
                            u32 reading) {
    std::byte* data = batch.data.data();
    if (reading == kAllLanes) {
        for (int lane = 0; lane < kLanes; ++lane)
            std::memcpy(data + lane * kBytes, source.of(from.of[lane]), kBytes);
        return;
    }
    std::memset(data, 0, std::size_t(kLanes) * kBytes);
    for (; reading != 0; reading &= reading - 1) {
        const int lane = std::countr_zero(reading);
        std::memcpy(data + lane * kBytes, source.of(from.of[lane]), kBytes);
    }
}

// Begins a copy from global to shared memory that passes no register. Lanes copy everything or, with a size
// of 0, write zeros; other sizes go lane by lane.
template <class Observer>
void copy(Warp& warp, const Instruction& i) {
    const auto& m = detail_of<AsyncCopy>(i);
    Addresses from;
    Addresses to;
    address_lanes(warp, i.a, true, u64(m.offset), from);
    address_lanes(warp, i.b, m.wide_target, u64(m.target_offset), to);
    u32 reading = warp.mask;
    u32 odd_sizes = 0;
    if (i.c >= 0) {
        const u32* sizes = lanes<u32>(warp, i.c);
        reading = 0;
        for (int lane = 0; lane < kLanes; ++lane) {
            reading |= u32(sizes[lane] >= m.bytes) << lane;
            odd_sizes |= u32(sizes[lane] != 0 && sizes[lane] < m.bytes) << lane;
        }
        reading &= warp.mask;
    }
    Worker& worker = *warp.worker;
    if ((odd_sizes & warp.mask) != 0) return copy_async<Observer>(warp, i);
    const u64 size = m.bytes;
    const Place target = plain_place<Observer>(worker, Space::shared, range_of(warp.mask, to), size, true);
    if (!target.data) return copy_async<Observer>(warp, i);
    Place source;
    if (reading != 0) {
        AccessPattern& pattern = reading == kAllLanes ? pattern_of<true, Observer>(warp, i, from, reading)
                                                      : pattern_of<false, Observer>(warp, i, from, reading);
        source = plain_place<Observer>(worker, Space::global, range_of(pattern, from), size, false);
        remember(pattern, source, size);
        if (!source.data) return copy_async<Observer>(warp, i);
        observer_of<Observer>(warp).access(warp, {i, from.of, reading, &pattern});
    }
    AsyncCopies::Batch& batch = worker.copies->begin(warp.index, warp.mask, m.bytes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) batch.offset[lane] = u32(to.of[lane]);
    if (size == 16) return read_copies<16>(batch, source, from, reading);
    if (size == 8) return read_copies<8>(batch, source, from, reading);
    read_copies<4>(batch, source, from, reading);
}

template <typename R, bool kSigned>
constexpr Observed kLoad = observed([]<class Observer> {
    return Handlers{&load<R, kSigned, true, Observer>, &load<R, kSigned, false, Observer>};
});
template <typename R>
constexpr Observed kStore = observed([]<class Observer> {
    return Handlers{&store<R, true, Observer>, &store<R, false, Observer>};
});
constexpr Observed kCopy = observed([]<class Observer> {
    return Handlers{&copy<Observer>, &copy<Observer>};
});

// Lists the operations; a function, since Highway wants one to dispatch.
const Operation* find_memory(std::string_view key) {
    const auto lsu = [](std::string_view name, const Observed& handlers) {
        return Operation{name, "", nullptr, nullptr, Pipe::lsu, 0, &handlers};
    };
    static const Operation kTable[] = {
        lsu("load", kLoad<u32, false>),
        lsu("load.signed", kLoad<u32, true>),
        lsu("load.wide", kLoad<u64, false>),
        lsu("load.wide.signed", kLoad<u64, true>),
        lsu("store", kStore<u32>),
        lsu("store.wide", kStore<u64>),
        lsu("copy", kCopy),
    };
    return entry_named(key, kTable);
}

}  // namespace ws::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ws::simt {

HWY_EXPORT(find_memory);

const Operation* find_memory_operation(std::string_view key) {
    return HWY_DYNAMIC_DISPATCH(find_memory)(key);
}

}  // namespace ws::simt
#endif
