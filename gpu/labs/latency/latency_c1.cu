// Latency c1: a chain of multiply-adds.
//
// Every thread takes one element through 128 multiply-adds, each of which needs the result of the one before.
// Why it should win: it does not. A warp issues a link, then waits until its result can be read; only other warps fill the
// pipe in the meantime. Unrolled, nothing but links is left: without, each has a counter, a comparison and a branch beside it.
// Counter to watch: instructions, with UNROLL = 1 and 16; theoretical occupancy against time.
// Stops winning: with enough warps the pipe is full, and dependence costs nothing any more.

// knob: BLOCK_X = 32 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARED_KIB = 48 in 0..48  KiB of shared memory that a block takes, so that fewer blocks fit
// knob: UNROLL = 16 in 1..64  links of a chain in a round of the loop
// elements per block: BLOCK_X x 1
// order of tiles: folded line

#include "latency.cuh"

extern "C" __global__ void chain(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    take_shared(width);
    const unsigned element = element_of<1>(0);
    if (element >= unsigned(width) * height) return;
    float value = source[element];
#pragma unroll UNROLL
    for (int round = 0; round < kRounds; ++round) value = next(value);
    target[element] = value;
}
