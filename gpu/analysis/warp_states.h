#pragma once
// Where the clocks of warps went: of all, by instruction, and of one scheduler's warps in rows of spans.

#include <cstdint>
#include <vector>

#include "gpu/analysis/span_log.h"
#include "gpu/core/warp_timeline.h"

namespace ws {

// What held an instruction after the warp's last one, until when, in the order in which it counts: a clock
// is of the first that holds it.
struct Holds {
    double from = 0;     // the clock after the last instruction
    double stall = 0;    // its stall count
    double fetched = 0;  // it is there
    double barrier = 0;  // 0: none
    int barrier_instruction = 0;
    double dependency = 0, memory = 0;  // scoreboards
    // Of the rest: how many others of its scheduler used the pipe, and the clocks each of them took beyond
    // the one in which it was issued; clocks in which the unit's queue had no room, and clocks beside these
    // in which its scheduler could not issue anything.
    int others = 0;
    double by_each = 0;
    double no_room = 0;
    double blocked = 0;
};

class WarpStates {
  public:
    // Writes down spans of the first clocks, and all spans into the log. Null: there is none.
    WarpStates(std::size_t instructions, std::int64_t timeline_clocks, SpanLog* log);

    // `row`: of the timeline, -1 for a warp that is not in it.
    struct Place {
        int scheduler = 0;
        int row = -1;
    };
    void add_row() { timeline_.rows.emplace_back(); }
    // Its next instruction has waited until now.
    void waited(Place warp, int instruction, const Holds& holds, double now);
    // An instruction is issued now.
    void issued(Place warp, int instruction, double now) {
        add_clocks(warp, WarpState::issuing, std::int64_t(now), 1, instruction);
    }
    // Its warp has ended by it, and waits until then.
    void drains(Place warp, int instruction, double from, double until) {
        add_span(warp, WarpState::drain, from, until, instruction);
    }
    // As many blocks were resident as may be, until now.
    void end_of_full(double now) { full_until_ = now; }
    // Once only; the launch took so many clocks.
    WarpTimeline finish_timeline(std::int64_t clocks);

    StateClocks states{};
    std::vector<StateClocks> by_instruction;

  private:
    void add_span(Place warp, WarpState state, double from, double until, int instruction);
    void add_clocks(Place warp, WarpState state, std::int64_t begin, std::int64_t clocks, int instruction) {
        states[std::size_t(state)] += clocks;
        by_instruction[std::size_t(instruction)][std::size_t(state)] += clocks;
        const TimelineSpan span{begin, begin + clocks, state, instruction};
        if (warp.row >= 0) add_to_timeline(warp.row, span);
        if (log_) log_->add(warp.scheduler, span);
    }
    void add_to_timeline(int row, const TimelineSpan& span);

    WarpTimeline timeline_;
    std::int64_t timeline_clocks_;
    SpanLog* log_;
    double full_until_;
};

}  // namespace ws
