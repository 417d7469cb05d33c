// The debugger's console in the window: what it has said last, and a field for any of its commands.

#include <algorithm>
#include <cstring>

#include "app/texts/texts.h"
#include "app/views/debugger_parts.h"
#include "app/views/parts.h"

namespace ws {

void draw_debug_console(const DebugStage& debug, Box card) {
    const Stage& stage = debug.stage;
    Canvas& canvas = stage.canvas;
    canvas.slot("console", card);
    canvas.card(card);
    const Box in = card.inset(canvas.px(16), canvas.px(8));
    const float field = canvas.px(46);
    const Box said = in.above(field + canvas.px(4));
    tip(stage, said, "tip.debug.console");
    const float high = canvas.px(27);
    const int visible = std::max(1, int(said.h / high));
    const std::vector<std::string>& lines = debug.scene.said;
    const std::size_t first = lines.size() - std::min(lines.size(), std::size_t(visible));
    for (std::size_t i = first; i < lines.size(); ++i) {
        const Box row{said.x, said.y + float(i - first) * high, said.w, high};
        // A tab is a gap.
        const std::size_t tab = std::min(lines[i].find('\t'), lines[i].size());
        const std::string_view line = tab < lines[i].size()
                                          ? text("{}  {}", std::string_view(lines[i]).substr(0, tab),
                                                 std::string_view(lines[i]).substr(tab + 1))
                                          : std::string_view(lines[i]);
        canvas.text(row, shortened(canvas, line, Font::code, row.w), Font::code,
                    line.starts_with('>') ? Ink::now : Ink::dim);
    }
    // What is typed lives in the view's state.
    char typed[kMostCommand + 1] = {};
    stage.view.debugger.typed.copy(typed, kMostCommand);
    ImGui::SetCursorScreenPos({in.x, in.bottom() - field});
    ImGui::SetNextItemWidth(in.w);
    if (stage.view.debugger.typing) {
        ImGui::SetKeyboardFocusHere();
        stage.edits.add(EnterCommand{false});
    }
    const bool entered = ImGui::InputTextWithHint("##command", say("debug.command").data(), typed,
                                                  sizeof typed, ImGuiInputTextFlags_EnterReturnsTrue);
    canvas.frame({in.x, in.bottom() - field, in.w, field}, ImGui::IsItemActive() ? Ink::now_fill : Ink::line,
                 6);
    if (entered) {
        stage.edits.add(DebugCommand{typed});  // nothing: the last step once more
        stage.edits.add(TypeCommand{});
        stage.edits.add(EnterCommand{true});
    } else if (stage.view.debugger.typed != typed) {
        stage.edits.add(TypeCommand{typed});
    }
}

}  // namespace ws
