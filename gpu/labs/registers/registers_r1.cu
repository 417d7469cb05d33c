// Registers r1: as many registers as the compiler likes.
//
// Every thread transforms 64 numbers: sums and differences in six rounds, all of them needed until the end.
// Why it should win: everything stays in registers; nothing is written to memory but the result.
// Counter to watch: registers per thread; theoretical occupancy, which they limit.
// Stops winning: where so few warps are left that nobody issues while they wait.

// knob: BLOCK_X = 128 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// elements per block: 64 * BLOCK_X x 1
// order of tiles: line

#include "registers.cuh"

extern "C" __global__ void transform64(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width,
                                       int height) {
    transform_group(source, target, width, height);
}
