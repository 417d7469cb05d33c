// What the lane that is looked at sees, in the card beside the warps: variables, registers with the next
// instruction, memory; and the stack of its warp.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "app/texts/error_line.h"
#include "app/texts/texts.h"
#include "app/views/debugger_parts.h"
#include "app/views/parts.h"
#include "app/views/scroll.h"

namespace ws {
namespace {

constexpr float kValueRow = 32;
constexpr float kPathRow = 66;
constexpr int kItsRows = 4;  // for the registers of the next instruction

struct PanelName {
    debug::Panel panel;
    std::string_view key;  // of its text; its tip is "tip.KEY"
    void (*draw)(const DebugStage& debug, Box in);
};

void draw_value_row(const DebugStage& debug, Box row, int id, const debug::ValueScene& one) {
    Canvas& canvas = debug.stage.canvas;
    ImGui::PushID(id);
    const Touch touch = canvas.touch("value", row.inset(-canvas.px(8), 0));
    ImGui::PopID();
    if (touch.clicked) debug.stage.edits.add(DebugCommand{"print/w " + one.name});
    if (touch.hovered) canvas.frame(touch.box, Ink::line, 4);
    const std::string_view name = shortened(canvas, one.name, Font::code, row.w * 0.5f);
    const Box drawn =
        canvas.text(row.left(row.w * 0.5f + 1), name, Font::code, one.is_parameter ? Ink::dim : Ink::text);
    const Box rest = row.after(drawn.w + canvas.px(16));
    const std::string_view value = one.value.empty() ? std::string_view("–") : std::string_view(one.value);
    canvas.text(rest, shortened(canvas, value, Font::axis_strong, rest.w), Font::axis_strong,
                one.value.empty() ? Ink::dim : Ink::text, Align::right);
}

// As many as fit; the wheel brings the others.
void draw_value_rows(const DebugStage& debug, Box in, const std::vector<debug::ValueScene>& values) {
    Canvas& canvas = debug.stage.canvas;
    const float high = canvas.px(kValueRow);
    const int visible = std::max(1, int(in.h / high));
    const int count = int(values.size());
    const float now = debug.stage.view.debugger.values_scroll;
    const float scroll = scrolled(now, Canvas::pointed_at(in), false, high, count - visible);
    if (scroll != now) debug.stage.edits.add(ScrollValues{scroll});
    const int first = int(std::lround(scroll));
    draw_scroll_bar(canvas, in, count, visible, first);
    const Box rows = count > visible ? in.left(in.w - canvas.px(kScrollBar)) : in;
    for (int i = 0; i < std::min(count - first, visible); ++i)
        draw_value_row(debug, {rows.x, rows.y + float(i) * high, rows.w, high}, i,
                       values[std::size_t(first + i)]);
}

void draw_variables(const DebugStage& debug, Box in) {
    if (debug.now().knows_variables) return draw_value_rows(debug, in, debug.now().variables);
    debug.stage.canvas.paragraph(in, say("debug.optimised"), Font::body, Ink::dim);
}

// The next instruction with its registers, then all.
void draw_registers(const DebugStage& debug, Box in) {
    Canvas& canvas = debug.stage.canvas;
    const debug::Scene& now = debug.now();
    const float high = canvas.px(kValueRow);
    const float words = canvas.px(58);
    canvas.paragraph(in.top(words), now.instruction, Font::code, Ink::now, 1.15f);
    Box rest = in.below(words);
    int row = 0;
    for (const std::string& name : now.its_registers) {
        const auto one = std::find_if(now.registers.begin(), now.registers.end(),
                                      [&](const debug::ValueScene& value) { return value.name == name; });
        if (one == now.registers.end() || row == kItsRows) continue;
        draw_value_row(debug, {rest.x, rest.y + float(row) * high, rest.w, high}, -1 - row, *one);
        ++row;
    }
    rest = rest.below(float(kItsRows) * high + canvas.px(8));
    canvas.line(rest.x, rest.y - canvas.px(4), rest.right(), rest.y - canvas.px(4), Ink::line, 1);
    draw_value_rows(debug, rest, now.registers);
}

void draw_memory(const DebugStage& debug, Box in) {
    Canvas& canvas = debug.stage.canvas;
    const debug::MemoryCells& memory = debug.now().memory;
    const float high = canvas.px(kValueRow);
    if (memory.cells.empty()) {
        canvas.paragraph(in, memory.problem.empty() ? say("debug.no_memory") : said_line(memory.problem),
                         Font::body, Ink::dim);
        return;
    }
    const Box head = in.top(high);
    const std::string_view at = text("{:#x}", memory.address);
    const float wide = canvas.width(at, Font::axis);
    canvas.text(head, at, Font::axis, Ink::dim, Align::right);
    const float room = head.w - wide - canvas.px(16);
    canvas.text(head.left(room), shortened(canvas, memory.text, Font::code_strong, room), Font::code_strong,
                Ink::text);
    const bool narrow = memory.bytes <= 4 && memory.letter != 'x' && memory.letter != 't';
    const int across = narrow ? 4 : 2;
    const Box body = in.below(high + canvas.px(2));
    const float label = canvas.px(54);
    const int rows = int(body.h / high);
    const auto count = int(memory.cells.size());
    for (int i = 0; i < std::min(count, rows * across); ++i) {
        const int above = i / across;  // rows
        const Box row{body.x, body.y + float(above) * high, body.w, high - canvas.px(2)};
        const auto step = std::uint64_t(i) * (memory.elements ? 1 : memory.bytes);
        if (i % across == 0)
            canvas.text(row.left(label - canvas.px(8)),
                        memory.elements ? text("{}", step) : text("+{}", step), Font::axis, Ink::dim,
                        Align::right);
        const Box cell = row.after(label).column(i % across, across, canvas.px(3));
        const bool changed = memory.changed[std::size_t(i)];
        if (changed) draw_changed(canvas, cell);
        const std::string& value = memory.cells[std::size_t(i)];
        const Font font = changed ? Font::axis_strong : Font::axis;
        ImGui::PushID(i);
        const Touch touch = canvas.touch("cell", cell);
        ImGui::PopID();
        if (touch.hovered) canvas.frame(cell, Ink::line, 3);
        canvas.tooltip(touch, text("{:#x}: {}", memory.address + std::uint64_t(i) * memory.bytes, value));
        const Box figures = cell.inset(canvas.px(4), 0);
        canvas.text(figures, shortened(canvas, value, font, figures.w), font, Ink::text, Align::right);
    }
}

// What lanes of the focus's warp wait for.
std::string_view path_text(const DebugStage& debug, const debug::PathScene& path) {
    const debug::WarpScene& warp = debug.now().warps[std::size_t(debug.now().focus.warp)];
    switch (path.waits) {
        case debug::PathScene::Waits::for_lanes:
            return say("debug.path.lanes");
        case debug::PathScene::Waits::for_return:
            return say("debug.path.return");
        case debug::PathScene::Waits::no:
            break;
    }
    if (warp.state == debug::WarpScene::State::barrier)
        return say("debug.path.barrier", warp.barrier, warp.arrived, warp.expected);
    return say(warp.frozen ? "debug.path.frozen" : "debug.path.next");
}

void draw_stack(const DebugStage& debug, Box in) {
    Canvas& canvas = debug.stage.canvas;
    const std::vector<debug::PathScene>& paths = debug.now().paths;
    if (paths.empty()) {
        canvas.paragraph(in, say("debug.warp_ended", debug.now().focus.warp), Font::body, Ink::dim);
        return;
    }
    const float high = canvas.px(kPathRow);
    const float more = canvas.px(kValueRow);
    const int count = int(paths.size());
    int visible = std::max(1, int(in.h / high));
    if (visible < count) visible = std::max(1, int((in.h - more) / high));
    const int shown = std::min(count, visible);
    for (int i = 0; i < shown; ++i) {
        const debug::PathScene& path = paths[std::size_t(i)];
        const Box row{in.x, in.y + float(i) * high, in.w, high};
        const bool mine = (path.lanes >> unsigned(debug.now().focus.lane) & 1u) != 0;
        ImGui::PushID(i);
        const Touch touch = canvas.touch("path", row.inset(-canvas.px(8), 0));
        ImGui::PopID();
        if (touch.clicked && !mine)
            debug.stage.edits.add(StepDebugged{0, std::countr_zero(path.lanes) - debug.now().focus.lane});
        if (touch.hovered && !mine) canvas.frame(touch.box, Ink::line, 4);
        const bool active = path.waits == debug::PathScene::Waits::no;
        const Box first = row.top(canvas.px(32));
        const float mask = std::min(canvas.px(160), first.w * 0.38f);
        draw_lane_mask(canvas, {first.x, first.center_y() - canvas.px(9), mask, canvas.px(18)},
                       active ? path.lanes : 0, active ? 0 : path.lanes);
        const Box where = first.after(mask + canvas.px(12));
        const std::string_view said = path.at.line > 0 ? say("debug.path.line", path.at.line, path.function)
                                                       : std::string_view(path.function);
        const Font font = mine ? Font::axis_strong : Font::axis;
        canvas.text(where, shortened(canvas, said, font, where.w), font, Ink::text);
        const Box second = row.below(canvas.px(32)).top(canvas.px(28));
        canvas.text(second, shortened(canvas, path_text(debug, path), Font::axis, second.w), Font::axis,
                    Ink::dim);
    }
    if (count > shown)
        canvas.text({in.x, in.y + float(shown) * high, in.w, more}, say("debug.more_paths", count - shown),
                    Font::axis, Ink::dim);
}

constexpr std::array kPanels{PanelName{debug::Panel::variables, "debug.variables", draw_variables},
                             PanelName{debug::Panel::registers, "debug.registers", draw_registers},
                             PanelName{debug::Panel::memory, "debug.memory", draw_memory},
                             PanelName{debug::Panel::stack, "debug.stack", draw_stack}};
static_assert(kPanels.size() == debug::kPanels);

// Their names beside each other, the room between them shared.
void draw_panel_tabs(const DebugStage& debug, Box head, debug::Panel shown) {
    Canvas& canvas = debug.stage.canvas;
    float words = 0;
    for (const PanelName& one : kPanels) words += canvas.width(say(one.key), Font::axis_strong);
    const float gap = std::max(canvas.px(4), (head.w - words) / float(kPanels.size()));
    float x = head.x - gap / 2;
    for (const PanelName& one : kPanels) {
        const std::string_view name = say(one.key);
        const Box tab{x, head.y, canvas.width(name, Font::axis_strong) + gap, head.h};
        x += tab.w;
        const bool chosen = one.panel == shown;
        ImGui::PushID(int(one.panel));
        const Touch touch = canvas.touch("panel", tab);
        ImGui::PopID();
        if (touch.clicked) debug.stage.edits.add(ChooseDebugPanel{{one.panel, debug.scene.panel.asks}});
        canvas.tooltip(touch, say(text("tip.{}", one.key)));
        const Font font = chosen ? Font::axis_strong : Font::axis;
        canvas.text(tab, name, font, chosen || touch.hovered ? Ink::text : Ink::dim, Align::center);
        if (chosen)
            canvas.fill({tab.x + gap / 2, tab.bottom() - canvas.px(6), tab.w - gap, canvas.px(3)},
                        Ink::now_fill);
    }
}

}  // namespace

void draw_debugged_values(const DebugStage& debug, Box card) {
    Canvas& canvas = debug.stage.canvas;
    canvas.slot("variables", card);
    canvas.card(card);
    const Box in = card.inset(canvas.px(16), 0);
    const debug::Panel shown = shown_panel(debug.scene, debug.stage.view.debugger.panel);
    draw_panel_tabs(debug, in.top(canvas.px(kDebugCardHead)), shown);
    const Box body = in.below(canvas.px(kDebugCardHead)).above(canvas.px(kDebugCardFoot));
    for (const PanelName& one : kPanels) {
        if (one.panel == shown) one.draw(debug, body);
    }
}

}  // namespace ws
