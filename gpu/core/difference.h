#pragma once
// How a result differs from what is defined: how much, and where in the tiles of its blocks, which tells most
// mistakes at a glance.

#include <cstdint>
#include <vector>

#include "gpu/core/image.h"

namespace ws {

struct Difference {
    std::uint64_t wrong = 0;  // elements
    std::uint64_t all = 0;
    double largest = 0;
    double mean = 0;     // of those that differ
    double psnr_db = 0;  // of gray pictures; 0: all are as defined, or it is none
    int first_column = 0, first_row = 0;
    double first_is = 0, first_should_be = 0;
    Extent tile;  // elements that a block computes
    // Shares of wrong elements, 0 to 1, by their column and row in their block's tile.
    std::vector<float> by_column, by_row;
    [[nodiscard]] double share() const { return all > 0 ? double(wrong) / double(all) : 0; }
};

}  // namespace ws
