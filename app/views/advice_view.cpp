// What to try next, in the place of the bars: what limits the heaviest kernel, the counts that show it, the
// line that they come from, and changes with the gain that is expected of each.

#include <algorithm>
#include <array>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/source_rows.h"
#include "app/views/views.h"
#include "app/views/words.h"
#include "app/window/tries.h"
#include "gpu/analysis/advisor.h"
#include "gpu/analysis/hotspot.h"

namespace ws {
namespace {

// Of the snapshot, if it is of what the page shows.
const Advice* advice_of(const Snapshot& snapshot) {
    const bool own = snapshot.told.advice && snapshot.told.advice->work.lab == snapshot.work.lab &&
                     snapshot.told.advice->step < int(snapshot.work.lab->steps.size());
    return own ? &*snapshot.told.advice : nullptr;
}

Ink ink_of(const Stage& stage, Ink ink) {
    return stage.snapshot.told.stale ? Ink::dim : ink;
}

// Rows of fixed heights: what is wrong, and what to try.
struct Places {
    Box category, line;
    std::array<Box, kMostEvidence> evidence;
    std::array<Box, kMostCandidates> candidates;
    Box outcome;
};

// One below the other, or, where the slot is low, side by side.
Places places_of(const Stage& stage, Box in) {
    const Canvas& canvas = stage.canvas;
    const bool side = stage.slots.narrow;
    Places places;
    Box left = side ? in.left(in.w * 0.47f) : in;
    Box right = side ? in.after(in.w * 0.49f) : in;
    float y = in.y;
    const auto row = [&](const Box& room, float high) {
        const Box box{room.x, y, room.w, canvas.px(high)};
        y += canvas.px(high);
        return box;
    };
    places.category = row(left, 34);
    for (Box& box : places.evidence) box = row(left, 31);
    places.line = row(left, 34);
    if (side) y = in.y;
    y += canvas.px(side ? 0 : 4);
    for (Box& box : places.candidates) box = row(right, side ? 50 : 52);
    places.outcome = row(right, 36);
    return places;
}

std::string_view category_key(Category category, std::string_view end) {
    return text("advice.{}.{}", name_of(category), end);
}

// The kernel's line of evidence that names one, as the source is now.
std::string_view reference_of(const Stage& stage, const Advice& advice, const Evidence& evidence) {
    if (evidence.of != Indicator::waits) return evidence.reference_text;
    const StepSnapshot& step = stage.snapshot.steps[std::size_t(advice.step)];
    const int line = step.built.lines ? shown_line(*step.built.lines, int(evidence.reference)) : 0;
    return line > 0 ? text("{}", line) : std::string_view(evidence.reference_text);
}

void draw_why(const Stage& stage, const Places& places, const Advice& advice) {
    Canvas& canvas = stage.canvas;
    canvas.text(places.category, say(category_key(advice.category, "title")),
                stage.slots.narrow ? Font::axis_strong : Font::strong, ink_of(stage, Ink::now));
    canvas.tooltip(canvas.touch("category", places.category),
                   say("advice.category.tip", say(category_key(advice.category, "problem")),
                       say(category_key(advice.category, "strategy"))));
    for (std::size_t i = 0; i < places.evidence.size(); ++i) {
        if (i >= advice.evidence.size()) continue;
        const Evidence& evidence = advice.evidence[i];
        canvas.text(places.evidence[i],
                    say(text("advice.evidence.{}", name_of(evidence.of)), translated(evidence.name),
                        evidence.value_text, reference_of(stage, advice, evidence)),
                    Font::axis, ink_of(stage, Ink::text));
    }
}

// As much of a line as there is room for.
std::string_view fitting(const Canvas& canvas, std::string_view code, float room) {
    const auto letters = std::size_t(std::max(0.0f, room / canvas.width("0", Font::code)));
    return code.size() <= letters ? code : text("{}…", code.substr(0, letters > 2 ? letters - 2 : 0));
}

// A click leads to the line on the page of the source.
void draw_line(const Stage& stage, Box row, const Advice& advice) {
    Canvas& canvas = stage.canvas;
    const StepSnapshot& step = stage.snapshot.steps[std::size_t(advice.step)];
    const int line = step.built.lines && advice.line > 0 ? shown_line(*step.built.lines, advice.line) : 0;
    if (line == 0) {
        canvas.text(row, "–", Font::axis, Ink::dim);
        return;
    }
    const std::string_view name = say("advice.line", line);
    const float wide = canvas.width(name, Font::axis_strong) + canvas.px(14);
    const Touch touch = canvas.touch("line", row);
    const Ink ink = ink_of(stage, touch.hovered ? Ink::now : Ink::text);
    canvas.text(row.left(wide), name, Font::axis_strong, ink_of(stage, Ink::now));
    canvas.text(row.after(wide), fitting(canvas, advice.line_text, row.w - wide), Font::code, ink);
    canvas.tooltip(touch, say("advice.line.tip"));
    if (!touch.clicked) return;
    stage.edits.add(InspectStep{std::string(step.name)});
    stage.edits.add(ChooseTab{Tab::source});
    stage.edits.add(RevealLine{line});
}

std::string_view short_name(const Candidate& candidate) {
    switch (candidate.kind) {
        case Candidate::Kind::block:
            return block_text(candidate.work.block(candidate.step));
        case Candidate::Kind::knob:
            return text("{} = {}", candidate.knob, candidate.value);
        case Candidate::Kind::version:
            break;
    }
    return version_name(candidate.work.version);
}

std::string_view long_name(const Candidate& candidate) {
    const std::string_view name = short_name(candidate);
    switch (candidate.kind) {
        case Candidate::Kind::block:
            return say("advice.block", name,
                       translated(candidate.work.lab->steps[std::size_t(candidate.step)].name));
        case Candidate::Kind::knob:
            return say("advice.knob", name);
        case Candidate::Kind::version:
            break;
    }
    return text("{}  {}", name, translated(version_of(*candidate.work.lab, candidate.work.version).title));
}

void draw_candidate(const Stage& stage, Box row, const Candidate& candidate, std::size_t place) {
    Canvas& canvas = stage.canvas;
    const bool stale = stage.snapshot.told.stale;
    const std::string_view label = say(place == 0 ? "advice.try.first" : "advice.try");
    const float button_wide = button_width(canvas, say("advice.try.first"));
    const Box on = row.right_part(button_wide).inset(0, canvas.px(2));
    ImGui::PushID(int(place));
    const ButtonLook look = stale        ? ButtonLook::plain
                            : place == 0 ? ButtonLook::chosen
                                         : ButtonLook::outlined;
    if (button(canvas, "try", on, label, look).clicked && !stale) stage.edits.add(TryAdvice{place});
    ImGui::PopID();
    const Kind kind = candidate.estimated ? Kind::estimated : Kind::predicted;
    const float badge_wide =
        std::max(badge_width(canvas, Kind::estimated), badge_width(canvas, Kind::predicted));
    const Box figures = row.before(button_wide + canvas.px(14));
    if (candidate.gain) (void)badge(canvas, figures, kind);
    const Box gain = figures.before(badge_wide + canvas.px(12)).right_part(canvas.px(120));
    canvas.text(gain,
                candidate.gain ? say("advice.gain", text("{:.2f}", *candidate.gain)) : std::string_view("–"),
                Font::figure, ink_of(stage, Ink::now), Align::right);
    const Box name{row.x, row.y, gain.x - row.x - canvas.px(8), row.h};
    const std::string_view title = long_name(candidate);
    const bool fits = canvas.width(title, Font::axis) <= name.w;
    canvas.text(name, fits ? title : short_name(candidate), Font::axis, ink_of(stage, Ink::text));
    if (!candidate.limit.empty())
        canvas.tooltip(canvas.touch(place == 0   ? "first"
                                    : place == 1 ? "second"
                                                 : "third",
                                    name),
                       say("advice.then", title, translated(candidate.limit)));
}

// What the last try was expected to gain, and what it did.
void draw_outcome(const Stage& stage, Box row) {
    Canvas& canvas = stage.canvas;
    const Try* tried = told_try(stage.snapshot, stage.view);
    if (!tried) {
        canvas.text(row, say("advice.untried"), Font::axis, Ink::dim);
        return;
    }
    const std::string_view name = work_name(tried->to, tried->from);
    const std::string_view expected = text("{:.2f}", tried->expected);
    const std::string_view foretold = say(tried->estimated ? "kind.estimated" : "kind.predicted");
    if (!tried->got) {
        canvas.text(row, say("advice.outcome.waiting", name, foretold, expected), Font::axis,
                    ink_of(stage, Ink::text));
        return;
    }
    const bool good = held(tried->expected, *tried->got);
    // Nothing can hold where nothing was measured: a prediction has its counts, an estimate nothing new.
    if (tried->kind == Kind::estimated) {
        const std::string_view got = text("{:.2f}", *tried->got);
        canvas.text(row,
                    tried->estimated ? say("advice.outcome.estimated", name, got)
                                     : say(good ? "advice.outcome.agrees" : "advice.outcome.differs", name,
                                           foretold, expected, got),
                    Font::axis_strong, ink_of(stage, good ? Ink::now : Ink::base));
        return;
    }
    const std::string_view kind = say(tried->kind == Kind::measured ? "kind.measured" : "kind.recorded");
    canvas.text(row,
                say(good ? "advice.outcome.held" : "advice.outcome.failed", name, foretold, expected, kind,
                    text("{:.2f}", *tried->got)),
                Font::axis_strong, ink_of(stage, good ? Ink::now : Ink::base));
}

std::string_view title_of(const Stage& stage, const Advice* advice) {
    if (!advice) return say("advice.title");
    return say("advice.title.of", translated(stage.snapshot.work.lab->steps[std::size_t(advice->step)].name),
               text("{:.0f}", 100 * advice->share));
}

}  // namespace

void draw_advice(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Box card = stage.slots.chart;
    canvas.slot("chart", card);
    const Snapshot& snapshot = stage.snapshot;
    const Advice* advice = advice_of(snapshot);
    const Box in = card_title(canvas, card, title_of(stage, advice), Kind::estimated);
    draw_advice_button(stage, card);
    const Places places = places_of(stage, in);
    draw_outcome(stage, places.outcome);
    if (!advice) {
        canvas.text(places.category,
                    snapshot.told.now.problem.empty() ? say("story.counting") : say("story.none"), Font::axis,
                    Ink::dim);
        for (const Box& row : places.candidates) canvas.text(row, "–", Font::axis, Ink::dim);
        return;
    }
    draw_why(stage, places, *advice);
    draw_line(stage, places.line, *advice);
    for (std::size_t i = 0; i < places.candidates.size(); ++i) {
        const Box& row = places.candidates[i];
        if (i < advice->candidates.size())
            draw_candidate(stage, row, advice->candidates[i], i);
        else if (i == 0)
            canvas.text(row,
                        advice->at_floor ? say("advice.at_floor", text("{:.2f}", advice->floor))
                                         : say("advice.nothing"),
                        Font::axis_strong, ink_of(stage, Ink::now));
        else
            canvas.text(row, "–", Font::axis, Ink::dim);
    }
}

float advice_button_room(const Canvas& canvas) {
    float sign = 0;
    for (const Kind kind : {Kind::measured, Kind::estimated, Kind::recorded})
        sign = std::max(sign, badge_width(canvas, kind));
    const float wide =
        std::max(button_width(canvas, say("advice.close")), button_width(canvas, say("advice.open")));
    return sign + canvas.px(14) + wide;
}

void draw_advice_button(const Stage& stage, Box card) {
    Canvas& canvas = stage.canvas;
    const bool on = stage.view.story.advice;
    const std::string_view label = say(on ? "advice.close" : "advice.open");
    const Box head = card.inset(canvas.px(20), 0).below(canvas.px(10)).top(canvas.px(40));
    const Box room = head.right_part(advice_button_room(canvas))
                         .left(std::max(button_width(canvas, say("advice.close")),
                                        button_width(canvas, say("advice.open"))));
    const Touch touch = button(canvas, "advise", room, label, ButtonLook::outlined);
    canvas.tooltip(touch, say("advice.open.tip"));
    if (touch.clicked) stage.edits.add(ShowAdvice{!on});
}

}  // namespace ws
