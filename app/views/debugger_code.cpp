// The kernel's source in the debugger: where the focus and the other warps stand, and the breakpoints.

#include <algorithm>
#include <cmath>

#include "app/texts/texts.h"
#include "app/views/code_text.h"
#include "app/views/debugger_parts.h"
#include "app/views/parts.h"
#include "app/views/scroll.h"
#include "app/views/source_parts.h"

namespace ws {
namespace {

// Where the columns stand in a row, in pixels at 1080 lines.
constexpr float kDebugLineEnd = 78;
constexpr float kDebugCode = 116;
constexpr float kDebugRow = 29;

struct DebugRows {
    const debug::KernelText::File* file = nullptr;
    const std::vector<bool>* in_comment = nullptr;
    int file_index = 0;
    Box body;
    float row = 0;
    int columns = 0;
    int visible = 0;
};

struct LineMarks {
    bool focus = false;
    int warps = 0;  // others that stand here
    const debug::BreakScene* breakpoint = nullptr;
};

LineMarks marks_of(const DebugStage& debug, const DebugRows& rows, int line) {
    LineMarks marks;
    const debug::SourceLine at{rows.file_index, line};
    marks.focus = debug.now().at == at;
    for (std::size_t i = 0; i < debug.now().warps.size(); ++i) {
        const debug::WarpScene& warp = debug.now().warps[i];
        if (int(i) != debug.now().focus.warp && warp.state != debug::WarpScene::State::ended && warp.at == at)
            ++marks.warps;
    }
    for (const debug::BreakScene& one : debug.now().breakpoints) {
        if (one.line == at) marks.breakpoint = &one;
    }
    return marks;
}

// Of the first row that is drawn: the focus's line is in view, unless somebody has scrolled.
int first_row(const DebugStage& debug, const DebugRows& rows, const Touch& touch) {
    int all = 0;
    int focus = 0;
    for (std::size_t i = 0; i < rows.file->lines.size(); ++i) {
        if (int(i) + 1 == debug.now().at.line) focus = all;
        all += rows_of(rows.file->lines[i], rows.columns);
    }
    const auto most = float(std::max(0, all - rows.visible));
    const std::optional<float>& chosen = debug.stage.view.debugger.scroll;
    const int above = rows.visible / 2;
    const float now = std::clamp(chosen.value_or(float(focus - above)), 0.0f, most);
    const float scroll = scrolled(now, touch.hovered, touch.held, rows.row, int(most));
    if (scroll != now) debug.stage.edits.add(ScrollDebugger{scroll});
    draw_scroll_bar(debug.stage.canvas, rows.body, all, rows.visible, int(std::lround(scroll)));
    return int(std::lround(scroll));
}

void draw_marks(const DebugStage& debug, const DebugRows& rows, Box row, int line, const LineMarks& marks,
                bool pointed) {
    Canvas& canvas = debug.stage.canvas;
    const bool has_code = rows.file_index != 0 || std::binary_search(debug.scene.text->code.begin(),
                                                                     debug.scene.text->code.end(), line);
    if (marks.breakpoint) {
        const float x = row.x + canvas.px(18);
        canvas.circle(x, row.center_y(), 9, Ink::text);
        if (marks.breakpoint->conditional) canvas.circle(x, row.center_y(), 3.5f, Ink::panel);
    } else if (pointed && has_code) {
        canvas.ring(row.x + canvas.px(18), row.center_y(), 8, Ink::text, 2);
    }
    canvas.text({row.x + canvas.px(28), row.y, canvas.px(kDebugLineEnd - 28), row.h}, text("{}", line),
                Font::code, has_code ? Ink::text : Ink::dim, Align::right);
    const float x = row.x + canvas.px(kDebugLineEnd + 14);
    const float r = canvas.px(9);
    if (marks.focus)
        canvas.triangle({x, row.center_y() - r}, {x + 1.6f * r, row.center_y()}, {x, row.center_y() + r},
                        Ink::now_fill);
    else if (marks.warps > 0)
        canvas.triangle({x, row.center_y() - r * 0.7f}, {x + 1.1f * r, row.center_y()},
                        {x, row.center_y() + r * 0.7f}, Ink::context_strong);
}

}  // namespace

void draw_debugged_code(const DebugStage& debug, Box card) {
    Canvas& canvas = debug.stage.canvas;
    canvas.slot("code", card);
    canvas.card(card);
    DebugRows rows;
    const debug::SourceLine at = debug.now().at;
    rows.file_index = at.line > 0 ? at.file : 0;
    rows.file = &debug.scene.text->files[std::size_t(rows.file_index)];
    rows.in_comment = &debug.scene.text->in_comment[std::size_t(rows.file_index)];
    rows.body = card.inset(canvas.px(3), canvas.px(8));
    rows.row = canvas.px(kDebugRow);
    rows.columns = int((rows.body.w - canvas.px(kDebugCode + 24)) / canvas.width("0", Font::code));
    rows.visible = std::max(1, int(rows.body.h / rows.row));
    const Touch touch = canvas.touch("code", rows.body);
    tip(debug.stage, card.left(canvas.px(kDebugLineEnd)), "tip.debug.code");
    int row_at = -first_row(debug, rows, touch);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    constexpr float kStill = 36;  // pixels, squared: a press that was no drag
    const bool clicked = touch.clicked && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < kStill;
    for (std::size_t i = 0; i < rows.file->lines.size() && row_at < rows.visible; ++i) {
        const std::string_view line = rows.file->lines[i];
        const int number = int(i) + 1;
        const LineMarks marks = marks_of(debug, rows, number);
        Wrapped pieces(line, rows.columns);
        for (auto piece = pieces.next(); piece && row_at < rows.visible; piece = pieces.next(), ++row_at) {
            if (row_at < 0) continue;
            const Box row{rows.body.x, rows.body.y + float(row_at) * rows.row, rows.body.w, rows.row};
            const bool under = touch.hovered && mouse.y >= row.y && mouse.y < row.bottom();
            if (marks.focus) canvas.fill(row.before(canvas.px(14)), Ink::now_soft, 3);
            if (piece->first) {
                draw_marks(debug, rows, row, number, marks, under && mouse.x < row.x + canvas.px(kDebugCode));
                if (under && clicked && mouse.x < row.x + canvas.px(kDebugCode) && rows.file_index == 0)
                    debug.stage.edits.add(ToggleBreakpoint{number});
            }
            draw_piece(canvas,
                       row.x + canvas.px(kDebugCode) + float(piece->indent) * canvas.width("0", Font::code),
                       row, line, (*rows.in_comment)[i], piece->begin, piece->size, {});
        }
    }
}

}  // namespace ws
