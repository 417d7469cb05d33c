#pragma once
// One of the schedulers of the clock's multiprocessor: its warps, its pipes and what it is about to issue.
// Times are in clocks.

#include <array>
#include <vector>

#include "gpu/analysis/clock_spans.h"
#include "gpu/analysis/ready_warps.h"
#include "gpu/analysis/register_ports.h"
#include "gpu/analysis/running_warps.h"
#include "gpu/analysis/scheduler_pipes.h"
#include "gpu/analysis/warp_states.h"

namespace ws {

struct WarpScheduler {
    // `rates` outlives it.
    explicit WarpScheduler(const ClockRates& rates) : pipes(rates) {}
    explicit WarpScheduler(const ClockRates&& temporary) = delete;

    std::vector<RunningWarp> warps;
    ReadyWarps ready;  // of these, by row; not of one that has ended, or that a barrier holds
    int place = 0;     // among those of the multiprocessor
    SchedulerPipes pipes;
    RegisterPorts ports;
    int held = -1;                                  // the warp whose chosen instruction waits for the ports
    double issues_at = 0;                           // it is issued then
    double free = 0;                                // from when on another one can be chosen
    ClockSpans blocked;                             // when it could not issue, whoever was ready
    std::array<ClockSpans, kSharedQueues> no_room;  // when its queue before a unit was full
    std::vector<ReadyWarps::Place> by_age;          // of the last sorting: it has the room

    // Who has ended is in no order.
    void sort_by_age();
    // What has held the next instruction of one of its warps until now, since its last one.
    [[nodiscard]] Holds holds_of(const RunningWarp& warp, double now) const;
};

}  // namespace ws
