// Constant c5: the table in shared memory.
//
// Each block copies the table to shared memory and reads it there.
// Why it should win: 32 different words lie in 32 banks: one wavefront a read, as for one word.
// Counter to watch: wavefronts per request, 1 for every DISTINCT.
// Stops winning: where a block does little: it pays for the copy and a barrier.

// knob: BLOCK_X = 256 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: DISTINCT = 1 in 1..32  different words that the lanes of a warp read at once
// elements per block: BLOCK_X x 1
// order of tiles: line

#include "constant.cuh"

__device__ __align__(128) unsigned table[kWords] = {TABLE};

extern "C" __global__ void sum(const unsigned* __restrict__ source, unsigned* __restrict__ target, int width, int height) {
    __shared__ unsigned words[kWords];
    for (int i = threadIdx.x; i < kWords; i += BLOCK_X) words[i] = table[i];
    __syncthreads();
    sum_table(source, target, width, height, [&](int round) { return words[word_of(round)]; });
}
