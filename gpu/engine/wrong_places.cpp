#include "gpu/engine/wrong_places.h"

#include <algorithm>
#include <utility>

namespace ws {
namespace {

void widen(WrongCluster& cluster, const WrongCell& cell) {
    cluster.left = cluster.count == 0 ? cell.left : std::min(cluster.left, cell.left);
    cluster.top = cluster.count == 0 ? cell.top : std::min(cluster.top, cell.top);
    cluster.right = std::max(cluster.right, cell.right);
    cluster.bottom = std::max(cluster.bottom, cell.bottom);
    cluster.count += cell.count;
}

// The cells with wrong elements that can be reached from one over neighbours, corners included. Marks them as
// seen.
WrongCluster cluster_from(const WrongPlaces& places, std::size_t start, std::vector<bool>& seen) {
    WrongCluster cluster;
    std::vector<std::size_t> next{start};
    seen[start] = true;
    const int width = places.cells.width;
    while (!next.empty()) {
        const std::size_t at = next.back();
        next.pop_back();
        widen(cluster, places.cell[at]);
        const int x = int(at) % width;
        const int y = int(at) / width;
        for (int row = std::max(0, y - 1); row <= std::min(places.cells.height - 1, y + 1); ++row) {
            for (int column = std::max(0, x - 1); column <= std::min(width - 1, x + 1); ++column) {
                const auto other = std::size_t(row) * std::size_t(width) + std::size_t(column);
                if (seen[other] || places.cell[other].count == 0) continue;
                seen[other] = true;
                next.push_back(other);
            }
        }
    }
    return cluster;
}

}  // namespace

WrongPlaceCounter::WrongPlaceCounter(Extent extent) {
    const int longer = std::max(extent.width, extent.height);
    places_.side = std::max(1, (longer + kMostCells - 1) / kMostCells);
    places_.cells = {(extent.width + places_.side - 1) / places_.side,
                     (extent.height + places_.side - 1) / places_.side};
    places_.cell.resize(places_.cells.pixels());
}

void WrongPlaceCounter::add(int column, int row) {
    WrongCell& cell = places_.cell[std::size_t(row / places_.side) * std::size_t(places_.cells.width) +
                                   std::size_t(column / places_.side)];
    if (cell.count++ == 0) {
        cell = {1, column, row, column, row, column, row};
        return;
    }
    cell.left = std::min(cell.left, column);
    cell.right = std::max(cell.right, column);
    cell.bottom = row;
}

WrongPlaces WrongPlaceCounter::take() {
    std::vector<bool> seen(places_.cell.size());
    for (std::size_t i = 0; i < places_.cell.size(); ++i) {
        if (!seen[i] && places_.cell[i].count > 0) places_.clusters.push_back(cluster_from(places_, i, seen));
    }
    std::stable_sort(places_.clusters.begin(), places_.clusters.end(),
                     [](const WrongCluster& a, const WrongCluster& b) { return a.count > b.count; });
    if (places_.clusters.size() > kMostClusters) places_.clusters.resize(kMostClusters);
    return std::move(places_);
}

std::optional<Place> next_wrong(const WrongPlaces& places, std::optional<Place> from, int by) {
    const auto count = int(places.cell.size());
    if (count == 0) return std::nullopt;
    int at = by > 0 ? -1 : 0;  // before the first, after the last
    if (from) {
        const int x = std::clamp(from->column / places.side, 0, places.cells.width - 1);
        const int y = std::clamp(from->row / places.side, 0, places.cells.height - 1);
        at = y * places.cells.width + x;
    }
    const int step = by > 0 ? 1 : -1;
    for (int i = 1; i <= count; ++i) {
        const WrongCell& cell = places.cell[std::size_t(((at + step * i) % count + count) % count)];
        if (cell.count > 0) return Place{cell.first_column, cell.first_row};
    }
    return std::nullopt;
}

}  // namespace ws
