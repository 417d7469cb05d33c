#pragma once
// Which warp of a launch, and which elements of the work its block computes.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "gpu/core/block.h"
#include "gpu/core/image.h"
#include "gpu/core/kernel.h"

namespace ws {

struct Element2d {
    int x = 0, y = 0;
    friend bool operator==(const Element2d&, const Element2d&) = default;
};

// A warp by its block's place in the grid and its number in the block.
struct WarpPlace {
    int block_x = 0, block_y = 0;
    int warp = 0;
    friend bool operator==(const WarpPlace&, const WarpPlace&) = default;
};

// How a launch lays blocks and warps over the work.
struct WarpGrid {
    Extent size;        // elements of the work
    Extent grid{1, 1};  // blocks
    Extent tile{1, 1};  // elements of a block
    Block block;
    int depth = 1;  // of a block of three dimensions
    TileOrder order = TileOrder::rows;

    // Blocks compute tiles of the work; false for a launch with a grid of its own.
    [[nodiscard]] bool covers() const;
    [[nodiscard]] int warps() const { return (block.threads() * depth + 31) / 32; }
    // The nearest that there is.
    [[nodiscard]] WarpPlace clamped(WarpPlace at) const;
    // The first element of the block's tile.
    [[nodiscard]] Element2d tile_at(const WarpPlace& at) const;
    // The element of the warp's first thread, if the threads lie evenly over the tile.
    [[nodiscard]] Element2d element_of(const WarpPlace& at) const;
    // The block that computes an element, and the warp whose threads lie there if they do so evenly. Elements
    // outside stand for the nearest.
    [[nodiscard]] WarpPlace holding(Element2d element) const;
    friend bool operator==(const WarpGrid&, const WarpGrid&) = default;
};

}  // namespace ws
