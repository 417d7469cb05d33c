#include "gpu/analysis/warp_states.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ws {

namespace {

// The clock that begins then or later.
std::int64_t whole(double clock) {
    const auto before = std::int64_t(clock);
    return before + (double(before) < clock ? 1 : 0);
}

}  // namespace

WarpStates::WarpStates(std::size_t instructions, std::int64_t timeline_clocks, SpanLog* log)
    : by_instruction(instructions),
      timeline_clocks_(timeline_clocks),
      log_(log),
      full_until_(double(std::numeric_limits<std::int64_t>::max())) {}

void WarpStates::waited(Place warp, int instruction, const Holds& holds, double now) {
    double from = holds.from;
    const auto span = [&](WarpState state, double until, int at) {
        until = std::min(until, now);
        if (until <= from) return;
        add_span(warp, state, from, until, at);
        from = until;
    };
    const auto wait_for = [&](WarpState state, double until) { span(state, until, instruction); };
    wait_for(WarpState::dependency, holds.stall);
    wait_for(WarpState::fetch, holds.fetched);
    // At a barrier, which it has issued, and not at what comes behind it.
    if (holds.barrier > 0) span(WarpState::barrier, holds.barrier, holds.barrier_instruction);
    wait_for(holds.memory > holds.dependency ? WarpState::memory : WarpState::dependency,
             std::max(holds.memory, holds.dependency));
    // When the pipe took another one it could have taken this one: that clock is no wait for it.
    const double by_pipe = holds.others * holds.by_each;
    wait_for(WarpState::pipe, from + std::max(by_pipe, holds.no_room) + holds.blocked);
    wait_for(WarpState::not_selected, now);
}

void WarpStates::add_span(Place warp, WarpState state, double from, double until, int instruction) {
    const std::int64_t begin = whole(from);
    const std::int64_t clocks = whole(until) - begin;
    if (clocks > 0) add_clocks(warp, state, begin, clocks, instruction);
}

void WarpStates::add_to_timeline(int row, const TimelineSpan& span) {
    if (double(span.from) >= full_until_) return;
    timeline_.states[std::size_t(span.state)] += span.until - span.from;
    if (span.from < timeline_clocks_) timeline_.rows[std::size_t(row)].spans.push_back(span);
}

WarpTimeline WarpStates::finish_timeline(std::int64_t of_launch) {
    const double clocks = std::min(double(of_launch), full_until_);
    if (clocks > 0)
        timeline_.issue_percent = 100.0 * double(timeline_.states[std::size_t(WarpState::issuing)]) / clocks;
    timeline_.clocks = std::min(std::int64_t(clocks), timeline_clocks_);
    return std::exchange(timeline_, {});
}

}  // namespace ws
