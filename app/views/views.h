#pragma once
// The views of the window. Each reads the snapshot and what is looked at, draws into its slots, adds to the
// edits what it is asked for, and does nothing else.
// To add a tab: a file here and a line in views.cpp.

#include <span>
#include <string_view>

#include "app/canvas/canvas.h"
#include "app/canvas/controls.h"
#include "app/views/experiment_scene.h"
#include "app/views/side_a.h"
#include "app/views/slots.h"
#include "app/window/edit.h"
#include "gpu/core/snapshot.h"
#include "gpu/core/sweep_result.h"

namespace ws {

struct MachineListing;
struct DebuggerPage;

// A version over an axis; null where nothing of it is known.
struct VersionCurve {
    int version = 0;
    const SweepResult* result = nullptr;
};
// What has been swept of what is shown, and of the baseline; null where there is nothing.
struct SweepPage {
    const SweepResult* now = nullptr;
    const SweepResult* base = nullptr;
    // Of all versions that have the axis, in their order; empty: they are not looked at.
    std::span<const VersionCurve> curves{};
    std::span<const int> values{};  // of a knob, in any of them, ascending
};

// What a view draws with and of.
struct Stage {
    Canvas& canvas;
    const Slots& slots;
    const Snapshot& snapshot;
    const ViewState& view;
    Edits& edits;
    const SweepPage* sweep = nullptr;             // null: nothing has been swept
    const ShownA* a = nullptr;                    // null: nothing is known of it
    const ExperimentScene* experiment = nullptr;  // in the place of the lab; null: none is shown
    const MachineListing* machine = nullptr;      // of the kernel whose source is shown; null: not looked at
    const DebuggerPage* debugger = nullptr;       // null: it is not looked at
};

// A page of the window, chosen by its tab. The story shows the picture, too.
struct TabView {
    Tab tab;
    std::string_view title;  // the key of its text
    void (*draw)(const Stage& stage);
};
[[nodiscard]] std::span<const TabView> tab_views();

// Everything but pictures and dialogs.
void draw_page(const Stage& stage);

void draw_top_bar(const Stage& stage);
void draw_view_controls(const Stage& stage);  // of the story: what is shown, and how
void draw_step_controls(const Stage& stage);  // of the other pages: whose kernel
void draw_tabs(const Stage& stage);
void draw_version_strip(const Stage& stage);
// The headline of a page: a figure in a few words, and a sentence. What is wrong goes before it.
struct Headline {
    std::string_view text;
    std::string_view sentence;
    Kind kind = Kind::counted;
    BadgeNote note{};
    bool of_baseline = false;  // its figure is the baseline's own
};
void draw_headline(const Stage& stage, Box room, const Headline& headline, bool alarm = false);

void draw_story(const Stage& stage);
[[nodiscard]] Headline story_headline(const Stage& stage);  // how much faster, and why
void draw_difference(const Stage& stage);                   // in the place of the story
void draw_slide(const Stage& stage);                        // in the place of everything
void draw_frozen(const Stage& stage);                       // over a slide that stays as it was
// Of the lecture that is held: its step below the page, what is asked in the place of the page, the words of
// a slide, and its progress.
void draw_lecture_band(const Stage& stage);
void draw_question(const Stage& stage, Box room);
void draw_lecture_words(const Stage& stage);
void draw_lecture_dots(const Stage& stage, Box room);
void draw_time_chart(const Stage& stage);
void draw_curves(const Stage& stage);          // in the place of the story
void draw_curve_controls(const Stage& stage);  // of its page
void draw_advice(const Stage& stage);          // in the place of the chart
// The button that changes between the two, left of the card's badge; how much of the right end both take.
void draw_advice_button(const Stage& stage, Box card);
[[nodiscard]] float advice_button_room(const Canvas& canvas);
void draw_block_slot(const Stage& stage);
void draw_occupancy_slot(const Stage& stage);
void draw_limits_slot(const Stage& stage);

// All below the top bar, of an experiment.
void draw_experiment(const Stage& stage);
void draw_plot(const Stage& stage, Box card, const ResultPlot& plot);
void draw_table(const Stage& stage, Box card, const ResultTable& table, Kind kind);
void draw_timeline(const Stage& stage, Box card, const Timeline& timeline);

void draw_source(const Stage& stage);
void draw_warp(const Stage& stage);
// What is to be looked at for the next (1) or previous (-1) line with memory accesses, or access of the line.
[[nodiscard]] ViewEdit next_access(const Snapshot& snapshot, const ViewState& view, int by, bool within_line);
void draw_occupancy(const Stage& stage);
void draw_occupancy_controls(const Stage& stage);  // of its page: now, every block shape, latency
void draw_sweep(const Stage& stage);               // in the place of occupancy
void draw_latency(const Stage& stage);             // the same: the warps of one scheduler, clock by clock
void draw_memory(const Stage& stage);
void draw_gpu(const Stage& stage);
void draw_debugger(const Stage& stage);
void draw_debugger_controls(const Stage& stage);  // of its page: what is debugged

}  // namespace ws
