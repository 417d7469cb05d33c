// The page of the source: what changed against the baseline's kernel, what each line costs, one warp of a
// line, and what does not compile.

#include <algorithm>
#include <ctime>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/source_parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

// "6.9 → 0.84 million": both in the unit of the larger.
std::string_view pair_text(double before, double now) {
    const double most = std::max(before, now);
    const auto scaled = [](double value) {
        return value >= 99.5 ? text("{:.0f}", value) : value == 0 ? text("0") : text("{:.2g}", value);
    };
    if (most >= 1e9) return say("number.billion", text("{} → {}", scaled(before / 1e9), scaled(now / 1e9)));
    if (most >= 1e5) return say("number.million", text("{} → {}", scaled(before / 1e6), scaled(now / 1e6)));
    return text("{:.0f} → {:.0f}", before, now);
}

std::string_view quantity_name(const SourceStage& source, const LineQuantity& quantity) {
    const bool old = source.step.counts.result->key.gpu.limits.capability.major < 3;
    return say(old ? text("{}.old", quantity.key) : quantity.key);
}

// With nothing to compare: the hottest line.
Headline hottest_headline(const SourceStage& source) {
    const LineQuantity& quantity = line_quantities().front();
    const KernelCounters& counters = *source.counters;
    const int counted = top_line(counters, quantity);
    const InstructionCounts* counts = counts_of(&counters, counted);
    if (!counts) return {say("story.waiting"), say("story.counting"), Kind::counted};
    const double all = quantity.of(counters.total);
    return {say("source.hottest", shown_line(*source.step.built.lines, counted),
                text("{:.0f}", all > 0 ? 100 * quantity.of(*counts) / all : 0)),
            say("source.hottest.why", big_number(all), big_number(quantity.of(*counts))), Kind::counted};
}

Headline headline_of(const SourceStage& source) {
    const StepSnapshot& step = source.step;
    if (!source.counters) {
        if (step.counts.problem.empty()) return {say("story.waiting"), say("story.counting"), Kind::counted};
        return {say("story.none"), said(step.counts.problem), Kind::counted};
    }
    if (!source.before || source.stage.snapshot.told.now_is_baseline()) return hottest_headline(source);
    const LineQuantity& quantity = told_quantity(source.stage.snapshot, step);
    const double now = quantity.of(source.counters->total);
    const double before = quantity.of(source.before->counters->total);
    const std::string_view name = quantity_name(source, quantity);
    const int line = top_line(*source.counters, quantity);
    const int old_line = top_line(*source.before->counters, quantity);
    const std::string_view base = baseline_name(source.stage.snapshot, source.stage.view.preferences);
    std::string_view sentence;
    const auto amount = [&](const KernelCounters& counters, int of) {
        const InstructionCounts* counts = counts_of(&counters, of);
        return big_number(counts ? quantity.of(*counts) : 0);
    };
    if (line > 0 && old_line > 0)
        sentence = say("source.both", shown_line(*step.built.lines, line), amount(*source.counters, line),
                       old_line, base, amount(*source.before->counters, old_line));
    else if (line > 0)
        sentence =
            say("source.only_now", shown_line(*step.built.lines, line), amount(*source.counters, line), base);
    else
        sentence = say("source.only_before", old_line, base, amount(*source.before->counters, old_line));
    const std::string_view figure = now == before ? big_number(now) : pair_text(before, now);
    return {text("{} {}", figure, name), sentence, Kind::counted};
}

// "10:42:07" of this place.
std::string_view clock_text(std::int64_t seconds) {
    const std::time_t time = seconds;
    std::tm parts{};
    localtime_r(&time, &parts);
    return text("{:02}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// A line that does not compile, or that the checks refuse.
bool draw_trouble_headline(const SourceStage& source) {
    const StepSnapshot& step = source.step;
    const std::optional<SourceTrouble> trouble = trouble_of(source.stage.snapshot, step);
    if (!trouble) return false;
    const std::string_view version = version_name(source.stage.snapshot.work.version);
    const bool refused = trouble->kind == SourceTrouble::Kind::refused;
    std::string_view sentence = trouble->message;
    if (!refused && source.counters)
        sentence =
            step.counts.source.saved_at > 0
                ? say("source.last_good", version, clock_text(step.counts.source.saved_at), trouble->line)
                : say("source.last_good.built_in", version, trouble->line);
    draw_headline(source.stage, source.stage.slots.page_headline,
                  {say(refused ? "source.refused" : "source.broken", trouble->line), sentence}, true);
    return true;
}

// Whose lines are shown; at the end of the steps.
void draw_source_controls(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Preferences& kept = stage.view.preferences;
    const bool compared = stage.snapshot.told.baseline.has_value();
    const Box room = stage.slots.controls;
    const std::string_view against =
        compared ? say_baseline(stage, canvas.px(250), Font::strong,
                                [](std::string_view name) { return say("source.against", name); })
                 : say("source.against.none");
    const std::string_view changes = say("source.changes");
    float right = room.right();
    const auto place = [&](std::string_view label, float most) {
        // One that is chosen has strong letters.
        const float wide = std::min(canvas.width(label, Font::strong) + canvas.px(40), most);
        right -= wide;
        const Box box{right, room.y, wide, room.h};
        right -= canvas.px(12);
        return box;
    };
    if (button(canvas, "changes", place(changes, canvas.px(260)), changes,
               kept.changes_only ? ButtonLook::outlined : ButtonLook::plain)
            .clicked)
        stage.edits.add(ShowChangesOnly{!kept.changes_only});
    if (button(canvas, "against", place(against, canvas.px(300)), against,
               kept.removed_lines && compared ? ButtonLook::baseline : ButtonLook::plain)
            .clicked)
        stage.edits.add(ShowRemovedLines{!kept.removed_lines});
}

// In a narrow window the warp and its counts lie below the code.
void draw_line_cards(const SourceStage& source, Box card, int line) {
    Canvas& canvas = source.stage.canvas;
    switch (source.stage.view.source.beside) {
        case SidePanel::ptx:
            draw_line_ptx(source, card, line);
            return;
        case SidePanel::machine:
            draw_line_machine(source, card, line);
            return;
        case SidePanel::counts:
            break;
    }
    canvas.slot("line", card);
    canvas.card(card);
    const Box in = card.inset(canvas.px(20), canvas.px(4));
    if (source.stage.slots.narrow) {
        const float half = (in.w - canvas.px(40)) / 2;
        draw_line_warp(source, in.left(half), line);
        draw_line_evidence(source, in.right_part(half), line);
        return;
    }
    const float warp = canvas.px(358);
    draw_line_warp(source, in.top(warp), line);
    canvas.line(in.x, in.y + warp + canvas.px(6), in.right(), in.y + warp + canvas.px(6), Ink::line);
    draw_line_evidence(source, in.below(warp + canvas.px(10)), line);
}

}  // namespace

void draw_source(const Stage& stage) {
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    const KernelCounters* counters = own_counters(step);
    const SourceStage source{stage,
                             step,
                             counters,
                             before_result(stage.snapshot, step),
                             own_clock(step),
                             step.counts.stale || stage.snapshot.told.stale,
                             chosen_line(stage.snapshot, step, stage.view.source.line)};
    draw_source_controls(stage);
    if (!draw_trouble_headline(source)) {
        Headline headline = headline_of(source);
        headline.note = sample_note(source.counters);
        draw_headline(stage, stage.slots.page_headline, headline);
    }
    const Box page = stage.slots.page;
    Box code = page.left(page.w * 0.6795f);
    Box line_card = page.right_part(page.w * 0.3077f);
    if (stage.slots.narrow) {
        const float drawer = stage.canvas.px(336);
        code = page.above(drawer + stage.canvas.px(12));
        line_card = page.bottom_part(drawer);
    }
    const int hovered = draw_code(source, code);
    draw_line_cards(source, line_card, hovered > 0 ? hovered : source.chosen);
}

}  // namespace ws
