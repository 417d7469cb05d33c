#pragma once
// Which blocks of a launch are traced: some rounds of those that a multiprocessor holds at a time.

#include <cstdint>
#include <vector>

namespace ws {

// Of the blocks of a launch, those that the multiprocessor with the most of them runs.
[[nodiscard]] std::uint64_t blocks_of_one(std::uint64_t blocks, int multiprocessors);

// Blocks that one multiprocessor runs after each other: the grid goes round all of them.
struct BlockSample {
    std::vector<std::uint64_t> blocks;
    std::uint64_t warm_up = 0;  // the first of them only fill the first-level cache
};

// From the middle of the grid; all of a multiprocessor, where they are few. `steps_of_block`: warp
// instructions of PTX.
[[nodiscard]] BlockSample block_sample(std::uint64_t blocks, int multiprocessors, int resident,
                                       double steps_of_block);

// As many rounds, each from a place of its own in the grid and of some multiprocessor, by chance in its part
// of the grid and in any order, so that the first few are from all over it, too. The sample itself where it
// has one round, or all blocks.
[[nodiscard]] BlockSample from_all_over(const BlockSample& sample, std::uint64_t blocks, int multiprocessors,
                                        int resident);

}  // namespace ws
