#pragma once
// What the warps of one scheduler do, clock by clock: rows of spans, each in one state, in order of time.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ws {

// Why a warp does not issue, by Nsight Compute's words for warp states in short.
enum class WarpState : std::uint8_t {
    issuing,
    not_selected,  // ready, but another warp was taken
    memory,        // for global or local memory or a texture (long scoreboard)
    barrier,       // for the other warps of its block
    dependency,    // for a result of arithmetic, of shared memory, of a special function
    pipe,          // for a unit that has work (throttle)
    fetch,         // for its next instruction (no instruction)
    drain,         // has ended, until what it stored has arrived
};
inline constexpr std::size_t kWarpStates = 8;
inline constexpr std::array<std::string_view, kWarpStates> kWarpStateNames{"issuing",
                                                                           "ready, not selected",
                                                                           "waiting for memory",
                                                                           "waiting for a barrier",
                                                                           "execution dependency",
                                                                           "waiting for a pipe",
                                                                           "waiting for instructions",
                                                                           "waiting for its stores"};
[[nodiscard]] constexpr std::string_view name_of(WarpState state) {
    return kWarpStateNames[std::size_t(state)];
}

// In one word, as JSON has it.
inline constexpr std::array<std::string_view, kWarpStates> kShortWarpStateNames{
    "issuing", "not_selected", "memory", "barrier", "dependency", "pipe", "fetch", "drain"};
[[nodiscard]] constexpr std::string_view short_name(WarpState state) {
    return kShortWarpStateNames[std::size_t(state)];
}

// Clocks by state.
using StateClocks = std::array<std::int64_t, kWarpStates>;

struct TimelineSpan {
    std::int64_t from = 0, until = 0;  // clocks; `until` is the first one that is not part of it
    WarpState state = WarpState::issuing;
    int instruction = 0;  // of the machine code: that is issued, or waits to be; at a barrier, the barrier
};

// A place for a warp: when its block has ended, one of another block takes it.
struct TimelineRow {
    std::vector<TimelineSpan> spans;
};

struct WarpTimeline {
    std::vector<TimelineRow> rows;
    std::int64_t clocks = 0;  // that the spans cover
    // Of all clocks in which as many blocks were resident as may be: a warp was issued...
    double issue_percent = 0;
    StateClocks states{};  // ...and what the scheduler's warps did
};

}  // namespace ws
