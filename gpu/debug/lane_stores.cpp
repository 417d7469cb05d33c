#include "gpu/debug/lane_stores.h"

#include <cstring>
#include <map>

namespace ws::debug {
namespace {

using State = simt::WarpState::State;

// The warp that goes on, as long as it can; then the lowest that can. -1: none.
int next_in_order(const simt::SteppedBlock& block, int now) {
    const auto& warps = block.state().warps;
    if (now >= 0 && warps[std::size_t(now)].state == State::ready) return now;
    for (std::size_t i = 0; i < warps.size(); ++i) {
        if (warps[i].state == State::ready) return int(i);
    }
    return -1;
}

}  // namespace

BlockStores stores_of(StartedBlock started, std::uint64_t block, const std::atomic<bool>& cancel,
                      std::uint64_t most_steps) {
    std::map<std::uint64_t, LaneStore> last;
    simt::SteppedBlock& stepped = *started.block;
    const std::byte* const first = started.result.data();
    const std::byte* const end = first + started.result.size();
    int warp = -1;
    std::uint64_t step = 0;
    for (; !stepped.ended() && step < most_steps && !cancel; ++step) {
        warp = next_in_order(stepped, warp);
        if (warp < 0) break;
        stepped.step(warp, true);
        for (const simt::LaneWrite& write : stepped.writes()) {
            if (!write.place || write.place < first || write.place + write.bytes > end) continue;
            LaneStore one{warp, write.lane, step, std::uint64_t(write.place - first), write.bytes, 0};
            std::memcpy(&one.bits, write.place, std::min<std::size_t>(sizeof one.bits, write.bytes));
            last.insert_or_assign(one.offset, one);
        }
    }
    BlockStores made{block, stepped.ended() && !cancel, {}};
    for (const auto& [offset, one] : last) made.stores.push_back(one);
    return made;
}

}  // namespace ws::debug
