// Latency c2: several chains a thread.
//
// Grew from c1. A thread takes ILP elements along together: a link of one chain does not wait for those of the others.
// Why it should win: while a link is under way the warp issues the next chain's, so one warp does what took ILP of them.
// Counter to watch: time against ILP at few warps; registers per thread, one for each chain.
// Stops winning: once ILP x warps fill the pipe. With all warps resident one chain a thread is as fast.

// knob: BLOCK_X = 32 in 32..1024  threads of a block
// knob: BLOCK_Y = 1 in 1..1  blocks are a row of threads
// knob: SHARED_KIB = 48 in 0..48  KiB of shared memory that a block takes, so that fewer blocks fit
// knob: UNROLL = 16 in 1..64  links of a chain in a round of the loop
// knob: ILP = 4 in 1..8  chains of a thread
// instruction-level parallelism: ILP
// elements per block: ILP * BLOCK_X x 1
// order of tiles: folded line

#include "latency.cuh"

extern "C" __global__ void chain(const float* __restrict__ source, float* __restrict__ target, int width, int height) {
    take_shared(width);
    const unsigned count = unsigned(width) * height;
    float value[ILP];
#pragma unroll
    for (int i = 0; i < ILP; ++i) value[i] = element_of<ILP>(i) < count ? source[element_of<ILP>(i)] : 0;
#pragma unroll UNROLL
    for (int round = 0; round < kRounds; ++round) {
#pragma unroll
        for (int i = 0; i < ILP; ++i) value[i] = next(value[i]);
    }
#pragma unroll
    for (int i = 0; i < ILP; ++i) {
        if (element_of<ILP>(i) < count) target[element_of<ILP>(i)] = value[i];
    }
}
