// The GPU that the figures are of, and the same kernels on several of them side by side.

#include <algorithm>
#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

std::string_view short_name(std::string_view name) {
    constexpr std::string_view kMaker = "NVIDIA ";
    return name.substr(0, kMaker.size()) == kMaker ? name.substr(kMaker.size()) : name;
}

std::string_view known(double value, std::string_view words) {
    return value > 0 ? words : std::string_view("–");
}

// Its time: measured where this machine has it, else estimated.
std::optional<TimeFigure> time_on(const GpuFigures& one) {
    return time_of(one.figures);
}

// ---- the headline

// The fastest of them against the target.
Headline headline_of(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    const std::string_view name = short_name(snapshot.target.gpu.name);
    const std::vector<GpuFigures>& all = snapshot.told.gpus;
    const auto target = std::find_if(all.begin(), all.end(), [&](const GpuFigures& one) {
        return one.gpu.name == snapshot.target.gpu.name;
    });
    const std::optional<TimeFigure> found = target == all.end() ? std::nullopt : time_on(*target);
    const std::string_view facts =
        say("gpu.sentence", snapshot.target.gpu.multiprocessors, snapshot.target.gpu.limits.capability.text(),
            text("{:.0f}", snapshot.target.gpu.bandwidth_gb_s));
    if (!found) return {name, facts, Kind::estimated};
    const TimeFigure own = *found;
    const GpuFigures* fastest = nullptr;
    double least = own.ms;
    bool pending = false;
    for (const GpuFigures& other : all) {
        const std::optional<TimeFigure> time = time_on(other);
        pending = pending || (!time && other.figures.problem.empty());
        if (!time || time->ms >= least) continue;
        least = time->ms;
        fastest = &other;
    }
    const std::string_view headline = say("gpu.headline", name, short_time(own.ms));
    if (pending) return {headline, say("gpu.pending", facts), own.kind};
    if (!fastest) return {headline, say("gpu.fastest", facts), own.kind};
    // The badge is of the headline: a time of another kind says so.
    const Kind kind = time_on(*fastest)->kind;
    const std::string_view other = short_name(fastest->gpu.name);
    const std::string_view told =
        kind == own.kind ? other : text("{} ({})", other, say(std::string("kind.") + name_of(kind)));
    return {headline, say("gpu.faster", facts, told, speedup_text(own.ms / least), short_time(least, own.ms)),
            own.kind};
}

// ---- facts

struct FactRow {
    std::string_view key;  // of its label; its tip is the key with ".tip"
    std::string_view value;
};

// Of several GPUs the one that it is.
std::string_view runs_here(const Snapshot& snapshot) {
    const RunningDevice& device = snapshot.device;
    if (device.can.shows_progress) return gpu_name(snapshot);
    return device.place.of < 2 ? std::string_view(device.name)
                               : text("{} (cuda:{})", device.name, device.place.number);
}

using FactRows = std::array<FactRow, 15>;
FactRows facts_of(const Stage& stage) {
    const Snapshot& snapshot = stage.snapshot;
    const GpuProfile& gpu = snapshot.target.gpu;
    const GpuLimits& limits = gpu.limits;
    return {FactRow{"gpu.fact.chip", gpu.chip.empty() ? std::string_view("–") : gpu.chip},
            FactRow{"gpu.fact.capability", text("{}.{}", limits.capability.major, limits.capability.minor)},
            FactRow{"gpu.fact.multiprocessors", known(gpu.multiprocessors, text("{}", gpu.multiprocessors))},
            FactRow{"gpu.fact.clock", known(gpu.clock_mhz, text("{} MHz", gpu.clock_mhz))},
            FactRow{"gpu.fact.memory", known(gpu.memory_gib, text("{:.1f} GiB", gpu.memory_gib))},
            FactRow{"gpu.fact.bandwidth", known(gpu.bandwidth_gb_s, text("{:.0f} GB/s", gpu.bandwidth_gb_s))},
            FactRow{"gpu.fact.bus", known(gpu.bus_width_bits, text("{} bit", gpu.bus_width_bits))},
            FactRow{"gpu.fact.l2", known(gpu.l2_kib, byte_text(gpu.l2_kib * 1024LL))},
            FactRow{"gpu.fact.shared", text("{} KiB", limits.shared_bytes_per_multiprocessor / 1024)},
            FactRow{"gpu.fact.registers", big_number(limits.registers_per_multiprocessor)},
            FactRow{"gpu.fact.warps", text("{}", limits.warps_per_multiprocessor)},
            FactRow{"gpu.fact.blocks", text("{}", limits.blocks_per_multiprocessor)},
            FactRow{"gpu.fact.threads", text("{}", limits.threads_per_block)},
            FactRow{"gpu.fact.rates", said(snapshot.target.rates)},
            FactRow{"gpu.fact.runs_here", runs_here(snapshot)}};
}

void draw_facts(const Stage& stage, Box card) {
    Canvas& canvas = stage.canvas;
    canvas.slot("facts", card);
    const Box in = card_title(canvas, card, stage.snapshot.target.gpu.name);
    const FactRows rows = facts_of(stage);
    const int count = int(rows.size());
    for (int i = 0; i < count; ++i) {
        const FactRow& fact = rows[std::size_t(i)];
        const Box row = in.row(i, count, 0);
        canvas.line(row.x, row.bottom(), row.right(), row.bottom(), Ink::grid, 1);
        const bool long_value = i >= count - 2;
        const float label = long_value ? canvas.px(130) : row.w * 0.64f;
        canvas.text(row.left(label), say(fact.key), Font::axis, Ink::dim);
        tip(stage, row, text("{}.tip", fact.key));
        canvas.text(row.after(label), fact.value, long_value ? Font::axis : Font::axis_strong, Ink::text,
                    Align::right);
    }
}

// ---- side by side

// As much room as there ever are GPUs.
constexpr int kGpuRows = 7;

void draw_gpu_row(const Stage& stage, Box row, const GpuFigures& one, bool is_target, double most) {
    Canvas& canvas = stage.canvas;
    const std::optional<TimeFigure> time = time_on(one);
    const Touch touch = canvas.touch("gpu row", row);
    const Ink ink = is_target ? Ink::now : Ink::text;
    if (touch.hovered) canvas.fill(row, Ink::context_soft, 6);
    const float label = std::min(canvas.px(250), row.w * 0.26f);
    const float value = canvas.px(160);
    const float kind = canvas.px(176);
    const Box names = row.left(label);
    canvas.text(names.row(0, 2, 0).below(canvas.px(4)), short_name(one.gpu.name),
                is_target ? Font::strong : Font::body, ink);
    canvas.text(names.row(1, 2, 0).above(canvas.px(4)),
                say("gpu.short_facts", one.gpu.limits.capability.major, one.gpu.limits.capability.minor,
                    one.gpu.multiprocessors),
                Font::axis, Ink::dim);
    const Box rest = row.after(label);
    if (!time && !one.figures.problem.empty()) {
        canvas.text(rest, say("gpu.cannot"), Font::axis, Ink::dim);
        canvas.tooltip(touch, said(one.figures.problem));
        return;
    }
    const Box track{rest.x, row.center_y() - canvas.px(16), rest.w - value - kind, canvas.px(32)};
    canvas.fill(track, Ink::context_soft, 3);
    if (time && most > 0) {
        const Box bar = track.left(std::max(canvas.px(3), track.w * float(time->ms / most)));
        canvas.fill(bar, is_target ? Ink::now_fill : Ink::context_strong, 3);
    }
    const Box numbers{track.right(), row.y, value, row.h};
    canvas.text(numbers, time ? short_time(time->ms, most) : std::string_view("–"), Font::strong, ink,
                Align::right);
    if (time) badge(canvas, {numbers.right(), row.y, kind, row.h}, time->kind);
    canvas.tooltip(touch, say("gpu.choose", short_name(one.gpu.name)));
    if (touch.clicked && !is_target) stage.edits.add(ChooseGpu{one.gpu.name});
}

void draw_side_by_side(const Stage& stage, Box card) {
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    canvas.slot("side by side", card);
    const Box in = card_title(
        canvas, card,
        say("gpu.side_by_side", version_name(snapshot.work.version), translated(view_of(snapshot).title)));
    tip(stage, card.top(canvas.px(54)), "tip.gpus");
    double most = 0;
    for (const GpuFigures& one : snapshot.told.gpus) {
        if (const std::optional<TimeFigure> time = time_on(one)) most = std::max(most, time->ms);
    }
    const Box rows = in.above(canvas.px(44));
    for (int i = 0; i < kGpuRows && i < int(snapshot.told.gpus.size()); ++i) {
        const GpuFigures& one = snapshot.told.gpus[std::size_t(i)];
        ImGui::PushID(i);
        draw_gpu_row(stage, rows.row(i, kGpuRows, canvas.px(4)), one,
                     one.gpu.name == snapshot.target.gpu.name, most);
        ImGui::PopID();
    }
    canvas.text(in.bottom_part(canvas.px(36)), say("gpu.caution"), Font::axis, Ink::dim);
    tip(stage, in.bottom_part(canvas.px(36)), "kind.estimated.tip");
}

}  // namespace

void draw_gpu(const Stage& stage) {
    draw_headline(stage, stage.slots.page_headline, headline_of(stage));
    Box page = stage.slots.page;
    const int shown = turn_pages(stage, page, 2);
    if (shown == 0) draw_side_by_side(stage, page);
    if (shown == 1) draw_facts(stage, page);
    if (shown >= 0) return;
    const Box left = page.left(std::round(page.w * 0.36f));
    draw_facts(stage, left);
    draw_side_by_side(stage, page.after(left.w + stage.canvas.px(24)));
}

}  // namespace ws
