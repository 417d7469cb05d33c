// Banks of shared memory and the lanes that they serve.

#include <algorithm>
#include <bit>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/warp_parts.h"

namespace ws {
namespace {

constexpr int kLargeRows = 2;  // with the lanes' numbers; where there are more, rows shrink

void draw_row(const Stage& stage, Box row, const BankRows& banks, int wavefront, bool numbers, bool is_now) {
    Canvas& canvas = stage.canvas;
    for (int bank = 0; bank < banks.banks; ++bank) {
        const Box cell = row.column(bank, banks.banks, canvas.px(3));
        const int lane = wavefront < std::min(banks.rows, BankRows::kMost)
                             ? banks.lane[std::size_t(wavefront)][std::size_t(bank)]
                             : -1;
        if (lane < 0) {
            if (numbers) canvas.frame(cell, Ink::grid, 2);
            continue;
        }
        const bool late = banks.waits(wavefront, bank);
        if (!numbers) {
            canvas.fill(cell, !late ? Ink::context : is_now ? Ink::alarm : Ink::base_fill);
            continue;
        }
        canvas.fill(cell, !late ? Ink::context_soft : is_now ? Ink::alarm_soft : Ink::base_fill, 2);
        canvas.frame(cell, late && is_now ? Ink::alarm : Ink::context, 2);
        canvas.text(cell, text("{}", lane), Font::axis, late && !is_now ? Ink::shade : Ink::text,
                    Align::center);
    }
}

std::string_view words_of(const RequestSide& side, const BankRows& banks) {
    const int wavefronts = side.access->sectors;
    if (wavefronts <= 1) return say("warp.banks.free");
    for (int bank = 0; bank < banks.banks; ++bank) {
        if (banks.conflicts(bank)) return say("warp.banks.conflict", wavefronts);
    }
    return say("warp.banks.wide", wavefronts);
}

}  // namespace

void draw_banks(const Stage& stage, Box card, const RequestSide& now, const RequestSide& base) {
    Canvas& canvas = stage.canvas;
    canvas.slot("banks", card);
    canvas.card(card);
    const RequestSide& side = now.kind ? now : base;
    const Box in = card.inset(canvas.px(20), canvas.px(8));
    const Box head = in.top(canvas.px(42));
    const std::string_view title = say("warp.banks");
    canvas.text(head, title, Font::strong, Ink::text);
    const Box rest = head.after(canvas.width(title, Font::strong) + canvas.px(24));
    if (!side.access && side.kind)
        canvas.text(rest, say("warp.idle", side.kind->line), Font::axis, Ink::dim);
    else if (side.access)
        canvas.text(rest,
                    say(side.access->store ? "warp.banks.store" : "warp.banks.load", side.name,
                        side.access->line, std::popcount(side.access->mask), side.access->bytes),
                    Font::axis, side.is_now ? Ink::dim : Ink::base);
    else
        canvas.text(rest, say("warp.no_shared"), Font::axis, Ink::dim);

    const BankRows banks = side.access
                               ? bank_rows(*side.access, stage.snapshot.target.gpu.limits.shared_banks)
                               : BankRows{stage.snapshot.target.gpu.limits.shared_banks, 0, {}, {}};
    const float label = canvas.px(64);
    const Box numbers = in.below(canvas.px(44)).top(canvas.px(32));
    canvas.text(numbers.left(label), say("warp.bank"), Font::axis, Ink::dim);
    for (int bank = 0; bank < banks.banks; ++bank) {
        const bool wanted = side.access && banks.conflicts(bank);
        // Bold letters are too wide for the narrow columns of a narrow card.
        const Box column = numbers.after(label).column(bank, banks.banks, canvas.px(3));
        const std::string_view name = text("{}", bank);
        const bool bold = wanted && canvas.width(name, Font::axis_strong) <= column.w;
        canvas.text(column, name, bold ? Font::axis_strong : Font::axis,
                    wanted ? (side.is_now ? Ink::alarm : Ink::base) : Ink::dim, Align::center);
    }
    const Box foot = in.bottom_part(canvas.px(34));
    const Box rows{in.x, numbers.bottom() + canvas.px(2), in.w, foot.y - numbers.bottom() - canvas.px(4)};
    const bool large = banks.rows <= kLargeRows;
    const int count = large ? kLargeRows : std::min(banks.rows, BankRows::kMost);
    for (int i = 0; i < count; ++i) {
        const Box row = rows.row(i, count, canvas.px(large ? 5.0f : 1.0f));
        if (large) canvas.text(row.left(label), text("{}.", i + 1), Font::axis_strong, Ink::text);
        draw_row(stage, row.after(label), banks, i, large, side.is_now);
    }
    if (side.access) canvas.text(foot, words_of(side, banks), Font::axis, Ink::dim);
    tip(stage, card, "tip.banks");
}

}  // namespace ws
