// Every block shape that is a power of two wide and high: a cell each, coloured by its time over the fastest.

#include <algorithm>
#include <array>
#include <bit>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/sweep_parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

constexpr int kSides = 11;  // 1 to 1024
// Steps of colour, by the time over the fastest: few, so that every label can be read.
constexpr std::array kSteps{1.1, 1.3, 2.0, 8.0};

int heat_of(double ratio) {
    return int(std::lower_bound(kSteps.begin(), kSteps.end(), ratio) - kSteps.begin());
}
Ink heat_ink(int heat) {
    return Ink(int(Ink::heat_0) + heat);
}
Ink heat_text(int heat) {
    return Ink(int(Ink::heat_text_0) + heat);
}

struct Map {
    Box cells;
    float wide = 1, high = 1;
    [[nodiscard]] Box cell(int column, int row) const {
        return {cells.x + float(column) * wide, cells.bottom() - float(row + 1) * high, wide - 2, high - 2};
    }
};

void draw_cell(const Stage& stage, const Map& map, const SweepResult* result, Block block,
               const TimeScale& scale) {
    Canvas& canvas = stage.canvas;
    const Box box = map.cell(std::countr_zero(unsigned(block.x)), std::countr_zero(unsigned(block.y)));
    const SweepCell* cell = result ? result->find(block) : nullptr;
    const SweepCell* best = result ? result->fastest() : nullptr;
    ImGui::PushID(block.x * 2048 + block.y);
    const Touch touch = canvas.touch("cell", box);
    ImGui::PopID();
    if (touch.clicked && result) stage.edits.add(ChooseBlock{result->step, block});
    if (!cell || cell->ms <= 0 || !best) {
        canvas.frame(box, Ink::grid, 3, 1);
        if (cell) {
            canvas.text(box, "×", Font::axis, Ink::dim, Align::center);
            canvas.tooltip(touch, say("sweep.cell.refused", block_text(block), cell->refused));
        }
        return;
    }
    const int heat = heat_of(cell->ms / best->ms);
    const bool fastest = cell == best;
    canvas.fill(box, fastest ? Ink::text : heat_ink(heat), 3);
    canvas.text(box, cell_text(cell->ms * scale.factor), fastest ? Font::axis_strong : Font::axis,
                fastest ? Ink::panel : heat_text(heat), Align::center);
    if (cell == result->slowest()) canvas.frame(box, Ink::alarm, 3, 4);
    canvas.tooltip(
        touch, say("sweep.cell", block_text(block), short_time(cell->ms), text("{:.0f}", cell->occupancy)));
}

void draw_axes(const Stage& stage, const Map& map, Box titles_left, Box titles_below) {
    Canvas& canvas = stage.canvas;
    for (int i = 0; i < kSides; ++i) {
        const Box row = map.cell(0, i);
        canvas.text({titles_left.x, row.y, titles_left.w - canvas.px(10), row.h}, text("{}", 1 << i),
                    Font::axis, Ink::dim, Align::right);
        const Box column = map.cell(i, 0);
        canvas.text({column.x - canvas.px(6), titles_below.y, column.w + canvas.px(12), canvas.px(32)},
                    text("{}", 1 << i), Font::axis, Ink::dim, Align::center);
    }
    canvas.text(titles_below.below(canvas.px(32)), say("sweep.width"), Font::axis, Ink::dim, Align::center);
}

// Where the map has no cells: more than 1024 threads.
void draw_legend(const Stage& stage, Box room, const SweepResult* result, Block selected) {
    Canvas& canvas = stage.canvas;
    const SweepCell* best = result ? result->fastest() : nullptr;
    const SweepCell* worst = result ? result->slowest() : nullptr;
    struct Row {
        std::string_view name, value;
        Ink ink;
        bool filled;
    };
    const std::array<Row, 3> rows{
        Row{say("sweep.fastest"), best ? block_text(best->block) : std::string_view("–"), Ink::text, true},
        Row{say("sweep.chosen"), block_text(selected), Ink::now, false},
        Row{say("sweep.slowest"), worst ? block_text(worst->block) : std::string_view("–"), Ink::alarm,
            false}};
    const float high = canvas.px(40);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        const Box box{room.x, room.y + float(i) * high, room.w, high};
        const Box sign{box.x, box.y + canvas.px(7), canvas.px(28), canvas.px(26)};
        const Ink frame = i == 1 ? Ink::now_fill : row.ink;
        if (row.filled)
            canvas.fill(sign, row.ink, 4);
        else
            canvas.frame(sign, frame, 4, 4);
        canvas.text(box.after(canvas.px(40)), row.name, Font::axis_strong, row.ink);
        canvas.text(box, row.value, Font::axis, row.ink, Align::right);
    }
    const Box scale = room.below(3 * high + canvas.px(8));
    canvas.text(scale.top(canvas.px(34)), say("sweep.scale"), Font::axis, Ink::dim);
    const Box steps = scale.below(canvas.px(36)).top(canvas.px(36));
    constexpr std::array<std::string_view, kSteps.size() + 1> kLabels{"1.1", "1.3", "2", "8", "> 8"};
    for (int i = 0; i < int(kLabels.size()); ++i) {
        const Box step = steps.column(i, int(kLabels.size()), canvas.px(4));
        canvas.fill(step, heat_ink(i), 3);
        canvas.text(step, kLabels[std::size_t(i)], Font::axis, heat_text(i), Align::center);
    }
}

}  // namespace

TimeScale scale_of(double least_ms) {
    return least_ms < 1 ? TimeScale{1000, "µs"} : TimeScale{1, "ms"};
}

std::string_view cell_text(double value) {
    if (value >= 9995) return text("{:.0f}k", value / 1000);
    if (value >= 999.5) return text("{:.1f}k", value / 1000);
    if (value >= 99.5) return text("{:.0f}", value);
    if (value >= 9.95) return text("{:.0f}", value);
    return text("{:.1f}", value);
}

void draw_heat_map(const Stage& stage, Box card, const SweepResult* result) {
    Canvas& canvas = stage.canvas;
    canvas.slot("sweep map", card);
    const StepSnapshot& step = chosen_step(stage.snapshot, {});
    const SweepCell* best = result ? result->fastest() : nullptr;
    const TimeScale scale = scale_of(best ? best->ms : 0);
    const std::string_view title = say("sweep.map", step.name, scale.unit);
    const Box in = result ? card_title(canvas, card, title, result->kind) : card_title(canvas, card, title);
    const float left = canvas.px(76);
    const float below = canvas.px(66);
    const float label = canvas.px(30);
    Map map;
    map.cells = {in.x + left, in.y + label, in.w - left, in.h - below - label};
    map.wide = map.cells.w / kSides;
    map.high = map.cells.h / kSides;
    canvas.text({in.x, in.y - canvas.px(4), in.w * 0.4f, label}, say("sweep.height"), Font::axis, Ink::dim);
    draw_axes(stage, map, {in.x, in.y, left, in.h},
              {map.cells.x, map.cells.bottom() + canvas.px(2), map.cells.w, below});
    for (int y = 0; y < kSides; ++y) {
        for (int x = 0; x + y < kSides; ++x) draw_cell(stage, map, result, {1 << x, 1 << y}, scale);
    }
    const Block now = step.shape.block;
    if (std::has_single_bit(unsigned(now.x)) && std::has_single_bit(unsigned(now.y)) &&
        now.threads() <= kMaxThreadsPerBlock) {
        const Box box = map.cell(std::countr_zero(unsigned(now.x)), std::countr_zero(unsigned(now.y)));
        canvas.frame(box.inset(-canvas.px(1)), Ink::panel, 4, 7);
        canvas.frame(box.inset(-canvas.px(1)), Ink::now_fill, 4, 4);
    }
    const float wide = map.wide * 4.9f;
    draw_legend(stage, {map.cells.right() - wide, map.cells.y, wide, map.high * 5}, result, now);
    tip(stage, {in.x, in.y, left, in.h}, "tip.sweep");
}

}  // namespace ws
