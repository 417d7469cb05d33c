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

template <class Observer>
void copy_async(Warp& warp, const Instruction& i) {
    const auto& detail = detail_of<AsyncCopy>(i);
    std::array<u64, kLanes> addresses{};
    u32 reading = 0;
    u32 writing = 0;
    AsyncCopies::Batch made;
    made.bytes = detail.bytes;
    made.data.fill(std::byte(0));
    for_lanes(warp.mask, [&](int lane) {
        const auto at = std::size_t(lane);
        addresses[at] = slot<u64>(warp, i.a)[lane] + u64(detail.offset);
        const int size =
            i.c >= 0 ? int(std::min<u32>(slot<u32>(warp, i.c)[lane], detail.bytes)) : detail.bytes;
        // All bytes in one piece, or the first ones each on their own; the rest are zeros.
        const int piece = size == detail.bytes ? size : 1;
        for (int k = 0; k < size; k += piece) {
            const std::byte* from =
                place_of<Observer>(warp, i, lane, addresses[at] + u64(k), piece, Access::read);
            if (from) std::copy_n(from, piece, made.data_of(lane) + k);
        }
        if (size > 0) reading |= 1u << lane;
        const u64 to = (detail.wide_target ? slot<u64>(warp, i.b)[lane] : slot<u32>(warp, i.b)[lane]) +
                       u64(detail.target_offset);
        const LaneTouch target = find_shared_place(warp, i, lane, to, detail.bytes);
        if (!target.place) return;
        observer_of<Observer>(warp).begin_copy(warp, target);
        made.offset[at] = u32(target.address);
        writing |= 1u << lane;
    });
    if (writing != 0) {
        AsyncCopies::Batch& batch = warp.worker->copies->begin(warp.index, writing, detail.bytes);
        batch.offset = made.offset;
        batch.data = made.data;
    }
    if (reading != 0) observer_of<Observer>(warp).access(warp, {i, addresses.data(), reading});
}

#define WS_INSTANTIATE(Observer) template void copy_async<Observer>(Warp&, const Instruction&);
WS_FOR_OBSERVERS(WS_INSTANTIATE)
#undef WS_INSTANTIATE

void commit_copies(Warp& warp, const Instruction& /*instruction*/) {
    warp.worker->copies->commit(warp.index, warp.mask);
}

namespace {

template <class Observer>
void wait_for_copies(Warp& warp, const Instruction& i) {
    warp.worker->copies->wait(warp.index, warp.mask, detail_of<CopyWait>(i).groups,
                              [&](const AsyncCopies::Batch& batch, u32 lanes) {
                                  if constexpr (Observer::kFollowsLanes) {
                                      for_lanes(lanes, [&](int lane) {
                                          observer_of<Observer>(warp).end_copy(
                                              batch.offset[std::size_t(lane)], batch.bytes,
                                              warp.index * kLanes + lane);
                                      });
                                  }
                              });
}

}  // namespace

constinit const Observed kWaitForCopies = observed([]<class Observer> {
    return Handlers{&wait_for_copies<Observer>, &wait_for_copies<Observer>};
});

}  // namespace ws::simt
