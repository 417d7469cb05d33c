#pragma once
// How a result differs from what is defined: how much, and where in the tiles of its blocks, which tells most
// mistakes at a glance.

#include <cstdint>
#include <vector>

#include "gpu/core/image.h"

namespace ws {

// Wrong elements of a square of the result.
struct WrongCell {
    std::uint32_t count = 0;
    int first_column = 0, first_row = 0;             // of the first, row by row
    int left = 0, top = 0, right = -1, bottom = -1;  // where they lie, both ends included
};
// Wrong elements that lie together: of cells that touch.
struct WrongCluster {
    std::uint64_t count = 0;
    int left = 0, top = 0, right = -1, bottom = -1;
};
// Where wrong elements lie, in squares of `side` elements: so few that each can be walked and drawn.
struct WrongPlaces {
    int side = 1;
    Extent cells;
    std::vector<WrongCell> cell;         // row by row
    std::vector<WrongCluster> clusters;  // those with most elements first, no more than kMostClusters
};
inline constexpr std::size_t kMostClusters = 24;

struct Difference {
    std::uint64_t wrong = 0;  // elements
    std::uint64_t all = 0;
    double largest = 0;
    double mean = 0;     // of those that differ
    double psnr_db = 0;  // of gray pictures; 0: all are as defined, or it is none
    int first_column = 0, first_row = 0;
    double first_is = 0, first_should_be = 0;
    Extent tile;  // elements that a block computes
    // Shares of wrong elements, 0 to 1, by their column and row in their block's tile, and by both, row by
    // row.
    std::vector<float> by_column, by_row, by_place;
    WrongPlaces where;
    [[nodiscard]] double share() const { return all > 0 ? double(wrong) / double(all) : 0; }
};

}  // namespace ws
