// Constant c3: constant memory, indexed.
//
// Which word a lane reads is known at run time only; the lanes of a warp want DISTINCT different ones.
// Why it should win: one word for all lanes is one read of the constant cache, broadcast.
// Counter to watch: words per constant load, DISTINCT of them.
// Stops winning: with each further address: the cache serves one at a time.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: DISTINCT = 1 in 1..32  different words that the lanes of a warp read at once
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "constant.cuh"

__constant__ unsigned table[kWords] = {TABLE};

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width, int height) {
    sum_table(source, target, width, height, [](int round) { return table[word_of(round)]; });
}
