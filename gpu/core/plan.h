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
    std::shared_ptr<const CompiledKernel> kernel;  // null on the cpu device, which runs no kernel
    Block block;
    Extent grid;  // in blocks
    CachePreference cache = CachePreference::none;
    BankWidth banks = BankWidth::standard;
};

struct Plan {
    View view = View::edge;
    bool blur_first = true;
    std::uint64_t generation = 0;  // changes with everything that changes what is timed
    std::vector<Launch> launches;  // empty for the original
};

// The blocks that cover a picture with `block`, each thread computing `pixels_per_thread`.
[[nodiscard]] inline Extent grid_for(Extent picture, Block block, Extent pixels_per_thread) {
    const int across = block.x * pixels_per_thread.width;
    const int down = block.y * pixels_per_thread.height;
    return {(picture.width + across - 1) / across, (picture.height + down - 1) / down};
}

}  // namespace ws
