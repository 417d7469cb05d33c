// Tables as an experiment gives them.

#include <algorithm>
#include <variant>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

// Figures end at the right, and so does the title above them; words begin at the left.
Align column_align(const ResultTable& table, int column) {
    if (!table.columns[std::size_t(column)].unit.empty()) return Align::right;
    const bool figures = std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
        return column < int(row.size()) && std::holds_alternative<TableFigure>(row[std::size_t(column)]);
    });
    return figures ? Align::right : Align::left;
}

}  // namespace

void draw_table(const Stage& stage, Box card, const ResultTable& table, Kind kind) {
    Canvas& canvas = stage.canvas;
    const Box in = card_title(canvas, card, said(table.title), kind);
    const int columns = int(table.columns.size());
    // As many rows as there is room for; the line below says how many are missing.
    const int fit = std::max(2, int(in.h / canvas.px(32)));
    const int wanted = int(table.rows.size()) + 1;
    const int lines = std::min(fit, std::max(wanted, 10));
    const int shown = wanted <= lines ? wanted - 1 : lines - 2;
    const float gap = canvas.px(16);
    // Words behind figures keep away from them.
    const auto place = [&](const Box& row, int column) {
        const bool behind = column > 0 && column_align(table, column) == Align::left &&
                            column_align(table, column - 1) == Align::right;
        return row.column(column, columns, gap).after(behind ? canvas.px(24) : 0);
    };
    for (int c = 0; c < columns; ++c) {
        const TableColumn& column = table.columns[std::size_t(c)];
        const Align align = column_align(table, c);
        canvas.text(
            place(in.row(0, lines, 0), c),
            column.unit.empty() ? said(column.title) : text("{}, {}", said(column.title), column.unit),
            Font::axis, Ink::dim, align);
    }
    const Ink ink = stage.experiment->stale ? Ink::dim : Ink::text;
    for (int r = 0; r < shown; ++r) {
        const Box row = in.row(r + 1, lines, 0);
        canvas.line(row.x, row.y, row.right(), row.y, Ink::grid, 1);
        const auto& cells = table.rows[std::size_t(r)];
        for (int c = 0; c < columns && c < int(cells.size()); ++c) {
            const Box cell = place(row, c);
            if (const auto* figure = std::get_if<TableFigure>(&cells[std::size_t(c)])) {
                canvas.text(cell, figure_text(figure->value), Font::axis_strong, ink, Align::right);
                continue;
            }
            const std::string_view words = said(std::get<Message>(cells[std::size_t(c)]));
            const bool fits = canvas.width(words, Font::axis) <= cell.w;
            canvas.text(cell, fits ? words : say("experiment.why"), Font::axis, ink, column_align(table, c));
            if (!fits)
                canvas.tooltip(
                    {.hovered = ImGui::IsMouseHoveringRect({cell.x, cell.y}, {cell.right(), cell.bottom()})},
                    words);
        }
    }
    if (shown + 1 < wanted)
        canvas.text(in.row(lines - 1, lines, 0), say("experiment.more", wanted - 1 - shown), Font::axis,
                    Ink::dim);
}

}  // namespace ws
