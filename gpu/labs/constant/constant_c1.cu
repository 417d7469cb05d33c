// Constant c1: the table in the code.
//
// The loop is unrolled, and each word of the table is an immediate operand of its exclusive or.
// Why it should win: nothing is read; the word comes with the instruction.
// Counter to watch: load requests, one a warp for the number itself.
// Stops winning: where the table is not known when the kernel is compiled, or code gets too long for its cache.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "constant.cuh"

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width, int height) {
    constexpr unsigned kTable[kWords] = {TABLE};
    sum_table(source, target, width, height, [&](int round) { return kTable[round]; });
}
