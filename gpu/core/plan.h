#pragma once
// What a device is asked to do for a frame: the launches, in order, each with its arguments.

#include <cstdint>
#include <memory>
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
    [[nodiscard]] int input() const { return input_of(arguments); }
    [[nodiscard]] int output() const { return output_of(arguments); }
};

struct Plan {
    const Lab* lab = nullptr;
    int shows = 0;                 // the buffer that is the result
    std::uint64_t generation = 0;  // changes with everything that changes what is timed
    std::vector<Launch> launches;  // empty where nothing has to run
};

// The blocks of `tile` elements that cover the work.
[[nodiscard]] inline Extent grid_for(Extent size, Extent tile) {
    return {(size.width + tile.width - 1) / tile.width, (size.height + tile.height - 1) / tile.height};
}

// Makes the launch cover work of this size.
inline void cover(Launch& launch, Extent size) {
    launch.tile = tile_of(launch.tiling, size, launch.multiprocessors);
    launch.grid = grid_for(size, launch.tile);
}

}  // namespace ws
