#pragma once
// What the clock of a multiprocessor says of a whole launch.

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/core/estimate.h"
#include "gpu/core/warp_timeline.h"

namespace ws {

struct ClockedLaunch {
    double ms = 0;            // among other launches of its stream
    double launch_ms = 0;     // of these: that any launch takes
    double instructions = 0;  // of warps
    double moved_bytes = 0;   // between the second level and device memory, if nothing was there before
    // How long each part of the GPU works in that time; latency: what the launch would take if every part
    // took any number of things at once. None is longer than the launch.
    std::vector<Bound> bounds;
    // Clocks that warps of a multiprocessor spent at each line of the source, by state; by line. What belongs
    // to no line is at 0.
    std::vector<StateClocks> at_line;
};

[[nodiscard]] constexpr std::int64_t clocks_of(const StateClocks& states) {
    std::int64_t sum = 0;
    for (const std::int64_t clocks : states) sum += clocks;
    return sum;
}

// Neither issuing nor ready to.
[[nodiscard]] constexpr bool is_wait(WarpState state) {
    return state != WarpState::issuing && state != WarpState::not_selected;
}

// Of all lines.
[[nodiscard]] inline StateClocks all_states(const ClockedLaunch& launch) {
    StateClocks sum{};
    for (const StateClocks& line : launch.at_line) {
        for (std::size_t state = 0; state < kWarpStates; ++state) sum[state] += line[state];
    }
    return sum;
}

// Null where no warp was at the line.
[[nodiscard]] inline const StateClocks* states_at(const ClockedLaunch* launch, int line) {
    if (!launch || line <= 0 || std::size_t(line) >= launch->at_line.size()) return nullptr;
    const StateClocks& states = launch->at_line[std::size_t(line)];
    return clocks_of(states) > 0 ? &states : nullptr;
}

// What they wait for most; none where they never do.
[[nodiscard]] inline std::optional<WarpState> main_wait(const StateClocks& states) {
    std::optional<WarpState> most;
    for (std::size_t i = 0; i < kWarpStates; ++i) {
        if (is_wait(WarpState(i)) && states[i] > (most ? states[std::size_t(*most)] : 0)) most = WarpState(i);
    }
    return most;
}

}  // namespace ws
