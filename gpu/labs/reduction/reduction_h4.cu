// Histogram h4: warp-aggregated atomics.
//
// Grew from h2. The lanes of a warp that have the same bin find each other (__match_any_sync); the first of them adds for all.
// Why it should win: a bin gets one addition from a warp, however many of its lanes want it: contention within a warp is
// gone.
// Counter to watch: atomics; instructions, which are more.
// Stops winning: where bins differ anyway (HOT = 0) it only costs: finding each other takes longer than a few conflicts.

// needs compute capability: 7.0  lanes that have the same value find each other
// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: HOT = 0 in 0..100  per cent of the values that are one and the same
// elements per block: 2048 x 1
// order of tiles: line

#include "reduction.cuh"

constexpr int kWarps = BLOCK_X / 32;

extern "C" __global__ void count_bins(const unsigned* __restrict__ values, unsigned* bins, int width, int height) {
    __shared__ unsigned mine[256];
    for (int i = threadIdx.x; i < 256; i += BLOCK_X) mine[i] = 0;
    __syncthreads();
    const Run run = run_of_block(values, width, height);
    if (threadIdx.x < 32 * kWarps) {
        const int lane = threadIdx.x % 32;
        // Whole warps go round, so that all lanes meet; those behind the end agree on no bin at all.
        for (int first = threadIdx.x - lane; first < run.length; first += 32 * kWarps) {
            const bool counts = first + lane < run.length;
            const unsigned bin = counts ? run.values[first + lane] % 256 : 256;
            const unsigned same = __match_any_sync(~0u, bin);
            if (counts && lane == __ffs(same) - 1) atomicAdd(&mine[bin], unsigned(__popc(same)));
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += BLOCK_X) {
        if (mine[i] > 0) atomicAdd(&bins[i], mine[i]);
    }
}
