#include "gpu/analysis/warp_scheduler.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "gpu/analysis/latest.h"

namespace ws {

void WarpScheduler::sort_by_age() {
    by_age.clear();
    for (const RunningWarp& one : warps)
        if (!one.ended) by_age.push_back({one.row, one.block});
    std::sort(by_age.begin(), by_age.end(), [](const auto& a, const auto& b) {
        return std::pair(a.block, a.row) < std::pair(b.block, b.row);
    });
    ready.set_order(by_age);
}

Holds WarpScheduler::holds_of(const RunningWarp& warp, double now) const {
    Holds holds;
    holds.from = warp.counted;
    holds.stall = warp.next;
    holds.fetched = warp.fetched;
    if (warp.stops_at_barrier) holds.barrier = warp.at_barrier ? now : warp.passed_barrier;
    holds.barrier_instruction = warp.barrier;
    holds.dependency = warp.wait.dependency;
    holds.memory = warp.wait.memory;
    const double may_issue =
        std::min(now, latest(holds.from, warp.next, holds.barrier, warp.wait.dependency, warp.wait.memory));
    const double waits_from = std::max(may_issue, warp.fetched);
    if (waits_from >= now) return holds;
    const IssueGate gate = warp.facts->gate;
    holds.others = pipes.taken_since(gate.pipe, waits_from);
    holds.by_each = pipes.clocks_of(gate.pipe) - 1;
    holds.no_room = no_room[std::size_t(gate.queue)].within(waits_from, now);
    const double while_blocked = blocked.within(waits_from, now);
    // As if blocked as often while there was no room as otherwise.
    holds.blocked = while_blocked * (1 - holds.no_room / (now - waits_from));
    return holds;
}

}  // namespace ws
