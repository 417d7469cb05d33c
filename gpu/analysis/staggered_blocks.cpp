#include "gpu/analysis/staggered_blocks.h"

namespace ws {

double stagger(ClockBlocks& blocks, std::size_t resident) {
    const auto before = double(blocks.size());
    blocks.reserve(blocks.size() + resident);
    for (std::size_t i = 0; i < resident; ++i) {
        const double part = 1 - (double(i) + 0.5) / double(resident);
        blocks.push_back(blocks[i]);
        for (std::size_t warp = 0; warp < blocks[i].size(); ++warp) {
            ClockWarp& begun = blocks[i][warp];
            const auto place = begun.first + std::size_t(part * double(begun.steps()));
            blocks.back()[warp].left_out = begun.path->steps.size() - place;
            begun.first = place;
        }
    }
    return double(blocks.size()) / before;
}

}  // namespace ws
