// Registers r2: launch bounds.
//
// Grew from r1. __launch_bounds__ says how many threads a block has, and that MIN_BLOCKS of them are to fit on a
// multiprocessor: the compiler has so many registers for a thread and no more. A bound is a promise about this kernel alone.
// Why it should win: more warps are resident, and hide more of the wait for memory.
// Counter to watch: registers per thread against spills; theoretical occupancy.
// Stops winning: as soon as numbers spill to local memory. MIN_BLOCKS = 0 promises the block size alone.

// knob: BLOCK_X = 128 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: MIN_BLOCKS = 6 in 0..32  blocks that must fit on a multiprocessor; 0 asks for none
// elements per block: 64 * BLOCK_X x 1
// order of tiles: line

#include "registers.cuh"

#ifndef MIN_BLOCKS
#define MIN_BLOCKS 6
#endif

#if MIN_BLOCKS > 0
#define LAUNCH_BOUNDS __launch_bounds__(BLOCK_X, MIN_BLOCKS)
#else
#define LAUNCH_BOUNDS __launch_bounds__(BLOCK_X)
#endif

extern "C" __global__ void LAUNCH_BOUNDS transform64(const unsigned* __restrict__ source,
                                                     unsigned* __restrict__ target, int width, int height) {
    transform_group(source, target, width, height);
}
