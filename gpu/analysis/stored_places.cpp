#include "gpu/analysis/stored_places.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "gpu/analysis/measured_points.h"
#include "gpu/analysis/scattered.h"

namespace ws {
namespace {

constexpr std::uint64_t kLinesOfMiB = (std::uint64_t(1) << 20) / kLineBytes;

using Lines = std::vector<std::uint64_t>;

void add_stored(Lines& lines, const WarpTrace& warp) {
    for (const TracedAccess& access : warp.accesses) {
        if (access.kind != MachineKind::store || access.space == MemorySpace::local) continue;
        const std::span<const LineSectors> asked = warp.asked_by(access);
        if (scattered_over(asked) > 0) continue;
        for (const LineSectors line : asked) lines.push_back(line.line());
    }
}

// The first line and the last.
struct Place {
    std::uint64_t first = 0, last = 0;
};
std::vector<Place> places_of(Lines lines) {
    std::sort(lines.begin(), lines.end());
    std::vector<Place> places;
    for (const std::uint64_t line : lines) {
        if (places.empty() || line - places.back().last >= kLinesOfMiB) places.push_back({line, line});
        places.back().last = line;
    }
    return places;
}

// Measured on an H200 (bench/copy_patterns, 512 MiB): a matrix with rows of 4, 16 and 64 KiB, of which each
// block stores to a line in each of 32 rows, the next one to those below. Where they store to 2, 4, 8 and so
// on to 256 times 2 MiB at a time, stores took 117.4, 120.1, 124.5, 132.1, 137.4, 144.3, 146.1 and 150.3 us,
// and copies as many more microseconds as stores. Here they are over those of five times 2 MiB.
struct AtOnce {
    double places, write;
};
constexpr AtOnce kAtOnce[] = {{2, 0.97},   {4, 0.99},  {5, 1},      {8, 1.03},  {16, 1.09},
                              {32, 1.135}, {64, 1.19}, {128, 1.21}, {256, 1.24}};

// Likewise, arrays of 8 MiB and more: copies to 1, 4, 16 and 64 took 258, 261, 278.5 and 294 us, stores alone
// 117.5, 120, 129.5 and 142. What those do not take more is turning round.
struct OfAWarp {
    double places, turn;
};
constexpr OfAWarp kOfAWarp[] = {{1, 1}, {4, 1}, {16, 1.30}, {64, 1.40}};

}  // namespace

double places_of_a_warp(const KernelTrace& trace) {
    std::size_t places = 0;
    int storing = 0;
    for (const WarpTrace& warp : trace.warps) {
        Lines lines;
        add_stored(lines, warp);
        storing += !lines.empty();
        places += places_of(std::move(lines)).size();
    }
    return storing > 0 ? double(places) / storing : 1;
}

double places_at_once(const KernelTrace& trace, std::size_t most) {
    std::map<std::uint64_t, Lines> stored;  // by block
    for (const WarpTrace& warp : trace.warps)
        if (stored.size() < most || stored.contains(warp.thread_block))
            add_stored(stored[warp.thread_block], warp);
    std::map<std::size_t, std::vector<std::vector<Place>>> by_count;
    for (const auto& [block, lines] : stored) {
        std::vector<Place> places = places_of(lines);
        if (!places.empty()) by_count[places.size()].push_back(std::move(places));
    }
    if (by_count.empty()) return 0;
    const auto& [count, blocks] =
        *std::max_element(by_count.begin(), by_count.end(),
                          [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    std::set<std::uint64_t> at_once;  // times 2 MiB
    for (std::size_t n = 0; n < count; ++n) {
        Place all = blocks.front()[n];
        for (const std::vector<Place>& places : blocks) {
            all.first = std::min(all.first, places[n].first);
            all.last = std::max(all.last, places[n].last);
        }
        for (std::uint64_t one = all.first / kLinesOfMiB / 2; one <= all.last / kLinesOfMiB / 2; ++one)
            at_once.insert(one);
    }
    return double(at_once.size());
}

PlacesCost cost_of_places(const StoredPlaces& places) {
    const AmongPoints write = among_points(kAtOnce, &AtOnce::places, places.at_once);
    const AmongPoints turn = among_points(kOfAWarp, &OfAWarp::places, places.of_a_warp);
    return {std::lerp(kAtOnce[write.before].write, kAtOnce[write.after].write, write.share),
            std::lerp(kOfAWarp[turn.before].turn, kOfAWarp[turn.after].turn, turn.share)};
}

}  // namespace ws
