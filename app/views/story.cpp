// The story: how much faster, why, and beside which other versions.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/canvas/controls.h"
#include "app/texts/error_line.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/rate.h"
#include "app/views/side_a.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

// What keeps the work from being shown, if anything: the headline says it in the alarm's colour.
struct Trouble {
    std::string_view headline, sentence;
    std::string_view code{};  // of the error: behind the sentence where there is room
};

std::string_view first_line(std::string_view text) {
    return text.substr(0, text.find('\n'));
}

Trouble trouble_of(const Snapshot& snapshot) {
    if (snapshot.device.can.needs_kernels) {
        for (const StepSnapshot& step : snapshot.steps) {
            if (!step.runs || step.built.error.empty()) continue;
            return {say("trouble.compile", translated(step.name)), first_line(step.built.error)};
        }
    }
    if (const std::optional<LaunchFailure>& failure = snapshot.run.failure) {
        const std::string_view name = translated(snapshot.work.lab->steps[std::size_t(failure->step)].name);
        // What has a line was launched, and came as far as that.
        return {failure->line > 0 ? say("trouble.stopped", name, failure->line) : say("trouble.launch", name),
                said_line(failure->message), translated(failure->code)};
    }
    if (snapshot.result.check.state == Check::State::different ||
        snapshot.result.check.state == Check::State::failed)
        return {say("trouble.wrong"), said(snapshot.result.check.message)};
    return {};
}

// What the sentence below the headline has.
Box sentence_room(const Canvas& canvas, Box headline) {
    return headline.below(canvas.px(70));
}

// Behind a figure, if any. The limits stand below, too: where not all fits, they go.
std::string_view why(const Stage& stage, std::string_view figure) {
    const std::optional<Reasons>& reasons = stage.snapshot.told.reasons;
    if (!reasons) return say("story.counting");
    const auto sentence = [&](bool with_limits) {
        const std::string_view reason = why_text(*reasons, "story.because", with_limits);
        return figure.empty() ? reason : say("story.with_figure", figure, reason);
    };
    const Box room = sentence_room(stage.canvas, stage.slots.headline);
    const auto fits = [&](std::string_view words) {
        return stage.canvas.paragraph_height(room.w, words, Font::body) <= room.h;
    };
    for (const bool with_limits : {true, false}) {
        if (const std::string_view words = sentence(with_limits); fits(words)) return words;
    }
    return figure.empty() ? sentence(false) : text("{}.", figure);
}

// The lab's figure beside the time: its rate, or how far the result is from the functions that it
// approximates.
std::string_view figure_beside(const Snapshot& snapshot, double ms) {
    if (shown_rate(snapshot) != Rate::none) return rate_text(snapshot.told.now, ms);
    const std::optional<Accuracy>& accuracy = snapshot.result.check.accuracy;
    if (!accuracy || snapshot.run.stale) return {};
    return say(snapshot.device.can.measures_time ? "story.errors" : "story.errors.simulated",
               text("{:.3g}", accuracy->largest_ulps), text("{:.2g}", accuracy->mean_ulps));
}

}  // namespace

namespace {

// While the baseline is shown alone: its own figure.
Headline baseline_headline(const Stage& stage, const WorkFigures& baseline) {
    const Snapshot& snapshot = stage.snapshot;
    const std::string_view name = baseline_name(snapshot, stage.view.preferences);
    const std::optional<TimeFigure> time = time_of(baseline);
    if (!time)
        return {name,
                baseline.problem.empty() ? say("story.baseline.counting", name)
                                         : say("story.baseline.none", name, said(baseline.problem)),
                Kind::counted,
                {},
                true};
    const bool has_rate = shown_rate(snapshot) != Rate::none;
    const std::string_view figure = has_rate ? short_rate(baseline, time->ms) : short_time(time->ms);
    return {text("{}: {}", name, figure),
            translated(version_of(*baseline.work.lab, baseline.work.version).changed), time->kind,
            error_note(snapshot, time->kind), true};
}

}  // namespace

Headline story_headline(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    if (shows_baseline(stage.view, snapshot.work) && snapshot.told.baseline)
        return baseline_headline(stage, *snapshot.told.baseline);
    const WorkFigures& now = snapshot.told.now;
    const std::optional<TimeFigure> time = time_of(now);
    if (!now.problem.empty()) return {say("story.none"), said(now.problem), Kind::counted};
    if (!time)
        return {say("story.waiting"), say(now.counted() ? "story.no_estimate" : "story.counting"),
                Kind::counted};
    const bool has_rate = shown_rate(snapshot) != Rate::none;
    const std::string_view figure = has_rate ? short_rate(now, time->ms) : short_time(time->ms);
    if (!snapshot.told.baseline)
        return {figure, translated(version_of(*now.work.lab, now.work.version).changed), time->kind,
                error_note(snapshot, time->kind)};
    const std::string_view name = baseline_name(snapshot, stage.view.preferences);
    if (snapshot.told.now_is_baseline())
        return {figure, say("baseline.itself", name), time->kind, error_note(snapshot, time->kind)};
    const std::optional<TimePair> pair = times_of(now, *snapshot.told.baseline);
    if (!pair)
        return {figure,
                snapshot.told.baseline->problem.empty()
                    ? say("story.baseline.counting", name)
                    : say("story.baseline.none", name, said(snapshot.told.baseline->problem)),
                time->kind, error_note(snapshot, time->kind)};
    const double ratio = pair->speedup();
    const bool noise =
        pair->now.kind == Kind::measured   ? !differ(*now.measured, *snapshot.told.baseline->measured)
        : pair->now.kind == Kind::recorded ? !differ(*now.recorded, *snapshot.told.baseline->recorded)
                                           : std::abs(ratio - 1) < 0.005;
    const BadgeNote note = error_note(snapshot, pair->now.kind);
    const float width =
        stage.slots.headline.w - badge_width(stage.canvas, pair->now.kind, note) - stage.canvas.px(12);
    const std::string_view headline =
        say_baseline(stage, width, Font::headline, [&](std::string_view baseline) {
            const std::string_view factor = speedup_text(ratio);
            return noise ? say("story.equal", baseline, factor) : say("story.ratio", factor, baseline);
        });
    return {headline, why(stage, figure_beside(snapshot, time->ms)), pair->now.kind, note};
}

namespace {

// What is thought of a time that was recorded; nothing where it was not.
std::optional<double> thought_of(const WorkFigures& figures, const TimeFigure& time) {
    return time.kind == Kind::recorded ? figures.estimated() : std::nullopt;
}

// The bars: a value each, in one unit.
struct Bars {
    std::string_view title;
    double scale = 1;  // from what is kept (ms) to what is written
    Rate rate = Rate::none;
    bool mixed = false;    // some are measured or recorded, some estimated
    bool thought = false;  // some that are recorded have an estimate beside them
    Kind kind = Kind::estimated;
    double most = 0;
    [[nodiscard]] double value(const WorkFigures& figures, double ms) const {
        return rate == Rate::none ? ms * scale : ws::rate(figures, ms);
    }
};

Bars bars_of(const Snapshot& snapshot) {
    Bars bars;
    double most_ms = 0;
    bool timed = false;
    bool estimated = false;
    Kind kind = Kind::estimated;
    for (const auto& [number, figures] : snapshot.told.versions) {
        const std::optional<TimeFigure> time = time_of(figures);
        if (!time) continue;
        (time->kind == Kind::estimated ? estimated : timed) = true;
        if (time->kind != Kind::estimated && kind != Kind::measured) kind = time->kind;
        const std::optional<double> thought = thought_of(figures, *time);
        bars.thought = bars.thought || thought;
        for (const double ms : {time->ms, thought.value_or(time->ms)}) {
            most_ms = std::max(most_ms, ms);
            bars.most = std::max(bars.most, ws::rate(figures, ms));
        }
    }
    bars.rate = shown_rate(snapshot);
    bars.mixed = timed && estimated;
    bars.kind = kind;
    if (bars.rate != Rate::none) {
        bars.title = rate_title(bars.rate);
        return bars;
    }
    const bool micro = most_ms < 1;
    bars.scale = micro ? 1000 : 1;
    bars.title = time_title(*snapshot.work.lab, micro);
    bars.most = most_ms * bars.scale;
    return bars;
}

// Three characters at most, so that neighbours stay apart: "857", "1.9", ".68".
std::string_view bar_text(double value) {
    if (value >= 9.95) return text("{:.0f}", value);
    if (value >= 0.995) return text("{:.1f}", value);
    return text("{:.2f}", value).substr(1);
}

PinnedWork pinned_version(const Snapshot& snapshot, const Version& version) {
    return {with_version(snapshot.work, version), snapshot.told.now.key.input};
}

// The version that is shown, or its baseline.
bool is_compared(const Snapshot& snapshot, const Version& version) {
    return version.number == snapshot.work.version ||
           (snapshot.told.baseline && snapshot.told.baseline->work.version == version.number);
}

Box estimate_tick(const Canvas& canvas, float x, float y, float wide) {
    return {x, y - canvas.px(2), wide, canvas.px(4)};
}

void draw_bar(const Stage& stage, const Bars& bars, const Version& version, Box column, Box plot,
              double top) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    const auto found = snapshot.told.versions.find(version.number);
    const bool is_now = version.number == snapshot.work.version;
    const bool is_base =
        !is_now && snapshot.told.baseline && snapshot.told.baseline->work.version == version.number;
    // Colour alone marks them where columns are hardly as wide as two digits.
    const bool crowded = column.w < canvas.width("88", Font::axis_strong) + canvas.px(4);
    const Font font = (is_now || is_base) && !crowded ? Font::axis_strong : Font::axis;
    const Ink ink = is_now ? Ink::now : is_base ? Ink::base : Ink::dim;
    const Box name{column.x - canvas.px(8), plot.bottom() + canvas.px(4), column.w + canvas.px(16),
                   canvas.px(34)};
    const bool first = version.number == snapshot.work.lab->versions.front().number;
    canvas.text(name,
                (is_now || is_base || first) && version.number < 10 && !crowded ? version_name(version.number)
                                                                                : text("{}", version.number),
                font, ink, Align::center);
    std::optional<TimeFigure> time;
    if (found != snapshot.told.versions.end()) time = time_of(found->second);
    const float wide = std::round(column.w * 0.78f);
    const Box room{std::round(column.center_x() - wide / 2), plot.y, wide, plot.h};
    const Box above{column.x - canvas.px(6), 0, column.w + canvas.px(12), canvas.px(28)};
    if (!time) {
        canvas.text({above.x, plot.bottom() - above.h, above.w, above.h}, "–", font, Ink::dim, Align::center);
        return;
    }
    const double value = bars.value(found->second, time->ms);
    const float high = std::max(canvas.px(2), float(value / top) * plot.h);
    const Box bar{room.x, plot.bottom() - high, room.w, high};
    const Ink fill = is_now ? Ink::now_fill : is_base ? Ink::base_fill : Ink::context;
    if (bars.mixed && time->kind == Kind::estimated)
        canvas.frame(bar, fill, 3, 3);
    else
        canvas.fill(bar, fill, 3);
    float written = bar.y;  // below the value
    if (const std::optional<double> thought = thought_of(found->second, *time)) {
        const float y = plot.bottom() - float(bars.value(found->second, *thought) / top) * plot.h;
        canvas.fill(estimate_tick(canvas, bar.x, y, bar.w), Ink::text);
        if (y < written && y > written - above.h) written = y;
    }
    // Where neighbours would touch, those that are compared are enough.
    const std::string_view figure = bar_text(value);
    const float beyond = canvas.width(figure, Font::axis) - column.w;
    const bool touches = beyond > 0;
    if (touches && !is_now && !is_base) return;
    // These, too, make room for each other where they stand side by side.
    float aside = 0;
    if (touches && snapshot.told.baseline) {
        const int other = is_now ? snapshot.told.baseline->work.version : snapshot.work.version;
        const int apart = version.number - other;
        if (std::abs(apart) == 1) aside = float(apart) * (beyond / 2 + canvas.px(4));
    }
    const Box words{above.x + aside, written - above.h, above.w, above.h};
    if (touches) {
        const float covered = canvas.width(figure, Font::axis) + canvas.px(4);
        canvas.fill({words.center_x() - covered / 2, words.y, covered, words.h}, Ink::panel);
    }
    canvas.text(words, figure, touches ? Font::axis : font, ink, Align::center);
}

// What the ticks are, between the title and what ends at the right, where there is room.
void draw_tick_legend(const Stage& stage, Box head, float title, const Bars& bars) {
    if (!bars.thought) return;
    Canvas& canvas = stage.canvas;
    const std::string_view name = say("kind.estimated");
    const Box room = head.after(title + canvas.px(30)).before(advice_button_room(canvas) + canvas.px(20));
    const float sign = canvas.px(34);
    if (room.w < sign + canvas.width(name, Font::axis)) return;
    canvas.fill(estimate_tick(canvas, room.x, room.center_y(), canvas.px(24)), Ink::text);
    canvas.text(room.after(sign), name, Font::axis, Ink::dim);
}

}  // namespace

void draw_headline(const Stage& stage, Box room, const Headline& headline, bool alarm) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    canvas.slot("headline", room);
    Trouble trouble = trouble_of(snapshot);
    if (alarm) trouble = {headline.text, headline.sentence};
    const Box head = room.top(canvas.px(64));
    const Box rest = sentence_room(canvas, room);
    if (!trouble.headline.empty()) {
        canvas.warning({head.x, head.y + canvas.px(8), canvas.px(50), canvas.px(44)}, Ink::alarm);
        canvas.text(head.after(canvas.px(68)), trouble.headline, Font::headline, Ink::alarm);
        const std::string_view whole =
            trouble.code.empty() ? trouble.sentence : text("{} ({})", trouble.sentence, trouble.code);
        const bool fits = canvas.paragraph_height(rest.w, whole, Font::body) <= rest.h;
        canvas.paragraph(rest, fits ? whole : trouble.sentence, Font::body, Ink::text);
        return;
    }
    const Box sign = badge(canvas, head, headline.kind, headline.note);
    const bool stale = snapshot.told.stale;
    canvas.text(head.before(head.right() - sign.x + canvas.px(12)), headline.text, Font::headline,
                headline.of_baseline ? Ink::base
                : stale              ? Ink::dim
                                     : Ink::now);
    canvas.paragraph(rest, headline.sentence, Font::body, stale ? Ink::dim : Ink::text);
    if (stale)
        canvas.fill({room.x, room.bottom() - canvas.px(4), canvas.px(160), canvas.px(4)}, Ink::now_mid);
}

void draw_time_chart(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    const Box card = stage.slots.chart;
    canvas.slot("chart", card);
    const Bars bars = bars_of(snapshot);
    const std::vector<Version>& versions = snapshot.work.lab->versions;
    const float axis = canvas.px(88);  // five digits
    const Box in = card.inset(canvas.px(20), 0);
    const Box plot{in.x + axis, in.y + canvas.px(80), in.w - axis, in.h - canvas.px(80) - canvas.px(52)};
    // Which bar the pointer is on, before anything is written.
    const Version* under = nullptr;
    for (std::size_t i = 0; i < versions.size(); ++i) {
        const Box column = plot.column(int(i), int(versions.size()), 0);
        ImGui::PushID(versions[i].number);
        const Touch touch =
            canvas.touch("bar", {column.x, plot.y - canvas.px(24), column.w, in.bottom() - plot.y});
        if (touch.hovered) under = &versions[i];
        if (touch.clicked) stage.edits.add(ChooseVersion{versions[i].number});
        if (touch.right_clicked)
            stage.edits.add(
                KeepPin{{std::string(version_name(versions[i].number)), pinned_version(snapshot, versions[i]),
                         std::string(input_text(snapshot))}});
        ImGui::PopID();
    }
    std::string_view title = bars.title;
    if (under) {
        const auto found = snapshot.told.versions.find(under->number);
        const std::optional<TimeFigure> time =
            found == snapshot.told.versions.end() ? std::nullopt : time_of(found->second);
        title = text("{}  {}", version_name(under->number), translated(under->title));
        if (time) title = text("{}: {}", title, short_time(time->ms));
        if (time && time->kind != Kind::estimated)
            title = text("{} ± {}", title, short_time(time->spread_ms / 2));
    }
    if (bars.mixed && !under) {
        // Where there is room beside the buttons.
        const std::string_view mixed = say("chart.mixed", title);
        const float room = in.w - advice_button_room(canvas);
        if (canvas.width(mixed, Font::strong) < room - canvas.px(30)) title = mixed;
    }
    card_title(canvas, card, title, bars.kind, error_tip(snapshot, bars.kind));
    tip(stage, card.top(canvas.px(54)).before(badge_width(canvas, bars.kind) + canvas.px(24)),
        bars.rate == Rate::none ? std::string_view("tip.time") : rate_tip(bars.rate));
    draw_tick_legend(stage, in.below(canvas.px(10)).top(canvas.px(40)), canvas.width(title, Font::strong),
                     bars);
    draw_advice_button(stage, card);
    const double step = bars.most > 0 ? nice_step(bars.most, 3) : 1;
    const double top = step * std::max(1.0, std::ceil(bars.most / step - 0.05));
    for (int i = 0; double(i) * step <= top * 1.001; ++i) {
        const float y = plot.bottom() - float(double(i) * step / top) * plot.h;
        canvas.line(plot.x, y, plot.right(), y, i == 0 ? Ink::context_strong : Ink::grid);
        canvas.text({in.x, y - canvas.px(16), axis - canvas.px(14), canvas.px(32)},
                    text("{:g}", double(i) * step), Font::axis, Ink::dim, Align::right);
    }
    // Figures of those that are compared may reach over their neighbours' bars.
    for (const bool compared : {false, true})
        for (std::size_t i = 0; i < versions.size(); ++i)
            if (is_compared(snapshot, versions[i]) == compared)
                draw_bar(stage, bars, versions[i], plot.column(int(i), int(versions.size()), 0), plot, top);
}

namespace {

void draw_chart_slot(const Stage& stage) {
    stage.view.story.advice ? draw_advice(stage) : draw_time_chart(stage);
}

}  // namespace

void draw_story(const Stage& stage) {
    draw_headline(stage, stage.slots.headline, story_headline(stage));
    if (!stage.slots.narrow) {
        draw_chart_slot(stage);
        draw_block_slot(stage);
        draw_occupancy_slot(stage);
        draw_limits_slot(stage);
        return;
    }
    constexpr void (*kPages[])(const Stage&) = {draw_chart_slot, draw_block_slot, draw_occupancy_slot,
                                                draw_limits_slot};
    constexpr int kCount = 4;
    const int page = stage.view.page % kCount;
    kPages[page](stage);
    // A dot for each page, above the slot.
    const Box slot = stage.slots.chart;
    for (int i = 0; i < kCount; ++i) {
        const Box dot{slot.center_x() + stage.canvas.px(40) * (float(i) - float(kCount) / 2),
                      slot.y - stage.canvas.px(34), stage.canvas.px(36), stage.canvas.px(28)};
        ImGui::PushID(i);
        if (stage.canvas.touch("page", dot).clicked) stage.edits.add(TurnPage{i});
        ImGui::PopID();
        stage.canvas.circle(dot.center_x(), dot.center_y(), 8, i == page ? Ink::now_fill : Ink::context);
    }
}

}  // namespace ws
