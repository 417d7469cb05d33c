// What the kernel's traffic of one kind amounts to, now and in the baseline; and the PTX of a line.

#include <algorithm>
#include <array>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/code_text.h"
#include "app/views/latency_parts.h"
#include "app/views/parts.h"
#include "app/views/ptx_lines.h"
#include "app/views/scroll.h"
#include "app/views/source_parts.h"
#include "app/views/words.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

constexpr int kFigures = 5;

// A row: a label, and a value of the counts.
struct Figure {
    std::string_view key;
    double (*of)(const InstructionCounts&, Traffic);
    bool large;  // in thousands or millions
    int digits;
};

const TrafficCounts& global(const InstructionCounts& c, Traffic kind) {
    return kind == Traffic::global_store ? c.global_store : c.global_load;
}
const SharedCounts& shared(const InstructionCounts& c, Traffic kind) {
    return kind == Traffic::shared_store ? c.shared_store : c.shared_load;
}
double per(std::uint64_t parts, std::uint64_t whole) {
    return whole ? double(parts) / double(whole) : 0;
}

constexpr std::array<Figure, kFigures> kGlobal{
    Figure{"evidence.requests",
           [](const InstructionCounts& c, Traffic k) { return double(global(c, k).requests); }, true, 2},
    Figure{"evidence.sectors",
           [](const InstructionCounts& c, Traffic k) { return double(global(c, k).sectors); }, true, 2},
    Figure{"evidence.sectors_per_request",
           [](const InstructionCounts& c, Traffic k) { return global(c, k).sectors_per_request(); }, false,
           2},
    Figure{"evidence.bytes",
           [](const InstructionCounts& c, Traffic k) { return double(global(c, k).bytes_transferred) / 1e6; },
           false, 1},
    Figure{"evidence.efficiency",
           [](const InstructionCounts& c, Traffic k) { return 100 * global(c, k).efficiency(); }, false, 1}};
constexpr std::array<Figure, kFigures> kShared{
    Figure{"evidence.requests",
           [](const InstructionCounts& c, Traffic k) { return double(shared(c, k).requests); }, true, 2},
    Figure{"evidence.wavefronts",
           [](const InstructionCounts& c, Traffic k) { return double(shared(c, k).wavefronts); }, true, 2},
    Figure{"evidence.wavefronts_per_request",
           [](const InstructionCounts& c, Traffic k) {
               return per(shared(c, k).wavefronts, shared(c, k).requests);
           },
           false, 2},
    Figure{
        "evidence.ideal",
        [](const InstructionCounts& c, Traffic k) { return per(shared(c, k).ideal, shared(c, k).requests); },
        false, 2},
    Figure{"evidence.conflict",
           [](const InstructionCounts& c, Traffic k) { return double(shared(c, k).conflict_ways_max); },
           false, 0}};

std::string_view title_of(Traffic kind) {
    switch (kind) {
        case Traffic::global_store:
            return say("evidence.global_store");
        case Traffic::shared_load:
            return say("evidence.shared_load");
        case Traffic::shared_store:
            return say("evidence.shared_store");
        case Traffic::none:
        case Traffic::global_load:
            break;
    }
    return say("evidence.global_load");
}

// One unit for both values of a row.
struct Unit {
    double scale = 1;
    std::string_view sign;
};
Unit unit_for(double a, double b) {
    const double most = std::max(a, b);
    if (most >= 1e9) return {1e9, say("evidence.billions")};
    if (most >= 1e5) return {1e6, say("evidence.millions")};
    if (most >= 1e4) return {1e3, say("evidence.thousands")};
    return {};
}

std::string_view digits_of(double value, int digits) {
    if (digits == 0) return text("{:.0f}", value);
    if (value >= 100) return text("{:.0f}", value);
    return digits == 1 ? text("{:.1f}", value) : text("{:.2f}", value);
}

void draw_figure(const SourceStage& source, Box row, const Figure& figure, Traffic kind, float column) {
    Canvas& canvas = source.stage.canvas;
    const InstructionCounts* now = source.counters ? &source.counters->total : nullptr;
    const InstructionCounts* before = source.before ? &source.before->counters->total : nullptr;
    const double a = now ? figure.of(*now, kind) : 0;
    const double b = before ? figure.of(*before, kind) : 0;
    const Unit unit = figure.large ? unit_for(a, b) : Unit{};
    const std::string_view sectors = traffic_word(source.stage.snapshot.target.gpu.limits.capability);
    canvas.text(row.before(2 * column), text("{}{}", say(figure.key, sectors), unit.sign), Font::axis,
                Ink::dim);
    const int digits = unit.scale == 1 && figure.large ? 0 : figure.digits;
    canvas.text(row.before(column).right_part(column), now ? digits_of(a / unit.scale, digits) : "–",
                Font::figure, source.stale ? Ink::dim : Ink::text, Align::right);
    canvas.text(row.right_part(column), before ? digits_of(b / unit.scale, digits) : "–", Font::body,
                before ? Ink::base : Ink::dim, Align::right);
    tip(source.stage, row, text("{}.tip", figure.key));
}

std::string_view wait_text(const LineWait& wait) {
    return say("source.wait", say(text("source.wait.{}", short_name(wait.state))),
               text("{:.0f}", 100 * wait.share));
}

// What the line's warps wait for most: words, and between them how the bar of the line shows it.
class WaitRow {
  public:
    WaitRow(Canvas& canvas, Box room, Ink ink) : canvas_(canvas), room_(room), ink_(ink) {}
    // How wide so many of them are; draws them where `on`.
    float put(const std::array<LineWait, kLineWaits>& waits, std::size_t count, bool swatches, bool on) {
        const float gap = canvas_.px(7);
        float wide = word(0, say("source.waits"), on) + gap;
        for (std::size_t i = 0; i < count; ++i) {
            if (swatches) wide += swatch(wide, waits[i].state, on) + gap;
            const std::string_view words = wait_text(waits[i]);
            wide += word(wide, i + 1 < count ? text("{},", words) : words, on) + gap;
        }
        return wide - gap;
    }

  private:
    float word(float at, std::string_view words, bool on) {
        if (on) canvas_.text(room_.after(at), words, Font::axis, ink_);
        return canvas_.width(words, Font::axis);
    }
    float swatch(float at, WarpState state, bool on) {
        const float wide = canvas_.px(20);
        const float high = canvas_.px(20);
        if (on) draw_state(canvas_, {room_.x + at, room_.center_y() - high / 2, wide, high}, state, 1);
        return wide;
    }
    Canvas& canvas_;
    Box room_;
    Ink ink_;
};

// The second, too, where there is room.
void draw_waits(const SourceStage& source, Box row, int counted) {
    Canvas& canvas = source.stage.canvas;
    tip(source.stage, row, "source.waits.tip");
    if (!states_at(source.clocked, counted)) {
        canvas.text(row, text("{} –", say("source.waits")), Font::axis, Ink::dim);
        return;
    }
    const Box sign = badge(canvas, row, Kind::estimated);
    const Box room = row.before(row.right() - sign.x + canvas.px(8));
    const Ink ink = source.stale ? Ink::dim : Ink::text;
    const std::array<LineWait, kLineWaits> waits = waits_at(source.clocked, counted);
    if (waits[0].share == 0) {
        canvas.text(room, say("source.waits.none"), Font::axis, ink);
        return;
    }
    WaitRow words(canvas, room, ink);
    const bool two = waits[1].share > 0 && words.put(waits, 2, false, false) <= room.w;
    const std::size_t count = two ? 2 : 1;
    words.put(waits, count, words.put(waits, count, true, false) <= room.w, true);
}

}  // namespace

void draw_line_evidence(const SourceStage& source, Box room, int line) {
    Canvas& canvas = source.stage.canvas;
    const Snapshot& snapshot = source.stage.snapshot;
    const int counted = source.step.built.lines ? counted_line(*source.step.built.lines, line) : 0;
    const InstructionCounts* counts = counts_of(source.counters, counted);
    const Traffic kind = counts ? traffic_of(*counts) : Traffic::none;
    const bool is_shared = kind == Traffic::shared_load || kind == Traffic::shared_store;
    const float column = canvas.px(122);
    const Box foot = room.bottom_part(canvas.px(44));
    const Box waits = room.top(canvas.px(40));
    const Box table = room.above(foot.h).below(waits.h);
    draw_waits(source, waits, counted);
    const Box head = table.row(0, kFigures + 1, 0);
    const bool broken = !source.step.built.error.empty() && source.counters;
    canvas.text(head.before(2 * column), broken ? say("evidence.last_good") : title_of(kind), Font::strong,
                Ink::text);
    canvas.text(head.before(column).right_part(column), now_name(source.stage), Font::strong, Ink::now,
                Align::right);
    canvas.text(head.right_part(column), base_name(source.stage), Font::strong, Ink::base, Align::right);
    const std::array<Figure, kFigures>& figures = is_shared ? kShared : kGlobal;
    for (int i = 0; i < kFigures; ++i)
        draw_figure(source, table.row(i + 1, kFigures + 1, 0), figures[std::size_t(i)], kind, column);
    const Box sign = badge(canvas, foot, Kind::counted, {{}, sample_note(source.counters).tip});
    const std::string_view unit = traffic_word(snapshot.target.gpu.limits.capability);
    canvas.text(
        foot.before(foot.right() - sign.x + canvas.px(10)),
        say("evidence.legend", traffic_unit(snapshot.target.gpu.limits.capability).substr(0, 1), unit),
        Font::axis, Ink::dim);
    tip(source.stage, head, "tip.evidence");
    tip(source.stage, foot.before(foot.right() - sign.x + canvas.px(10)), "tip.sectors_per_request");
}

void draw_line_ptx(const SourceStage& source, Box card, int line) {
    Canvas& canvas = source.stage.canvas;
    canvas.slot("line", card);
    const Box room = card_title(canvas, card, line > 0 ? say("ptx.title", line) : say("ptx.title.none"));
    const Touch touch = canvas.touch("ptx", room);
    const int counted = source.step.built.lines ? counted_line(*source.step.built.lines, line) : 0;
    std::string_view ptx;
    if (source.step.built.ptx)
        ptx = {source.step.built.ptx->binary.data(), source.step.built.ptx->binary.size()};
    const float high = canvas.px(29);
    const int columns = int((room.w - canvas.px(kScrollBar)) / canvas.width("0", Font::code));
    const int visible = int(room.h / high);
    int rows = 0;
    PtxLines measured(ptx, counted);
    while (const auto instruction = measured.next()) rows += rows_of(*instruction, columns);
    if (rows == 0) {
        canvas.paragraph(room, ptx.empty() ? say("ptx.none") : say("ptx.no_code"), Font::axis, Ink::dim);
        return;
    }
    const int first = scrolled_beside(source.stage, touch, high, 0, rows - visible);
    draw_scroll_bar(canvas, room, rows, visible, first);
    int at = -first;
    PtxLines lines(ptx, counted);
    while (const auto instruction = lines.next()) {
        Wrapped wrapped(*instruction, columns);
        for (; const auto piece = wrapped.next(); ++at) {
            if (at < 0 || at >= visible) continue;
            const Box row{room.x, room.y + float(at) * high, room.w, high};
            draw_piece(canvas, row.x + float(piece->indent) * canvas.width("0", Font::code), row,
                       *instruction, false, piece->begin, piece->size, {});
        }
        if (at >= visible) return;
    }
}

}  // namespace ws
