#include "gpu/analysis/walks.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <vector>

#include "gpu/analysis/measured_points.h"
#include "gpu/analysis/number_table.h"

namespace ws {
namespace {

// 256 bytes of device memory: who is beside it in a row has other bytes of a larger region.
constexpr std::uint64_t kLinesOfPiece = 2;
// What it takes to open a row is no less than what these take to come.
constexpr int kFewSectors = 2;
// Who has no more of it leaves the rest to other warps, which want it at the same time.
constexpr int kHalf = int(kLinesOfPiece * kLineSectors) / 2;

struct Piece {
    std::uint64_t number = 0;
    std::uint32_t sectors = 0;
};

// The pieces of a request's lines, with the sectors that device memory moves for it.
template <typename F>
void each_piece(std::span<const LineSectors> lines, bool in_pairs, F&& each) {
    Piece piece;
    for (const LineSectors one : lines) {
        const LineSectors line = in_pairs ? one.in_pairs() : one;
        const std::uint64_t number = line.line() / kLinesOfPiece;
        if (piece.sectors != 0 && piece.number != number) {
            each(piece);
            piece.sectors = 0;
        }
        piece.number = number;
        piece.sectors |= line.sectors() << (kLineSectors * (line.line() % kLinesOfPiece));
    }
    if (piece.sectors != 0) each(piece);
}

bool moves(const TracedAccess& access) {
    return access.space == MemorySpace::global && access.asked_lines > 0 &&
           access.kind != MachineKind::atomic;
}

bool mostly_parts(std::span<const LineSectors> lines, bool in_pairs) {
    int pieces = 0;
    int parts = 0;
    each_piece(lines, in_pairs, [&](Piece piece) {
        static_assert(kFewSectors == 2);
        const std::uint32_t but_one = piece.sectors & (piece.sectors - 1);
        ++pieces;
        parts += (but_one & (but_one - 1)) == 0;
    });
    return 2 * parts >= pieces;
}

// Measured on an H200 (bench/row_walks): threads' rows of so many bytes, loads of 64 bytes, 10^9 a second.
struct RowRate {
    double bytes, loads;
};
constexpr RowRate kRowRates[]{{128, 61.9}, {256, 51.3}, {512, 46.5}, {1024, 42.1}, {4096, 37.0}};

}  // namespace

double walk_load_cost(double bytes_apart) {
    const double anywhere = std::prev(std::end(kRowRates))->loads;
    const AmongPoints at = among_points(kRowRates, &RowRate::bytes, bytes_apart);
    const double before = kRowRates[at.before].loads;
    return anywhere / (before + at.share * (kRowRates[at.after].loads - before));
}

void mark_walks(WarpTrace& warp) {
    struct Seen {
        std::uint32_t sectors = 0;
        bool again = false;
    };
    // Loads and stores apart: what is stored leaves the second level at another time.
    NumberTable<Seen> seen[2];
    // A warp that goes on within its sectors asks for the same again, which says nothing new.
    struct PartRequest {
        TracedAccess* access = nullptr;
        std::size_t same_as = 0;  // of `parts`: one before that asked for it, or itself
    };
    std::vector<PartRequest> parts;
    bool any_again[2]{};
    NumberTable<std::optional<std::size_t>> last[2];  // of `parts`, by their first line
    for (TracedAccess& access : warp.accesses) {
        if (!moves(access)) continue;
        const bool stores = access.kind == MachineKind::store;
        const std::span<const LineSectors> lines = warp.asked_by(access);
        std::optional<std::size_t>& before = last[stores][lines.front().line()];
        if (before && std::ranges::equal(lines, warp.asked_by(*parts[*before].access))) {
            parts.push_back({&access, *before});
            continue;
        }
        if (!mostly_parts(lines, !stores)) continue;
        before = parts.size();
        parts.push_back({&access, parts.size()});
        each_piece(lines, !stores, [&](Piece piece) {
            Seen& one = seen[stores][piece.number];
            one.again |= one.sectors != 0 && (one.sectors & piece.sectors) == 0;
            any_again[stores] |= one.again;
            one.sectors |= piece.sectors;
        });
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        TracedAccess& access = *parts[i].access;
        if (!any_again[access.kind == MachineKind::store]) continue;
        if (parts[i].same_as != i) {
            access.walks = parts[parts[i].same_as].access->walks;
            continue;
        }
        const bool stores = access.kind == MachineKind::store;
        int pieces = 0;
        int again = 0;
        each_piece(warp.asked_by(access), !stores, [&](Piece piece) {
            ++pieces;
            const Seen& one = seen[stores][piece.number];
            again += one.again && std::popcount(one.sectors) > kHalf;
        });
        access.walks = 2 * again >= pieces;
    }
}

}  // namespace ws
