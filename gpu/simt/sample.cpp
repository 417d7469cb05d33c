#include "gpu/simt/sample.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace ws::simt {
namespace {

constexpr int kSector = 32;

struct Range {
    int first = 0, end = 0;
    [[nodiscard]] int size() const { return std::max(0, end - first); }
};

// Begin, middle and end of an axis: blocks that read over the border stand apart.
std::array<Range, 3> split(int blocks, int tile, int border) {
    const int edge = std::min((border + tile - 1) / tile + 1, (blocks + 1) / 2);
    const int end = std::max(edge, blocks - edge);
    return {Range{0, edge}, Range{edge, end}, Range{end, blocks}};
}

// `count` neighbours from the middle of the range, or all of it.
std::vector<int> neighbours(Range range, int count) {
    count = std::min(count, range.size());
    std::vector<int> chosen(std::size_t(std::max(0, count)));
    std::iota(chosen.begin(), chosen.end(), range.first + (range.size() - count) / 2);
    return chosen;
}

}  // namespace

std::vector<Stratum> choose_blocks(Extent grid, Extent tile, int border, Extent picture, int block_threads,
                                   int threads) {
    const int most = std::max(16, threads / std::max(1, block_threads));
    // After so many blocks, columns or rows, the alignment repeats.
    const int columns = kSector / std::gcd(kSector, tile.width);
    const int rows = kSector / std::gcd(kSector, int(std::int64_t(tile.height) * picture.width % kSector));
    const auto across = split(grid.width, tile.width, border);
    const auto down = split(grid.height, tile.height, border);
    std::vector<Stratum> strata;
    for (std::size_t y = 0; y < 3; ++y) {
        for (std::size_t x = 0; x < 3; ++x) {
            Stratum stratum;
            stratum.stands_for = std::uint64_t(across[x].size()) * std::uint64_t(down[y].size());
            if (stratum.stands_for == 0) continue;
            // The interior gets two thirds, the four borders and corners share the rest; across a border none
            // is left out, since its blocks differ.
            const int share = x == 1 && y == 1 ? most * 2 / 3 : std::max(2, most / 24);
            const int wide = x == 1 ? std::clamp(columns, 1, share) : across[x].size();
            const int high = y == 1 ? std::clamp(share / wide, 1, rows) : down[y].size();
            for (const int row : neighbours(down[y], high)) {
                for (const int column : neighbours(across[x], wide))
                    stratum.blocks.push_back(std::uint64_t(row) * std::uint64_t(grid.width) +
                                             std::uint64_t(column));
            }
            strata.push_back(std::move(stratum));
        }
    }
    return strata;
}

LaunchOutcome launch_sample(const LaunchSetup& setup, const std::vector<Stratum>& strata) {
    LaunchOutcome sum;
    std::map<int, InstructionCounts> lines;
    std::map<std::pair<Finding::Kind, int>, Finding> findings;
    std::uint64_t largest = 0;
    for (const Stratum& stratum : strata) largest = std::max(largest, stratum.stands_for);
    for (const Stratum& stratum : strata) {
        LaunchSetup part = setup;
        part.blocks = stratum.blocks;
        part.example_block =
            stratum.stands_for == largest ? stratum.blocks[stratum.blocks.size() / 2] : ~0ull;
        const LaunchOutcome outcome = launch(part);
        KernelCounters& total = sum.counters;
        const double factor = double(stratum.stands_for) / double(stratum.blocks.size());
        total.total += outcome.counters.total.scaled(factor);
        for (const LineCounts& line : outcome.counters.lines) lines[line.line] += line.counts.scaled(factor);
        for (const Finding& finding : outcome.counters.findings) {
            const auto [known, is_new] = findings.try_emplace({finding.kind, finding.line}, finding);
            if (!is_new) known->second.count += finding.count;
        }
        total.accesses.insert(total.accesses.end(), outcome.counters.accesses.begin(),
                              outcome.counters.accesses.end());
        const auto scaled = [&](std::uint64_t value) { return std::uint64_t(double(value) * factor); };
        total.caches.l1_sectors += scaled(outcome.counters.caches.l1_sectors);
        total.caches.l1_hits += scaled(outcome.counters.caches.l1_hits);
        total.caches.l2_sectors += scaled(outcome.counters.caches.l2_sectors);
        total.caches.l2_hits += scaled(outcome.counters.caches.l2_hits);
        total.kernel = outcome.counters.kernel;
        total.gpu = outcome.counters.gpu;
        total.block = outcome.counters.block;
        total.blocks_total = outcome.counters.blocks_total;
        total.warps = outcome.counters.warps;
        total.blocks_simulated += outcome.counters.blocks_simulated;
        total.milliseconds += outcome.counters.milliseconds;
        sum.stopped = sum.stopped || outcome.stopped;
        sum.cancelled = sum.cancelled || outcome.cancelled;
        if (sum.cancelled || sum.stopped) break;
    }
    for (const auto& [line, counts] : lines) sum.counters.lines.push_back({line, counts});
    for (const auto& [key, finding] : findings) sum.counters.findings.push_back(finding);
    return sum;
}

}  // namespace ws::simt
