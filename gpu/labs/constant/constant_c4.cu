// Constant c4: the table in global memory.
//
// The same reads of an array in global memory, which L1 holds after the first ones.
// Why it should win: where lanes want different words: 32 of them are one line, and one request.
// Counter to watch: sectors per load, 4 of 32 bytes for 32 words next to each other, 1 for one word.
// Stops winning: against constant memory where all lanes want one word: every read goes through the load/store unit.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: DISTINCT = 1 in 1..32  different words that the lanes of a warp read at once
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "constant.cuh"

__device__ __align__(128) unsigned table[kWords] = {TABLE};

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width, int height) {
    sum_table(source, target, width, height, [](int round) { return table[word_of(round)]; });
}
