#pragma once
// Counts of a whole picture from a few of its blocks: those at each border and corner on their own, and of
// the interior a run of neighbours in a few rows, so that every alignment of a block's first pixel to 32
// bytes takes part.

#include <vector>

#include "gpu/simt/machine.h"

namespace ws::simt {

struct Stratum {
    std::vector<std::uint64_t> blocks;  // the chosen ones
    std::uint64_t stands_for = 0;       // how many blocks there are of this kind
};

// `tile` is what a block computes, in pixels of one byte; `border` how many pixels beyond its tile a block
// reads. Takes at most about `threads` threads in all.
[[nodiscard]] std::vector<Stratum> choose_blocks(Extent grid, Extent tile, int border, Extent picture,
                                                 int block_threads, int threads = 1 << 16);

// Runs the strata and scales their counts; findings and examples are those of the chosen blocks.
[[nodiscard]] LaunchOutcome launch_sample(const LaunchSetup& setup, const std::vector<Stratum>& strata);

}  // namespace ws::simt
