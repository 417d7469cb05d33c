#pragma once
// The warp that a person looks at, with the addresses of its block.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/message.h"
#include "gpu/core/result_key.h"
#include "gpu/core/warp_place.h"

namespace ws {

// Of each memory instruction the first access by every warp of a block.
struct BlockExamples {
    ExampleKey key;
    std::vector<AccessExample> accesses;      // by warp, then in the order in which they came
    std::vector<AccessExample> instructions;  // of each instruction the first of them

    [[nodiscard]] std::span<const AccessExample> of_warp(int warp) const {
        const auto [first, last] = std::equal_range(accesses.begin(), accesses.end(), warp, ByWarp{});
        return {first, last};
    }

  private:
    struct ByWarp {
        bool operator()(const AccessExample& access, int warp) const { return access.warp < warp; }
        bool operator()(int warp, const AccessExample& access) const { return warp < access.warp; }
    };
};

struct ChosenWarp {
    WarpGrid grid;
    WarpPlace at;  // within the grid
    // Of its block; until they are there, those of the block before, which then are `stale`. Null where there
    // are none.
    std::shared_ptr<const BlockExamples> examples;
    bool stale = false;
    Message problem;  // why there are none, and will be none
};

}  // namespace ws
