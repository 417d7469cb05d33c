// The machine code of a kernel beside its source: what executes each instruction, how long the warp stands
// still after it, and from each load a bow to the instruction that waits for it.

#include <algorithm>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/code_text.h"
#include "app/views/parts.h"
#include "app/views/scroll.h"
#include "app/views/source_parts.h"
#include "app/views/words.h"
#include "gpu/sass/machine_listing.h"

namespace ws {
namespace {

constexpr int kScoreboards = 6;
constexpr float kRow = 29;
constexpr float kBow = 12;  // from one scoreboard's bows to the next one's

struct CodeColumns {
    float bows, address, name, pipe, stall, waits;  // where each begins
    float end;
};

CodeColumns columns_of(const Canvas& canvas, Box room) {
    CodeColumns made{};
    made.bows = room.x;
    made.address = made.bows + canvas.px(kBow * kScoreboards + 8);
    made.name = made.address + canvas.px(66);
    made.end = room.right() - canvas.px(kScrollBar);
    made.waits = made.end - canvas.px(78);
    made.stall = made.waits - canvas.px(50);
    made.pipe = made.stall - canvas.px(116);
    return made;
}

std::string_view name_text(const MachineInstruction& one) {
    const std::string_view guard = one.guarded ? "@" : "";
    if (one.name.empty()) return text("{}0x{:03x}", guard, one.opcode);
    if (one.bytes > 0 && one.space != MemorySpace::none)
        return text("{}{}.{}", guard, one.name, 8 * one.bytes);
    return text("{}{}", guard, one.name);
}

// "0 3": the scoreboards that it waits for.
std::string_view waits_text(unsigned waits) {
    std::string_view made;
    for (int board = 0; board < kScoreboards; ++board) {
        if ((waits >> unsigned(board) & 1u) == 0) continue;
        made = made.empty() ? text("{}", board) : text("{} {}", made, board);
    }
    return made;
}

struct CodeRows {
    Box body;
    float high = 0;
    int first = 0;  // instruction of the first row
    int visible = 0;
    [[nodiscard]] float middle(int instruction) const {
        return body.y + (float(instruction - first) + 0.5f) * high;
    }
    [[nodiscard]] bool shows(int instruction) const {
        return instruction >= first && instruction < first + visible;
    }
};

// From row to row, as far as they are on the card.
void draw_bow(Canvas& canvas, const CodeRows& rows, float x, float edge, int from, int to, Ink ink) {
    const float top = std::max(rows.middle(from), rows.body.y);
    const float bottom = std::min(rows.middle(to), rows.body.y + rows.high * float(rows.visible));
    if (bottom <= top) return;
    canvas.line(x, top, x, bottom, ink, 3);
    if (rows.shows(from)) canvas.line(x, top, edge, top, ink, 3);
    if (!rows.shows(to)) return;
    canvas.line(x, bottom, edge - canvas.px(7), bottom, ink, 3);
    const float tip = canvas.px(6);
    canvas.triangle({edge - canvas.px(9), bottom - tip}, {edge, bottom}, {edge - canvas.px(9), bottom + tip},
                    ink);
}

void draw_bows(Canvas& canvas, const MachineListing& listing, const CodeRows& rows,
               const CodeColumns& columns, int line) {
    const auto count = int(listing.code.instructions.size());
    for (const LoadWait& bow : listing.flight.waits) {
        const MachineInstruction& load = listing.code.instructions[std::size_t(bow.load)];
        const int board = load.control.write_barrier;
        if (bow.wait < 0 || board < 0) continue;
        const float x = columns.bows + canvas.px(kBow * (float(board) + 0.5f));
        const float edge = columns.address - canvas.px(4);
        const Ink ink = line > 0 && load.line == line ? Ink::now_fill : Ink::context;
        if (bow.wait > bow.load) {
            draw_bow(canvas, rows, x, edge, bow.load, bow.wait, ink);
            continue;
        }
        // Round a loop: to its end, and on from its begin.
        const int end = listing.code.blocks[std::size_t(load.block)].end - 1;
        draw_bow(canvas, rows, x, edge, bow.load, std::min(count - 1, std::max(end, bow.load)), ink);
        draw_bow(canvas, rows, x, edge, 0, bow.wait, ink);
    }
}

void draw_instruction(Canvas& canvas, const MachineInstruction& one, Box row, const CodeColumns& columns,
                      bool chosen) {
    const Ink ink = chosen ? Ink::text : Ink::dim;
    if (one.space == MemorySpace::local)
        canvas.warning({columns.pipe - canvas.px(23), row.y + canvas.px(5), canvas.px(20), canvas.px(18)},
                       Ink::alarm);
    const auto part = [&](float from, float to) { return Box{from, row.y, to - from, row.h}; };
    canvas.text(part(columns.address, columns.name - canvas.px(10)), text("{:04x}", one.address), Font::code,
                Ink::dim, Align::right);
    canvas.text(part(columns.name, columns.pipe - canvas.px(6)), name_text(one),
                chosen ? Font::code_strong : Font::code, ink);
    // A stall has two digits at most, at the right of its column.
    canvas.text(part(columns.pipe, columns.stall + canvas.px(6)), translated(name_of(one.pipe)), Font::axis,
                ink);
    canvas.text(part(columns.stall, columns.waits - canvas.px(16)), text("{}", one.control.stall), Font::axis,
                ink, Align::right);
    canvas.text(part(columns.waits, columns.end), waits_text(one.control.waits), Font::axis, ink);
}

void draw_heads(const SourceStage& source, Box head, const CodeColumns& columns) {
    Canvas& canvas = source.stage.canvas;
    const auto part = [&](float from, float to) { return Box{from, head.y, to - from, head.h}; };
    const auto column = [&](float from, float to, std::string_view key, Align align) {
        canvas.text(part(from, to), say(key), Font::axis, Ink::dim, align);
        tip(source.stage, part(from, to), text("{}.tip", key));
    };
    column(columns.bows, columns.name, "machine.flight", Align::left);
    column(columns.name, columns.pipe, "machine.instruction", Align::left);
    column(columns.pipe, columns.stall, "machine.pipe", Align::left);
    column(columns.stall - canvas.px(20), columns.waits - canvas.px(16), "machine.stall", Align::right);
    column(columns.waits, columns.end, "machine.waits", Align::left);
    canvas.line(head.x, head.bottom(), head.right(), head.bottom(), Ink::line);
}

// The third row is the line's first load that something waits for, else its first instruction.
int opening_of(const MachineListing& listing, int line) {
    constexpr int kBefore = 2;
    const std::vector<MachineInstruction>& code = listing.code.instructions;
    if (line <= 0) return 0;
    for (const LoadWait& bow : listing.flight.waits) {
        if (bow.wait >= 0 && code[std::size_t(bow.load)].line == line) return std::max(0, bow.load - kBefore);
    }
    const auto of_line = std::find_if(code.begin(), code.end(),
                                      [&](const MachineInstruction& one) { return one.line == line; });
    return of_line == code.end() ? 0 : std::max(0, int(of_line - code.begin()) - kBefore);
}

// Accesses to local memory, which nobody has written: a row of words above the foot. Returns its height.
float draw_local(const SourceStage& source, Box above, const LocalAccesses& local) {
    if (local.stores + local.loads == 0) return 0;
    Canvas& canvas = source.stage.canvas;
    const Box row = above.bottom_part(canvas.px(34));
    canvas.warning({row.x, row.y + canvas.px(5), canvas.px(28), canvas.px(24)}, Ink::alarm);
    canvas.text(row.after(canvas.px(40)), say("machine.local", local.stores, local.loads), Font::axis,
                Ink::alarm);
    tip(source.stage, row, "machine.local.tip");
    return row.h;
}

}  // namespace

void draw_line_machine(const SourceStage& source, Box card, int line) {
    Canvas& canvas = source.stage.canvas;
    canvas.slot("line", card);
    const int counted =
        source.step.built.lines && line > 0 ? counted_line(*source.step.built.lines, line) : 0;
    const MachineListing* listing = source.stage.machine;
    const std::string_view title = !listing   ? say("machine.title.none")
                                   : line > 0 ? say("machine.title", listing->code.architecture, line)
                                              : say("machine.title.all", listing->code.architecture);
    const Box in = card_title(canvas, card, title);
    if (!listing) {
        canvas.paragraph(in, say("machine.none"), Font::axis, Ink::dim);
        return;
    }
    const std::vector<MachineInstruction>& code = listing->code.instructions;
    const Box foot = in.bottom_part(canvas.px(40));
    canvas.text(foot, say("machine.facts", listing->count, listing->flight.most), Font::axis, Ink::dim);
    tip(source.stage, foot, "machine.facts.tip");
    const float local = draw_local(source, in.above(foot.h), listing->local);
    // What fills up the code is one row.
    const int padding = int(code.size()) - listing->count;
    const int count = listing->count + (padding > 0 ? 1 : 0);
    const CodeColumns columns = columns_of(canvas, in);
    draw_heads(source, in.top(canvas.px(kRow)), columns);
    CodeRows rows;
    rows.body = in.below(canvas.px(kRow + 6)).above(canvas.px(44) + local);
    rows.high = canvas.px(kRow);
    rows.visible = std::min(int(rows.body.h / rows.high), count);
    const Touch touch = canvas.touch("machine", rows.body);
    rows.first =
        scrolled_beside(source.stage, touch, rows.high, opening_of(*listing, counted), count - rows.visible);
    draw_scroll_bar(canvas, rows.body, count, rows.visible, rows.first);
    tip(source.stage, {columns.pipe, rows.body.y, columns.stall - columns.pipe, rows.body.h},
        "machine.pipe.tip");
    const float pointed = touch.hovered ? (ImGui::GetIO().MousePos.y - rows.body.y) / rows.high : -1;
    for (int i = 0; i < rows.visible; ++i) {
        const Box row{rows.body.x, rows.body.y + float(i) * rows.high, rows.body.w, rows.high};
        if (rows.first + i >= listing->count) {
            canvas.text({columns.name, row.y, columns.end - columns.name, row.h},
                        say("machine.fold", padding), Font::axis, Ink::dim);
            break;
        }
        const MachineInstruction& one = code[std::size_t(rows.first + i)];
        const bool chosen = counted > 0 && one.line == counted;
        if (chosen)
            canvas.fill(Box{columns.address, row.y, columns.end - columns.address, row.h}, Ink::now_soft);
        draw_instruction(canvas, one, row, columns, chosen || counted == 0);
        const bool pressed = touch.clicked && int(pointed) == i;
        if (pressed && one.line > 0 && source.step.built.lines)
            source.stage.edits.add(RevealLine{shown_line(*source.step.built.lines, one.line)});
    }
    draw_bows(canvas, *listing, rows, columns, counted);
}

}  // namespace ws
