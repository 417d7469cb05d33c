#include "gpu/analysis/warp_states.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ws {

WarpStates::WarpStates(std::size_t instructions, std::int64_t timeline_clocks)
    : by_instruction(instructions),
      timeline_clocks_(timeline_clocks),
      full_until_(double(std::numeric_limits<std::int64_t>::max())) {}

void WarpStates::waited(int row, int instruction, const Holds& holds, double now) {
    double from = holds.from;
    const auto span = [&](WarpState state, double until, int at) {
        until = std::min(until, now);
        if (until <= from) return;
        add_span(row, state, from, until, at);
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
    const double by_queue = std::min(holds.queue, now) - from - holds.others;
    wait_for(WarpState::pipe, from + std::max({0.0, by_pipe, by_queue}) + holds.blocked);
    wait_for(WarpState::not_selected, now);
}

void WarpStates::issued(int row, int instruction, const Holds& holds, double now) {
    waited(row, instruction, holds, now);
    add_span(row, WarpState::issuing, now, now + 1, instruction);
}

void WarpStates::add_span(int row, WarpState state, double from, double until, int instruction) {
    const auto clocks = std::int64_t(std::ceil(until) - std::ceil(from));
    if (clocks <= 0) return;
    states[std::size_t(state)] += clocks;
    by_instruction[std::size_t(instruction)][std::size_t(state)] += clocks;
    const auto begin = std::int64_t(std::ceil(from));
    if (row < 0 || from >= full_until_) return;
    timeline_.states[std::size_t(state)] += clocks;
    if (begin >= timeline_clocks_) return;
    timeline_.rows[std::size_t(row)].spans.push_back({begin, begin + clocks, state, instruction});
}

WarpTimeline WarpStates::finish_timeline(std::int64_t of_launch) {
    const double clocks = std::min(double(of_launch), full_until_);
    if (clocks > 0)
        timeline_.issue_percent = 100.0 * double(timeline_.states[std::size_t(WarpState::issuing)]) / clocks;
    timeline_.clocks = std::min(std::int64_t(clocks), timeline_clocks_);
    return std::exchange(timeline_, {});
}

}  // namespace ws
