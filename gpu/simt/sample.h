#pragma once
// Counts of a whole picture from a few of its blocks: those at each border and corner on their own, and of
// the interior a run of neighbours in a few rows, so that alignments of a block's first pixel to 128
// bytes (a line; a sector is a part of it) take part evenly.

#include <vector>

#include "gpu/simt/gpu.h"

namespace ws::simt {

struct Stratum {
    std::vector<std::uint64_t> blocks;  // the chosen ones
    std::uint64_t stands_for = 0;       // how many blocks there are of this kind
};

// How many pixels of the picture are counted, about; in some 10 ms on two cores.
inline constexpr int kCountedPixels = 1 << 15;

// `tile` is what a block computes, in pixels of one byte. Takes blocks of at most about `pixels` in all.
[[nodiscard]] std::vector<Stratum> choose_blocks(Extent grid, Extent tile, Extent picture, int pixels);

// Runs the strata and scales their counts; findings and examples are those of the chosen blocks.
[[nodiscard]] LaunchOutcome launch_sample(Gpu& gpu, const KernelLaunch& launch, const LaunchOptions& options,
                                          const std::vector<Stratum>& strata);

// Counts and caches of a stage over the whole picture, from a sample of its blocks: what an estimate of its
// time is made of, whoever asks. Of its source it reads `source_bytes` for each pixel.
[[nodiscard]] LaunchOutcome count_sample(Gpu& gpu, const KernelLaunch& launch, const LaunchOptions& options,
                                         Extent tile, Extent picture, int source_bytes);

}  // namespace ws::simt
