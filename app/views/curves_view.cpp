// All versions of a lab over an axis that a person chooses, beside what a warp touches.

#include <algorithm>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/error_line.h"
#include "app/texts/texts.h"
#include "app/views/curve_axis.h"
#include "app/views/curve_parts.h"
#include "app/views/parts.h"
#include "app/views/rate.h"
#include "app/views/sweep_parts.h"
#include "app/views/words.h"

namespace ws {

double value_of(const Lab& lab, const SweepCell& cell) {
    if (cell.ms <= 0) return 0;
    return lab.bandwidth ? cell.gb_s : double(cell.size.pixels()) / cell.ms / 1e6;
}

std::string_view no_axis(const Stage& stage) {
    if (!runs_anything(stage.snapshot.work)) return say("sweep.no_run");
    return say("curves.no_axis", version_name(stage.snapshot.work.version));
}

namespace {

std::string_view axis_name(const SweepOver& over) {
    return over.kind == SweepOver::Kind::size ? say("curves.size") : text("{}", over.knob);
}

void axis_tip(const Stage& stage, const Touch& touch, const SweepOver& over) {
    if (over.kind == SweepOver::Kind::size) {
        stage.canvas.tooltip(touch, say("tip.curves.size"));
    } else if (const Knob* knob = shown_knob(stage.snapshot, over.knob)) {
        stage.canvas.tooltip(touch, translated(knob->meaning));
    }
}

// What the button of the sweep and its progress, without the time that is left, may take.
float run_room(const Canvas& canvas) {
    float button = 0;
    for (const std::string_view key : {"sweep.run", "sweep.stop", "sweep.resume"})
        button = std::max(button, button_width(canvas, say(key)));
    return button + canvas.px(32) + canvas.width(say("curves.progress", 999, 999), Font::axis);
}

// A button for each axis, and for one that another version has; where they have no room, one that goes round
// them.
void draw_axes(const Stage& stage, ButtonRow& row, const std::optional<SweepOver>& chosen) {
    const int count = axis_count(stage.snapshot);
    bool own = false;
    float wide = 0;
    for (int i = 0; i < count; ++i) {
        const SweepOver over = axis_at(stage.snapshot, i);
        own = own || over == chosen;
        wide += button_width(stage.canvas, axis_name(over)) + stage.canvas.px(8);
    }
    const bool others = chosen && !own;
    if (others) wide += button_width(stage.canvas, axis_name(*chosen)) + stage.canvas.px(8);
    if (chosen && wide > row.rest().w - run_room(stage.canvas)) {
        const Touch touch = row.add("axis", say("curves.next", axis_name(*chosen)), ButtonLook::chosen);
        axis_tip(stage, touch, *chosen);
        if (touch.clicked) stage.edits.add(StepAxis{1});
        return;
    }
    for (int i = 0; i < count; ++i) {
        const SweepOver over = axis_at(stage.snapshot, i);
        ImGui::PushID(i);
        const Touch touch =
            row.add("axis", axis_name(over), over == chosen ? ButtonLook::chosen : ButtonLook::plain);
        ImGui::PopID();
        axis_tip(stage, touch, over);
        if (touch.clicked) stage.edits.add(ChooseOver{over});
    }
    if (others) (void)row.add("axis of others", axis_name(*chosen), ButtonLook::chosen);
}

// The result of a sweep that runs, else of any that was not recorded; null if there is none.
const SweepResult* told_result(const Stage& stage) {
    const SweepResult* told = nullptr;
    if (!stage.sweep) return told;
    for (const VersionCurve& curve : stage.sweep->curves) {
        const bool recorded = curve.result && curve.result->kind == Kind::recorded;
        if (curve.result && !recorded && (!told || curve.result->running)) told = curve.result;
    }
    return told;
}

bool all_recorded(const Stage& stage) {
    if (!stage.sweep || stage.sweep->curves.empty()) return false;
    return std::all_of(stage.sweep->curves.begin(), stage.sweep->curves.end(), [](const VersionCurve& curve) {
        return curve.result && curve.result->kind == Kind::recorded;
    });
}

}  // namespace

void draw_curve_controls(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.controls;
    canvas.slot("controls", room);
    ButtonRow row(canvas, room);
    if (row.add("back", say("curves.back"), ButtonLook::plain).clicked) stage.edits.add(ShowCurves{false});
    row.skip(canvas.px(16));
    const std::optional<SweepOver> over = curve_axis(stage.view, stage.snapshot);
    draw_axes(stage, row, over);
    if (!over || all_recorded(stage) || !runs_anything(stage.snapshot.work)) return;
    row.skip(canvas.px(16));
    draw_run(stage, row, told_result(stage), {"run curves", "curves.left", "curves.progress"});
}

namespace {

std::string_view figure_of(const WorkFigures& figures, const TimeFigure& time) {
    return figures.work.lab->bandwidth ? rate_text(figures, time.ms) : short_time(time.ms);
}

// The place on the axis that the figures are of: "2048 × 2048", "OFFSET = 8".
std::string_view place_text(const WorkFigures& figures, const SweepOver& over) {
    if (over.kind == SweepOver::Kind::knob) {
        for (const LaunchKey& launch : figures.key.launches) {
            const auto value = launch.kernel.knobs.find(over.knob);
            if (value != launch.kernel.knobs.end()) return say("curves.knob", over.knob, value->second);
        }
    }
    return size_text(figures.key.input.size);
}

// The story's, with what both are and reach at the place of now: the page has one line for it. What keeps the
// curves away goes before.
Headline headline_of(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    Headline made = story_headline(stage);
    const std::optional<SweepOver> over = curve_axis(stage.view, snapshot);
    if (!over) {
        made.sentence = no_axis(stage);
        return made;
    }
    if (const SweepResult* told = told_result(stage); told && !told->problem.empty()) {
        made.sentence = say("sweep.failed", said_line(told->problem));
        return made;
    }
    if (over->kind == SweepOver::Kind::knob && !shown_knob(snapshot, over->knob)) {
        made.sentence = say("curves.lacks", version_name(snapshot.work.version), over->knob);
        return made;
    }
    const std::optional<TimeFigure> now = time_of(snapshot.told.now);
    if (!now || !snapshot.told.now.problem.empty()) return made;
    const Version& version = version_of(*snapshot.told.now.work.lab, snapshot.told.now.work.version);
    const std::string_view own =
        say("curves.sentence", version_name(version.number), translated(version.title),
            figure_of(snapshot.told.now, *now), place_text(snapshot.told.now, *over));
    const std::optional<TimePair> pair =
        snapshot.told.baseline ? times_of(snapshot.told.now, *snapshot.told.baseline) : std::nullopt;
    made.sentence = own;
    if (!pair) return made;
    const Version& base = version_of(*snapshot.told.baseline->work.lab, snapshot.told.baseline->work.version);
    made.sentence = text("{}; {}", own,
                         say("curves.sentence.base", version_name(base.number), translated(base.title),
                             figure_of(*snapshot.told.baseline, pair->baseline)));
    return made;
}

}  // namespace

void draw_curves(const Stage& stage) {
    draw_headline(stage, stage.slots.page_headline, headline_of(stage));
    Box room = stage.slots.page;
    const int shown = turn_pages(stage, room, 2);
    if (shown == 0) draw_version_curves(stage, room);
    if (shown == 1) draw_ways(stage, room);
    if (shown >= 0) return;
    const Box left = room.left(std::round(room.w * 0.414f));
    draw_ways(stage, left);
    draw_version_curves(stage, room.after(left.w + stage.canvas.px(24)));
}

}  // namespace ws
