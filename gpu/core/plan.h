#pragma once
// What a device is asked to do for a frame: the launches, in order, each with its arguments.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/core/kernel.h"
#include "gpu/core/lab.h"

namespace ws {

struct Launch {
    int step = 0;                                    // of the lab
    std::shared_ptr<const CompiledKernel> kernel{};  // null on a device that needs no kernels
    Block block{};
    Tiling tiling{};
    int multiprocessors = 0;  // of the GPU that runs it, 0 if not known
    Extent tile{1, 1};        // elements of a block
    Extent grid{};            // in blocks
    CachePreference cache = CachePreference::none;
    BankWidth banks = BankWidth::standard;
    std::vector<Argument> arguments{};
    std::optional<OwnShape> shape{};  // where the grid does not follow from the work's size
    [[nodiscard]] std::array<int, 3> blocks() const {
        return {grid.width, grid.height, shape ? shape->grid_depth : 1};
    }
    [[nodiscard]] std::array<int, 3> threads() const {
        return {block.x, block.y, shape ? shape->block_depth : 1};
    }
    [[nodiscard]] std::uint64_t dynamic_shared_bytes() const {
        return shape ? shape->dynamic_shared_bytes : 0;
    }
    [[nodiscard]] int input() const { return input_of(arguments); }
    [[nodiscard]] int output() const { return output_of(arguments); }
};

struct Plan {
    const Lab* lab = nullptr;
    int shows = 0;                 // the buffer that is the result; -1: there is no single one
    std::uint64_t generation = 0;  // changes with everything that changes what is timed
    std::vector<Launch> launches;  // empty where nothing has to run
    KnobValues knobs{};            // of the lab's input

    // Its result is a picture, which can be drawn as it is.
    [[nodiscard]] bool shows_picture() const {
        return shows >= 0 && lab->buffers[std::size_t(shows)].element == Element::gray;
    }
    [[nodiscard]] bool reads_textures() const {
        return std::any_of(launches.begin(), launches.end(), [](const Launch& launch) {
            return std::any_of(
                launch.arguments.begin(), launch.arguments.end(),
                [](const Argument& argument) { return argument.kind == Argument::Kind::texture; });
        });
    }
    // A launch changes what it has read: another one after it would find something else there.
    [[nodiscard]] bool changes_input() const {
        return std::any_of(launches.begin(), launches.end(), [](const Launch& launch) {
            return std::any_of(
                launch.arguments.begin(), launch.arguments.end(),
                [](const Argument& argument) { return argument.kind == Argument::Kind::both; });
        });
    }
};

// Of a grid on any GPU before 3.0, in blocks.
inline constexpr std::uint64_t kMostAlongX = 65535;

// The blocks of `tile` elements that cover the work.
[[nodiscard]] inline Extent grid_for(Extent size, Extent tile, TileOrder order = TileOrder::rows) {
    if (is_line(order)) {
        const auto blocks = (size.pixels() + tile.pixels() - 1) / tile.pixels();
        std::uint64_t rows = 1;
        if (order == TileOrder::folded_line) {
            while ((blocks + rows - 1) / rows > kMostAlongX) rows *= 2;
        }
        return {int((blocks + rows - 1) / rows), int(rows)};
    }
    return {(size.width + tile.width - 1) / tile.width, (size.height + tile.height - 1) / tile.height};
}

// Makes the launch cover work of this size.
inline void cover(Launch& launch, Extent size) {
    if (launch.shape) {
        launch.grid = launch.shape->grid;
        return;
    }
    launch.tile = tile_of(launch.tiling, size, launch.multiprocessors);
    launch.grid = grid_for(size, launch.tile, launch.tiling.order);
}

}  // namespace ws
