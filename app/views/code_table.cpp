// The code of a kernel beside the baseline's, each line with what it costs.

#include <algorithm>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/code_text.h"
#include "app/views/latency_parts.h"
#include "app/views/parts.h"
#include "app/views/scroll.h"
#include "app/views/source_parts.h"
#include "app/views/words.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

// Where the columns stand in a row, in pixels at 1080 lines.
constexpr float kLineEnd = 66;
constexpr float kHeat = 80, kHeatWide = 62;
constexpr float kShareEnd = 214;
constexpr float kRequestEnd = 300;
constexpr float kUnit = 308;
constexpr float kSign = 336;
constexpr float kCode = 364;
constexpr float kRightEdge = 24;
constexpr float kRow = 29;
constexpr float kHeader = 48;
constexpr double kLeastShare = 0.0005;  // that is written as more than 0 %

// The table as it lies on the screen.
struct Table {
    Box card, body;
    float row = 0;  // height
    float letter = 0;
    int columns = 0;                       // of code
    int visible = 0;                       // rows
    double most_now = 0, most_before = 0;  // the share of the hottest line, 0 to 1
    [[nodiscard]] Box row_box(int at) const { return {body.x, body.y + float(at) * row, body.w, row}; }
};

// What a kernel, or the baseline's, costs.
struct Costs {
    const KernelCounters* counters = nullptr;
    const ClockedLaunch* clocked = nullptr;  // null: shares are of instructions
    // Of a line of the text that was counted, 0 to 1.
    [[nodiscard]] double share(int line) const {
        if (clocked) return time_share(*clocked, line);
        const InstructionCounts* counts = counts_of(counters, line);
        if (!counts) return 0;
        const std::uint64_t all = std::max<std::uint64_t>(1, counters->total.instructions);
        return double(counts->instructions) / double(all);
    }
};

Costs costs_of(const SourceStage& source, bool before) {
    if (!before) return {source.counters, source.by_time() ? source.clocked : nullptr};
    if (!source.before || (source.by_time() && !source.before->clocked)) return {};
    return {source.before->counters.get(), source.by_time() ? source.before->clocked.get() : nullptr};
}

double hottest(const Costs& costs) {
    double most = 0;
    if (!costs.counters) return 0;
    for (const LineCounts& line : costs.counters->lines) most = std::max(most, costs.share(line.line));
    return most;
}

Table table_of(const SourceStage& source, Box card) {
    Canvas& canvas = source.stage.canvas;
    Table table;
    table.card = card;
    table.body = card.below(canvas.px(kHeader + 3)).before(canvas.px(2)).after(canvas.px(2));
    table.body = table.body.above(canvas.px(3));
    table.row = canvas.px(kRow);
    table.letter = canvas.width("0", Font::code);
    table.columns = int((table.body.w - canvas.px(kCode + kRightEdge)) / table.letter);
    table.visible = std::max(1, int(table.body.h / table.row));
    table.most_now = hottest(costs_of(source, false));
    table.most_before = hottest(costs_of(source, true));
    return table;
}

SourceChoice choice_of(const ViewState& view) {
    return {view.preferences.removed_lines, view.preferences.changes_only, view.source.open};
}

// What is wrong with a line; nothing where it is another one.
std::optional<SourceTrouble> trouble_in(const std::optional<SourceTrouble>& trouble, const SourceLine& line) {
    if (!trouble || line.change == LineChange::removed || trouble->line != line.number) return std::nullopt;
    return trouble;
}

// A message stands at the end of its line if there is room, else in rows below.
bool fits_behind(const Table& table, std::string_view line, std::string_view message) {
    Wrapped wrapped(line, table.columns);
    std::optional<Piece> last;
    while (const auto piece = wrapped.next()) last = piece;
    return last &&
           last->indent + columns_of(line.substr(last->begin, last->size)) + 2 + columns_of(message) <=
               table.columns;
}

int height_of(const Table& table, const SourceLines& lines, const SourceRow& row,
              const std::optional<SourceTrouble>& trouble) {
    if (row.folded) return 1;
    const SourceLine& line = lines.lines[row.first];
    int rows = rows_of(lines.of(line), table.columns);
    if (const auto wrong = trouble_in(trouble, line);
        wrong && !fits_behind(table, lines.of(line), wrong->message))
        rows += rows_of(wrong->message, table.columns);
    return rows;
}

struct Extents {
    int rows = 0;     // in all
    int first = 0;    // the row of the chosen line
    int opening = 0;  // where the table stands at first
};

// Walks all lines once: heights and places.
Extents measure(const SourceStage& source, const Table& table, const std::optional<SourceTrouble>& trouble) {
    const SourceLines& lines = *source.step.built.lines;
    const SourceChoice choice = choice_of(source.stage.view);
    Extents extents;
    bool in_kernel = false;
    bool opened = false;
    int named = -1;
    const int headline = trouble ? trouble->line : source.chosen;
    SourceRows rows(lines, choice);
    while (const auto row = rows.next()) {
        const SourceLine& line = lines.lines[row->first];
        for (std::size_t i = row->first; i <= row->last; ++i)
            in_kernel |= lines.of(lines.lines[i]).find("__global__") != std::string_view::npos;
        const bool change = !lines.changed || line.change != LineChange::same;
        if (!opened && in_kernel && change) {
            extents.opening = std::max(0, extents.rows - 2);
            opened = true;
        }
        if (!row->folded && line.change != LineChange::removed) {
            if (line.number == source.chosen) extents.first = extents.rows;
            if (line.number == headline) named = extents.rows;
        }
        extents.rows += height_of(table, lines, *row, trouble);
    }
    // The line that the headline names, among what leads to it.
    if (named >= 0) extents.opening = std::max(0, named - table.visible * 2 / 5);
    return extents;
}

// The rows above the first that is drawn; wheel and drag move it.
int scroll_of(const SourceStage& source, const Table& table, const Extents& extents, const Touch& touch) {
    const SourcePlace& place = source.stage.view.source;
    const float most = float(std::max(0, extents.rows - table.visible));
    const float now = place.scroll.value_or(float(extents.opening));
    float scroll = now;
    if (place.reveal) {
        const float first = float(extents.first);
        const float margin = std::min(3.0f, float(table.visible) / 4);
        scroll =
            std::clamp(scroll, first - float(table.visible) + 1 + margin, std::max(0.0f, first - margin));
    }
    const ImGuiIO& io = ImGui::GetIO();
    scroll = scrolled(scroll, touch.hovered, touch.held, table.row, int(most));
    if ((scroll != now && place.scroll) || place.reveal || touch.held ||
        (touch.hovered && io.MouseWheel != 0))
        source.stage.edits.add(ScrollSource{scroll});
    return int(std::lround(scroll));
}

// What the shares are of; a click takes the other.
std::string_view share_tip(const SourceStage& source) {
    if (source.by_time()) return say("source.time.tip");
    if (source.stage.view.preferences.line_share != LineShare::time) return say("source.share.tip");
    constexpr ComputeCapability kRead{7, 5};
    const ComputeCapability capability = source.stage.snapshot.target.gpu.limits.capability;
    return say(capability < kRead ? "source.time.old.tip" : "source.time.none.tip");
}

void draw_share_heading(const SourceStage& source, Box place) {
    Canvas& canvas = source.stage.canvas;
    Touch touch;
    if (source.by_time()) {
        const Box sign{place.x - canvas.px(3), place.y, canvas.px(116), place.h};
        touch = kind_button(canvas, "share", sign, say("source.time"), Kind::estimated);
    } else {
        touch = canvas.touch("share", place);
        canvas.text(place, say("source.share"), Font::axis, touch.hovered ? Ink::now : Ink::dim);
    }
    canvas.tooltip(touch, share_tip(source));
    if (touch.clicked)
        source.stage.edits.add(ChooseLineShare{other_share(source.stage.view.preferences.line_share)});
}

void draw_header(const SourceStage& source, const Table& table) {
    Canvas& canvas = source.stage.canvas;
    const Box head = table.card.top(canvas.px(kHeader));
    const auto until = [&](float end, float wide) {
        return Box{head.x + canvas.px(end - wide), head.y, canvas.px(wide), head.h};
    };
    canvas.text(until(kLineEnd, 60), say("source.line"), Font::axis, Ink::dim, Align::right);
    draw_share_heading(source, {head.x + canvas.px(kHeat), head.y, canvas.px(110), head.h});
    canvas.text(until(kUnit + 24, 150), say("source.per_request"), Font::axis, Ink::dim, Align::right);
    tip(source.stage, until(kUnit + 24, 150), "source.per_request.tip");
    tip(source.stage, until(kLineEnd, 60), "source.line.tip");
    const Box room = head.after(canvas.px(kCode)).before(canvas.px(20));
    const std::string_view name =
        text("{}.cu, {}{}", source.step.source.name, version_name(source.stage.snapshot.work.version),
             source.step.source.edited ? say("source.edited") : std::string_view());
    const Box drawn = canvas.text(room, name, Font::axis_strong, Ink::now);
    const SourceLines& lines = *source.step.built.lines;
    if (!lines.before.empty() && source.stage.snapshot.told.baseline)
        canvas.text(room.after(drawn.w + canvas.px(20)),
                    text("− {}.cu, {}", lines.before_name,
                         baseline_name(source.stage.snapshot, source.stage.view.preferences)),
                    Font::axis_strong, Ink::base, Align::right);
    canvas.line(head.x, head.bottom(), head.right(), head.bottom(), Ink::line);
}

// What a request takes; where a line loads and stores, what either does: "4|32", "5.63|2.82".
std::string_view per_request(const InstructionCounts& counts, bool global, int digits = 3) {
    const auto each = [](std::uint64_t parts, std::uint64_t requests) {
        return double(parts) / double(std::max<std::uint64_t>(1, requests));
    };
    const std::uint64_t loads = global ? counts.global_load.requests : counts.shared_load.requests;
    const std::uint64_t stores = global ? counts.global_store.requests : counts.shared_store.requests;
    const double load = each(global ? counts.global_load.sectors : counts.shared_load.wavefronts, loads);
    const double store = each(global ? counts.global_store.sectors : counts.shared_store.wavefronts, stores);
    if (loads > 0 && stores > 0) return text("{:.{}g}|{:.{}g}", load, digits, store, digits);
    return text("{:.2f}", loads > 0 ? load : store);
}

// The states that warps are in at a line, side by side; as wide as its share where the hottest line's is all.
void draw_states(const SourceStage& source, Box track, const StateClocks& states, float share, bool before) {
    Canvas& canvas = source.stage.canvas;
    const float wide = std::max(canvas.px(2), track.w * std::min(1.0f, share));
    const auto all = double(clocks_of(states));
    canvas.fill(track, before ? Ink::panel : Ink::context_soft, 2);
    double done = 0;
    for (std::size_t i = 0; i < kWarpStates; ++i) {
        const float from = std::round(track.x + wide * float(done / all));
        done += double(states[i]);
        const float until = std::round(track.x + wide * float(done / all));
        if (until > from) draw_state(canvas, {from, track.y, until - from, track.h}, WarpState(i), 1);
    }
    if (!ImGui::IsWindowHovered() ||
        !ImGui::IsMouseHoveringRect({track.x, track.y}, {track.right(), track.bottom()}))
        return;
    std::string_view words;
    for (std::size_t i = 0; i < kWarpStates; ++i) {
        const double percent = 100 * double(states[i]) / all;
        if (percent >= 0.5)
            words = text("{}{}{}: {:.0f} %", words, words.empty() ? "" : "\n", say(state_key(WarpState(i))),
                         percent);
    }
    canvas.tooltip({.hovered = true, .box = track}, words);
}

void draw_share(const SourceStage& source, const Table& table, Box row, int line, bool before, Ink ink) {
    Canvas& canvas = source.stage.canvas;
    const Costs costs = costs_of(source, before);
    const double share = costs.share(line);
    if (share < kLeastShare) return;
    const bool hot = share >= (before ? table.most_before : table.most_now);
    const float high = canvas.px(costs.clocked ? 20 : 16);
    const Box track{row.x + canvas.px(kHeat), std::round(row.center_y() - high / 2), canvas.px(kHeatWide),
                    high};
    if (const StateClocks* states = states_at(costs.clocked, line)) {
        const double most = std::max(table.most_now, table.most_before);
        draw_states(source, track, *states, float(share / most), before);
    } else {
        canvas.fill(track, before ? Ink::panel : Ink::context_soft, 2);
        canvas.fill(track.left(std::max(canvas.px(2), track.w * float(share))),
                    before ? Ink::base_fill : Ink::now_fill, 2);
    }
    canvas.text({row.x + canvas.px(kShareEnd - 66), row.y, canvas.px(66), row.h}, text("{:.1f}", 100 * share),
                hot ? Font::axis_strong : Font::axis, ink, Align::right);
}

// Heat, share, and what a request takes.
void draw_counts(const SourceStage& source, const Table& table, Box row, int line, bool before, Ink ink) {
    draw_share(source, table, row, line, before, ink);
    const KernelCounters* counters =
        before ? (source.before ? source.before->counters.get() : nullptr) : source.counters;
    const InstructionCounts* counts = counts_of(counters, line);
    if (!counts || Costs{counters}.share(line) < kLeastShare) return;
    const std::uint64_t global = counts->global_load.requests + counts->global_store.requests;
    const std::uint64_t shared = counts->shared_load.requests + counts->shared_store.requests;
    if (global + shared == 0) return;
    Canvas& canvas = source.stage.canvas;
    // As far as the share goes; with fewer digits where two values want more.
    const Box room{row.x + canvas.px(kShareEnd + 6), row.y, canvas.px(kRequestEnd - kShareEnd - 6), row.h};
    const std::string_view whole = per_request(*counts, global > 0);
    canvas.text(room, canvas.width(whole, Font::axis) <= room.w ? whole : per_request(*counts, global > 0, 2),
                Font::axis, ink, Align::right);
    const StepResult& counted = before ? *source.before : *source.step.counts.result;
    const ComputeCapability capability = counted.key.gpu.limits.capability;
    canvas.text({row.x + canvas.px(kUnit), row.y, canvas.px(22), row.h},
                global ? traffic_unit(capability).substr(0, 1) : std::string_view("w"), Font::axis, ink);
}

struct Look {
    Ink ground = Ink::panel;
    CodeInk code;
    Ink counts = Ink::text;
    Ink number = Ink::dim;
};

Look look_of(const SourceStage& source, const SourceLine& line, bool wrong) {
    const SourceLines& lines = *source.step.built.lines;
    if (wrong) return {Ink::alarm_soft, {Ink::text, Ink::text}, Ink::text, Ink::text};
    if (line.change == LineChange::removed)
        return {Ink::base_soft, {Ink::base, Ink::base}, Ink::base, Ink::base};
    const Ink counts = source.stale ? Ink::dim : Ink::text;
    if (line.number == source.chosen) return {Ink::now_soft, {Ink::text, Ink::dim}, counts, Ink::now};
    const bool quiet = lines.changed && line.change == LineChange::same;
    return {Ink::panel, {quiet ? Ink::dim : Ink::text, Ink::dim}, counts, Ink::dim};
}

void draw_fold(const SourceStage& source, const Table& table, const SourceRow& folded, Box row) {
    Canvas& canvas = source.stage.canvas;
    const SourceLines& lines = *source.step.built.lines;
    const SourceLine& first = lines.lines[folded.first];
    const SourceLine& last = lines.lines[folded.last];
    canvas.fill(row, Ink::context_soft);
    const Costs costs = costs_of(source, false);
    double sum = 0;
    for (std::size_t i = folded.first; i <= folded.last; ++i) sum += costs.share(lines.lines[i].counted);
    if (sum > kLeastShare)
        canvas.text({row.x + canvas.px(kShareEnd - 66), row.y, canvas.px(66), row.h},
                    text("{:.1f}", 100 * sum), Font::axis, Ink::dim, Align::right);
    canvas.text(row.after(canvas.px(kCode)).left(float(table.columns) * table.letter),
                say("source.fold", last.number - first.number + 1, first.number, last.number), Font::axis,
                Ink::dim);
}

// The part of a line that the compiler names, in inverse video.
void draw_token(const SourceStage& source, const Table& table, Box row, std::string_view line,
                const Piece& piece, std::string_view token) {
    const std::size_t at = token.empty() ? std::string_view::npos : line.find(token, piece.begin);
    if (at == std::string_view::npos || at + token.size() > piece.begin + piece.size) return;
    Canvas& canvas = source.stage.canvas;
    const float x =
        row.x + canvas.px(kCode) +
        float(piece.indent + columns_of(line.substr(piece.begin, at - piece.begin))) * table.letter;
    const Box box{x, row.y, float(columns_of(token)) * table.letter, row.h};
    canvas.fill(box.inset(-canvas.px(2), 0), Ink::alarm, 3);
    canvas.text(box.inset(-1, 0), token, Font::code_strong, Ink::panel);
}

Ink message_ink(const Canvas& canvas) {
    return canvas.theme() == Theme::light ? Ink::text : Ink::alarm;
}

// One line in its rows, those of them that are on the screen. `at`: its first row there, perhaps above it.
// `pointed`: the card beside the code speaks of it.
void draw_line(const SourceStage& source, const Table& table, const SourceLine& line, int at, int height,
               bool pointed, const std::optional<SourceTrouble>& wrong) {
    Canvas& canvas = source.stage.canvas;
    const SourceLines& lines = *source.step.built.lines;
    const std::string_view all = lines.of(line);
    const bool removed = line.change == LineChange::removed;
    const Look look = look_of(source, line, wrong.has_value());
    const auto on_screen = [&](int row) { return row >= 0 && row < table.visible; };
    for (int row = at; row < at + height; ++row) {
        if (!on_screen(row)) continue;
        const Box box = table.row_box(row);
        if (look.ground != Ink::panel) canvas.fill(box, look.ground);
        if (line.change != LineChange::same)
            canvas.fill(box.left(canvas.px(6)), removed ? Ink::base_fill : Ink::now_fill);
        if (pointed && !removed) canvas.frame(box, Ink::now_fill, 0, 2);
    }
    if (on_screen(at)) {
        const Box row = table.row_box(at);
        canvas.text({row.x + canvas.px(14), row.y, canvas.px(kLineEnd - 14), row.h}, text("{}", line.number),
                    Font::axis, look.number, Align::right);
        if (wrong)
            canvas.warning({row.x + canvas.px(8), row.y + canvas.px(4), canvas.px(24), canvas.px(21)},
                           Ink::alarm);
        draw_counts(source, table, row, removed ? line.number : line.counted, removed, look.counts);
        if (line.change != LineChange::same)
            canvas.text({row.x + canvas.px(kSign), row.y, canvas.px(22), row.h}, removed ? "−" : "+",
                        Font::code_strong,
                        wrong     ? Ink::text
                        : removed ? Ink::base
                                  : Ink::now);
    }
    Wrapped wrapped(all, table.columns);
    Piece last;
    int row_at = at;
    for (; const auto piece = wrapped.next(); ++row_at) {
        last = *piece;
        if (!on_screen(row_at)) continue;
        const Box row = table.row_box(row_at);
        if (!piece->first)
            canvas.text({row.x + canvas.px(kSign), row.y, canvas.px(22), row.h}, "↳", Font::code,
                        look.code.comment);
        draw_piece(canvas, row.x + canvas.px(kCode) + float(piece->indent) * table.letter, row, all,
                   line.in_comment, piece->begin, piece->size, look.code);
        if (wrong) draw_token(source, table, row, all, *piece, wrong->token);
    }
    if (!wrong) return;
    const bool behind = fits_behind(table, all, wrong->message);
    if (behind && on_screen(row_at - 1)) {
        const Box row = table.row_box(row_at - 1);
        const int used = last.indent + columns_of(all.substr(last.begin, last.size)) + 2;
        canvas.text(row.after(canvas.px(kCode) + float(used) * table.letter), wrong->message,
                    Font::code_strong, message_ink(canvas));
    }
    Wrapped rest(wrong->message, table.columns);
    for (; !behind; ++row_at) {
        const auto piece = rest.next();
        if (!piece) break;
        if (on_screen(row_at))
            canvas.text(table.row_box(row_at).after(canvas.px(kCode)),
                        wrong->message.substr(piece->begin, piece->size), Font::code_strong,
                        message_ink(canvas));
    }
}

// A press that was no drag.
bool is_click(const Touch& touch) {
    constexpr float kStill = 36;  // pixels, squared
    return touch.clicked && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < kStill;
}

}  // namespace

void draw_piece(Canvas& canvas, float x, Box row, std::string_view line, bool in_comment, std::size_t begin,
                std::size_t size, const CodeInk& ink) {
    const float letter = canvas.width("0", Font::code);
    Tokens tokens(line, in_comment);
    std::size_t at = 0;
    for (std::optional<Token> token = tokens.next(); token;) {
        // Neighbours that look alike are written at once.
        const bool quiet = token->kind == TokenKind::comment || token->kind == TokenKind::directive;
        const bool strong = token->kind == TokenKind::keyword;
        const std::size_t from = at;
        do {
            at += token->size;
            token = tokens.next();
        } while (token &&
                 quiet == (token->kind == TokenKind::comment || token->kind == TokenKind::directive) &&
                 strong == (token->kind == TokenKind::keyword));
        const std::size_t first = std::max(from, begin);
        const std::size_t last = std::min(at, begin + size);
        if (first >= last) continue;
        const std::string_view part = line.substr(first, last - first);
        const float left = x + float(columns_of(line.substr(begin, first - begin))) * letter;
        const Box room{left, row.y, float(columns_of(part) + 1) * letter, row.h};
        if (part.find_first_not_of(' ') == std::string_view::npos) continue;
        canvas.text(room, part, strong ? Font::code_strong : Font::code, quiet ? ink.comment : ink.code);
    }
}

int draw_code(const SourceStage& source, Box card) {
    Canvas& canvas = source.stage.canvas;
    canvas.slot("code", card);
    canvas.card(card);
    if (!source.step.built.lines) return 0;
    const SourceLines& lines = *source.step.built.lines;
    const Table table = table_of(source, card);
    const std::optional<SourceTrouble> trouble = trouble_of(source.stage.snapshot, source.step);
    const Extents extents = measure(source, table, trouble);
    const Touch touch = canvas.touch("code", table.body);
    const int scroll = scroll_of(source, table, extents, touch);
    draw_header(source, table);
    // Only where the pointer is there: a line that begins above the table has a row of its own, too.
    const int pointed = touch.hovered ? int((ImGui::GetIO().MousePos.y - table.body.y) / table.row) : 0;
    int hovered = 0;
    int at = -scroll;
    const SourceChoice choice = choice_of(source.stage.view);
    SourceRows rows(lines, choice);
    for (auto row = rows.next(); row && at < table.visible; row = rows.next()) {
        const SourceLine& line = lines.lines[row->first];
        const int height = height_of(table, lines, *row, trouble);
        const bool under = touch.hovered && pointed >= at && pointed < at + height;
        if (row->folded) {
            if (at >= 0) draw_fold(source, table, *row, table.row_box(at));
            // What is wrong is never folded.
            const bool wrong =
                trouble && trouble->line >= line.number && trouble->line <= lines.lines[row->last].number;
            if (wrong || (under && is_click(touch)))
                source.stage.edits.add(OpenFold{wrong ? trouble->line : line.number});
        } else if (at + height > 0) {
            draw_line(source, table, line, at, height, under && !touch.held, trouble_in(trouble, line));
            if (under && line.change != LineChange::removed) {
                hovered = line.number;
                if (is_click(touch)) source.stage.edits.add(InspectLine{line.number});
            }
        }
        at += height;
    }
    draw_scroll_bar(canvas, table.body, extents.rows, table.visible, scroll);
    return touch.held ? 0 : hovered;
}

}  // namespace ws
