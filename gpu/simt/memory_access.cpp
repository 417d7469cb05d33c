#include "gpu/simt/memory_access.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "gpu/simt/observer_sets.h"
#include "gpu/simt/places.h"

namespace ws::simt {
namespace {

using std::uint32_t;
using std::uint64_t;

constexpr uint64_t kStepsLaneByLane = 8;

}  // namespace

template <class Observer>
void load_lane_by_lane(Warp& warp, const Instruction& instruction, const uint64_t* addresses,
                       int register_bytes, bool is_signed) {
    const MemoryAccess& access = memory_of(instruction);
    const int element = access.bytes;
    const int whole = access.whole_bytes();
    uint32_t counted = 0;
    warp.worker->steps += kStepsLaneByLane;
    for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        const std::byte* place =
            place_of<Observer>(warp, instruction, lane, addresses[lane], whole, Access::read);
        if (place) counted |= 1u << lane;
        for (int i = 0; i < access.count; ++i) {
            uint64_t value = 0;
            if (place) std::memcpy(&value, place + i * element, std::size_t(element));
            if (is_signed) value = uint64_t(std::int64_t(value << (64 - 8 * element)) >> (64 - 8 * element));
            const std::int32_t out = access.elements[std::size_t(i)];
            if (register_bytes == 8) {
                slot<uint64_t>(warp, out)[lane] = value;
            } else {
                slot<uint32_t>(warp, out)[lane] = uint32_t(value);
            }
        }
    }
    if (counted) observer_of<Observer>(warp).access(warp, {instruction, addresses, counted});
}

template <class Observer>
void store_lane_by_lane(Warp& warp, const Instruction& instruction, const uint64_t* addresses,
                        int register_bytes) {
    const MemoryAccess& access = memory_of(instruction);
    const int element = access.bytes;
    const int whole = access.whole_bytes();
    uint32_t counted = 0;
    warp.worker->steps += kStepsLaneByLane;
    for (uint32_t mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        std::array<std::byte, 4 * sizeof(uint64_t)> values{};
        for (int i = 0; i < access.count; ++i) {
            const std::int32_t from = access.elements[std::size_t(i)];
            const uint64_t value =
                register_bytes == 8 ? slot<uint64_t>(warp, from)[lane] : slot<uint32_t>(warp, from)[lane];
            std::memcpy(values.data() + i * element, &value, std::size_t(element));
        }
        std::byte* place =
            place_of<Observer>(warp, instruction, lane, addresses[lane], whole, Access::write, values.data());
        if (!place) continue;
        counted |= 1u << lane;
        std::copy_n(values.begin(), whole, place);
    }
    if (counted) observer_of<Observer>(warp).access(warp, {instruction, addresses, counted});
}

#define WS_INSTANTIATE(Observer)                                                                      \
    template void load_lane_by_lane<Observer>(Warp&, const Instruction&, const uint64_t*, int, bool); \
    template void store_lane_by_lane<Observer>(Warp&, const Instruction&, const uint64_t*, int);
WS_FOR_OBSERVERS(WS_INSTANTIATE)
#undef WS_INSTANTIATE

}  // namespace ws::simt
