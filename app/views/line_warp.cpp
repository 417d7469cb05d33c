// One warp of a line: its lanes, and the memory that they touch.

#include <algorithm>
#include <array>
#include <bit>

#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/source_parts.h"
#include "app/views/warp_access.h"
#include "app/views/words.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

constexpr int kLaneRows = 2;
constexpr int kSectors = 4;  // of a line of 128 bytes
constexpr std::uint64_t kSector = 32;

bool active(const AccessExample& access, int lane) {
    return (access.mask >> lane & 1) != 0;
}

// Neighbouring sectors are told apart by a filled and an outlined cell.
bool bright(std::uint64_t piece) {
    return piece % 2 == 0;
}

Box lane_cell(const Canvas& canvas, Box room, int lane) {
    constexpr int kAcross = kLanes / kLaneRows;
    return room.row(lane / kAcross, kLaneRows, canvas.px(4)).column(lane % kAcross, kAcross, canvas.px(2));
}

// Lanes by the sector, or the bank, that they touch; those that take no part are empty.
void draw_lanes(Canvas& canvas, Box room, const AccessExample* access) {
    for (int lane = 0; lane < kLanes; ++lane) {
        const Box cell = lane_cell(canvas, room, lane);
        const bool on = access && active(*access, lane);
        const std::uint64_t piece =
            on ? access->addresses[std::size_t(lane)] / (access->shared ? 4 : kSector) : 0;
        const bool filled = on && bright(piece);
        if (on) canvas.fill(cell, filled ? Ink::now_fill : Ink::now_soft, 3);
        if (!filled) canvas.frame(cell, on ? Ink::now_fill : Ink::line, 3, 2);
        canvas.text(cell, text("{}", lane), Font::axis,
                    filled ? Ink::on_fill
                    : on   ? Ink::now
                           : Ink::dim,
                    Align::center);
    }
}

// Bytes of a sector that lanes ask for, as one run: from, to.
struct Used {
    std::uint64_t from = kSector, to = 0;
    int bytes = 0;
};
Used used_in(const AccessExample& access, std::uint64_t sector) {
    std::array<bool, kSector> asked{};
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!active(access, lane)) continue;
        for (int i = 0; i < access.bytes; ++i) {
            const std::uint64_t address = access.addresses[std::size_t(lane)] + std::uint64_t(i);
            if (address / kSector == sector) asked[address % kSector] = true;
        }
    }
    Used used;
    for (std::uint64_t i = 0; i < kSector; ++i) {
        if (!asked[i]) continue;
        used.from = std::min(used.from, i);
        used.to = i + 1;
        ++used.bytes;
    }
    return used;
}

// The first of the sectors that are drawn: those of the first line of 128 bytes that the warp touches; where
// four sectors across the end of a line hold the whole access, these.
std::uint64_t first_sector(const AccessExample& access) {
    std::uint64_t least = ~0ull;
    std::uint64_t most = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!active(access, lane)) continue;
        const std::uint64_t address = access.addresses[std::size_t(lane)];
        least = std::min(least, address / kSector);
        most = std::max(most, (address + std::uint64_t(access.bytes) - 1) / kSector);
    }
    const std::uint64_t line = least / kSectors * kSectors;
    return most >= line + kSectors && most - least < kSectors ? least : line;
}

// From the lanes of a sector to it.
void draw_fan(Canvas& canvas, Box lanes, Box sector, const AccessExample& access, std::uint64_t number) {
    float left = lanes.right();
    float right = lanes.x;
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!active(access, lane) || access.addresses[std::size_t(lane)] / kSector != number) continue;
        const Box cell = lane_cell(canvas, lanes, lane);
        left = std::min(left, cell.x);
        right = std::max(right, cell.right());
    }
    if (left >= right) return;
    const float top = lanes.bottom() + canvas.px(4);
    const float bottom = sector.y - canvas.px(4);
    const Ink ink = bright(number) ? Ink::now_mid : Ink::now_soft;
    canvas.triangle({left, top}, {right, top}, {sector.x, bottom}, ink);
    canvas.triangle({right, top}, {sector.right(), bottom}, {sector.x, bottom}, ink);
}

// The first line of 128 bytes that the warp touches, by sectors: asked for, moved along, not moved.
void draw_sectors(Canvas& canvas, Box lanes, Box room, const AccessExample* access) {
    const std::uint64_t first = access ? first_sector(*access) : 0;
    for (int i = 0; i < kSectors; ++i) {
        const Box box = room.top(canvas.px(44)).column(i, kSectors, canvas.px(6));
        const Box label = room.below(canvas.px(48)).column(i, kSectors, canvas.px(6));
        // Where a line of 128 bytes begins.
        if (access && i > 0 && (first + std::uint64_t(i)) % kSectors == 0)
            canvas.line(box.x - canvas.px(3), box.y - canvas.px(6), box.x - canvas.px(3),
                        box.bottom() + canvas.px(6), Ink::context_strong, 3);
        const Used used = access ? used_in(*access, first + std::uint64_t(i)) : Used{};
        if (used.bytes == 0) {
            canvas.frame(box, Ink::line, 3, 2);
            canvas.text(label, "–", Font::axis, Ink::dim);
            continue;
        }
        const std::uint64_t number = first + std::uint64_t(i);
        draw_fan(canvas, lanes, box, *access, number);
        canvas.fill(box, Ink::context, 3);
        const float byte = box.w / float(kSector);
        const Box part{box.x + byte * float(used.from), box.y, byte * float(used.to - used.from), box.h};
        canvas.fill(part, bright(number) ? Ink::now_fill : Ink::now_mid, 2);
        canvas.text(label, say("warp.bytes", used.bytes), Font::axis_strong, Ink::now);
    }
}

// Different words that the warp wants of each bank: one more is one more wavefront.
void draw_banks(Canvas& canvas, Box room, const AccessExample& access, int banks) {
    constexpr std::size_t kMost = 32;
    std::array<int, kMost> words{};
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!active(access, lane)) continue;
        const std::uint64_t word = access.addresses[std::size_t(lane)] / 4;
        bool again = false;
        for (int other = 0; other < lane; ++other)
            again |= active(access, other) && access.addresses[std::size_t(other)] / 4 == word;
        if (!again) ++words[std::size_t(word % std::uint64_t(banks)) % kMost];
    }
    const Box bars = room.top(canvas.px(44));
    const int most = *std::max_element(words.begin(), words.end());
    for (int bank = 0; bank < banks; ++bank) {
        const Box box = bars.column(bank, banks, canvas.px(2));
        const int count = words[std::size_t(bank)];
        if (count == 0)
            canvas.frame(box, Ink::line, 2, 2);
        else
            canvas.fill(box.bottom_part(box.h * float(count) / float(std::max(1, most))), Ink::now_fill, 2);
    }
    const Box label = room.below(canvas.px(48));
    const float side = label.w * 0.2f;
    canvas.text(label.left(side), say("warp.bank.number", 0), Font::axis, Ink::dim);
    // What a bar of full height stands for.
    canvas.text(label.after(side).before(side), say("warp.bank.most", most), Font::axis_strong, Ink::now,
                Align::center);
    canvas.text(label.right_part(side), say("warp.bank.number", banks - 1), Font::axis, Ink::dim,
                Align::right);
}

std::string_view what_it_does(const AccessExample& access) {
    const std::string_view key = access.shared ? (access.store ? "warp.shared_store" : "warp.shared_load")
                                               : (access.store ? "warp.store" : "warp.load");
    return say(key, std::popcount(access.mask), access.bytes);
}

}  // namespace

void draw_line_warp(const SourceStage& source, Box room, int line) {
    Canvas& canvas = source.stage.canvas;
    const AccessExample* kind =
        source.step.built.lines ? example_of(source.counters, counted_line(*source.step.built.lines, line))
                                : nullptr;
    const AccessExample* access = kind;
    if (kind && source.step.counts.result && source.counters == source.step.counts.result->counters.get())
        access = Requests(*source.step.counts.result, source.step.counts.warp,
                          source.stage.view.preferences.warp.has_value())
                     .own(kind);
    const Box head = room.top(canvas.px(48));
    const std::string_view place =
        access ? say("warp.block", access->block_x, access->block_y) : std::string_view("–");
    const float wide = canvas.width(place, Font::axis) + canvas.px(4);
    canvas.text(head.right_part(wide), place, Font::axis, Ink::dim, Align::right);
    canvas.text(head.before(wide + canvas.px(12)),
                line > 0 ? say("warp.title", line) : say("warp.title.none"), Font::strong, Ink::text);
    const Box what = room.below(canvas.px(48)).top(canvas.px(40));
    canvas.text(what,
                access     ? what_it_does(*access)
                : kind     ? say("warp.idle", kind->line)
                : line > 0 ? say("warp.line.no_access")
                           : std::string_view("–"),
                Font::axis, Ink::text);
    const Box lanes = room.below(canvas.px(92)).top(canvas.px(82));
    const Box memory =
        lanes.below(lanes.h + canvas.px(source.stage.slots.narrow ? 26 : 56)).top(canvas.px(84));
    const Box placed{memory.x, memory.y, memory.w, canvas.px(84)};
    draw_lanes(canvas, lanes, access);
    if (access && access->shared)
        draw_banks(canvas, placed, *access,
                   std::clamp(source.step.counts.result->key.gpu.limits.shared_banks, 1, 32));
    else
        draw_sectors(canvas, lanes, placed, access);
    const Box note{room.x, placed.bottom() + canvas.px(2), room.w, canvas.px(34)};
    std::string_view words = "–";
    if (access && access->shared)
        words = say("warp.wavefronts.here", access->sectors);
    else if (access)
        words = moved_words(access->sectors, source.step.counts.result->key.gpu.limits.capability);
    canvas.text(note, words, Font::axis, Ink::dim);
    const bool banks = access && access->shared;
    tip(source.stage, {what.x, what.y, what.w, note.bottom() - what.y}, banks ? "tip.banks" : "tip.request");
    tip(source.stage, head, "tip.warp_of_line");
}

}  // namespace ws
