#pragma once
// What a block loads that blocks of other multiprocessors want at about the same time: it is on its way when
// the second one asks for it.

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/core/line_sectors.h"
#include "gpu/core/warp_trace.h"

namespace ws {

// Of the sectors that the loads of a block bring into its multiprocessor's share of the second level, the
// part that a block of another one has asked for, which began when this one began the block so many before
// it.
struct SharedLoads {
    double part = 0, blocks_before = 0;
};

struct NearBlock {
    std::uint64_t block = 0;  // its linear index
    double blocks_apart = 0;  // of one multiprocessor
    // As many blocks later what one has asked for is there.
    [[nodiscard]] bool is_long_after() const { return blocks_apart > 1.5; }
};
// The one beside a block, and such of the next rows of the grid up to one that begins long after it, if the
// grid has as many. `row`: blocks beside each other; `blocks`: of the launch, two at least.
[[nodiscard]] std::vector<NearBlock> near_blocks(std::uint64_t block, std::uint64_t row, std::uint64_t blocks,
                                                 int multiprocessors);

// `lines`: what the loads of a block bring. Of these, blocks before it have as much as the near ones, which
// are behind it, want. What one that begins long after it wants, too, has been there for long. `trace`: of
// the near ones.
[[nodiscard]] std::vector<SharedLoads> shared_loads(std::span<const LineSectors> lines,
                                                    const std::vector<NearBlock>& near,
                                                    const KernelTrace& trace);

}  // namespace ws
