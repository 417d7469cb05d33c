// How resident warps hide latency: one scheduler's warps, clock by clock, with few blocks on a
// multiprocessor above, with many below.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/latency_parts.h"
#include "app/views/parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

// ---- the headline

// What the warps spend most of their clocks on, of what is neither issuing nor being ready.
WarpState main_wait(const ClockedKernel& kernel) {
    std::size_t most = std::size_t(WarpState::memory);
    for (std::size_t i = most; i < kWarpStates; ++i) {
        if (kernel.timeline.states[i] > kernel.timeline.states[most]) most = i;
    }
    return WarpState(most);
}

// The works whose kernels stand above each other, by what tells them apart.
struct Names {
    std::string_view above, below;
};
Names names_of(const Snapshot& snapshot, const ChosenClock& clock) {
    if (!clock.baseline || !snapshot.told.baseline) return {};
    const Work& base = snapshot.told.baseline->work;
    return {distinct_name(base, snapshot.work), distinct_name(snapshot.work, base)};
}

std::string_view sentence_of(const ClockedKernel& few, const ClockedKernel& many, const Names& names) {
    constexpr double kClearly = 10;  // points
    const double empty_few = 100 - few.timeline.issue_percent;
    const double empty_many = 100 - many.timeline.issue_percent;
    if (!names.above.empty())
        return say("latency.sentence.baseline", names.above, text("{:.0f}", empty_few),
                   say(text("{}.for", state_key(main_wait(few)))), names.below, text("{:.0f}", empty_many),
                   say(text("{}.for", state_key(main_wait(many)))));
    if (few.warps() == many.warps())
        return say("latency.sentence.same", warps_text(many.warps()), text("{:.0f}", empty_many),
                   say(text("{}.for", state_key(main_wait(many)))));
    if (empty_few - empty_many >= kClearly)
        return say("latency.sentence", say(text("{}.for", state_key(main_wait(few)))),
                   warps_text(few.warps()), text("{:.0f}", empty_few), warps_text(many.warps()),
                   text("{:.0f}", empty_many));
    return say("latency.sentence.little", warps_text(many.warps()),
               say(text("{}.for", state_key(main_wait(many)))), text("{:.0f}", empty_many));
}

// Why there are no clocks, and will be none: of the clock, of the counts that it takes, of the compiler.
std::string_view problem_of(const Stage& stage, const StepSnapshot& step) {
    if (!step.counts.clock.problem.empty()) return said(step.counts.clock.problem);
    if (!step.counts.problem.empty()) return said(step.counts.problem);
    if (!step.counts.clock.many && stage.snapshot.compiler.missing)
        return say("latency.no_compiler", stage.snapshot.compiler.name);
    return {};
}

Headline headline_of(const ChosenClock& clock, const Names& names, bool refused) {
    if (refused) return {say("latency.none"), say("latency.none.sentence"), Kind::estimated};
    if (!clock.few || !clock.many) return {say("story.waiting"), say("latency.running"), Kind::estimated};
    const double few = clock.few->timeline.issue_percent;
    const double many = clock.many->timeline.issue_percent;
    const bool same = names.above.empty() && clock.few->warps() == clock.many->warps();
    return {same ? say("latency.headline.same", text("{:.0f}", many))
                 : say("latency.headline", text("{:.0f}", few), text("{:.0f}", many)),
            sentence_of(*clock.few, *clock.many, names), Kind::estimated};
}

// ---- the legend

constexpr float kSwatch = 30;
constexpr float kGap = 32;

float entry_width(const Canvas& canvas, WarpState state) {
    return canvas.px(kSwatch + 10) + canvas.width(say(state_key(state)), Font::axis);
}

int legend_lines(const Canvas& canvas, float wide) {
    float all = 0;
    for (std::size_t i = 0; i < kWarpStates; ++i) all += entry_width(canvas, WarpState(i)) + canvas.px(kGap);
    return all <= wide ? 1 : 2;
}

void draw_entry(const Stage& stage, Box place, WarpState state) {
    Canvas& canvas = stage.canvas;
    const Box swatch{place.x, std::round(place.center_y() - canvas.px(11)), canvas.px(kSwatch),
                     canvas.px(22)};
    draw_state(canvas, swatch, state, 1);
    canvas.text(place.after(canvas.px(kSwatch + 10)), say(state_key(state)), Font::axis, Ink::text);
    tip(stage, place, text("{}.tip", state_key(state)));
}

void draw_legend(const Stage& stage, Box room, int lines) {
    const Canvas& canvas = stage.canvas;
    constexpr int kColumns = (int(kWarpStates) + 1) / 2;
    float x = room.x;
    for (std::size_t i = 0; i < kWarpStates; ++i) {
        const auto state = WarpState(i);
        const float wide = entry_width(canvas, state);
        if (lines == 1) {
            draw_entry(stage, {x, room.y, wide + canvas.px(4), room.h}, state);
            x += wide + canvas.px(kGap);
        } else {
            draw_entry(stage,
                       room.row(int(i) / kColumns, 2, 0).column(int(i) % kColumns, kColumns, canvas.px(12)),
                       state);
        }
    }
}

// ---- the pointer

std::string_view place_text(std::string_view said_so_far, const ClockedKernel& kernel, int instruction) {
    const auto at = std::size_t(instruction);
    if (instruction < 0 || at >= kernel.names.size()) return said_so_far;
    if (at >= kernel.lines.size() || kernel.lines[at] == 0)
        return text("{}, {}", said_so_far, kernel.names[at]);
    return say("latency.under.line", said_so_far, kernel.names[at], kernel.lines[at]);
}

int line_of(const ClockedKernel& kernel, int instruction) {
    const auto at = std::size_t(instruction);
    return instruction >= 0 && at < kernel.lines.size() ? kernel.lines[at] : 0;
}

void keep_clock(const Stage& stage, double clock, int line) {
    stage.edits.add(MoveClock{clock});
    if (line > 0) stage.edits.add(RevealLine{line});
}

struct UnderPointer {
    double clock = 0;
    const TimelineSpan* span = nullptr;
    std::string_view words;
};

// The text that the lines of a panel's kernel are of.
std::string_view source_of(const StepSnapshot& step, const ClockPanel& panel) {
    if (panel.is_now || !step.counts.clock.baseline) return step.source.text;
    return step.built.lines ? std::string_view(step.built.lines->before) : std::string_view();
}

UnderPointer under_pointer(const StepSnapshot& step, const ClockPanel& panel, const PanelParts& parts,
                           const SeenClocks& range) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    UnderPointer under;
    under.clock = range.from + range.clocks * double((mouse.x - parts.rows.x) / parts.rows.w);
    if (!panel.kernel) return under;
    const std::vector<TimelineRow>& rows = panel.kernel->timeline.rows;
    const float pitch = row_pitch(panel, parts, rows.size());
    const int row = int(std::floor((mouse.y - parts.rows.y) / pitch));
    const auto clock = std::int64_t(under.clock);
    if (row < 0 || row >= int(rows.size()) || mouse.y >= parts.rows.bottom()) {
        const std::optional<IssuedAt> issued = issued_at(panel.kernel->timeline, under.clock);
        under.words =
            issued && issued->in_clock
                ? place_text(say("latency.under", clock, issued->warp, say("latency.state.issuing")),
                             *panel.kernel, issued->instruction)
                : say("latency.under.empty", clock);
        return under;
    }
    under.span = span_at(rows[std::size_t(row)], under.clock);
    if (!under.span) {
        under.words = say("latency.under.none", clock, row);
        return under;
    }
    under.words = place_text(say("latency.under", clock, row, say(state_key(under.span->state))),
                             *panel.kernel, under.span->instruction);
    const std::string_view source =
        line_text(source_of(step, panel), line_of(*panel.kernel, under.span->instruction));
    if (!source.empty()) under.words = text("{}\n{}", under.words, source);
    return under;
}

// The wheel zooms, dragging moves, a click keeps the clock and chooses its line. Returns the clock under the
// pointer.
std::optional<double> touch_clocks(const Stage& stage, const StepSnapshot& step, Box card,
                                   const ClockPanel& panel, const SeenClocks& range) {
    Canvas& canvas = stage.canvas;
    const PanelParts parts = panel_parts(canvas, card, panel.axis);
    const Box plot{parts.rows.x, parts.rows.y, parts.rows.w, parts.issue.bottom() - parts.rows.y};
    const Touch touch = canvas.touch(panel.is_now ? "clocks many" : "clocks few", plot);
    if (!touch.hovered && !touch.held) {
        canvas.tooltip(touch, say("tip.latency.rows"));
        return std::nullopt;
    }
    const ImGuiIO& io = ImGui::GetIO();
    const UnderPointer under = under_pointer(step, panel, parts, range);
    const double all = all_clocks(step.counts.clock);
    SeenClocks next = range;
    if (touch.hovered && io.MouseWheel != 0)
        next = zoomed(next, under.clock, std::pow(1.25, double(io.MouseWheel)), all);
    if (touch.held && io.MouseDelta.x != 0)
        next = panned(next, -double(io.MouseDelta.x / plot.w) * range.clocks, all);
    if (!(next == range)) stage.edits.add(LookAtClocks{next.from, next.clocks});
    constexpr float kStill = 9;  // pixels, squared: a hand shakes
    if (touch.clicked && io.MouseDragMaxDistanceSqr[0] < kStill)
        keep_clock(stage, std::floor(under.clock) + 0.5,
                   under.span && source_of(step, panel) == step.source.text
                       ? line_of(*panel.kernel, under.span->instruction)
                       : 0);
    canvas.tooltip(touch, under.words);
    return touch.hovered ? std::optional(under.clock) : std::nullopt;
}

// ---- the line that runs

void play(const Stage& stage, const SeenClocks& range, double all) {
    const LatencyPage& page = stage.view.occupancy.latency;
    if (!page.playing) return;
    constexpr double kSecondsAcross = 20;
    const double begin = range.until() < all ? range.from : 0;
    const double from = page.at && *page.at < all - 1 ? *page.at : begin;
    const double at =
        std::min(all - 1, from + double(ImGui::GetIO().DeltaTime) * range.clocks / kSecondsAcross);
    stage.edits.add(MoveClock{std::max(0.0, at)});
    if (at >= all - 1) stage.edits.add(PlayClock{false});
    const SeenClocks next = at >= range.until() ? panned(range, range.clocks, all)
                            : at < range.from   ? panned(range, at - range.from, all)
                                                : range;
    if (!(next == range)) stage.edits.add(LookAtClocks{next.from, next.clocks});
}

// Of a line of code as much as fits.
std::string_view fitted_code(const Canvas& canvas, std::string_view code, float wide) {
    const auto most = std::size_t(std::max(0.0f, wide / canvas.width("m", Font::code)));
    if (code.size() <= most) return code;
    std::size_t end = most > 1 ? most - 1 : 0;
    while (end > 0 && (static_cast<unsigned char>(code[end]) & 0xC0) == 0x80) --end;
    return end > 0 ? text("{}…", code.substr(0, end)) : std::string_view();
}

// What is issued where the line stands, with its line of the source.
void draw_caption(const Stage& stage, Box room, const StepSnapshot& step) {
    Canvas& canvas = stage.canvas;
    canvas.slot("latency caption", room);
    const ClockedKernel* kernel = step.counts.clock.many.get();
    const LatencyPage& page = stage.view.occupancy.latency;
    if (!kernel) return;
    const Ink ink = step.counts.clock.stale ? Ink::dim : Ink::text;
    if (!page.at) {
        canvas.text(room, say("latency.hint"), Font::axis, Ink::dim);
        tip(stage, room, "latency.play.tip");
        return;
    }
    const auto clock = std::int64_t(*page.at);
    const std::optional<IssuedAt> issued = issued_at(kernel->timeline, double(clock));
    if (!issued) {
        canvas.text(room, say("latency.under.empty", clock), Font::axis, ink);
        return;
    }
    const std::string_view words =
        place_text(issued->in_clock ? say("latency.under", clock, issued->warp, say("latency.state.issuing"))
                                    : say("latency.issued", clock, issued->warp),
                   *kernel, issued->instruction);
    const Box said = canvas.text(room, words, Font::axis, ink);
    const Box rest = room.after(said.w + canvas.px(24));
    const std::string_view code = line_text(step.source.text, line_of(*kernel, issued->instruction));
    canvas.text(rest, fitted_code(canvas, code, rest.w), Font::code, issued->in_clock ? ink : Ink::dim);
}

// ---- the sliders

// Few, as an orange mark above the track, which is dragged.
void draw_few_mark(const Stage& stage, const StepSnapshot& step, Box above, const Resident& blocks,
                   int most) {
    Canvas& canvas = stage.canvas;
    const float knob = canvas.px(14);
    const Box track{above.x + knob, above.y, above.w - 2 * knob, above.h};
    const float stops = float(std::max(1, most - 1));
    const float x = track.x + track.w * float(blocks.few - 1) / stops;
    const float half = canvas.px(24);
    const Touch touch = canvas.touch("few", {x - half, above.y, 2 * half, above.h});
    const float size = canvas.px(touch.hovered || touch.held ? 13 : 11);
    const float low = above.bottom() - canvas.px(2);
    canvas.triangle({x - size, low - 1.3f * size}, {x + size, low - 1.3f * size}, {x, low}, Ink::base_fill);
    canvas.tooltip(touch, say("latency.few.tip", warps_text(scheduler_warps(step, blocks.few)),
                              blocks_text(blocks.few)));
    if (!touch.held || most < 2) return;
    const float at = std::clamp((ImGui::GetIO().MousePos.x - track.x) / track.w, 0.0f, 1.0f);
    const int chosen = 1 + int(std::lround(at * stops));
    if (chosen != blocks.few) stage.edits.add(to_resident(step, {chosen, blocks.many}));
}

void draw_warp_slider(const Stage& stage, Box card, const StepSnapshot& step) {
    Canvas& canvas = stage.canvas;
    const Box in = card.inset(canvas.px(20), 0);
    const int most = most_blocks(step);
    const Resident blocks = resident_blocks(step, stage.view.occupancy.latency);
    const std::string_view label = say("latency.slider");
    const float left = canvas.width(label, Font::strong) + canvas.px(24);
    canvas.text(in.left(left), label, Font::strong, Ink::text);
    tip(stage, in.left(left), "tip.latency.slider");
    const auto value = [&](int count) {
        return say("latency.stop", warps_text(scheduler_warps(step, count)), blocks_text(count));
    };
    constexpr int kWidest = 22;  // two digits, several
    const float right =
        std::max(canvas.width(value(std::max(1, most)), Font::strong),
                 canvas.width(say("latency.stop", warps_text(kWidest), blocks_text(kWidest)), Font::strong)) +
        canvas.px(8);
    const Ink ink = most == 0 || step.counts.clock.stale ? Ink::dim : Ink::now;
    canvas.text(in.right_part(right), most > 0 ? value(blocks.many) : std::string_view("–"), Font::strong,
                ink, Align::right);
    tip(stage, in.right_part(right), "tip.latency.slider");
    Box track = in.after(left).before(right + canvas.px(24));
    if (most > 0 && !step.counts.clock.baseline)
        draw_few_mark(stage, step, track.top(canvas.px(22)), blocks, most);
    track = track.below(canvas.px(18));
    const float stops = float(std::max(1, most - 1));
    const float at = most > 1 ? float(blocks.many - 1) / stops : 1;
    const float moved = slider(canvas, "resident", track, at, most);
    const int chosen = 1 + int(std::lround(moved * stops));
    if (moved != at && most > 1 && chosen != blocks.many)
        stage.edits.add(to_resident(step, {blocks.few, chosen}));
}

// Operations of a thread that are independent of each other, where the kernel has a knob for them.
void draw_parallelism_slider(const Stage& stage, Box card, const StepSnapshot& step, const Knob& knob) {
    Canvas& canvas = stage.canvas;
    const Box in = card.inset(canvas.px(20), 0);
    const float left = canvas.width(knob.name, Font::strong) + canvas.px(24);
    canvas.text(in.left(left), knob.name, Font::strong, Ink::text);
    const float right = canvas.width(text("{}", knob.high), Font::strong) + canvas.px(8);
    const int now = value_of(step, knob);
    canvas.text(in.right_part(right), text("{}", now), Font::strong, Ink::now, Align::right);
    for (const Box part : {in.left(left), in.right_part(right)}) {
        const Touch touch = canvas.touch(part.x == in.x ? "ilp name" : "ilp value", part);
        canvas.tooltip(touch, say("latency.parallelism.tip", translated(knob.meaning)));
    }
    const Box track = in.after(left).before(right + canvas.px(24)).below(canvas.px(18));
    const int steps = knob.high - knob.low;
    if (steps < 1) return;
    constexpr int kMostTicks = 16;
    const float at = float(now - knob.low) / float(steps);
    const float moved = slider(canvas, "ilp", track, at, steps < kMostTicks ? steps + 1 : 2);
    const int chosen = knob.low + int(std::lround(moved * float(steps)));
    if (moved != at && chosen != now) stage.edits.add(ChooseKnob{knob.name, chosen});
}

void draw_sliders(const Stage& stage, Box card, const StepSnapshot& step) {
    Canvas& canvas = stage.canvas;
    canvas.slot("latency slider", card);
    canvas.card(card);
    const Knob* knob = find_knob(step.source, step.source.parallelism_knob);
    const Box warps = knob ? card.left(std::round(0.64f * card.w)) : card;
    draw_warp_slider(stage, warps, step);
    if (knob) draw_parallelism_slider(stage, card.after(warps.w), step, *knob);
    if (step.counts.clock.stale)
        canvas.fill({card.x, card.bottom() - canvas.px(4), canvas.px(160), canvas.px(4)}, Ink::now_mid);
}

// ---- the page

struct LatencyLayout {
    Box legend, few, many, caption, slider;
    int legend_lines = 1;
};
// Few warps take little room; another kernel's as much as this one's.
LatencyLayout layout_of(const Canvas& canvas, Box page, bool baseline) {
    LatencyLayout made;
    made.legend_lines = legend_lines(canvas, page.w);
    made.legend = page.top(canvas.px(made.legend_lines == 1 ? 34 : 62));
    made.slider = page.bottom_part(canvas.px(62));
    made.caption = page.above(made.slider.h + canvas.px(4)).bottom_part(canvas.px(36));
    const float top = made.legend.bottom() + canvas.px(6);
    const float gap = canvas.px(10);
    const float end = made.caption.y - canvas.px(2);
    const float numbers = canvas.px(34);  // below the lower one
    made.few = {page.x, top, page.w, baseline ? std::round((end - top - gap - numbers) / 2) : canvas.px(134)};
    const float low = made.few.bottom() + gap;
    made.many = {page.x, low, page.w, end - low};
    return made;
}

// Why there are no clocks, where they would be.
void draw_problem(const Stage& stage, const LatencyLayout& layout, std::string_view problem) {
    Canvas& canvas = stage.canvas;
    canvas.card(layout.few);
    canvas.card(layout.many);
    canvas.slot("latency few", layout.few);
    canvas.slot("latency many", layout.many);
    canvas.slot("latency slider", layout.slider);
    canvas.card(layout.slider);
    canvas.text(layout.slider.inset(canvas.px(20), 0), say("latency.slider"), Font::strong, Ink::dim);
    tip(stage, layout.slider, "tip.latency.slider");
    canvas.paragraph(layout.many.inset(canvas.px(40), canvas.px(40)), problem, Font::body, Ink::dim);
}

}  // namespace

void draw_latency(const Stage& stage) {
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    const ChosenClock& clock = step.counts.clock;
    const std::string_view problem = problem_of(stage, step);
    const Names names = names_of(stage.snapshot, clock);
    draw_headline(stage, stage.slots.page_headline, headline_of(clock, names, !problem.empty()));
    Canvas& canvas = stage.canvas;
    const LatencyLayout layout = layout_of(canvas, stage.slots.page, clock.baseline);
    draw_legend(stage, layout.legend, layout.legend_lines);
    if (!problem.empty()) {
        draw_problem(stage, layout, problem);
        return;
    }
    const LatencyPage& page = stage.view.occupancy.latency;
    const Resident wished = resident_blocks(step, page);
    const auto is = [](const ClockedKernel* kernel, int blocks) {
        return kernel && kernel->blocks == blocks;
    };
    const bool few_there = clock.baseline ? clock.few != nullptr : is(clock.few.get(), wished.few);
    const bool many_there = is(clock.many.get(), wished.many);
    // Where only one of them is run anew, the other stands.
    constexpr int kFewest = 2;  // rows are no higher than what is readable asks
    const int places = warp_places(stage.snapshot, clock);
    const ClockPanel few{clock.few.get(),
                         false,
                         clock.stale && !(few_there && !many_there),
                         clock.baseline ? places : kFewest,
                         false,
                         names.above};
    const ClockPanel many{clock.many.get(), true, clock.stale && !(many_there && !few_there),
                          places,           true, names.below};
    const SeenClocks range = seen_clocks(page, clock);
    const std::optional<double> over_few = touch_clocks(stage, step, layout.few, few, range);
    const std::optional<double> over_many = touch_clocks(stage, step, layout.many, many, range);
    const ClockMarks marks{over_few ? over_few : over_many, page.at};
    draw_clock_panel(stage, layout.few, few, range, marks);
    draw_clock_panel(stage, layout.many, many, range, marks);
    draw_caption(stage, layout.caption, step);
    draw_sliders(stage, layout.slider, step);
    if (clock.many) play(stage, range, all_clocks(clock));
}

}  // namespace ws
