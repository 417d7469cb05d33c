#pragma once
// Counts of a whole launch from a few of its blocks: those at each border and corner on their own, and of
// the interior a run of neighbours in a few rows, so that alignments of a block's first pixel to 128
// bytes (a line; a sector is a part of it) take part evenly.

#include <vector>

#include "gpu/core/plan.h"
#include "gpu/simt/gpu.h"

namespace ws::simt {

struct Stratum {
    std::vector<std::uint64_t> blocks;  // the chosen ones
    // Others that stand for the same, of elsewhere in the grid: the first are always taken, and then one set
    // after the other while the sets before do not agree on how many instructions a block has.
    std::vector<std::vector<std::uint64_t>> further;
    std::uint64_t stands_for = 0;  // how many blocks there are of this kind
};

// How many elements of the work are counted, about; in some 10 ms on two cores.
inline constexpr int kCountedElements = 1 << 15;

// What decides on how blocks differ from each other.
struct Layout {
    Extent size;            // of the work
    Extent tile{1, 1};      // elements that a block computes
    int element_bytes = 1;  // of the smallest that it reads or writes
    int read_bytes = 1;     // of an element that it reads
    int reach = 0;          // elements that it reads beyond its tile
    bool turned = false;    // what it writes has as many rows as the work has columns
    TileOrder order = TileOrder::rows;
    int least_blocks = 32;  // of a sample, where there are so many
};
[[nodiscard]] Layout layout_of(const Lab& lab, const Launch& launch, Extent size);

// Takes blocks of at most about `elements` in all.
[[nodiscard]] std::vector<Stratum> choose_blocks(const Layout& layout, int elements);

// Runs the strata and scales their counts; findings and examples are those of the blocks that ran.
[[nodiscard]] LaunchOutcome launch_sample(Gpu& gpu, const KernelLaunch& launch, const LaunchOptions& options,
                                          const std::vector<Stratum>& strata);

// Counts and caches of a launch, from a sample of its blocks: what an estimate of its time is made of,
// whoever asks.
[[nodiscard]] LaunchOutcome count_sample(Gpu& gpu, const KernelLaunch& launch, const LaunchOptions& options,
                                         const Layout& layout);

}  // namespace ws::simt
