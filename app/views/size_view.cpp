// All versions of a lab over its sizes, beside what a warp touches.

#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/size_parts.h"
#include "app/views/sweep_parts.h"
#include "app/views/words.h"

namespace ws {

double value_of(const Lab& lab, const SweepCell& cell) {
    if (cell.ms <= 0) return 0;
    return lab.bandwidth ? cell.gb_s : double(cell.size.pixels()) / cell.ms / 1e6;
}

void draw_over_sizes_controls(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.controls;
    canvas.slot("controls", room);
    ButtonRow row(canvas, room);
    if (row.add("one size", say("sizes.one"), ButtonLook::plain).clicked) stage.edits.add(ShowSizes{false});
    (void)row.add("all sizes", say("sizes.all"), ButtonLook::chosen);
    row.skip(canvas.px(24));
    const std::span<const SizeCurve> curves = stage.sweep ? stage.sweep->sizes : std::span<const SizeCurve>();
    const SweepResult* told = nullptr;  // of those that are swept, not recorded
    bool all_recorded = !curves.empty();
    for (const SizeCurve& curve : curves) {
        const bool recorded = curve.result && curve.result->kind == Kind::recorded;
        all_recorded = all_recorded && recorded;
        if (curve.result && !recorded && (!told || curve.result->running)) told = curve.result;
    }
    if (all_recorded || !runs_anything(stage.snapshot.work)) return;
    draw_run(stage, row, told, {SweepOver::size, "run sizes", "sizes.left", "sizes.progress"});
}

namespace {

std::string_view figure_of(const Snapshot& snapshot, const TimeFigure& time) {
    return snapshot.work.lab->bandwidth ? text("{:.0f} GB/s", bandwidth(snapshot, time.ms))
                                        : short_time(time.ms);
}

// The story's, with what both are and reach at the size of now: the page has one line for it.
Headline headline_of(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    Headline made = story_headline(stage);
    const std::optional<TimeFigure> now = time_of(snapshot.told.now);
    if (!now || !snapshot.told.now.problem.empty()) return made;
    const Version& version = version_of(*snapshot.told.now.work.lab, snapshot.told.now.work.version);
    const std::string_view own =
        say("sizes.sentence", version_name(version.number), translated(version.title),
            figure_of(snapshot, *now), size_text(snapshot.told.now.key.input.size));
    const std::optional<TimePair> pair =
        snapshot.told.baseline ? times_of(snapshot.told.now, *snapshot.told.baseline) : std::nullopt;
    made.sentence = own;
    if (!pair) return made;
    const Version& base = version_of(*snapshot.told.baseline->work.lab, snapshot.told.baseline->work.version);
    made.sentence = text("{}; {}", own,
                         say("sizes.sentence.base", version_name(base.number), translated(base.title),
                             figure_of(snapshot, pair->baseline)));
    return made;
}

}  // namespace

void draw_over_sizes(const Stage& stage) {
    draw_headline(stage, stage.slots.page_headline, headline_of(stage));
    Box room = stage.slots.page;
    const int shown = turn_pages(stage, room, 2);
    if (shown == 0) draw_size_curves(stage, room);
    if (shown == 1) draw_ways(stage, room);
    if (shown >= 0) return;
    const Box left = room.left(std::round(room.w * 0.414f));
    draw_ways(stage, left);
    draw_size_curves(stage, room.after(left.w + stage.canvas.px(24)));
}

}  // namespace ws
