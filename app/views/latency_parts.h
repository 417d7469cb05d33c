#pragma once
// The page of latency hiding: which blocks are resident, which clocks are seen, and what is issued in one.

#include <cstdint>
#include <optional>
#include <string_view>

#include "app/views/views.h"
#include "gpu/core/clocked_kernel.h"

namespace ws {

// ---- what is looked at

// Of the kernel, that a multiprocessor holds, or gets of the launch where these are fewer; 0: not known yet.
[[nodiscard]] int most_blocks(const StepSnapshot& step);
// Of one scheduler, with so many blocks resident.
[[nodiscard]] int scheduler_warps(const StepSnapshot& step, int blocks);
// Rows that any kernel may need on this GPU: the places for warps of one scheduler.
[[nodiscard]] int warp_places(const Snapshot& snapshot, const ChosenClock& clock);

struct Resident {
    int few = 1, many = 1;
};
// Blocks, as they were asked for, within what a multiprocessor holds.
[[nodiscard]] Resident resident_blocks(const StepSnapshot& step, const LatencyPage& page);
// As an edit: all that fit are "as many as fit", whatever is shown next.
[[nodiscard]] ChooseResident to_resident(const StepSnapshot& step, Resident blocks);

struct SeenClocks {
    double from = 0, clocks = 1;
    [[nodiscard]] double until() const { return from + clocks; }
    friend bool operator==(const SeenClocks&, const SeenClocks&) = default;
};
inline constexpr double kFewestClocks = 24;
// That both timelines cover.
[[nodiscard]] double all_clocks(const ChosenClock& clock);
// What is seen of them.
[[nodiscard]] SeenClocks seen_clocks(const LatencyPage& page, const ChosenClock& clock);
// Closer (factor above 1) or further away, with the clock `around` where it was; and moved.
[[nodiscard]] SeenClocks zoomed(SeenClocks range, double around, double factor, double all);
[[nodiscard]] SeenClocks panned(SeenClocks range, double by, double all);

// The instruction that the scheduler issues in a clock, or that it issued last.
struct IssuedAt {
    int warp = 0;
    int instruction = 0;
    bool in_clock = false;  // else the slot is empty
};
[[nodiscard]] std::optional<IssuedAt> issued_at(const WarpTimeline& timeline, double clock);
// Null where the warp has none.
[[nodiscard]] const TimelineSpan* span_at(const TimelineRow& row, double clock);

// A line of a kernel's text, from 1, without the blanks that it begins with; empty where there is none.
[[nodiscard]] std::string_view line_text(std::string_view source, int line);

// ---- how it is drawn

// The key of a state's name; with ".tip" that of what it means.
[[nodiscard]] std::string_view state_key(WarpState state);
// A part of a warp's row in one state: what could issue is high, what waits is thin, and a busy pipe is two
// lines.
void draw_state(Canvas& canvas, Box part, WarpState state, float alpha);

struct ClockPanel {
    const ClockedKernel* kernel = nullptr;  // null: not there yet
    bool is_now = true;                     // many blocks; else few
    bool stale = false;
    int places = 1;  // rows that there is room for
    bool axis = false;
    std::string_view name{};  // of its work, where two kernels stand above each other
};
// Of a card: the names at its left, the rows of the warps, the slots used, the numbers of the clocks.
struct PanelParts {
    Box side, rows, issue, axis;
};
[[nodiscard]] PanelParts panel_parts(const Canvas& canvas, Box card, bool axis);
// The height of a row, of so many.
[[nodiscard]] float row_pitch(const ClockPanel& panel, const PanelParts& parts, std::size_t rows);
// `under`: the clock under the pointer, `at`: where the line stands.
struct ClockMarks {
    std::optional<double> under, at;
};
void draw_clock_panel(const Stage& stage, Box card, const ClockPanel& panel, const SeenClocks& range,
                      const ClockMarks& marks);

}  // namespace ws
