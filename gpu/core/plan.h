#pragma once
// What a device is asked to do for a frame: the launches, in order.

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/kernel.h"
#include "gpu/core/stage.h"

namespace ws {

enum class CachePreference { none, shared, l1 };
enum class BankWidth { standard, eight_bytes };  // eight_bytes exists on compute capability 3.x alone

struct Launch {
    Stage stage = Stage::gray;
    std::shared_ptr<const CompiledKernel> kernel{};  // null on the cpu device, which runs no kernel
    Block block{};
    Tiling tiling{};
    int multiprocessors = 0;  // of the GPU that runs it, 0 if not known
    Extent tile{1, 1};        // pixels of a block
    Extent grid{};            // in blocks
    CachePreference cache = CachePreference::none;
    BankWidth banks = BankWidth::standard;
};

struct Plan {
    View view = View::edge;
    bool blur_first = true;
    std::uint64_t generation = 0;  // changes with everything that changes what is timed
    std::vector<Launch> launches;  // empty for the original
};

// The blocks of `tile` pixels that cover a picture.
[[nodiscard]] inline Extent grid_for(Extent picture, Extent tile) {
    return {(picture.width + tile.width - 1) / tile.width, (picture.height + tile.height - 1) / tile.height};
}

// Makes the launch cover this picture.
inline void cover(Launch& launch, Extent picture) {
    launch.tile = tile_of(launch.tiling, picture, launch.multiprocessors);
    launch.grid = grid_for(picture, launch.tile);
}

}  // namespace ws
