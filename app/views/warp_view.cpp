// One request of a warp: its lanes, the sectors that they touch, the place in the picture, the banks.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/warp_access.h"
#include "app/views/warp_parts.h"
#include "app/views/words.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

// What is drawn of the step: the chosen line's request to global memory, and that to shared memory, of now
// and of the baseline.
struct Chosen {
    const StepResult* now = nullptr;
    const StepResult* base = nullptr;
    Memory focus = Memory::global;  // what the headline is about
    int line = 0;                   // of the focus
    RequestSide global_now, global_base;
    RequestSide shared_now, shared_base;
};

// The line of a kind of memory, and the access on it.
struct Picked {
    int line = 0;
    const AccessExample* access = nullptr;
};

constexpr double kClearlyMore = 1.5;

// Without a line that is looked at, the one that takes most, or, where the baseline has clearly more to
// spare, what stands in the place of the one that takes most of it.
Picked pick(const Requests& requests, const Requests* base, Memory memory, const ViewState& view) {
    if (view.source.line == 0 && base &&
        excess(*base->counters, memory) > kClearlyMore * excess(*requests.counters, memory)) {
        const AccessExample* const worst = access_of(*base, memory, access_line(*base, memory, 0), 0);
        const bool same = requests.counters->kernel == base->counters->kernel;
        const AccessExample* const own =
            worst ? counterpart(*worst, *base, requests, same, index_on_line(*base, *worst)) : nullptr;
        if (own) return {own->line, own};
    }
    const int line = access_line(requests, memory, view.source.line);
    return {line, access_of(requests, memory, line, line == view.source.line ? view.source.access : 0)};
}

// Without a line that is looked at, the memory in which now or the baseline has more to spare.
Memory focus_of(const Requests& requests, const Requests* base, int line) {
    const auto has = [&](Memory memory) {
        return line == 0 ? access_line(requests, memory, 0) != 0 : access_count(requests, memory, line) > 0;
    };
    if (!has(Memory::shared)) return Memory::global;
    if (line != 0 || !has(Memory::global)) return has(Memory::global) ? Memory::global : Memory::shared;
    const auto most = [&](Memory memory) {
        return std::max(excess(*requests.counters, memory), base ? excess(*base->counters, memory) : 0);
    };
    return most(Memory::shared) > most(Memory::global) ? Memory::shared : Memory::global;
}

// What is looked at of a step: of which memory, and which access of each.
struct Choice {
    Memory focus = Memory::global;
    Picked global, shared;
    [[nodiscard]] const Picked& focused() const { return focus == Memory::global ? global : shared; }
};
Choice choice_of(const Requests& requests, const Requests* base, const ViewState& view) {
    return {focus_of(requests, base, view.source.line), pick(requests, base, Memory::global, view),
            pick(requests, base, Memory::shared, view)};
}

bool looks_at_one(const ViewState& view) {
    return view.preferences.warp.has_value();
}

std::optional<Requests> base_requests(const Snapshot& snapshot, const StepSnapshot& step,
                                      const ViewState& view) {
    const StepResult* const base = base_result(snapshot, step);
    return base ? std::optional<Requests>({*base, step.counts.base_warp, looks_at_one(view)}) : std::nullopt;
}

RequestSide side_of(const StepResult& result, const Requests& requests, const AccessExample* kind,
                    const ChosenWarp& warp, bool on, std::string_view name, bool is_now) {
    RequestSide side{name, is_now, requests.own(kind), result.counters.get(), &result.key};
    side.kind = kind;
    side.beside = requests.of_warp();
    side.of_one_warp = requests.block != nullptr;
    // What was kept stands in until the first addresses of the chosen warp come.
    if (on && (requests.block || warp.stale)) side.warp = &warp;
    if (warp.grid.covers()) side.grid = &warp.grid;
    return side;
}

Chosen choose(const Stage& stage, const StepSnapshot& step) {
    Chosen made;
    made.now = step.counts.result ? &*step.counts.result : nullptr;
    made.base = base_result(stage.snapshot, step);
    made.global_now.name = now_name(stage);
    made.global_base.name = base_name(stage);
    made.global_base.is_now = made.shared_base.is_now = false;
    if (!made.now) return made;
    const ViewState& view = stage.view;
    const bool on = looks_at_one(view);
    const Requests requests(*made.now, step.counts.warp, on);
    const std::optional<Requests> other = base_requests(stage.snapshot, step, view);
    const Choice choice = choice_of(requests, other ? &*other : nullptr, view);
    const auto& [focus, global, shared] = choice;
    made.focus = focus;
    made.line = made.focus == Memory::global ? global.line : shared.line;
    const std::string_view name = text("{}  {}", now_version(stage), block_text(made.now->key.launch.block));
    made.global_now = side_of(*made.now, requests, global.access, step.counts.warp, on, name, true);
    made.shared_now = side_of(*made.now, requests, shared.access, step.counts.warp, on, name, true);
    if (!other) return made;
    const bool same = requests.counters->kernel == other->counters->kernel;
    const std::string_view base =
        text("{}  {}", base_version(stage), block_text(made.base->key.launch.block));
    const auto beside = [&](const Picked& own, Memory memory) -> const AccessExample* {
        if (own.access)
            return counterpart(*own.access, requests, *other, same, index_on_line(requests, *own.access));
        return access_of(*other, memory, access_line(*other, memory, 0), 0);
    };
    made.global_base =
        side_of(*made.base, *other, beside(global, Memory::global), step.counts.base_warp, on, base, false);
    made.shared_base =
        side_of(*made.base, *other, beside(shared, Memory::shared), step.counts.base_warp, on, base, false);
    return made;
}

// ---- the headline

std::optional<double> rate_of(const RequestSide& side, Memory memory) {
    if (!side.kind) return std::nullopt;
    return per_request(*side.counters, memory, side.kind->line, side.kind->store);
}

int rows_of(const Stage& stage, const RequestSide& side) {
    const Plane plane = plane_of(stage, side);
    return rows_touched(*side.access, plane.size.width, plane.element_bytes);
}

std::string_view sentence_of(const Stage& stage, const RequestSide& now, const RequestSide& base,
                             Memory memory) {
    for (const RequestSide* side : {&now, &base}) {
        if (side->kind && !side->access)
            return say("warp.idle.sentence", side->warp->at.warp, side->warp->at.block_x,
                       side->warp->at.block_y, side->name, side->kind->line);
    }
    if (!base.access)
        return stage.snapshot.told.baseline ? say("warp.unmatched", now.access->line, base_name(stage))
                                            : say("warp.alone", now.access->line);
    if (memory == Memory::shared)
        return say("warp.sentence.shared", now.name, wavefronts_text(now.access->sectors), base.name,
                   wavefronts_text(base.access->sectors));
    const int rows = rows_of(stage, now);
    const int before = rows_of(stage, base);
    if (rows != before && rows > 0 && before > 0)
        return say(now.access->store ? "warp.sentence.rows.store" : "warp.sentence.rows", base.name,
                   rows_text(before), now.name, rows_text(rows));
    return say("warp.sentence.bytes", now.name, now.access->bytes_transferred, now.access->bytes_requested,
               base.name, base.access->bytes_transferred, base.access->bytes_requested);
}

Headline headline_of(const Stage& stage, const StepSnapshot& step, const Chosen& chosen) {
    if (!step.counts.problem.empty()) return {say("story.none"), said(step.counts.problem), Kind::counted};
    if (!chosen.now) return {say("story.waiting"), say("story.counting"), Kind::counted};
    if (looks_at_one(stage.view) && !step.counts.warp.problem.empty())
        return {say("story.none"), said(step.counts.warp.problem), Kind::counted};
    const bool global = chosen.focus == Memory::global;
    const RequestSide& now = global ? chosen.global_now : chosen.shared_now;
    const RequestSide& base = global ? chosen.global_base : chosen.shared_base;
    const std::optional<double> rate = rate_of(now, chosen.focus);
    if (!rate) return {say("story.none"), say("warp.no_access"), Kind::counted};
    const std::string_view unit =
        global ? traffic_word(stage.snapshot.target.gpu.limits.capability) : say("warp.unit.wavefronts");
    const std::optional<double> before = rate_of(base, chosen.focus);
    const std::string_view figure =
        before ? say("warp.headline.both", text("{:.2f}", *before), text("{:.2f}", *rate), unit)
               : say("warp.headline", text("{:.2f}", *rate), unit);
    return {figure, sentence_of(stage, now, base, chosen.focus), Kind::counted};
}

// ---- the controls

// What the buttons of the kernels take of the controls.
float steps_width(const Stage& stage) {
    float wide = 0;
    for (const StepSnapshot& step : stage.snapshot.steps) {
        if (is_listed(stage.snapshot, step))
            wide += button_width(stage.canvas, translated(step.name)) + stage.canvas.px(10);
    }
    return wide;
}

void draw_choice(const Stage& stage, const StepSnapshot& step, const Chosen& chosen) {
    if (!chosen.now || chosen.line == 0) return;
    Canvas& canvas = stage.canvas;
    const Requests counters(*chosen.now, step.counts.warp, looks_at_one(stage.view));
    const RequestSide& side = chosen.focus == Memory::global ? chosen.global_now : chosen.shared_now;
    Box room = stage.slots.controls;
    const auto place = [&](std::string_view label) {
        const float wide = button_width(canvas, label);
        const Box box = room.right_part(wide);
        room = room.before(wide + canvas.px(10));
        return box;
    };
    const int count = access_count(counters, chosen.focus, chosen.line);
    const int now = side.kind ? index_on_line(counters, *side.kind) : 0;
    const std::string_view which = say("warp.which", now + 1, count);
    const Touch within = button(canvas, "access", place(which), which, ButtonLook::outlined);
    canvas.tooltip(within, say("tip.warp_access"));
    const std::string_view line = say("warp.line", chosen.line);
    const Touch lines = button(canvas, "line", place(line), line, ButtonLook::outlined);
    canvas.tooltip(lines, say("tip.warp_line"));
    if (within.clicked || within.right_clicked)
        stage.edits.add(next_access(stage.snapshot, stage.view, within.clicked ? 1 : -1, true));
    if (lines.clicked || lines.right_clicked)
        stage.edits.add(next_access(stage.snapshot, stage.view, lines.clicked ? 1 : -1, false));
    if (!side.kind || stage.slots.narrow) return;
    const WarpPlace at =
        side.warp ? side.warp->at : WarpPlace{side.kind->block_x, side.kind->block_y, side.kind->warp};
    const float free = room.w - steps_width(stage);
    std::string_view where = say("warp.place", at.block_x, at.block_y, at.warp);
    if (button_width(canvas, where) > free) where = text("({}, {}) {}", at.block_x, at.block_y, at.warp);
    if (button_width(canvas, where) > free) return;
    const Touch touch = button(canvas, "warp", place(where), where, ButtonLook::outlined);
    canvas.tooltip(touch, say("tip.warp_block"));
    if (touch.clicked || touch.right_clicked) stage.edits.add(StepWarp{0, 0, touch.clicked ? 1 : -1});
}

// ---- wavefronts

std::string_view rate_words(double value, double) {
    return text("{:.2f}", value);
}

void draw_wavefronts(const Stage& stage, Box card, const Chosen& chosen) {
    Canvas& canvas = stage.canvas;
    canvas.slot("wavefronts", card);
    const Box in = card_title(canvas, card, say("warp.wavefronts"), Kind::counted);
    const float low = canvas.px(40);
    draw_pair(stage, in.above(low),
              {rate_of(chosen.shared_now, Memory::shared), rate_of(chosen.shared_base, Memory::shared)},
              rate_words);
    canvas.text(in.bottom_part(low), say("warp.bank_rule", stage.snapshot.target.gpu.limits.shared_banks),
                Font::code, Ink::text);
    tip(stage, card, "tip.wavefronts");
}

}  // namespace

ViewEdit next_access(const Snapshot& snapshot, const ViewState& view, int by, bool within_line) {
    const StepSnapshot& step = chosen_step(snapshot, view.preferences.step);
    if (!step.counts.result) return InspectLine{view.source.line, view.source.access};
    const Requests counters(*step.counts.result, step.counts.warp, looks_at_one(view));
    const std::optional<Requests> base = base_requests(snapshot, step, view);
    const Choice choice = choice_of(counters, base ? &*base : nullptr, view);
    const int line = choice.focused().line;
    if (!within_line) return InspectLine{next_line(counters, line, by)};
    const int count = std::max(1, access_count(counters, choice.focus, line));
    const AccessExample* const drawn = choice.focused().access;
    const int now = drawn ? index_on_line(counters, *drawn) : 0;
    return InspectLine{line, (now + by + count) % count};
}

void draw_warp(const Stage& stage) {
    const StepSnapshot& step = chosen_step(stage.snapshot, stage.view.preferences.step);
    const Chosen chosen = choose(stage, step);
    draw_headline(stage, stage.slots.page_headline, headline_of(stage, step, chosen));
    draw_choice(stage, step, chosen);
    Canvas& canvas = stage.canvas;
    Box page = stage.slots.page;
    const int shown = turn_pages(stage, page, 2);
    const float gap = canvas.px(12);
    if (shown == 1) {
        draw_banks(stage, page.row(0, 2, gap), chosen.shared_now, chosen.shared_base);
        draw_wavefronts(stage, page.row(1, 2, gap), chosen);
        return;
    }
    const bool narrow = shown == 0;
    const Box left = narrow ? page : page.left(std::round(page.w * 0.6195f));
    const Box right = page.after(left.w + canvas.px(24));
    const Box base_requests = left.row(0, 3, gap);
    const Box now_requests = left.row(1, 3, gap);
    const Box places = narrow ? left.row(2, 3, gap) : Box{};
    const int lane = std::max(hovered_lane(stage, base_requests), hovered_lane(stage, now_requests));
    draw_request(stage, base_requests, chosen.global_base, lane);
    draw_request(stage, now_requests, chosen.global_now, lane);
    const RequestSide& now = chosen.global_now;
    draw_place(stage, narrow ? places.column(0, 2, gap) : right.row(0, 3, gap), chosen.global_base, now,
               lane);
    draw_place(stage, narrow ? places.column(1, 2, gap) : right.row(1, 3, gap), now, now, lane);
    if (narrow) return;
    draw_banks(stage, left.row(2, 3, gap), chosen.shared_now, chosen.shared_base);
    draw_wavefronts(stage, right.row(2, 3, gap), chosen);
}

}  // namespace ws
