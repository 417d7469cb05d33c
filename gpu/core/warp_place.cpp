#include "gpu/core/warp_place.h"

#include "gpu/core/plan.h"

namespace ws {

bool WarpGrid::covers() const {
    return size.pixels() > 0 && tile.pixels() > 0 && grid == grid_for(size, tile);
}

WarpPlace WarpGrid::clamped(WarpPlace at) const {
    return {std::clamp(at.block_x, 0, std::max(0, grid.width - 1)),
            std::clamp(at.block_y, 0, std::max(0, grid.height - 1)),
            std::clamp(at.warp, 0, std::max(0, warps() - 1))};
}

Element2d WarpGrid::tile_at(const WarpPlace& at) const {
    const std::uint64_t linear =
        std::uint64_t(at.block_y) * std::uint64_t(grid.width) + std::uint64_t(at.block_x);
    const auto [column, row] = tile_of_block(order, grid, linear);
    return {column * tile.width, row * tile.height};
}

Element2d WarpGrid::element_of(const WarpPlace& at) const {
    const Element2d corner = tile_at(at);
    const int thread = at.warp * 32 % block.threads();
    return {corner.x + thread % block.x * tile.width / block.x,
            corner.y + thread / block.x * tile.height / block.y};
}

WarpPlace WarpGrid::holding(Element2d element) const {
    element.x = std::clamp(element.x, 0, std::max(0, size.width - 1));
    element.y = std::clamp(element.y, 0, std::max(0, size.height - 1));
    const std::uint64_t linear = block_of_tile(order, grid, element.x / tile.width, element.y / tile.height);
    const int x = element.x % tile.width * block.x / tile.width;
    const int y = element.y % tile.height * block.y / tile.height;
    return clamped({int(linear % std::uint64_t(grid.width)), int(linear / std::uint64_t(grid.width)),
                    (y * block.x + x) / 32});
}

}  // namespace ws
