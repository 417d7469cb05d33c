#include "gpu/analysis/line_parts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "gpu/analysis/number_table.h"
#include "gpu/analysis/scattered.h"

namespace ws {
namespace {

// What is stored further apart than this is of rows that other blocks go on with.
constexpr std::uint64_t kNearLines = 4096 / kLineBytes;
constexpr auto kNearSectors = std::int64_t(kNearLines * kLineSectors);

// How far away the next line is that is written, too: in the same 256 bytes, 512 or KiB, or in none of these.
constexpr std::size_t kDistances = 4;
// Measured on an H200 (bench/line_parts, less 3 us that a launch takes beside): lines of which one, two,
// three or all sectors are written take so many times as long as whole ones side by side.
using OfLine = std::array<double, kLineSectors>;  // by sectors, one less
constexpr std::array<OfLine, kDistances> kWrite{{{0.69, 0.69, 0.78, 1},
                                                 {1.035, 1.035, 1.035, 1.115},
                                                 {1.21, 1.21, 1.23, 1.31},
                                                 {1.27, 1.27, 1.30, 1.36}}};
// Of whole lines that are read: about what stores of single words take more there than such of whole sectors,
// without what turning round between reading and writing takes.
constexpr std::array<OfLine, kDistances> kComplete{
    {{0.58, 0.58, 0.8, 1}, {0.8, 0.8, 0.9, 1}, {0.8, 0.8, 0.9, 1}, {0.8, 0.8, 0.9, 1}}};

// What an instruction of a block touches, each line once.
struct Touched {
    std::int64_t first = -1;  // the sector that it touches first
    NumberTable<std::uint32_t> lines;
};
using ByInstruction = std::map<int, Touched>;  // by its line of the PTX

bool is_wanted(const WarpTrace& warp, const TracedAccess& access, bool stores) {
    return access.space != MemorySpace::local && (access.kind == MachineKind::store) == stores &&
           access.asked_lines > 0 && scattered_over(warp.asked_by(access)) == 0;
}
std::int64_t first_sector(LineSectors line) {
    return std::int64_t(line.line() * kLineSectors) + std::countr_zero(line.sectors());
}

ByInstruction touched_by(std::uint64_t block, const KernelTrace& trace, bool stores) {
    ByInstruction made;
    for (const WarpTrace& warp : trace.warps) {
        if (warp.thread_block != block) continue;
        for (const TracedAccess& access : warp.accesses) {
            if (!is_wanted(warp, access, stores)) continue;
            const std::span<const LineSectors> lines = warp.asked_by(access);
            Touched& one = made[access.ptx_line];
            if (one.first < 0) one.first = first_sector(lines.front());
            for (const LineSectors line : lines) one.lines[line.line()] |= line.sectors();
        }
    }
    return made;
}

// What all blocks touch near a block's lines, as it touches its own.
class Together {
  public:
    void add(const Touched& own, std::int64_t sectors_on) {
        own.lines.for_each([&](std::uint64_t line, std::uint32_t sectors) {
            const auto first = std::uint64_t(std::int64_t(line * kLineSectors) + sectors_on);
            const std::uint64_t moved = std::uint64_t(sectors) << first % kLineSectors;
            add({first / kLineSectors, std::uint32_t(moved & 0xF)});
            add({first / kLineSectors + 1, std::uint32_t(moved >> kLineSectors)});
        });
    }
    // Those of blocks each so much further on than the one before. Steps of less than a sector leave nothing
    // out; neither, it is assumed, does what all blocks want.
    void add_others(const Touched& own, std::int64_t step) {
        if (step == 0) step = 1;
        for (std::int64_t moved = step; std::abs(moved) < kNearSectors; moved += step)
            for (const std::int64_t by : {moved, -moved}) add(own, by);
    }
    [[nodiscard]] std::uint32_t of(std::uint64_t line) const {
        const std::uint32_t* sectors = lines_.find(line);
        return sectors ? *sectors : 0;
    }
    // The nearest one: lines in the group of both; 0: none is near.
    [[nodiscard]] std::uint64_t group_of(std::uint64_t line) const {
        for (std::uint64_t group = 2; group <= kNearLines; group *= 2) {
            const std::uint64_t first = line / group * group;
            for (std::uint64_t one = first; one < first + group; ++one)
                if (one != line && of(one) != 0) return group;
        }
        return 0;
    }

  private:
    void add(LineSectors line) {
        if (line.sectors() != 0) lines_[line.line()] |= line.sectors();
    }
    NumberTable<std::uint32_t> lines_;
};

// Of the lines of a block, each with the part of it that is the block's own.
struct OwnLines {
    double sectors = 0;  // its own
    double lines = 0;
    double write = 0, complete = 0;  // whole lines side by side
};

OwnLines own_lines(std::uint64_t block, const KernelTrace& trace, const KernelTrace& around, bool stores) {
    std::vector<std::uint64_t> others;
    for (const WarpTrace& warp : around.warps)
        if (others.empty() || others.back() != warp.thread_block) others.push_back(warp.thread_block);
    const ByInstruction own = touched_by(block, trace, stores);
    Together all;
    NumberTable<std::uint32_t> lines;
    for (const auto& [instruction, touched] : own) {
        all.add(touched, 0);
        touched.lines.for_each([&](std::uint64_t line, std::uint32_t sectors) { lines[line] |= sectors; });
    }
    std::set<std::pair<int, std::int64_t>> steps;  // by instruction
    for (const std::uint64_t other : others)
        for (const auto& [instruction, touched] : touched_by(other, around, stores))
            if (const auto found = own.find(instruction); found != own.end())
                steps.emplace(instruction, touched.first - found->second.first);
    for (const auto& [instruction, step] : steps) all.add_others(own.at(instruction), step);
    OwnLines made;
    lines.for_each([&](std::uint64_t line, std::uint32_t sectors) {
        const double here = sectors_in(sectors);
        const std::uint64_t group = all.group_of(line);
        const auto together = group == 0 ? kLineSectors : std::size_t(sectors_in(all.of(line)));
        const std::size_t distance =
            group == 0 ? 0 : std::min(kDistances - 1, std::size_t(std::countr_zero(group)) - 1);
        const double part = here / double(together);
        made.sectors += here;
        made.lines += part;
        made.write += part * kWrite[distance][together - 1];
        made.complete += part * kComplete[distance][together - 1];
    });
    return made;
}

}  // namespace

std::vector<std::uint64_t> blocks_around(std::uint64_t block, const std::array<std::uint64_t, 3>& grid) {
    const auto [row, rows, planes] = grid;
    const std::uint64_t blocks = row * rows * planes;
    std::vector<std::uint64_t> made;
    for (const std::uint64_t apart : {std::uint64_t(1), row, row * rows, rows}) {
        const bool is_behind = block + apart < blocks;
        if (!is_behind && block < apart) continue;
        const std::uint64_t one = is_behind ? block + apart : block - apart;
        if (std::find(made.begin(), made.end(), one) == made.end()) made.push_back(one);
    }
    return made;
}

LineParts line_parts(std::uint64_t block, const KernelTrace& trace, const KernelTrace& around) {
    const OwnLines stored = own_lines(block, trace, around, true);
    const OwnLines loaded = own_lines(block, trace, around, false);
    constexpr auto kSectors = double(kLineSectors);
    LineParts made;
    if (const double all = stored.sectors + loaded.sectors; all > 0)
        made.room = kSectors * (stored.lines + loaded.lines) / all;
    if (stored.sectors > 0) {
        made.write = kSectors * stored.write / stored.sectors;
        made.complete = kSectors * stored.complete / stored.sectors;
    }
    return made;
}

}  // namespace ws
