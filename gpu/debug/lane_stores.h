#pragma once
// What each lane of a block stores in the buffer that the launch fills: found by running the block to its
// end, the warps in order.

#include <atomic>
#include <cstdint>
#include <vector>

#include "gpu/debug/history.h"

namespace ws::debug {

// The last that was stored at a place.
struct LaneStore {
    int warp = 0, lane = 0;
    std::uint64_t step = 0;    // that stores it
    std::uint64_t offset = 0;  // in the buffer
    std::uint32_t bytes = 0;
    std::uint64_t bits = 0;  // of at most 8 bytes; the first ones of more
};

struct BlockStores {
    std::uint64_t block = 0;
    bool complete = false;          // the block came to its end
    std::vector<LaneStore> stores;  // by their offset
};

// Of a block that has not begun. Ends early where `cancel` is set, or after so many steps.
[[nodiscard]] BlockStores stores_of(StartedBlock started, std::uint64_t block,
                                    const std::atomic<bool>& cancel, std::uint64_t most_steps = 50'000'000);

}  // namespace ws::debug
