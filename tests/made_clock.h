#pragma once
// A kernel's warps as a clock of a multiprocessor might have run them, made up for tests: a load, a barrier,
// arithmetic, a store, over and over.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/clocked_kernel.h"

namespace ws {

struct MadeClock {
    int blocks = 1, most_blocks = 16, warps_per_block = 4, schedulers = 4;
    std::int64_t clocks = 4000;
    int line = 20;  // of the first instruction
};

// One warp a clock issues; each waits for memory 300 clocks after every eighth instruction.
inline std::shared_ptr<const ClockedKernel> made_clock(const MadeClock& made) {
    auto kernel = std::make_shared<ClockedKernel>();
    kernel->key.blocks = kernel->blocks = made.blocks;
    kernel->most_blocks = made.most_blocks;
    kernel->warps_per_block = made.warps_per_block;
    kernel->schedulers = made.schedulers;
    kernel->names = {"LDG", "IADD3", "FFMA", "BAR", "MUFU", "LDS", "FADD", "STG"};
    for (int i = 0; i < 8; ++i) kernel->lines.push_back(i == 3 ? 0 : made.line + i);
    WarpTimeline& timeline = kernel->timeline;
    timeline.clocks = made.clocks;
    timeline.rows.resize(std::size_t(kernel->warps()));
    struct Warp {
        std::int64_t ready = 0;
        int next = 0;
        WarpState why = WarpState::dependency;
    };
    std::vector<Warp> warps(timeline.rows.size());
    constexpr std::int64_t kWaits[] = {300, 4, 6, 40, 16, 9, 5, 12};
    constexpr WarpState kWhy[] = {WarpState::memory,     WarpState::dependency, WarpState::dependency,
                                  WarpState::barrier,    WarpState::pipe,       WarpState::dependency,
                                  WarpState::dependency, WarpState::pipe};
    std::int64_t issued = 0;
    const auto put = [&](std::size_t row, std::int64_t clock, WarpState state, int instruction) {
        ++timeline.states[std::size_t(state)];
        std::vector<TimelineSpan>& spans = timeline.rows[row].spans;
        if (!spans.empty() && spans.back().state == state && spans.back().instruction == instruction)
            spans.back().until = clock + 1;
        else
            spans.push_back({clock, clock + 1, state, instruction});
    };
    for (std::int64_t clock = 0; clock < made.clocks; ++clock) {
        bool taken = false;
        for (std::size_t row = 0; row < warps.size(); ++row) {
            Warp& warp = warps[row];
            if (warp.ready > clock) {
                put(row, clock, warp.why, warp.next);
            } else if (taken) {
                put(row, clock, WarpState::not_selected, warp.next);
            } else {
                put(row, clock, WarpState::issuing, warp.next);
                taken = true;
                ++issued;
                warp.ready = clock + kWaits[warp.next];
                warp.why = kWhy[warp.next];
                warp.next = (warp.next + 1) % 8;
            }
        }
    }
    timeline.issue_percent = 100.0 * double(issued) / double(std::max<std::int64_t>(1, made.clocks));
    return kernel;
}

// Of two blocks, and of sixteen.
inline ChosenClock few_and_many(std::int64_t clocks = 4000) {
    return {
        made_clock({.blocks = 2, .clocks = clocks}), made_clock({.blocks = 16, .clocks = clocks}), false, {}};
}

}  // namespace ws
