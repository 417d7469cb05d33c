// Asynchronous copies from global to shared memory, and the waits for them.

#include "gpu/simt/special_operations.h"

#include <algorithm>
#include <array>

#include "gpu/simt/async_copies.h"
#include "gpu/simt/copy_operations.h"
#include "gpu/simt/lane_access.h"
#include "gpu/simt/observer_sets.h"
#include "gpu/simt/places.h"

namespace ws::simt {
namespace {

// Where a lane's copy goes, and what it brings: late, where copies are followed.
template <class Observer>
void deliver(Warp& warp, const Instruction& i, int lane, const std::array<std::byte, 16>& read) {
    const auto& detail = detail_of<AsyncCopy>(i);
    const u64 to = (detail.wide_target ? slot<u64>(warp, i.b)[lane] : slot<u32>(warp, i.b)[lane]) +
                   u64(detail.target_offset);
    const LaneTouch target = find_shared_place(warp, i, lane, to, detail.bytes);
    if (!target.place) return;
    if (AsyncCopies* copies = warp.worker->copies) {
        observer_of<Observer>(warp).begin_copy(warp, target);
        copies->begin(warp.index * kLanes + lane, {to, detail.bytes, read, 0});
    } else {
        std::copy_n(read.begin(), detail.bytes, target.place);
    }
}

}  // namespace

template <class Observer>
void copy_async(Warp& warp, const Instruction& i) {
    const auto& detail = detail_of<AsyncCopy>(i);
    std::array<u64, kLanes> addresses{};
    u32 reading = 0;
    for_lanes(warp.mask, [&](int lane) {
        const auto at = std::size_t(lane);
        addresses[at] = slot<u64>(warp, i.a)[lane] + u64(detail.offset);
        const int size =
            i.c >= 0 ? int(std::min<u32>(slot<u32>(warp, i.c)[lane], detail.bytes)) : detail.bytes;
        // All bytes in one piece, or the first ones each on their own.
        std::array<std::byte, 16> read{};
        const int piece = size == detail.bytes ? size : 1;
        for (int k = 0; k < size; k += piece) {
            const std::byte* from =
                place_of<Observer>(warp, i, lane, addresses[at] + u64(k), piece, Access::read);
            if (from) std::copy_n(from, piece, read.begin() + k);
        }
        if (size > 0) reading |= 1u << lane;
        deliver<Observer>(warp, i, lane, read);
    });
    if (reading != 0) observer_of<Observer>(warp).access(warp, {i, addresses.data(), reading});
}

#define WS_INSTANTIATE(Observer) template void copy_async<Observer>(Warp&, const Instruction&);
WS_FOR_OBSERVERS(WS_INSTANTIATE)
#undef WS_INSTANTIATE

void commit_copies(Warp& warp, const Instruction& /*instruction*/) {
    AsyncCopies* copies = warp.worker->copies;
    if (!copies) return;
    for_lanes(warp.mask, [&](int lane) { copies->commit(warp.index * kLanes + lane); });
}

namespace {

template <class Observer>
void wait_for_copies(Warp& warp, const Instruction& i) {
    Worker& worker = *warp.worker;
    if (!worker.copies) return;
    for_lanes(warp.mask, [&](int lane) {
        const int thread = warp.index * kLanes + lane;
        for (const AsyncCopies::Copy& copy : worker.copies->wait(thread, detail_of<CopyWait>(i).groups)) {
            std::copy_n(copy.data.begin(), copy.bytes, worker.shared + copy.offset);
            observer_of<Observer>(warp).end_copy(copy.offset, copy.bytes, thread);
        }
    });
}

}  // namespace

constinit const Observed kWaitForCopies = observed([]<class Observer> {
    return Handlers{&wait_for_copies<Observer>, &wait_for_copies<Observer>};
});

}  // namespace ws::simt
