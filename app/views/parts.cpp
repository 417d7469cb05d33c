#include "app/views/parts.h"

#include <algorithm>
#include <cmath>

#include "app/texts/texts.h"
#include "app/views/words.h"
#include "gpu/analysis/estimate_error.h"
#include "gpu/core/counters.h"

namespace ws {
namespace {

void draw_bar_row(const Stage& stage, Box row, std::string_view name, const std::optional<double>& value,
                  double most, bool is_now, WriteValue write) {
    Canvas& canvas = stage.canvas;
    const bool stale = stage.snapshot.told.stale;
    const Ink ink = stale ? Ink::dim : is_now ? Ink::now : Ink::base;
    const float label = std::min(canvas.px(86), row.w * 0.24f);
    const float number = std::min(canvas.px(170), row.w * 0.40f);
    canvas.text(row.left(label - canvas.px(8)), name, Font::axis_strong, ink);
    const Box track{row.x + label, row.center_y() - canvas.px(12), row.w - label - number, canvas.px(24)};
    canvas.fill(track, Ink::context_soft, 3);
    if (value && *value > 0 && most > 0)
        canvas.fill(track.left(std::max(canvas.px(2), track.w * float(*value / most))),
                    is_now ? Ink::now_fill : Ink::base_fill, 3);
    canvas.text(row.right_part(number - canvas.px(10)), value ? write(*value, most) : std::string_view("–"),
                Font::strong, ink, Align::right);
}

}  // namespace

const Work& now_work(const Stage& stage) {
    const ToldFigures& told = stage.snapshot.told;
    return told.stale && told.now.work.lab ? told.now.work : stage.snapshot.work;
}

std::string_view now_name(const Stage& stage) {
    const std::optional<WorkFigures>& baseline = stage.snapshot.told.baseline;
    return baseline ? distinct_name(now_work(stage), baseline->work) : now_version(stage);
}

std::string_view asked_name(const Stage& stage) {
    const ToldFigures& told = stage.snapshot.told;
    const Work& asked = stage.snapshot.work;
    return told.baseline ? distinct_name(asked, told.baseline->work) : version_name(asked.version);
}

std::string_view base_name(const Stage& stage) {
    const std::optional<WorkFigures>& baseline = stage.snapshot.told.baseline;
    return baseline ? distinct_name(baseline->work, now_work(stage)) : std::string_view("–");
}

std::string_view now_version(const Stage& stage) {
    return version_name(now_work(stage).version);
}

std::string_view base_version(const Stage& stage) {
    const std::optional<WorkFigures>& baseline = stage.snapshot.told.baseline;
    return baseline ? version_name(baseline->work.version) : std::string_view("–");
}

void draw_pair(const Stage& stage, Box rows, const Pair& pair, WriteValue write) {
    const double most = std::max(pair.now.value_or(0), pair.base.value_or(0));
    draw_bar_row(stage, rows.row(0, 2, 0), base_name(stage), pair.base, most, false, write);
    draw_bar_row(stage, rows.row(1, 2, 0), now_name(stage), pair.now, most, true, write);
}

std::string_view baseline_name(const Snapshot& snapshot, const Preferences& kept) {
    if (!snapshot.told.baseline) return {};
    const Pin* pin = kept.pin();
    if (pin && pin->pinned.work.lab == snapshot.work.lab && !pin->given.empty())
        return short_name(pin->given, kNameCharacters);
    return work_name(snapshot.told.baseline->work,
                     snapshot.told.now.work.lab ? snapshot.told.now.work : snapshot.work);
}

int turn_pages(const Stage& stage, Box& page, int count) {
    if (!stage.slots.narrow) return -1;
    Canvas& canvas = stage.canvas;
    const Box strip = page.bottom_part(canvas.px(40));
    page = page.above(canvas.px(44));
    const int now = stage.view.page % count;
    for (int i = 0; i < count; ++i) {
        const float x = strip.center_x() + canvas.px(48) * (float(i) - float(count) / 2);
        const Box dot{x, strip.y, canvas.px(48), strip.h};
        ImGui::PushID(i);
        if (canvas.touch("page", dot).clicked) stage.edits.add(TurnPage{i});
        ImGui::PopID();
        canvas.circle(dot.center_x(), dot.center_y(), 9, i == now ? Ink::now_fill : Ink::context);
    }
    return now;
}

void tip(const Stage& stage, Box place, std::string_view key) {
    const bool over = ImGui::IsWindowHovered() &&
                      ImGui::IsMouseHoveringRect({place.x, place.y}, {place.right(), place.bottom()});
    stage.canvas.tooltip({.hovered = over, .box = place}, say(key));
}

BadgeNote error_tip(const Snapshot& snapshot, Kind kind) {
    if (kind != Kind::estimated || !snapshot.work.lab) return {};
    const EstimateError* error = estimate_error(snapshot.work.lab->id, snapshot.target.gpu.limits.capability);
    if (!error) return {{}, say("error.unknown")};
    const std::string_view told = say("error.tip", error->times, error->measured_on,
                                      text("{:.0f}", 100 * error->mean), text("{:.1f}", error->worst));
    const bool here = error->measured_on.find(snapshot.target.gpu.name) != std::string_view::npos;
    return {{}, here ? told : text("{} {}", told, say("error.elsewhere", snapshot.target.gpu.name))};
}

BadgeNote error_note(const Snapshot& snapshot, Kind kind) {
    BadgeNote note = error_tip(snapshot, kind);
    if (kind != Kind::estimated || !snapshot.work.lab) return note;
    const EstimateError* error = estimate_error(snapshot.work.lab->id, snapshot.target.gpu.limits.capability);
    if (error) note.more = text("± {:.0f} %", 100 * error->mean);
    return note;
}

BadgeNote sample_note(const KernelCounters* counters) {
    if (!counters || counters->blocks_simulated >= counters->blocks_total) return {};
    return {say("kind.counted.sample"),
            say("kind.counted.sample.tip", grouped_number(counters->blocks_simulated),
                grouped_number(counters->blocks_total))};
}

double nice_step(double most, int lines) {
    const double raw = std::max(most, 1e-9) / lines;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
        if (factor * power >= raw) return factor * power;
    }
    return 10 * power;
}

const StepResult* base_result(const Snapshot& snapshot, const StepSnapshot& step) {
    if (!snapshot.told.baseline) return nullptr;
    if (const StepResult* same = step_of(*snapshot.told.baseline, step.step)) return same;
    return step.counts.baseline.result ? &*step.counts.baseline.result : nullptr;
}

}  // namespace ws
