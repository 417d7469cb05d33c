#pragma once
// How blocks follow each other in a multiprocessor's places: when one begins and at which scheduler, and when
// one that has ended makes room. Times are in clocks. Measured on an H200 (bench/block_turns).

#include <algorithm>
#include <cstddef>

#include "gpu/analysis/running_warps.h"

namespace ws {

class BlockTurns {
  public:
    // Both outlive it.
    BlockTurns(const ClockLoad& load, const ClockRates& rates) : load_(load), rates_(rates) {}

    // The next block that begins.
    [[nodiscard]] int next() const { return next_; }
    [[nodiscard]] bool all_have_begun() const { return next_ >= int(load_.blocks.size()); }

    // When the next block begins, for which there is room from now on. The first ones come one after the
    // other. From then on all multiprocessors share the rate at which the GPU gives out blocks, so that what
    // one has not used others have, and it comes back.
    double begin(double now) {
        const auto warps = double(load_.blocks[std::size_t(next_)].size());
        const int further = next_ - load_.resident_blocks + 1;
        const double given = further > 0 ? further * rates_.block_launch
                                         : next_ * (rates_.first_block + warps * rates_.first_warp);
        begun_ = std::max({now, given, begun_ + warps * rates_.warp_launch});
        ++next_;
        return begun_;
    }
    // Of its first warp; further ones are at the next ones, and the next block's first behind its last. Where
    // that would be the same one again, it is the one after that.
    std::size_t first_scheduler(std::size_t warps, std::size_t schedulers) {
        const std::size_t first = scheduler_;
        scheduler_ = (first + std::max<std::size_t>(1, warps % schedulers)) % schedulers;
        return first;
    }

    // When a warp of the block that ends now is gone, if nothing of it is on its way. Warps of blocks of two
    // stay for some time, where a multiprocessor has places for 32 such blocks, the longer the shorter they
    // ran. Measured on an H200 (bench/warp_waits): where a block comes each 150 clocks, such as run for 105,
    // 152, 337, 411, 523 and 738 stay for 399, 388, 308, 270, 229 and 155, whether they store or not; those
    // of blocks of one, three and more warps, or with room for fewer, for 21.
    [[nodiscard]] double gone(const ResidentBlock& block, double now) const {
        constexpr double kLongest = 440, kOfWork = 0.39;
        constexpr int kPlaces = 32;
        const bool stays = block.warps == 2 && load_.resident_blocks >= kPlaces;
        return std::max(now + 1, stays ? now + kLongest - kOfWork * (now - block.begun) : 0);
    }
    // The place of one that is gone.
    [[nodiscard]] BlockPlace place_of(const ResidentBlock& block) const {
        const double turn = rates_.block_turn + (block.warps - 1) * rates_.warp_turn;
        return {block.place, block.drained - 1 + turn};
    }

  private:
    const ClockLoad& load_;
    const ClockRates& rates_;
    int next_ = 0;
    double begun_ = -1e9;        // the last one
    std::size_t scheduler_ = 0;  // of the next one's first warp
};

}  // namespace ws
